/* SPDX-License-Identifier: Apache-2.0 */
/* tableau.h: the parts of a translation. */
#ifndef OM_BUILTIN_TABLEAU_H
#define OM_BUILTIN_TABLEAU_H

#include <omen/plugin/automaton.h>
#include <omen/plugin/bdd.h>
#include <omen/plugin/ltl.h>

/* Levels of diagrams: promises and what is next above, APs below (labels are the leaves). */
enum { TB_FIRST_AP = 2048 };

typedef struct tb_limits {
    size_t states, edges, nodes, steps;
} tb_limits;

typedef struct tb_edge {
    uint32_t src, dst;
    om_marks marks;
    om_bdd label; /* over APs; never OM_BDD_FALSE */
} tb_edge;

/* State 0 is initial; the edges of a state are edges[first[s] .. first[s + 1] - 1]. */
typedef struct tb_graph {
    uint32_t states, sets;
    tb_edge *edges;
    size_t edge_count, edge_capacity;
    size_t *first;
    size_t first_capacity;
} tb_graph;

void tb_graph_free(tb_graph *g, const om_heap *heap);
/* Adds a state whose edges follow; to be called with edges of earlier states all there. */
int tb_graph_open_state(tb_graph *g, const om_heap *heap);
int tb_graph_add_edge(tb_graph *g, const om_heap *heap, tb_edge e);
/* After the last edge: `first` gets its end. */
void tb_graph_close(tb_graph *g);

/* f must be in normal form without sugar. Messages are left to the caller (OM_ELIMIT alone has
 * one).
 */
int tb_build(om_context *ctx, const om_ltl *l, om_ltl_ref f, const tb_limits *limits,
    om_bdd_space *d, tb_graph *out);

/*
 * The same language with fewer states. sccs is that of g: dead states go, marks outside of
 * accepting components, too, acceptance sets that others imply, and then states are merged that are
 * bisimilar.
 */
int tb_quotient(
    om_context *ctx, const tb_graph *g, const om_sccs *sccs, om_bdd_space *d, tb_graph *out);

/* Which simulation: edges between components, whose marks do not matter, have none or all. Or, by
 * itself: none are merged, but labels taken from these edges where others can do as much. */
enum { TB_BACKWARDS = 1, TB_GENEROUS = 2, TB_PRUNE = 4 };

/*
 * The same language with no more states: those that simulate each other directly are one, and edges
 * are gone that others of the same state dominate. OM_ELIMIT, without a message, where that takes
 * more than *work comparisons of edges, which it uses up; then there is nothing wrong with g.
 */
int tb_simulate(om_context *ctx, const tb_graph *g, const om_sccs *sccs, om_bdd_space *d,
    unsigned how, size_t *work, tb_graph *out);

/*
 * The minimal weak deterministic automaton of f (in normal form), which g is of, without states
 * that accept nothing; *out stays as it is (no states) where f is no obligation. OM_ELIMIT as
 * above, and also where the negation of f is too large.
 */
int tb_obligation(
    om_context *ctx, om_ltl *l, om_ltl_ref f, const tb_graph *g, om_bdd_space *d, tb_graph *out);

/* tb_quotient() with the components of *g, which is replaced. */
int tb_clean(om_context *ctx, const om_ltl *l, om_bdd_space *d, tb_graph *g);

/*
 * The same language, for g, which is clean, and of f: simulations in both directions and pruning
 * for as long as they make it smaller, and for an obligation the minimal weak deterministic
 * automaton, unless that has more than two states more. *g is replaced.
 */
int tb_reduce(om_context *ctx, om_ltl *l, om_ltl_ref f, om_bdd_space *d, tb_graph *g);

/* The automaton of a graph, over all APs of the arena. */
int tb_automaton(
    om_context *ctx, const om_ltl *l, const tb_graph *g, om_bdd_space *d, om_automaton **out);

#endif
