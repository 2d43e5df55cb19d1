/* SPDX-License-Identifier: Apache-2.0 */
/*
 * automaton_dfs.h: strongly connected components of subsets of an automaton, and cycles in them
 * that satisfy a formula of Fin and Inf. The functions are iterative, or recurse at most once a
 * set.
 */
#ifndef OM_AUTOMATON_DFS_H
#define OM_AUTOMATON_DFS_H

#include "tela.h"

/* Scratch arrays, one entry a state. */
typedef struct om_automaton_dfs {
    const om_automaton *a;
    om_context *ctx;
    const om_heap *heap;
    uint64_t *region; /* the region that the state was last put into */
    uint64_t regions; /* regions so far */
    uint32_t *number, *low, *cursor, *call, *stack;
} om_automaton_dfs;

/* A list of states, divided into components: component k ends before end[k]. */
typedef struct om_scc_list {
    uint32_t *states, *end;
    uint32_t count;
} om_scc_list;

/* A strongly connected set of states. All edges among them with no mark in `avoid` lie on one
 * closed walk, which sees exactly `marks`. */
typedef struct om_cycle {
    bool found;
    uint32_t *states, count;
    om_marks avoid, marks;
} om_cycle;

int om_automaton_dfs__init(om_automaton_dfs *w, om_context *ctx, const om_automaton *a);
void om_automaton_dfs__free(om_automaton_dfs *w);

/* Computes the SCCs of the graph of these states and the edges among them with no mark in `avoid`,
 * in reverse topological order. */
int om_automaton_dfs__sccs(
    om_automaton_dfs *w, const uint32_t *states, uint32_t count, om_marks avoid, om_scc_list *out);
/* The same for all states that are reachable from an initial state, and all edges. */
int om_automaton_dfs__reachable_sccs(om_automaton_dfs *w, om_scc_list *out);
void om_scc_list__free(om_scc_list *p, const om_heap *heap);

/* Gives the union of the marks of the edges among these states with no mark in `avoid`; returns
 * false if there is no such edge. Until the next call of a function, om_automaton_dfs__inside()
 * returns true for exactly these edges. */
bool om_automaton_dfs__marks(
    om_automaton_dfs *w, const uint32_t *states, uint32_t count, om_marks avoid, om_marks *marks);
bool om_automaton_dfs__inside(const om_automaton_dfs *w, const om_edge *e, om_marks avoid);
/* Calls om_acc_facts__add() for each edge among these states. */
void om_automaton_dfs__add_facts(
    om_automaton_dfs *w, const uint32_t *states, uint32_t count, om_acc_facts *facts);

/* Finds a cycle in this SCC whose marks satisfy f; out->found is false if there is none. The caller
 * frees out->states. (cycle_search.c) */
int om_automaton_dfs__find(om_automaton_dfs *w, const uint32_t *states, uint32_t count,
    const om_acc *f, size_t length, om_cycle *out);

/* Sets keep[s] for every state from which a state with keep[] already set is reachable. */
int om_automaton_dfs__backwards(om_automaton_dfs *w, bool *keep);

#endif
