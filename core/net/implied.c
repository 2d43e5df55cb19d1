/* SPDX-License-Identifier: Apache-2.0 */
#include "implied.h"

#include "compact.h"
#include "invariants.h"

enum {
    TERMS = 32, /* of a sum that may take the place of a slot, at most */
    WORD = 32
};

typedef struct implying {
    const om_net *net;
    om_model *m;
    uint32_t *rows, *reads; /* by place: invariants that it is in; transitions that take from it */
    om_implied_term terms[TERMS];
} implying;

static uint32_t bits_of(const om_net_place *p)
{
    uint32_t bits = 1;
    while (bits < WORD && p->bound >> bits != 0)
        bits++;
    return bits;
}

/* Could anything be saved? */
static bool is_large(const om_net *net)
{
    uint64_t bits = 0;
    for (uint32_t p = 0; p < net->place_count; p++)
        bits += bits_of(&net->places[p]);
    return bits > WORD;
}

/* Are all places bounded, and all sums small enough for om_value, in whatever order? */
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

/* Of those in no other invariant: the one with most bits, and of these the one that is looked at
 * least. */
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

static int add_all(implying *k)
{
    om_net_invariants found = { .heap = NULL };
    int rc = om_net_invariants__find(&found, k->net, NULL, 0);
    for (size_t i = 0; i < found.term_count && rc == OM_OK; i++)
        k->rows[found.terms[i].place]++;
    for (uint32_t t = 0; t < k->net->transition_count && rc == OM_OK; t++)
        for (uint32_t i = 0; i < k->net->transitions[t].take_count; i++)
            k->reads[k->net->transitions[t].takes[i].place]++;
    for (size_t i = 0; i < found.count && rc == OM_OK; i++)
        rc = add_row(k, &found.rows[i]);
    om_net_invariants__free(&found);
    return rc;
}

int om_net__add_implied(const om_net *net, om_model *m)
{
    const om_heap *heap = net->region.heap;
    implying k = { .net = net, .m = m };
    if (!is_large(net))
        return OM_OK;
    k.rows = om_alloc(heap, net->place_count, sizeof *k.rows);
    k.reads = om_alloc(heap, net->place_count, sizeof *k.reads);
    int rc = k.rows == NULL || k.reads == NULL ? om_fail_memory(net->ctx) : add_all(&k);
    om_free(heap, k.rows);
    om_free(heap, k.reads);
    return rc;
}
