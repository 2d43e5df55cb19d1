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

/* A conjunction of 1 to `most` pairs (Fin | Inf). Some share sets; `mixed`: some are a Fin or an
 * Inf alone. */
formula random_streett(om_random *r, uint32_t most, bool mixed);

/* The sets of its Inf. */
om_marks formula_infs(const formula *f);

/* The structure of an automaton with another acceptance, and each mark on one edge in 2 to the
 * power of `rarity`, those of `rare` on one in eight of that. NULL when memory is out. */
om_automaton *with_acceptance(om_context *ctx, om_random *r, const om_automaton *a,
    const formula *f, uint32_t rarity, om_marks rare);

#endif
