/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h: strongly connected components of subsets of an automaton, and cycles in them that satisfy
 * a formula of Fin and Inf. All of it is iterative, or as deep as there are acceptance sets.
 */
#ifndef OM_AUTOMATON_WALK_H
#define OM_AUTOMATON_WALK_H

#include "tela.h"

/* Scratch arrays, one entry a state. */
typedef struct om_walk {
    const om_automaton *a;
    om_context *ctx;
    const om_heap *heap;
    uint64_t *region; /* the set that the state was put into last */
    uint64_t regions; /* sets so far */
    uint32_t *number, *low, *cursor, *call, *stack;
} om_walk;

/* A list of states, cut into components: component k ends before end[k]. */
typedef struct om_scc_list {
    uint32_t *states, *end;
    uint32_t count;
} om_scc_list;

/* A strongly connected set of states: every edge among them with no mark in `avoid` lies on one
 * closed walk, which sees exactly `marks`. */
typedef struct om_cycle {
    bool found;
    uint32_t *states, count;
    om_marks avoid, marks;
} om_cycle;

int om_walk__init(om_walk *w, om_context *ctx, const om_automaton *a);
void om_walk__free(om_walk *w);

/* Every state that an initial one reaches; the caller frees *states. */
int om_walk__reachable(om_walk *w, uint32_t **states, uint32_t *count);

/* The SCCs of the graph of these states and the edges among them with no mark in `avoid`, in
 * reverse topological order. */
int om_walk__sccs(
    om_walk *w, const uint32_t *states, uint32_t count, om_marks avoid, om_scc_list *out);
void om_scc_list__free(om_scc_list *p, const om_heap *heap);

/* The marks of the edges among these states with no mark in `avoid`; false when there is no edge.
 * Until the next function is called, om_walk__inside() says whether an edge is one of them. */
bool om_walk__marks(
    om_walk *w, const uint32_t *states, uint32_t count, om_marks avoid, om_marks *marks);
bool om_walk__inside(const om_walk *w, const om_edge *e, om_marks avoid);
/* om_facts__add() for each edge among these states. */
void om_walk__add_facts(om_walk *w, const uint32_t *states, uint32_t count, om_acc_facts *facts);

/* Is there a cycle in this SCC whose marks satisfy f? The caller frees out->states. quest.c. */
int om_walk__find(om_walk *w, const uint32_t *states, uint32_t count, const om_acc *f,
    size_t length, om_cycle *out);

/* keep[s] is set for every state that reaches one for which it is set already. */
int om_walk__backwards(om_walk *w, bool *keep);

#endif
