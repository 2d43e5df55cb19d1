/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks of fairness (om_fairness): fairness assumptions about moving processes and propositions
 * become acceptance sets of edges when the edges are written as steps. A. Duret-Lutz, D.
 * Poitrenaud, J.-M. Couvreur, On-the-fly emptiness check of transition-based Streett automata (ATVA
 * 2009), section 1: weak fairness is generalized Buchi acceptance, strong fairness Streett
 * acceptance, of the system's own edges.
 *
 * The successors are scanned once more, but only for their transition numbers: a process is enabled
 * in a state if it moves along one of the state's edges. The enabled processes and the label are
 * mostly those of the previous state, so the last result is memorised.
 */
#include "product_impl.h"

#include <assert.h>

static uint64_t able_in(const om_cursor *c, const om_fairness *f)
{
    uint64_t able = 0;
    for (size_t i = 0; i < c->move_rows; i++)
        if (c->succ.transition[i] < f->transitions)
            able |= f->movers[c->succ.transition[i]];
    return able;
}

om_marks om_fair__source(om_cursor *c)
{
    const om_fairness *f = c->p->fairness;
    const uint64_t able = able_in(c, f);
    const om_label label = f->aps == 0 ? 0 : c->label >> f->first_ap;
    om_marks marks = 0;
    assert(f->processes <= 64 && (c->move_count == 0 || c->move_rows <= c->succ.count)); /* R1 */
    assert((c->p->spec.variants & OM_PRODUCT_TESTING) == 0); /* each row has its own move */
    if (c->fair.known && c->fair.able == able && c->fair.label == label)
        return c->fair.marks;
    for (uint32_t i = 0; i < f->processes; i++)
        marks |= (able >> i & 1) != 0 ? f->able[i] : f->unable[i];
    for (uint32_t k = 0; k < f->aps; k++)
        if ((label >> k & 1) != 0)
            marks |= f->holds[k];
    c->fair = (struct om_fair_source){ able, label, marks, true };
    return marks;
}
