/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visit.h: the states of a search that visits some of them again: their numbers, the stack of
 * components, and the edges that are still to be followed from each.
 *
 * Bytes for each state of the product: 4; 8 more while it is active, 56 while it is the root of a
 * component, and 24 for each edge from there to a state that was not known when the edge was met.
 */
#ifndef OMEN_CHECK_STREETT_VISIT_H
#define OMEN_CHECK_STREETT_VISIT_H

#include <omen/plugin/check.h>

/* An edge that is to be followed. */
typedef struct pending {
    om_id to;
    om_marks marks;
    om_id from; /* or OM_NO_ID: the way into an initial state */
} pending;

typedef struct pending_list {
    pending *at;
    size_t count, room;
} pending_list;

/* An entry of the figure's stack SCC. Its `rem` are the active states from its number on, to below
 * that of the next component; of `succ` the same holds in the list below. */
typedef struct component {
    uint64_t root;   /* its number, from 1 on; the state is visit_state() of it */
    om_id from;      /* the edge into the root leaves that state (or OM_NO_ID) */
    om_marks by;     /* la: marks of that edge */
    om_marks within; /* acc */
    size_t succ;     /* where its edges begin */
} component;

typedef struct visit {
    om_task *task;
    om_side *numbers; /* uint32_t of each state: H of the figure; see visit_number() */
    om_id *active;    /* the state of number i + 1; */
    size_t max, room; /* how many: the figure's max */
    component *stack; /* SCC */
    size_t count, stack_room;
    pending_list succ;
    pending_list later; /* the search's: edges to follow when a stack of components is done */
    size_t peak;        /* entries of all stacks, when they were most */
} visit;

enum { VISIT_UNKNOWN = 0 };
#define VISIT_REMOVED UINT32_MAX

/* Zeroed, it is filled in. OM_OK, OM_ENOMEM. */
int visit_new(visit *v, om_task *task);
void visit_free(visit *v);
uint64_t visit_bytes(const visit *v);

static inline component *visit_top(const visit *v)
{
    return &v->stack[v->count - 1];
}

/* The active state of a number. */
static inline om_id visit_state(const visit *v, uint64_t number)
{
    return v->active[number - 1];
}

/* VISIT_UNKNOWN, VISIT_REMOVED, or the number of an active state. OM_OK, OM_ENOMEM. */
int visit_number(const visit *v, om_id id, uint32_t *number);
/* Gives an unknown state the next number, as a component of its own. OM_OK; OM_ENOMEM, OM_ELIMIT.
 */
int visit_push(visit *v, const pending *by);
/* Adds an edge to a list. */
int visit_add(visit *v, pending_list *to, const pending *e);
/* There is an edge with these marks from the last component to the active state of this number: all
 * components from there on are one. */
void visit_merge(visit *v, uint64_t number, om_marks marks);
/* Takes the last component off; its states are unknown again, or removed. */
void visit_pop(visit *v, bool again);
/* Are two states in one component of the stack? */
bool visit_same(const visit *v, om_id a, om_id b);
/*
 * The way to the root of the last component, the caller's to free, *n of them: the root of each
 * component and the state that the edge into the next one leaves. NULL when memory is out.
 */
om_id *visit_path(const visit *v, size_t *n);

#endif
