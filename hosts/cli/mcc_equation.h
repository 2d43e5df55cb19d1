/* SPDX-License-Identifier: Apache-2.0 */
/* mcc_equation.h: what the state equation of a net rules out. */
#ifndef OMEN_CLI_MCC_EQUATION_H
#define OMEN_CLI_MCC_EQUATION_H

#include <omen/host/predicate.h>

/* For who measures. */
typedef struct mcc_equation_figures {
    uint64_t programs, confirmed; /* linear programs; those without a solution, confirmed exactly */
} mcc_equation_figures;

/*
 * Sets *impossible if no reachable marking has the predicate because of the state equation: every
 * reachable marking is m0 + C x, where x >= 0 counts firings and C has the effects of the
 * transitions as columns, has no fewer than 0 tokens in a place, and no more than the place's
 * bound. For a net with resets each firing may take any number more of tokens from the places that
 * transitions reset; limits are left out. (T. Murata, "Petri nets: properties, analysis and
 * applications", Proc. IEEE 77(4), 1989, section IV.B.) With x a real vector that is a linear
 * program, for each way to choose from the disjunctions of the predicate; they are chosen one at a
 * time, where the last solution has none of them. GLPK solves them in floating point; that one has
 * no solution counts only where its exact simplex method, in rational numbers, says so too.
 *
 * *impossible stays false where a program has a solution, which says nothing, or when the time or
 * the number of programs is over. OM_OK; OM_ENOMEM; OM_ESTOP. Any thread; figures may be NULL.
 */
int mcc_impossible(const om_net *net, const om_predicate *p, uint64_t until_ns, bool *impossible,
    mcc_equation_figures *figures);

#endif
