/* SPDX-License-Identifier: Apache-2.0 */
/* random_case.h: random small models, as graphs behind an executor, and random automata. */
#ifndef OMEN_TESTS_RANDOM_CASE_H
#define OMEN_TESTS_RANDOM_CASE_H

#include <omen/host/omen.h>

enum { GRAPH_OUT = 4, GRAPH_APS = 3 };

/* States are 0 .. n-1, 0 is initial; a state vector is its number and that number's square. */
typedef struct graph {
    uint32_t n;
    uint32_t (*to)[GRAPH_OUT];
    uint32_t *out;
    uint64_t *label;
} graph;

/* What an automaton is like; marks everywhere, by layers, or by layers that end in complete ones.
 */
typedef enum shape { SHAPE_STRONG, SHAPE_WEAK, SHAPE_TERMINAL } shape;

/* At most `most` states; a lively one is nearly that large and hardly ever ends. */
void graph_new(graph *g, om_random *r, uint32_t most, bool lively);
void graph_free(graph *g);
/* An executor over the graph, which must outlive it. */
void graph_executor(const graph *g, om_executor *x);
/* NULL when memory is out. A lively one has a move under every label, and its last set is met under
 * the rare label alone: products with a lively graph have large components that seldom accept. */
om_automaton *random_automaton(om_context *ctx, om_random *r, shape s, bool lively);
/* The same, marks everywhere, with a random formula of Inf alone; some with more clauses than the
 * formula is long. */
om_automaton *random_fin_less(om_context *ctx, om_random *r, bool lively);

/* For an automaton by itself: a graph with one state that repeats for ever, and an automaton of up
 * to 60 states with up to 5 sets, all of whose labels are true: sparse, dense, one large component,
 * or many trivial ones. Its product with the graph is the automaton. */
void graph_one(graph *g);
om_automaton *random_lone_automaton(om_context *ctx, om_random *r);

#endif
