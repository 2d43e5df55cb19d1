/* SPDX-License-Identifier: Apache-2.0 */
#include "net_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int net_case_open(om_net *net, om_context *ctx, uint32_t places, uint32_t transitions)
{
    *net = (om_net){ .ctx = ctx, .region = { .heap = om_context_heap(ctx) } };
    net->places = om_region_take(&net->region, places, sizeof *net->places);
    net->transitions = om_region_take(&net->region, transitions, sizeof *net->transitions);
    net->place_count = places;
    return net->places == NULL || net->transitions == NULL ? OM_ENOMEM : OM_OK;
}

void net_case_close(om_net *net)
{
    om_region_free(&net->region);
}

static om_net_arc *tokens(
    om_net *net, const int64_t *counts, const bool *both, int sign, uint32_t *count)
{
    om_net_arc *list = om_region_take(&net->region, net->place_count, sizeof *list);
    *count = 0;
    for (uint32_t p = 0; list != NULL && p < net->place_count; p++) {
        int64_t n = (sign * counts[p] > 0 ? sign * counts[p] : 0) + (both != NULL && both[p]);
        if (n > 0)
            list[(*count)++] = (om_net_arc){ p, (om_value) n };
    }
    return list;
}

int net_case_set(om_net *net, uint32_t t, const int64_t *counts, const bool *both)
{
    om_net_transition *of = &net->transitions[t];
    of->takes = tokens(net, counts, both, -1, &of->take_count);
    of->gives = tokens(net, counts, both, 1, &of->give_count);
    return of->takes == NULL || of->gives == NULL ? OM_ENOMEM : OM_OK;
}

int net_case_add(om_net *net, const int64_t *counts, const bool *both)
{
    return net_case_set(net, net->transition_count++, counts, both);
}

static om_net_arc *ones(om_net *net, const uint32_t *places, uint32_t count)
{
    om_net_arc *list = om_region_take(&net->region, count, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < count; i++)
        list[i] = (om_net_arc){ places[i], 1 };
    return list;
}

int net_case_add_few(om_net *net, const uint32_t *takes, uint32_t take_count, const uint32_t *gives,
    uint32_t give_count)
{
    om_net_transition *t = &net->transitions[net->transition_count++];
    *t = (om_net_transition){ .take_count = take_count, .give_count = give_count };
    t->takes = ones(net, takes, take_count);
    t->gives = ones(net, gives, give_count);
    return t->takes == NULL || t->gives == NULL ? OM_ENOMEM : OM_OK;
}

static om_net_node *name_nodes(om_net *net, char kind, uint32_t count)
{
    om_net_node *nodes = om_region_take(&net->region, count, sizeof *nodes);
    for (uint32_t i = 0; nodes != NULL && i < count; i++) {
        char id[16];
        int n = snprintf(id, sizeof id, "%c%" PRIu32, kind, i);
        nodes[i] = (om_net_node){
            .id = om_region_copy(&net->region, id, (size_t) n), .first = i, .count = 1
        };
    }
    return nodes;
}

int net_case_name(om_net *net)
{
    net->file = net->name = "case";
    net->place_node_count = net->place_count;
    net->transition_node_count = net->transition_count;
    net->place_nodes = name_nodes(net, 'p', net->place_count);
    net->transition_nodes = name_nodes(net, 't', net->transition_count);
    for (uint32_t p = 0; p < net->place_count; p++)
        net->places[p].node = p;
    for (uint32_t t = 0; t < net->transition_count; t++)
        net->transitions[t].node = t;
    return net->place_nodes == NULL || net->transition_nodes == NULL ? OM_ENOMEM : OM_OK;
}

/* Reads "2*1 3" up to the first character that starts no number. */
static const char *read_list(const char *s, om_net_arc *list, uint32_t *count)
{
    for (*count = 0;;) {
        char *end = NULL;
        s += strspn(s, " ");
        if (*s < '0' || *s > '9')
            return s;
        long n = strtol(s, &end, 10), place = *end == '*' ? strtol(end + 1, &end, 10) : n;
        bool weighted = memchr(s, '*', (size_t) (end - s)) != NULL;
        list[(*count)++] = (om_net_arc){ (uint32_t) place, weighted ? (om_value) n : 1 };
        s = end;
    }
}

static size_t count_char(const char *s, char c)
{
    size_t n = 0;
    for (; *s != '\0'; s++)
        n += *s == c;
    return n;
}

int net_case_read(om_net *net, om_context *ctx, const char *initial, const char *transitions)
{
    size_t places = count_char(initial, ' ') + 1;
    int rc = net_case_open(net, ctx, (uint32_t) places, (uint32_t) count_char(transitions, '>'));
    for (uint32_t p = 0; rc == OM_OK && p < net->place_count; p++) {
        char *end = NULL;
        net->places[p].initial = (om_value) strtol(initial, &end, 10);
        initial = end;
    }
    for (const char *s = transitions; rc == OM_OK && strchr(s, '>') != NULL;) {
        om_net_transition *t = &net->transitions[net->transition_count++];
        om_net_arc *takes = om_region_take(&net->region, places, sizeof *takes);
        om_net_arc *gives = om_region_take(&net->region, places, sizeof *gives);
        if (takes == NULL || gives == NULL)
            return OM_ENOMEM;
        s = read_list(s, takes, &t->take_count) + 1;
        s = read_list(s, gives, &t->give_count);
        s += *s == ';';
        t->takes = takes;
        t->gives = gives;
    }
    return rc;
}

typedef struct exploration {
    const om_net *net;
    int64_t *markings; /* one after another */
    size_t count, limit, *index, capacity;
    bool full;
} exploration;

static size_t hash(const int64_t *marking, uint32_t places)
{
    uint64_t h = 1469598103934665603u;
    for (uint32_t p = 0; p < places; p++)
        h = (h ^ (uint64_t) marking[p]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    return (size_t) h;
}

/* Adds the marking that is stored after the last one, unless it is known. */
static void keep(exploration *x)
{
    uint32_t places = x->net->place_count;
    const int64_t *fresh = x->markings + x->count * places;
    size_t i = hash(fresh, places) & (x->capacity - 1);
    for (; x->index[i] != 0; i = (i + 1) & (x->capacity - 1))
        if (memcmp(x->markings + (x->index[i] - 1) * places, fresh, places * sizeof *fresh) == 0)
            return;
    if (x->count == x->limit) {
        x->full = true;
        return;
    }
    x->index[i] = ++x->count;
}

static bool fire(exploration *x, size_t from, const om_net_transition *t)
{
    uint32_t places = x->net->place_count;
    const int64_t *old = x->markings + from * places;
    int64_t *fresh = x->markings + x->count * places;
    for (uint32_t i = 0; i < t->take_count; i++)
        if (old[t->takes[i].place] < t->takes[i].count)
            return false;
    memcpy(fresh, old, places * sizeof *fresh);
    for (uint32_t i = 0; i < t->take_count; i++)
        fresh[t->takes[i].place] -= t->takes[i].count;
    for (uint32_t i = 0; i < t->give_count; i++)
        fresh[t->gives[i].place] += t->gives[i].count;
    return true;
}

static bool holds(const om_net_invariants *invariants, const int64_t *marking)
{
    for (size_t r = 0; r < invariants->count; r++) {
        const om_net_invariant *row = &invariants->rows[r];
        uint64_t sum = 0; /* modulo 2^64 */
        for (uint32_t i = 0; i < row->term_count; i++)
            sum += (uint64_t) row->terms[i].factor * (uint64_t) marking[row->terms[i].place];
        if (sum != (uint64_t) row->constant)
            return false;
    }
    return true;
}

static void explore(exploration *x, const om_net_invariants *invariants, net_case_result *out)
{
    const om_net *net = x->net;
    for (uint32_t p = 0; p < net->place_count; p++)
        x->markings[p] = net->places[p].initial;
    keep(x);
    for (size_t i = 0; i < x->count && !x->full; i++)
        for (uint32_t t = 0; t < net->transition_count; t++)
            if (fire(x, i, &net->transitions[t]))
                keep(x);
    for (size_t i = 0; i < x->count; i++) {
        const int64_t *marking = x->markings + i * net->place_count;
        for (uint32_t p = 0; p < net->place_count; p++)
            out->most[p] = marking[p] > out->most[p] ? marking[p] : out->most[p];
        out->broken = out->broken || (invariants != NULL && !holds(invariants, marking));
    }
}

bool net_case_explore(
    const om_net *net, const om_net_invariants *invariants, size_t limit, net_case_result *out)
{
    exploration x = { .net = net, .limit = limit, .capacity = 16 };
    while (x.capacity < 2 * limit)
        x.capacity *= 2;
    size_t places = net->place_count;
    x.markings = malloc((limit + 1) * places * sizeof *x.markings);
    x.index = calloc(x.capacity, sizeof *x.index);
    *out = (net_case_result){ .most = calloc(places, sizeof *out->most) };
    bool made = x.markings != NULL && x.index != NULL && out->most != NULL;
    if (made)
        explore(&x, invariants, out);
    out->markings = x.count;
    out->complete = made && !x.full;
    out->all = x.markings;
    free(x.index);
    return made;
}

void net_case_drop(net_case_result *r)
{
    free(r->most);
    free(r->all);
}
