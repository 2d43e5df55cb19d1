/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.h: the numbers of tokens that a place can have, one place at a time.
 *
 * Consider a place p with a bound. A firing needs p to have the tokens that the transition takes
 * and, if p and a place q have the invariant a m(p) + b m(q) = c with a, b > 0, at most (c - b
 * takes(q)) / a. From the initial tokens, the transitions whose need is met lead to further
 * numbers, whatever the other places have. So the numbers found in this way include all that p has
 * in reachable markings: the least and the largest one are bounds. A transition whose need is met
 * by no number of some place never fires; the numbers are then found again without it. (Interval
 * and value analysis by abstract interpretation, P. Cousot and R. Cousot, POPL 1977; nets
 * translated from automata keep the state of a process as a number of tokens, with a complementary
 * place.)
 */
#ifndef OMEN_NET_VALUES_H
#define OMEN_NET_VALUES_H

#include "proofs.h"

/* Lowers bounds of places, and raises least[p], initially 0 or a lower bound of the tokens of p;
 * least may be NULL. Sets possible[t] to false for transitions that can never fire. The number of
 * steps is limited; the places that are left over keep their bounds. For the relaxed net. OM_OK,
 * OM_ENOMEM; OM_ELIMIT, OM_ESTOP if the context is stopped. */
int om_net__bound_by_values(
    om_net *net, const om_net_invariants *invariants, bool *possible, om_value *least);

#endif
