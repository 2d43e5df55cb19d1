/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.h: depth-first search for components of the product, or of the rest of one of them; and
 * the conditions on a component: marks (clauses.h), and fairness to processes (fair_processes.h).
 *
 * Bytes for each state of the product: 4; 8 more while it is live, and while it waits to be
 * searched again; 48, and two rows of processes, while it is the root of a component; and 32 for
 * each edge from it to a state that was not known when the edge was met.
 */
#ifndef OMEN_CHECK_EMERSON_LEI_SEARCH_H
#define OMEN_CHECK_EMERSON_LEI_SEARCH_H

#include "clauses.h"

#include <omen/plugin/check.h>
#include <omen/plugin/fair_processes.h>

/* An edge that is to be followed */
typedef struct arc {
    om_id to;
    om_id from; /* or OM_NO_ID: the search begins at `to` */
    om_marks marks;
    uint32_t transition;
} arc;

/* A component as far as it is known */
typedef struct component {
    uint64_t root; /* the number of its first state; its last is below the next root's */
    arc by;        /* the edge by which the root was entered */
    om_marks within;
    size_t arcs; /* index of its first edge */
    bool cyclic; /* true if it has an edge within */
} component;

/* Data that the searches of a run share */
typedef struct shared {
    om_task *task;
    const om_heap *heap;
    om_cursor *cursor;
    const clauses *clauses;
    const om_fair_processes *fair_processes; /* or NULL */
    uint32_t words;                          /* per row of processes */
    om_side *numbers; /* uint32_t per state: UNKNOWN, DONE, or its number in a search */
    uint64_t *able;   /* a row: the processes that can move in the state expanded last */
} shared;

/* One search: its stacks, and the edges and states that it leaves out */
typedef struct search {
    shared *in;
    om_marks avoid;  /* leaves out edges with these marks, */
    uint64_t *never; /* and states in which one of these processes can move; NULL: none */
    om_id *live;     /* live[i]: the state of number i + 1 */
    size_t max, live_room;
    component *stack;
    size_t count, stack_room;
    uint64_t *rows; /* per component: the processes met, and those that must be met */
    size_t rows_room;
    arc *arcs;
    size_t arc_count, arc_room;
    uint64_t components, states; /* that were completed; that were entered */
    size_t peak;                 /* maximum number of entries of all stacks */
    bool found;                  /* a component on its stack has been reported */
    /* Called for a component that does not accept, but may have an accepting one in it: without
     * edges with marks of `unmet`, and without states in which a process in `never` can move. The
     * component is still on the stack; its states become DONE after the call. */
    int (*again)(void *self, const om_id *states, size_t n, om_marks unmet, const uint64_t *never);
    void *self;
} search;

/* Searches from an unknown state. All states that it enters are DONE in the end. Returns OM_OK;
 * OM_ESTOP if the task was stopped or an accepting component was reported; OM_ENOMEM; OM_ELIMIT. */
int search_from(search *s, om_id state);
/* Searches these states only, each of which becomes unknown first: no edge leads from them to
 * another unknown state. */
int search_among(search *s, const om_id *states, size_t n);
void search_free(search *s);
uint64_t search_bytes(const search *s);
/* After a component was reported: returns true if both states are in one component. */
bool search_same(const search *s, om_id a, om_id b);

#endif
