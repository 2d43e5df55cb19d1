/* SPDX-License-Identifier: Apache-2.0 */
#include "acceptance_case.h"

static uint32_t below(om_random *r, uint32_t n)
{
    return (uint32_t) om_random_below(r, n);
}

static void put(formula *f, om_acc_op op, uint32_t set)
{
    f->at[f->length++] = (om_acc){ (uint8_t) op, (uint8_t) set };
}

formula random_streett(om_random *r, uint32_t most, bool mixed)
{
    formula f = { .length = 0 };
    uint32_t pairs = 1 + below(r, most);
    bool shared = below(r, 3) == 0;
    f.sets = shared ? 1 + below(r, 2 * pairs) : 2 * pairs;
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t fin = shared ? below(r, f.sets) : 2 * i;
        uint32_t inf = shared ? below(r, f.sets) : 2 * i + 1;
        uint32_t kind = mixed ? below(r, 6) : 2;
        if (kind == 0)
            put(&f, OM_ACC_FIN, fin);
        else if (kind == 1)
            put(&f, OM_ACC_INF, inf);
        else {
            bool swapped = below(r, 2) == 0;
            put(&f, swapped ? OM_ACC_INF : OM_ACC_FIN, swapped ? inf : fin);
            put(&f, swapped ? OM_ACC_FIN : OM_ACC_INF, swapped ? fin : inf);
            put(&f, OM_ACC_OR, 0);
        }
        if (i > 0)
            put(&f, OM_ACC_AND, 0);
    }
    return f;
}

om_marks formula_infs(const formula *f)
{
    om_marks infs = 0;
    for (size_t i = 0; i < f->length; i++)
        infs |= f->at[i].op == OM_ACC_INF ? UINT64_C(1) << f->at[i].set : 0;
    return infs;
}

static om_marks random_marks(om_random *r, uint32_t rarity, om_marks rare)
{
    enum { SELDOM = 3 };
    om_marks marks = UINT64_MAX, seldom = UINT64_MAX;
    for (uint32_t i = 0; i < rarity; i++)
        marks &= om_random_next(r);
    for (uint32_t i = 0; i < SELDOM; i++)
        seldom &= om_random_next(r);
    return marks & (seldom | ~rare);
}

om_automaton *with_acceptance(om_context *ctx, om_random *r, const om_automaton *a,
    const formula *f, uint32_t rarity, om_marks rare)
{
    const char *aps[64];
    uint32_t aps_count = om_automaton_ap_count(a), first;
    om_automaton *b = NULL;
    for (uint32_t i = 0; i < aps_count; i++)
        aps[i] = om_automaton_ap(a, i);
    bool ok = om_automaton_new(&b, ctx, aps_count, aps) == OM_OK &&
              om_automaton_add_states(b, om_automaton_state_count(a), &first) == OM_OK &&
              om_automaton_set_acceptance(b, f->sets, f->at, f->length) == OM_OK;
    for (uint32_t i = 0; ok && i < om_automaton_initial_count(a); i++)
        ok = om_automaton_add_initial(b, om_automaton_initial(a, i)) == OM_OK;
    for (uint32_t q = 0; ok && q < om_automaton_state_count(a); q++) {
        uint32_t count;
        const om_edge *e = om_automaton_edges(a, q, &count);
        for (uint32_t k = 0; ok && k < count; k++) {
            om_marks marks = random_marks(r, rarity, rare) & ((UINT64_C(1) << f->sets) - 1);
            ok = om_automaton_add_edge(b, q, e[k].dst, marks,
                     om_automaton_cubes(a) + e[k].cube_begin, e[k].cube_count) == OM_OK;
        }
    }
    if (ok && om_automaton_finish(b) == OM_OK)
        return b;
    om_automaton_free(b);
    return NULL;
}
