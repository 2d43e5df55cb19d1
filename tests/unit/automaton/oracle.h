/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle.h: random automata, and what they accept by brute force: for each set of marks, the
 * transitive closure (Warshall) of the edges within it. Nothing here uses the library's searches.
 */
#ifndef OMEN_TESTS_ORACLE_H
#define OMEN_TESTS_ORACLE_H

#include <omen/plugin/automaton.h>

enum { ORACLE_NODES = 256, ORACLE_EDGES = 8192 };

typedef struct oracle_edge {
    uint32_t from, to;
    om_marks marks;
} oracle_edge;
typedef struct oracle_graph {
    uint32_t nodes, edges, sets;
    bool initial[ORACLE_NODES];
    bool reached[ORACLE_NODES];
    oracle_edge edge[ORACLE_EDGES];
} oracle_graph;

typedef struct oracle_lasso {
    om_label labels[16];
    size_t n, loop;
} oracle_lasso;

/* How large a random automaton may be. */
typedef struct oracle_size {
    uint32_t states, aps, sets;
} oracle_size;
om_automaton *oracle_random(om_context *ctx, om_random *r, const oracle_size *most);
oracle_lasso oracle_random_lasso(om_random *r, uint32_t aps, size_t most);

/* The value of an acceptance formula where exactly these marks are seen for ever. */
bool oracle_value(const om_automaton *a, om_marks marks);

/* Fill `reached`. */
void oracle_reach(oracle_graph *g);
/*
 * found[m] for each m < 2^sets: is there a closed walk through nodes with in[] (NULL: those
 * reached), whose marks are exactly m?
 */
void oracle_walks(const oracle_graph *g, const bool *in, bool *found);
/* closure[u][v]: a path of one edge or more with marks within `marks`. */
void oracle_closure(
    const oracle_graph *g, om_marks marks, uint64_t closure[ORACLE_NODES][ORACLE_NODES / 64]);

void oracle_graph_of(const om_automaton *a, oracle_graph *g);
bool oracle_accepts(const om_automaton *a, const oracle_lasso *w);
bool oracle_empty(const om_automaton *a);
/* Is the product of the two empty, letter by letter, when AP i of one is AP i of the other? */
bool oracle_disjoint(const om_automaton *a, const om_automaton *b);
/* The strength of the SCC of a state that is reached; OM_NON_ACCEPTING where it is on no cycle. */
om_strength oracle_strength(const om_automaton *a, uint32_t state);

/* Same states, initial states, APs, formula and edges, with equivalent labels? */
bool oracle_same(const om_automaton *a, const om_automaton *b);

#endif
