/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depend.h: which transitions of a model depend on each other. The relations hold in all states
 * that are reachable from the settled ones (footprint.h), so they are computed once. A transition
 * stands for the atomic sequence that it starts; its steps are one step.
 *
 *  D1  If t and u are both enabled in a state and u is not in rivals(t), then neither disables the
 *      other, and both orders lead to the same state.
 *  D2  If a conjunct of t's guard is false in a state, no transition outside enablers(conjunct)
 *      makes it true.
 *  D3  In every cycle of the state graph, some transition is *sticky*.
 *  D4  A transition that is not *seen* changes the truth value of none of the given expressions.
 */
#ifndef OM_MODEL_DEPEND_H
#define OM_MODEL_DEPEND_H

#include "footprint.h"

/* Lists of transitions: those of list i are at[first[i]] to at[first[i + 1] - 1]. */
typedef struct om_lists {
    uint32_t *first, *at;
    size_t lists, count, room;
} om_lists;

static inline uint32_t om_lists__length(const om_lists *l, uint32_t list)
{
    return l->first[list + 1] - l->first[list];
}

typedef struct om_depend {
    const om_model *m;
    om_footprint footprint;
    om_lists rivals;      /* by transition: D1 */
    om_lists enablers;    /* D2; equal conjuncts share a list */
    uint32_t *enabler_of; /* by conjunct: the number of its list */
    bool *sticky, *seen;  /* by transition: D3, D4 */
    bool faults;          /* there are watchers, or a step may fault */
} om_depend;

/* Returns true if a transition is enabled in no state where there is a choice. */
static inline bool om_depend__is_never(const om_depend *d, uint32_t t)
{
    return t < d->footprint.transitions &&
           (d->footprint.dead[t] || d->footprint.inner[t] || om_model__is_never(d->m, t));
}

/* Computes the relations of a finished model, as om_footprint__open(). What is seen: these
 * propositions. OM_OK, OM_ENOMEM; OM_EUNSUPPORTED if the lists would be too long; the status of a
 * stopped context. Call om_depend__close() in any case. */
int om_depend__open(
    om_depend *d, const om_model *m, const om_executor *x, const om_expr *aps, uint32_t count);
void om_depend__close(om_depend *d);

/* sticky.c. Sets d->sticky. OM_OK, OM_ENOMEM, or the status of a stopped context. */
int om_depend__find_sticky(om_depend *d);

#endif
