/* SPDX-License-Identifier: Apache-2.0 */
/* powerset.h: the subset automaton of a graph, with the components that accept (powerset.c); what
 * obligation.c makes the minimal weak deterministic automaton of. */
#ifndef OM_BUILTIN_POWERSET_H
#define OM_BUILTIN_POWERSET_H

#include "tableau.h"

/* Levels of diagrams: the states of the graph lie below the APs. */
enum { PS_FIRST_STATE = TB_FIRST_AP + 64, PS_MOST_STATES = OM_BDD_LEVELS - PS_FIRST_STATE };

/* A deterministic edge. */
typedef struct ps_arc {
    uint32_t src, dst;
    om_bdd label;
} ps_arc;

typedef struct ps_automaton {
    om_context *ctx;
    const om_heap *heap;
    const tb_graph *g;
    om_bdd_space *d;
    om_bdd *after; /* per state of g: label and successor */
    om_bdd *sets;  /* of the subset automaton */
    uint32_t count;
    size_t sets_capacity;
    ps_arc *arcs; /* in the order of src */
    size_t arc_count, arc_capacity, steps, nodes;
    size_t *first; /* of each set's arcs, count + 1 */
    /* per set */
    uint32_t *component, *colour, *class_of;
    uint32_t components;
} ps_automaton;

/* All sets that can be reached, and their arcs. OM_ELIMIT, without a message: there are too many.
 */
int ps_explore(ps_automaton *p);
/* Their components and colours (see obligation.c); a is the automaton of the graph. */
int ps_colour(ps_automaton *p, const om_ltl *l, const om_automaton *a);
/* OM_ELIMIT when the work is more than the limit, or the status of the diagrams. */
int ps_status(const ps_automaton *p);
/* The sets as a graph, those with the same number one state, those with OM_NONE left out. The edges
 * of sets whose colour has the parity `even` are marked. Numbers come in the order of the sets. */
int ps_graph(const ps_automaton *p, const uint32_t *number, bool even, tb_graph *out);
/* Frees what is in it. */
void ps_free(ps_automaton *p);

#endif
