/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle.h: random automata, and their languages by brute force: for each set of marks, the
 * transitive closure (Warshall) of the edges within it. Uses none of the library's searches.
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

/* Maximum size of a random automaton. */
typedef struct oracle_size {
    uint32_t states, aps, sets;
} oracle_size;
om_automaton *oracle_random(om_context *ctx, om_random *r, const oracle_size *most);
oracle_lasso oracle_random_lasso(om_random *r, uint32_t aps, size_t most);

/* Returns the value of an acceptance formula if exactly these marks are seen infinitely often. */
bool oracle_value(const om_automaton *a, om_marks marks);

/* Fills g->reached. */
void oracle_reach(oracle_graph *g);
/*
 * Sets found[m], for each m < 2^sets, to true if a closed walk through nodes with in[] (NULL:
 * reached nodes) has exactly the marks m.
 */
void oracle_walks(const oracle_graph *g, const bool *in, bool *found);
/* Sets bit v of closure[u] if a path of one or more edges with marks within `marks` leads from u
 * to v. */
void oracle_closure(
    const oracle_graph *g, om_marks marks, uint64_t closure[ORACLE_NODES][ORACLE_NODES / 64]);

void oracle_graph_of(const om_automaton *a, oracle_graph *g);
bool oracle_accepts(const om_automaton *a, const oracle_lasso *w);
bool oracle_empty(const om_automaton *a);
/* Returns true if the product of the two is empty, letter by letter; AP i of one is AP i of the
 * other. */
bool oracle_disjoint(const om_automaton *a, const om_automaton *b);
/* Returns the strength of the SCC of a reachable state; OM_NON_ACCEPTING if it is on no cycle. */
om_strength oracle_strength(const om_automaton *a, uint32_t state);

/* Returns true if states, initial states, APs, formula and edges are equal and labels
 * equivalent. */
bool oracle_same(const om_automaton *a, const om_automaton *b);

#endif
