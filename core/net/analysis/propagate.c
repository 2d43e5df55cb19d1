/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds from invariants and the bounds of other places. If the sum of f_q m_q is k, then f_p m_p
 * is k minus the sum of the others, which is at least the sum of their minima: f_q times the fewest
 * tokens of q for f_q > 0, times the most for f_q < 0. For f_p > 0 this gives an upper bound of
 * m_p, for f_p < 0 a lower one; the equation times -1 gives the opposite ones. This is iterated,
 * because every bound may improve others.
 */
#include "proofs.h"

/* Passes over all invariants: bounds can decrease by 1 in each for very long. */
enum { ROUNDS = 20 };

typedef struct state {
    om_net *net;
    int64_t *fewest; /* fewest tokens, by place */
} state;

/* The minimum of a sum: `sum` of the bounded terms, and the number of unbounded ones. */
typedef struct others {
    int64_t sum;
    uint32_t boundless;
    const om_net_weight *which; /* the last unbounded one */
} others;

/* Sets *out to the minimum of the term (times sign). Returns false if it is unknown or too
 * large. */
static bool least(const state *s, const om_net_weight *t, int64_t sign, int64_t *out)
{
    const om_net_place *p = &s->net->places[t->place];
    int64_t factor = sign * t->factor;
    if (factor < 0 && p->bound == OM_NET_NO_BOUND)
        return false;
    return !__builtin_mul_overflow(factor, factor < 0 ? p->bound : s->fewest[t->place], out);
}

/* Returns false if a number is too large. */
static bool add_up(const state *s, const om_net_invariant *row, int64_t sign, others *out)
{
    *out = (others){ .sum = 0 };
    for (uint32_t i = 0; i < row->term_count; i++) {
        int64_t l = 0;
        if (!least(s, &row->terms[i], sign, &l)) {
            out->boundless++;
            out->which = &row->terms[i];
        } else if (__builtin_add_overflow(out->sum, l, &out->sum))
            return false;
    }
    return true;
}

/* Improves the bounds of a place whose term is at most `rest`. */
static bool tighten(state *s, const om_net_weight *t, int64_t sign, int64_t rest)
{
    int64_t factor = sign * t->factor;
    if (factor > 0)
        return rest >= 0 && om_net__lower_bound_to(&s->net->places[t->place], rest / factor);
    if (factor == 0 || rest >= 0)
        return false;
    int64_t fewest = rest / factor + (rest % factor != 0);
    if (fewest <= s->fewest[t->place])
        return false;
    s->fewest[t->place] = fewest;
    return true;
}

/* Improves the bounds of each term's place by those of the others. */
static bool use(state *s, const om_net_invariant *row, int64_t sign)
{
    others all;
    bool changed = false;
    if (!add_up(s, row, sign, &all) || all.boundless > 1)
        return false;
    for (uint32_t i = 0; i < row->term_count; i++) {
        const om_net_weight *t = &row->terms[i];
        int64_t own = 0, rest = 0;
        if (all.boundless == 1 && t != all.which)
            continue;
        bool known = all.boundless == 1 || least(s, t, sign, &own);
        if (known && !__builtin_sub_overflow(sign * row->constant, all.sum, &rest) &&
            !__builtin_add_overflow(rest, own, &rest) && tighten(s, t, sign, rest)) {
            changed = true;
            if (!add_up(s, row, sign, &all))
                return changed;
        }
    }
    return changed;
}

static int round_of_all(state *s, const om_net_invariants *invariants, bool *changed)
{
    size_t looked = 0;
    *changed = false;
    for (size_t r = 0; r < invariants->count; r++) {
        *changed |= use(s, &invariants->rows[r], 1);
        *changed |= use(s, &invariants->rows[r], -1);
        looked += invariants->rows[r].term_count;
        if (looked > 4096) {
            looked = 0;
            if (om_context_stopped(s->net->ctx) != OM_OK)
                return om_context_stopped(s->net->ctx);
        }
    }
    return OM_OK;
}

int om_net__bound_by_invariants(om_net *net, const om_net_invariants *invariants)
{
    const om_heap *heap = om_context_heap(net->ctx);
    state s = { net, om_alloc(heap, net->place_count, sizeof(int64_t)) };
    bool changed = true;
    int rc = s.fewest == NULL ? om_fail_memory(net->ctx) : OM_OK;
    for (unsigned i = 0; rc == OM_OK && changed && i < ROUNDS; i++)
        rc = round_of_all(&s, invariants, &changed);
    om_free(heap, s.fewest);
    return rc;
}
