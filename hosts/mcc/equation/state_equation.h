/* SPDX-License-Identifier: Apache-2.0 */
/* state_equation.h: what the state equation of a net rules out. */
#ifndef OMEN_MCC_STATE_EQUATION_H
#define OMEN_MCC_STATE_EQUATION_H

#include <omen/host/predicate.h>

/* Figures for measurements */
typedef struct mcc_equation_figures {
    uint64_t programs, confirmed; /* linear programs; those without a solution, confirmed exactly */
    bool cut;                     /* no time was left: with more, there might be an answer */
} mcc_equation_figures;

/*
 * Sets *impossible if the state equation proves that no reachable marking satisfies the predicate.
 * Every reachable marking is m0 + C x, where x >= 0 counts firings and the columns of C are the
 * effects of the transitions. It has at least 0 tokens in each place, and at most the place's
 * bound. In a net with resets, each firing may take any number of additional tokens from the places
 * that transitions reset; limits are ignored. (T. Murata, "Petri nets: properties, analysis and
 * applications", Proc. IEEE 77(4), 1989, section IV.B.) A trap, a set of places to which each
 * transition gives that takes from it, never loses its last token (section V.C there; Esparza and
 * Melzer, "Verification of safety properties using integer programming", 2000).
 *
 * With x a real vector and without disjunctions this is a linear program. If the predicate has
 * disjunctions that the last solution does not satisfy, the search branches: on an inequality about
 * one place, which holds or does not, so that bounds decide other disjunctions; or on the operands.
 * If the solution satisfies the predicate, a trap with tokens initially that has none in it must
 * have some; if there is no such trap, a place or a transition with a fraction of a token or of a
 * firing has at most the integer below it, or more. All cases together are all markings. GLPK
 * solves the programs in floating point. A program counts as infeasible only if GLPK's exact
 * simplex method, in rational numbers, confirms that; and the predicate is impossible if each case
 * has an infeasible program, or bounds that contradict it.
 *
 * *impossible stays false if a program has an integer solution, which proves nothing, or when the
 * time, the levels of branches or the number of programs are exhausted. OM_OK; OM_ENOMEM; OM_ESTOP.
 * Thread-safe; figures may be NULL.
 */
int mcc_impossible(const om_net *net, const om_predicate *p, uint64_t until_ns, bool *impossible,
    mcc_equation_figures *figures);

#endif
