/* SPDX-License-Identifier: Apache-2.0 */
/* relations.h: looks for states of a model in which the relations of a reduction do not hold. */
#ifndef OMEN_TESTS_RELATIONS_H
#define OMEN_TESTS_RELATIONS_H

#include "stubborn/leavers.h"

enum { MOST_WORDS = 64, MOST_ENDS = 64 };

/* The states in which a step, and those that follow in its sequence, may end */
typedef struct ends {
    uint32_t at[MOST_ENDS][MOST_WORDS];
    uint32_t count;
    bool faults; /* between two steps */
} ends;

typedef struct relations {
    const om_model *m;
    om_executor *x;
    om_depend d;
    om_tests tests;
    om_lists leavers;
    uint32_t *leavers_of;     /* by question */
    om_successors out, first; /* `first`: of the state that is looked at */
    bool settled;             /* a state with a choice has been met since the initial one */
    bool chooses;             /* there is such a state: */
    uint32_t choice[MOST_WORDS];
    uint64_t pairs, guards, kept; /* that have been looked at; `kept`: values that a step kept */
} relations;

/* Adds the ends of t's step from a state. Returns false if t is disabled or faults, or if there are
 * too many states. */
bool relations_ends(relations *r, const uint32_t *from, uint32_t t, ends *e, bool *disabled);
/* Walks through the model at random, and fails an assertion if D1, D2, D4, D5, F6 or what is dead
 * is wrong in a state on the way, or if a fault comes without a watcher (F4). */
void relations_walk(relations *r, om_random *random);

#endif
