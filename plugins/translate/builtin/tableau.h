/* SPDX-License-Identifier: Apache-2.0 */
/* tableau.h: the passes of the built-in translator. */
#ifndef OM_BUILTIN_TABLEAU_H
#define OM_BUILTIN_TABLEAU_H

#include <omen/plugin/automaton.h>
#include <omen/plugin/bdd.h>
#include <omen/plugin/ltl.h>

/* Levels of diagrams: promises and next states above, APs below (labels are at the bottom). */
enum { TB_FIRST_AP = 2048 };

typedef struct tb_limits {
    size_t states, edges, nodes, steps;
} tb_limits;

typedef struct tb_edge {
    uint32_t src, dst;
    om_marks marks;
    om_bdd label; /* over APs; never OM_BDD_FALSE */
} tb_edge;

/* State 0 is initial; the edges of a state s are edges[first[s] .. first[s + 1] - 1]. */
typedef struct tb_graph {
    uint32_t states, sets;
    tb_edge *edges;
    size_t edge_count, edge_capacity;
    size_t *first;
    size_t first_capacity;
} tb_graph;

void tb_graph_free(tb_graph *g, const om_heap *heap);
/* Adds a state, whose edges are added next; all edges of earlier states must have been added. */
int tb_graph_open_state(tb_graph *g, const om_heap *heap);
int tb_graph_add_edge(tb_graph *g, const om_heap *heap, tb_edge e);
/* Called after the last edge: completes `first`. */
void tb_graph_close(tb_graph *g);

/* Builds the tableau of f, which must be in normal form without sugar. The caller reports failures:
 * only OM_ELIMIT has a message. */
int tb_build(om_context *ctx, const om_ltl *l, om_ltl_ref f, const tb_limits *limits,
    om_bdd_space *d, tb_graph *out);

/*
 * Creates a graph of the same language with fewer states. sccs: the components of g. The function
 * removes dead states, marks outside accepting components, and acceptance sets that others imply;
 * then it merges bisimilar states.
 */
int tb_quotient(
    om_context *ctx, const tb_graph *g, const om_sccs *sccs, om_bdd_space *d, tb_graph *out);

/* Kinds of simulation. BACKWARDS: compare incoming edges. GENEROUS: edges between components, whose
 * marks do not matter, have all marks instead of none. PRUNE, which excludes the others: no states
 * are merged, but labels are removed from edges between components if other edges can replace
 * them. */
enum { TB_BACKWARDS = 1, TB_GENEROUS = 2, TB_PRUNE = 4 };

/*
 * Creates a graph of the same language with no more states: states that simulate each other
 * directly are merged, and edges that others of the same state dominate are removed. Returns
 * OM_ELIMIT, without a message, if g has too many states or this takes more than *work comparisons
 * of edges, which are deducted from *work; g remains valid.
 */
int tb_simulate(om_context *ctx, const tb_graph *g, const om_sccs *sccs, om_bdd_space *d,
    unsigned how, size_t *work, tb_graph *out);

/*
 * Creates the minimal weak deterministic automaton of f (in normal form), without states that
 * accept nothing. g is a graph of f. *out stays unchanged (no states) if f is no obligation.
 * Returns OM_ELIMIT as above, and also if the negation of f is too large.
 */
int tb_obligation(
    om_context *ctx, om_ltl *l, om_ltl_ref f, const tb_graph *g, om_bdd_space *d, tb_graph *out);

/* Replaces *g by its tb_quotient(); computes the components of *g first. */
int tb_clean(om_context *ctx, const om_ltl *l, om_bdd_space *d, tb_graph *g);

/*
 * Reduces g, which is clean and a graph of f, and keeps its language. Applies simulations in both
 * directions and pruning as long as they make g smaller. If f is an obligation, takes the minimal
 * weak deterministic automaton unless that has over two states more. *g is replaced.
 */
int tb_reduce(om_context *ctx, om_ltl *l, om_ltl_ref f, om_bdd_space *d, tb_graph *g);

/* Creates the automaton of a graph, over all APs of the arena. */
int tb_automaton(
    om_context *ctx, const om_ltl *l, const tb_graph *g, om_bdd_space *d, om_automaton **out);

#endif
