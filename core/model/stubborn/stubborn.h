/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stubborn.h: partial order reduction. An executor over another one, which leaves out successors
 * that differ from others only in the order of steps that do not depend on each other.
 *
 * In each state, it chooses a set T of transitions, a *stubborn set*, and returns the successors by
 * those that are enabled. The set depends on the state alone: all workers, all checkers and all
 * repetitions see the same reduced graph, which is a subgraph of the full one. So a counterexample
 * of the reduced graph is one of the model, and the referee replays it there.
 *
 *  S1  If some transition is enabled, T has one that is.
 *  S2  T has all rivals (D1) of each enabled transition in T.
 *  S3  For each disabled transition in T, T has all enablers (D2) of one of its false conjuncts, or
 *      all leavers (D5) of the value for which that is false.
 *      It needs none if it is a last resort (om_model_set_last_resort()), and the set is made for
 *      an enabled transition that is not one: it remains disabled until that one is taken.
 *  S4  Unless T has all enabled transitions, no enabled transition in T is seen (D4), ...
 *  S5  ... or sticky (D3).
 *
 * Why that is enough (strong stubborn sets; A. Valmari, "Stubborn sets for reduced state space
 * generation", 1991; E. Clarke, O. Grumberg, D. Peled, "Model checking", 1999, chapter 10). Let w
 * be a run from a state s with the set T. By S2 and S3, no transition outside T makes one in T
 * enabled or disabled, and a transition t that is enabled in T commutes with each one outside T
 * that is enabled beside it. If w has a transition in T, the first such t is enabled in s, and can
 * be moved to the front. If it has none, any t that is enabled in T (S1) can be put in front of
 * w, provided that w is infinite or t is enabled at its end. So w cannot end: a state without
 * successors is reached in the reduced graph by as many steps. That is all for deadlocks: S1 to S3.
 *
 * For properties that do not count steps: transitions are functions, so that a commuted step is the
 * same step in all states on the way, and by S4 it changes no label there. (Both are what the
 * counterexamples of T. Neele, A. Valmari, T. Willemse, "The inconsistent labelling problem of
 * stutter-preserving partial-order reduction", FoSSaCS 2020, lack: they need transitions that are
 * not functions, or invisible transitions whose labels are judged by single states. Here a
 * transition that is not seen writes nothing from which a label could change, wherever it starts.)
 * So moving t to the front of w yields a run with the same labels up to stuttering. By S5, no
 * transition is put off for ever: every cycle of the reduced graph has a state with all its
 * successors. So for each run there is one in the reduced graph with the same labels up to
 * stuttering, and each transition that a run takes is taken there, with the same values of all that
 * it reads; thus faults and failed assertions are found, too.
 *
 * Where the processes have no choice between orders, that is, in the states before the settled ones
 * and between the steps of atomic sequences, all successors are returned. So the argument is about
 * the graph of the other states; its steps are sequences, and faults between their steps are part
 * of what a sequence does (atomic.c).
 *
 * A state whose fault ends the run has no successors to choose from.
 */
#ifndef OM_MODEL_STUBBORN_H
#define OM_MODEL_STUBBORN_H

#include "transform/compact.h"

/* What a reduction keeps */
typedef enum om_reduction {
    OM_REDUCE_NOTHING,
    OM_REDUCE_TO_DEADLOCKS, /* states without successors: S1 to S3. If the model may fault: all */
    OM_REDUCE_TO_RUNS       /* all, up to stuttering: S1 to S5 */
} om_reduction;

typedef struct om_reduced_figures {
    uint32_t transitions, sticky, seen; /* 0: the relations are too large */
    bool worth; /* a sample of states has enough successors that can be left out */
} om_reduced_figures;

/* Puts a reduction over an executor of the model, or of its compact form (or NULL): *x is then the
 * reducing one, which owns the other. The propositions are of the model. Returns OM_OK, also if the
 * relations are too large or, unless `always`, the reduction is not worth its time: *x then remains
 * as it is. OM_ENOMEM; the status of a stopped context. */
int om_stubborn__reduce(om_executor **x, const om_model *m, const om_compact *compact,
    om_reduction kept, bool always, const om_expr *aps, uint32_t ap_count,
    om_reduced_figures *figures);

#endif
