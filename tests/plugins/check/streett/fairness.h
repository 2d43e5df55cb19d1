/* SPDX-License-Identifier: Apache-2.0 */
/* fairness.h: strong fairness as Streett automata (Duret-Lutz, Poitrenaud, Couvreur 2009, sections
 * 3.4 and 5). */
#ifndef OMEN_TESTS_FAIRNESS_H
#define OMEN_TESTS_FAIRNESS_H

#include "acceptance_case.h"

enum { FAIRNESS_APS = 9 };
#define P(i) (1u << (i))

/* (Fin(0) | Inf(1)) & (Fin(2) | Inf(3)) & ... */
formula streett_pairs(uint32_t n);

typedef struct hypothesis {
    unsigned en, oc; /* masks; one of the propositions must hold */
} hypothesis;

/* The hypotheses of Sebastiani, Tonetta, Vardi, CAV 2005, as used in section 5 */
extern const hypothesis eight_hypotheses[8];

/*
 * Makes an automaton for the hypotheses GF en -> GF oc, one pair each, and FG !never, if the mask
 * `never` is not 0: then a second state, entered after any number of steps, forbids never. With
 * never = 0 the automaton has one state, as in section 3.4.
 */
om_automaton *fairness(om_context *ctx, const hypothesis *h, uint32_t n, unsigned never);

#endif
