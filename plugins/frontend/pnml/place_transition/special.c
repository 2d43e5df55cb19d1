/* SPDX-License-Identifier: Apache-2.0 */
#include "special.h"

#include <assert.h>
#include <stdlib.h>

/* An arc that is not normal. */
typedef struct special {
    uint32_t transition, place;
    pnml_arc_kind kind;
    om_value weight;
} special;

typedef struct adding {
    om_net *net;
    const om_heap *heap;
    special *list; /* sorted by transition, then by kind, then by place */
    size_t count;
    om_value *capacity; /* by place */
} adding;

static int compare(const void *x, const void *y)
{
    const special *a = x, *b = y;
    if (a->transition != b->transition)
        return a->transition < b->transition ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static int collect(adding *a, const pnml_document *d, const uint32_t *number)
{
    for (size_t i = 0; i < d->arc_count; i++)
        a->count += d->arcs[i].kind != PNML_ARC_NORMAL;
    if (!OM_NEW(a->heap, a->list, a->count + 1) ||
        !OM_NEW(a->heap, a->capacity, (size_t) a->net->place_count + 1))
        return om_fail_memory(a->net->ctx);
    for (size_t i = 0, n = 0; i < d->arc_count; i++) {
        const pnml_arc *arc = &d->arcs[i];
        if (arc->kind != PNML_ARC_NORMAL)
            a->list[n++] =
                (special){ number[arc->target], number[arc->source], arc->kind, arc->weight };
    }
    if (a->count > 1)
        qsort(a->list, a->count, sizeof *a->list, compare);
    for (size_t i = 0; i < d->ids.count; i++)
        if (d->nodes[i].kind == PNML_PLACE)
            a->capacity[number[i]] = d->nodes[i].capacity;
    return OM_OK;
}

static om_value count_of(const om_net_arc *list, uint32_t count, uint32_t place)
{
    uint32_t i = 0;
    while (i < count && list[i].place < place)
        i++;
    return i < count && list[i].place == place ? list[i].count : 0;
}

/* Returns a copy of the list with `more` tokens added for that place. */
static const om_net_arc *with(
    adding *a, const om_net_arc *list, uint32_t *count, uint32_t place, om_value more)
{
    assert(more > 0);
    om_net_arc *made = om_region_take(&a->net->region, (size_t) *count + 1, sizeof *made);
    uint32_t n = 0, i = 0;
    if (made == NULL)
        return NULL;
    for (; i < *count && list[i].place < place; i++)
        made[n++] = list[i];
    made[n] = (om_net_arc){ place, more };
    if (i < *count && list[i].place == place)
        made[n].count += list[i++].count;
    for (n++; i < *count; i++)
        made[n++] = list[i];
    assert(n == *count || n == *count + 1);
    *count = n;
    return made;
}

static bool is_reset(const om_net_transition *t, uint32_t place)
{
    uint32_t i = 0;
    while (i < t->reset_count && t->resets[i] != place)
        i++;
    return i < t->reset_count;
}

/* The place must have as many tokens as the larger of the numbers that are read and taken. Tokens
 * that a reset takes are not given back. */
static int add_read(adding *a, om_net_transition *t, const special *s)
{
    const om_value has = count_of(t->takes, t->take_count, s->place);
    const om_value gives = count_of(t->gives, t->give_count, s->place);
    const om_net_node *node = &a->net->transition_nodes[t->node];
    if (s->weight <= has)
        return OM_OK;
    if ((om_wide) gives + s->weight - has > OM_VALUE_MAX)
        return PNML_FAIL(a->net, node->pos,
            "the arcs between transition '%.100s' and place '%.100s' add up to more than "
            "%" OM_VALUE_FORMAT " tokens",
            node->id, a->net->place_nodes[s->place].id, OM_VALUE_MAX);
    t->takes = with(a, t->takes, &t->take_count, s->place, s->weight - has);
    if (t->takes != NULL && !is_reset(t, s->place))
        t->gives = with(a, t->gives, &t->give_count, s->place, s->weight - has);
    return t->takes == NULL || t->gives == NULL ? om_fail_memory(a->net->ctx) : OM_OK;
}

static int add_resets(adding *a, om_net_transition *t, const special *first, size_t count)
{
    uint32_t *resets = om_region_take(&a->net->region, count + 1, sizeof *resets);
    if (resets == NULL)
        return om_fail_memory(a->net->ctx);
    t->resets = resets;
    for (size_t i = 0; i < count; i++)
        if (first[i].kind == PNML_ARC_RESET &&
            (t->reset_count == 0 || resets[t->reset_count - 1] != first[i].place))
            resets[t->reset_count++] = first[i].place;
    return OM_OK;
}

static int by_place(const void *x, const void *y)
{
    const om_net_limit *a = x, *b = y;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->most < b->most ? -1 : a->most > b->most;
}

/* Makes the limit for a place with a capacity to which the transition adds tokens; false if none
 * is needed. */
static bool limit_of_capacity(
    const adding *a, const om_net_transition *t, const om_net_arc *gives, om_net_limit *out)
{
    const om_value capacity = a->capacity[gives->place];
    const om_value takes = count_of(t->takes, t->take_count, gives->place);
    if (capacity == PNML_NO_CAPACITY)
        return false;
    *out = (om_net_limit){ gives->place, -1 };
    if (is_reset(t, gives->place))
        return gives->count > capacity;
    const om_wide most = (om_wide) capacity - gives->count + takes;
    if (gives->count <= takes)
        return false;
    assert(most < capacity);
    out->most = most < 0 ? -1 : (om_value) most;
    return true;
}

/* Stores the lowest limit of each place. */
static int add_limits(adding *a, om_net_transition *t, const special *first, size_t count)
{
    const size_t room = count + t->give_count;
    om_net_limit *limits = om_region_take(&a->net->region, room + 1, sizeof *limits);
    size_t n = 0;
    uint32_t kept = 0;
    if (limits == NULL)
        return om_fail_memory(a->net->ctx);
    for (size_t i = 0; i < count; i++)
        if (first[i].kind == PNML_ARC_INHIBITOR)
            limits[n++] = (om_net_limit){ first[i].place, first[i].weight - 1 };
    for (uint32_t i = 0; i < t->give_count; i++)
        n += limit_of_capacity(a, t, &t->gives[i], &limits[n]);
    assert(n <= room);
    if (n > 1)
        qsort(limits, n, sizeof *limits, by_place);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || limits[kept - 1].place != limits[i].place)
            limits[kept++] = limits[i];
    t->limits = limits;
    t->limit_count = kept;
    return OM_OK;
}

static bool gives_to_limited(const adding *a, const om_net_transition *t)
{
    uint32_t i = 0;
    while (i < t->give_count && a->capacity[t->gives[i].place] == PNML_NO_CAPACITY)
        i++;
    return i < t->give_count;
}

static int add_to(adding *a, om_net_transition *t, const special *first, size_t count)
{
    if (count == 0 && !gives_to_limited(a, t))
        return OM_OK;
    int rc = add_resets(a, t, first, count);
    for (size_t i = 0; i < count && rc == OM_OK; i++)
        if (first[i].kind == PNML_ARC_READ)
            rc = add_read(a, t, &first[i]);
    return rc == OM_OK ? add_limits(a, t, first, count) : rc;
}

int pnml_special_add(om_net *net, const pnml_document *d, const uint32_t *number)
{
    adding a = { .net = net, .heap = om_context_heap(net->ctx) };
    int rc = collect(&a, d, number);
    for (uint32_t t = 0, at = 0; t < net->transition_count && rc == OM_OK; t++) {
        const size_t first = at;
        assert(at == a.count || a.list[at].transition >= t); /* none is left behind */
        while (at < a.count && a.list[at].transition == t)
            at++;
        rc = add_to(&a, &net->transitions[t], a.list + first, at - first);
        if (rc == OM_OK && t % 4096 == 0)
            rc = om_context_stopped(net->ctx);
    }
    OM_FREE_ALL(a.heap, a.list, a.capacity);
    return rc;
}
