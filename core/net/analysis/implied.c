/* SPDX-License-Identifier: Apache-2.0 */
#include "implied.h"

#include "extended.h"
#include "form/proved.h"

#include <string.h>

enum {
    TERMS = 32, /* maximum terms of a sum that replaces a slot */
    WORD = 32
};

typedef struct implying {
    const om_net *net;
    om_model *m;
    uint32_t *rows, *reads; /* by place: number of invariants with it; of its takers */
    om_implied_term terms[TERMS];
} implying;

static uint32_t bits_of(const om_net_place *p)
{
    uint32_t bits = 1;
    while (bits < WORD && p->bound >> bits != 0)
        bits++;
    return bits;
}

/* Returns true if leaving out places can save memory. */
static bool is_large(const om_net *net)
{
    uint64_t bits = 0;
    for (uint32_t p = 0; p < net->place_count; p++)
        bits += bits_of(&net->places[p]);
    return bits > WORD;
}

/* Returns true if all places are bounded and all partial sums fit om_value, in any order. */
static bool fits(const om_net *net, const om_net_invariant *row)
{
    int64_t most = row->constant < 0 ? -row->constant : row->constant;
    for (uint32_t i = 0; i < row->term_count && most <= OM_VALUE_MAX; i++) {
        const om_net_weight *w = &row->terms[i];
        const int64_t size = w->factor < 0 ? -w->factor : w->factor;
        if (net->places[w->place].bound == OM_NET_NO_BOUND || size > OM_VALUE_MAX)
            return false;
        most += size * net->places[w->place].bound;
    }
    return most <= OM_VALUE_MAX;
}

/* Chooses, among the places that are in no other invariant, the one with most bits and, among
 * equals, the one that is read least. */
static uint32_t choose(const implying *k, const om_net_invariant *row)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < row->term_count; i++) {
        const uint32_t p = row->terms[i].place, q = row->terms[best].place;
        const uint32_t bits = bits_of(&k->net->places[p]), most = bits_of(&k->net->places[q]);
        if (k->rows[p] == 1 && (bits > most || (bits == most && k->reads[p] < k->reads[q])))
            best = i;
    }
    return best;
}

static int add_row(implying *k, const om_net_invariant *row)
{
    const uint32_t own = choose(k, row);
    const int64_t sign = row->terms[own].factor < 0 ? -1 : 1;
    uint32_t n = 0;
    if (row->term_count > TERMS || !fits(k->net, row))
        return OM_OK;
    for (uint32_t i = 0; i < row->term_count; i++)
        if (i != own)
            k->terms[n++] =
                (om_implied_term){ row->terms[i].place, (om_value) (sign * row->terms[i].factor) };
    return om_model__add_implied(k->m, row->terms[own].place, (om_value) (sign * row->constant),
        (om_value) (sign * row->terms[own].factor), k->terms, n);
}

static int add_all(implying *k, const om_net_invariants *found)
{
    int rc = OM_OK;
    for (size_t i = 0; i < found->term_count; i++)
        k->rows[found->terms[i].place]++;
    for (uint32_t t = 0; t < k->net->transition_count; t++)
        for (uint32_t i = 0; i < k->net->transitions[t].take_count; i++)
            k->reads[k->net->transitions[t].takes[i].place]++;
    for (size_t i = 0; i < found->count && rc == OM_OK; i++)
        rc = add_row(k, &found->rows[i]);
    return rc;
}

/* Copies the invariants of two or more places; the others may take most of the memory. */
static int take_long(om_net_invariants *to, const om_net_invariants *from, om_context *ctx)
{
    size_t count = 0, terms = 0;
    for (size_t i = 0; i < from->count; i++)
        if (from->rows[i].term_count > 1) {
            count++;
            terms += from->rows[i].term_count;
        }
    to->heap = from->heap;
    if (count == 0)
        return OM_OK;
    if (!OM_NEW(to->heap, to->rows, count) || !OM_NEW(to->heap, to->terms, terms))
        return om_fail_memory(ctx);
    for (size_t i = 0; i < from->count; i++) {
        const om_net_invariant *row = &from->rows[i];
        om_net_weight *at = to->terms + to->term_count;
        if (row->term_count < 2)
            continue;
        memcpy(at, row->terms, row->term_count * sizeof *at);
        to->rows[to->count++] = (om_net_invariant){ at, row->term_count, row->constant };
        to->term_count += row->term_count;
    }
    return OM_OK;
}

/* Invariants of the relaxed net hold for a net that is not plain. */
static int find_all(om_net_invariants *all, const om_net *net)
{
    om_net relaxed;
    if (om_net__is_plain(net))
        return om_net_invariants__find(all, net, NULL, 0);
    int rc = om_net__relax(net, &relaxed);
    if (rc == OM_OK)
        rc = om_net_invariants__find(all, &relaxed, NULL, 0);
    om_net_clear(&relaxed);
    return rc;
}

int om_net_implied__find(om_net_invariants *out, const om_net *net)
{
    om_net_invariants all = { .heap = NULL };
    if (!is_large(net))
        return OM_OK;
    int rc = find_all(&all, net);
    if (rc != OM_OK)
        return rc;
    rc = take_long(out, &all, net->ctx);
    om_net_invariants__free(&all);
    if (rc != OM_OK)
        om_net_invariants__free(out);
    return rc;
}

int om_net_implied__add(const om_net *net, const om_net_invariants *found, om_model *m)
{
    const om_heap *heap = net->region.heap;
    implying k = { .net = net, .m = m };
    om_model__leave_constants(m);
    if (found->count == 0)
        return OM_OK;
    k.rows = om_alloc(heap, net->place_count, sizeof *k.rows);
    k.reads = om_alloc(heap, net->place_count, sizeof *k.reads);
    int rc = k.rows == NULL || k.reads == NULL ? om_fail_memory(net->ctx) : add_all(&k, found);
    OM_FREE_ALL(heap, k.rows, k.reads);
    return rc;
}
