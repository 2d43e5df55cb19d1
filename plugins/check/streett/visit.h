/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visit.h: the states of a search that visits some of them again: their numbers, the stack of
 * components, and the edges of each that are still to be followed.
 *
 * Bytes for each state of the product: 4; 8 more while it is active, 56 while it is the root of a
 * component, and 24 for each edge from it to a state that was not known when the edge was met.
 */
#ifndef OMEN_CHECK_STREETT_VISIT_H
#define OMEN_CHECK_STREETT_VISIT_H

#include <omen/plugin/check.h>

#include <assert.h>

/* An edge that is to be followed */
typedef struct pending {
    om_id to;
    om_marks marks;
    om_id from; /* or OM_NO_ID: leads into an initial state */
} pending;

typedef struct pending_list {
    pending *at;
    size_t count, room;
} pending_list;

/* An entry of the figure's stack SCC. Its `rem` are the active states from its root's number up to
 * but excluding that of the next component; its `succ` lie likewise in the list below. */
typedef struct component {
    uint64_t root;   /* number of the root, from 1; see visit_state() */
    om_id from;      /* source of the edge into the root (or OM_NO_ID) */
    om_marks by;     /* la: marks of that edge */
    om_marks within; /* acc */
    size_t succ;     /* index of its first edge */
} component;

typedef struct visit {
    om_task *task;
    om_side *numbers; /* uint32_t per state: H of the figure; see visit_number() */
    om_id *active;    /* active[i]: the state of number i + 1 */
    size_t max, room; /* number of active states: the figure's max */
    component *stack; /* SCC */
    size_t count, stack_room;
    pending_list succ;
    pending_list later; /* the search's: edges to follow when the level has no component left */
    size_t peak;        /* maximum number of entries of all stacks */
} visit;

enum { VISIT_UNKNOWN = 0 };
#define VISIT_REMOVED UINT32_MAX

/* Initialises *v, which must be zeroed. Returns OM_OK or OM_ENOMEM. */
int visit_new(visit *v, om_task *task);
void visit_free(visit *v);
uint64_t visit_bytes(const visit *v);

static inline component *visit_top(const visit *v)
{
    assert(v->count > 0);
    return &v->stack[v->count - 1];
}

/* Returns the active state of a number. */
static inline om_id visit_state(const visit *v, uint64_t number)
{
    assert(number > 0 && number <= v->max); /* V1 */
    return v->active[number - 1];
}

/* Gets VISIT_UNKNOWN, VISIT_REMOVED, or the number of an active state. Returns OM_OK or
 * OM_ENOMEM. */
int visit_number(const visit *v, om_id id, uint32_t *number);
/* Gives an unknown state the next number, as a component of its own. Returns OM_OK, OM_ENOMEM or
 * OM_ELIMIT. */
int visit_push(visit *v, const pending *by);
/* Adds an edge to a list. Returns OM_OK or OM_ENOMEM. */
int visit_add(visit *v, pending_list *to, const pending *e);
/* Merges all components from that of the active state of this number on, because an edge with these
 * marks leads from the last component to that state. */
void visit_merge(visit *v, uint64_t number, om_marks marks);
/* Pops the last component; its states are unknown if `again`, otherwise removed. */
void visit_pop(visit *v, bool again);
/* Returns true if both states are in one component of the stack. */
bool visit_same(const visit *v, om_id a, om_id b);
/*
 * Returns the path to the root of the last component, of *n states: the root of each component, and
 * the state that the edge into the next one leaves. The caller frees it. NULL if memory runs out.
 */
om_id *visit_path(const visit *v, size_t *n);

#endif
