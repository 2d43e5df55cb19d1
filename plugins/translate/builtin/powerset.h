/* SPDX-License-Identifier: Apache-2.0 */
/* powerset.h: the subset automaton of a graph, with its accepting components (powerset.c);
 * obligation.c makes the minimal weak deterministic automaton from it. */
#ifndef OM_BUILTIN_POWERSET_H
#define OM_BUILTIN_POWERSET_H

#include "tableau.h"

/* Levels of diagrams: the states of the graph are below the APs. */
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
    om_bdd *after; /* per state of g: its labels and successors */
    om_bdd *sets;  /* the sets of the subset automaton */
    uint32_t count;
    size_t sets_capacity;
    ps_arc *arcs; /* ordered by src */
    size_t arc_count, arc_capacity, steps, nodes;
    size_t *first; /* index of each set's first arc; count + 1 entries */
    /* per set */
    uint32_t *component, *colour, *class_of;
    uint32_t components;
} ps_automaton;

/* Computes all reachable sets and their arcs. OM_ELIMIT, without a message: there are too many. */
int ps_explore(ps_automaton *p);
/* Computes the sets' components and colours (see powerset.c); a is the automaton of the graph. */
int ps_colour(ps_automaton *p, const om_ltl *l, const om_automaton *a);
/* Returns OM_ELIMIT if the work exceeds the limits, else the status of the diagrams. */
int ps_status(const ps_automaton *p);
/* Creates a graph of the sets. Sets with the same number become one state; sets with OM_NONE are
 * left out. The edges of sets with even colours (odd ones if not `even`) are marked. Numbers must
 * first occur in ascending order. */
int ps_graph(const ps_automaton *p, const uint32_t *number, bool even, tb_graph *out);
/* Frees the contents of *p. */
void ps_free(ps_automaton *p);

#endif
