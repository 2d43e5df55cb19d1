/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leap.h: an executor over another one, which leaps over the states that properties do not see
 * (om_model_set_visible()): the steps of an atomic sequence become one step of the search.
 *
 * It replaces a successor that is hidden by that one's own successors, and these again, level by
 * level, until none is hidden. It keeps a hidden state
 *
 *  H1  that has no successors: deadlocks are checked in all states;
 *  H2  with a fault, or an assertion that fails: the search is to meet it there;
 *  H3  in which an assignment overflows: what reports it names the state;
 *  H4  that it meets again, unless all ways to it are equally long; or if it has visited
 *      OM_LEAP_MOST others. For each cycle of hidden states has a step that leads to one that is no
 *      further away: so it is a cycle of the search, too.
 *
 * Why verdicts are preserved: the kept states are states of the model, and each leap is a run of it
 * whose states in between are hidden and have no fault. So each run of the leaping graph is one of
 * the model, with some hidden states left out. Conversely, by H4, a run of the model has states
 * that are kept again and again, and a leap from each of them to the next. Hidden states are seen
 * by no property, however it counts its steps, so that both runs satisfy the same ones. States that
 * end a run are kept by H1 and H2.
 *
 * The transition of a leap is that of its first step; om_leap__way() finds all of them, for the
 * runs that are shown. An assumption of fairness sees the processes that move, and which could, in
 * all states: it needs all of them.
 */
#ifndef OM_MODEL_LEAP_H
#define OM_MODEL_LEAP_H

#include "form/form.h"

enum { OM_LEAP_MOST = 256 };

/* Lets an executor of the model leap: *x is then the leaping one, which owns the other. Returns
 * OM_OK, also if there is nothing to leap over, or no test of one variable tells which states are
 * hidden: *x then remains as it is. OM_ENOMEM. */
int om_leap__over(om_executor **x, const om_model *m);
bool om_leap__is(const om_executor *x);

/* The transitions of a step, to be freed with om_free() */
typedef struct om_way {
    const om_heap *heap;
    uint32_t *transitions;
    size_t count, capacity;
} om_way;
/* Finds the transitions of a step of a leaping executor from one state to another, which begins
 * with this one. OM_OK; OM_ENOMEM; OM_EINTERNAL without a message: there is no such step. */
int om_leap__way(const om_executor *x, const uint32_t *from, uint32_t transition,
    const uint32_t *to, om_way *way);

#endif
