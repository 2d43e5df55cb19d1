/* SPDX-License-Identifier: Apache-2.0 */
/* acceptance_case.h: random automata with acceptance other than generalized Buchi. */
#ifndef OMEN_TESTS_ACCEPTANCE_CASE_H
#define OMEN_TESTS_ACCEPTANCE_CASE_H

#include "../random_case.h"

enum { FORMULA_ROOM = 64 };

typedef struct formula {
    om_acc at[FORMULA_ROOM]; /* postfix */
    size_t length;
    uint32_t sets;
} formula;

/* Returns a conjunction of 1 to `most` pairs (Fin | Inf), some of which share sets. If `mixed`,
 * some are a single Fin or Inf. */
formula random_streett(om_random *r, uint32_t most, bool mixed);

/* Returns the sets of the formula's Inf. */
om_marks formula_infs(const formula *f);

/* Returns an automaton with the structure of *a* and another acceptance. Each mark is on one edge
 * in 2^rarity, and marks of `rare` on one in eight of these. Returns NULL if memory runs out. */
om_automaton *with_acceptance(om_context *ctx, om_random *r, const om_automaton *a,
    const formula *f, uint32_t rarity, om_marks rare);

#endif
