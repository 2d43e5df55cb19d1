/* SPDX-License-Identifier: Apache-2.0 */
/* oracle.h: the explicit product, and Tarjan's search for components on it. It shares nothing with
 * the library's search except the automaton's edges and acceptance formula, which has no Fin. */
#ifndef OMEN_TESTS_ORACLE_H
#define OMEN_TESTS_ORACLE_H

#include "random_case.h"

typedef struct arc {
    uint32_t to;
    om_marks marks;
} arc;

/* State (s, q) of the product has the number s * automaton states + q. */
typedef struct oracle {
    uint32_t n, automaton_states;
    arc *arcs;
    uint32_t *first; /* arcs of state i: first[i] .. first[i + 1] - 1 */
    uint32_t *moves; /* number of arcs of each state, before equal ones are merged */
    bool *initial;
    uint32_t *component;                /* OM_NONE: not reachable */
    bool *accepts;                      /* true if the state is in an accepting component */
    bool *hopeful;                      /* true if the state reaches an accepting component */
    uint64_t states, edges, components; /* of the reachable part */
    const om_automaton *a;
    bool empty;
} oracle;

/* Builds and searches the product. The automaton must outlive the oracle. */
void oracle_new(
    oracle *o, const graph *g, const om_automaton *a, bool stutter, uint32_t deadlock_ap);
void oracle_free(oracle *o);
/* Returns true if, within the set, an accepting cycle goes through the state. */
bool oracle_accepts_within(const oracle *o, const bool *set, uint32_t state);
bool oracle_has_arc(const oracle *o, uint32_t from, uint32_t to);

#endif
