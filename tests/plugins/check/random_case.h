/* SPDX-License-Identifier: Apache-2.0 */
/* random_case.h: random small models, which are graphs with an executor, and random automata. */
#ifndef OMEN_TESTS_RANDOM_CASE_H
#define OMEN_TESTS_RANDOM_CASE_H

#include <omen/host/omen.h>

enum { GRAPH_OUT = 4, GRAPH_APS = 3 };

/* States are 0 .. n-1; 0 is initial. A state vector is the state's number and the square of that
 * number. */
typedef struct graph {
    uint32_t n;
    uint32_t (*to)[GRAPH_OUT];
    uint32_t *out;
    uint64_t *label;
} graph;

/* Shape of an automaton: marks on any edge; marks on all edges within some layers (weak); the same,
 * with accepting layers that are complete (terminal). */
typedef enum shape { SHAPE_STRONG, SHAPE_WEAK, SHAPE_TERMINAL } shape;

/* Makes a graph of at most `most` states. A lively graph has more than half as many and hardly any
 * deadlocks. */
void graph_new(graph *g, om_random *r, uint32_t most, bool lively);
void graph_free(graph *g);
/* Makes an executor for the graph, which must outlive the executor. */
void graph_executor(const graph *g, om_executor *x);
/* Returns NULL if memory runs out. A lively automaton has an edge under every label, and its last
 * set has marks only under the rare label. Its products with a lively graph have large components
 * that seldom accept. */
om_automaton *random_automaton(om_context *ctx, om_random *r, shape s, bool lively);
/* The same with marks on any edge and a random formula of Inf only. Some of these formulas have
 * more clauses than elements in postfix form. */
om_automaton *random_fin_less(om_context *ctx, om_random *r, bool lively);

/* For automata without a model: graph_one() makes a graph with one state that repeats for ever, and
 * random_lone_automaton() an automaton of up to 60 states and up to 5 sets whose labels are all
 * true. The automaton is sparse, dense, one large component, or many trivial components. Its
 * product with the graph is the automaton itself. */
void graph_one(graph *g);
om_automaton *random_lone_automaton(om_context *ctx, om_random *r);

#endif
