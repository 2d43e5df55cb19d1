/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.h: components of the product, or of what is left of one of them, depth-first; and what a
 * component is asked for: marks (clauses.h), and fairness by who moves (movers.h).
 *
 * Bytes for each state of the product: 4; 8 more while it is live, and while it waits to be
 * searched again; 48, and two rows of processes, while it is the root of a component; and 32 for
 * each edge from there to a state that was not known when the edge was met.
 */
#ifndef OMEN_CHECK_EMERSON_LEI_SEARCH_H
#define OMEN_CHECK_EMERSON_LEI_SEARCH_H

#include "../clauses.h"

#include <omen/plugin/check.h>
#include <omen/plugin/movers.h>

/* An edge that is to be followed. */
typedef struct arc {
    om_id to;
    om_id from; /* or OM_NO_ID: `to` is where a search begins */
    om_marks marks;
    uint32_t transition;
} arc;

/* A component as far as it is known. */
typedef struct component {
    uint64_t root; /* the number of its first state; the others have those up to the next root's */
    arc by;        /* how the root was entered */
    om_marks within;
    size_t arcs; /* where its edges begin */
    bool cyclic; /* there is an edge within */
} component;

/* What the searches of a run have in common. */
typedef struct shared {
    om_task *task;
    const om_heap *heap;
    om_cursor *cursor;
    const clauses *clauses;
    const om_movers *movers; /* or NULL */
    uint32_t words;          /* of their rows */
    om_side *numbers;        /* uint32_t of each state: UNKNOWN, DONE, or its number in a search */
    uint64_t *able;          /* a row: who can move in the state that was expanded last */
} shared;

/* One search: its stacks, and what it leaves out. */
typedef struct search {
    shared *in;
    om_marks avoid;  /* edges with these marks, */
    uint64_t *never; /* and states in which one of these processes can move; NULL: none */
    om_id *live;     /* the state of number i + 1 */
    size_t max, live_room;
    component *stack;
    size_t count, stack_room;
    uint64_t *rows; /* of each component: who is met, and who must be */
    size_t rows_room;
    arc *arcs;
    size_t arc_count, arc_room;
    uint64_t components, states; /* that were completed; that were entered */
    size_t peak;                 /* entries of all stacks, when they were most */
    bool found;                  /* what is on its stack has been reported */
    /* A component that does not accept, but may have one in it that does: without edges of the
     * marks, and states in which those can move of whom a bit is in `never`. It is still on the
     * stack; its states become DONE when this returns. */
    int (*again)(void *self, const om_id *states, size_t n, om_marks unmet, const uint64_t *never);
    void *self;
} search;

/* Searches from a state that is unknown. All that it comes to is DONE in the end. OM_OK; OM_ESTOP:
 * stopped, or an accepting component was reported; OM_ENOMEM; OM_ELIMIT. */
int search_from(search *s, om_id state);
/* Searches these states alone, each of which becomes unknown first: no edge leads from them to
 * another that is. */
int search_among(search *s, const om_id *states, size_t n);
void search_free(search *s);
uint64_t search_bytes(const search *s);
/* After a component of it was reported: are two states in one? */
bool search_same(const search *s, om_id a, om_id b);

#endif
