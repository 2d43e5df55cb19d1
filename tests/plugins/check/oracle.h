/* SPDX-License-Identifier: Apache-2.0 */
/* oracle.h: the product written out, and Tarjan's search for components on it: shares nothing with
 * the library's search but the automaton's edges and formula, which has no Fin. */
#ifndef OMEN_TESTS_ORACLE_H
#define OMEN_TESTS_ORACLE_H

#include "random_case.h"

typedef struct arc {
    uint32_t to;
    om_marks marks;
} arc;

/* State (s, q) of the product is s * automaton states + q. */
typedef struct oracle {
    uint32_t n, automaton_states;
    arc *arcs;
    uint32_t *first; /* arcs of i: first[i] .. first[i + 1] - 1 */
    uint32_t *moves; /* of i, before equal ones were merged */
    bool *initial;
    uint32_t *component;                /* OM_NONE: not reachable */
    bool *accepts;                      /* is in an accepting component */
    bool *hopeful;                      /* reaches one */
    uint64_t states, edges, components; /* reachable ones */
    const om_automaton *a;
    bool empty;
} oracle;

/* The automaton must outlive it. */
void oracle_new(
    oracle *o, const graph *g, const om_automaton *a, bool stutter, uint32_t deadlock_ap);
void oracle_free(oracle *o);
/* Is there an accepting cycle through this state of a set, within the set? */
bool oracle_accepts_within(const oracle *o, const bool *set, uint32_t state);
bool oracle_has_arc(const oracle *o, uint32_t from, uint32_t to);

#endif
