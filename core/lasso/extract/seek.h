/* SPDX-License-Identifier: Apache-2.0 */
/* seek.h: paths between stored states of a product, over the store that the search has filled. */
#ifndef OMEN_LASSO_SEEK_H
#define OMEN_LASSO_SEEK_H

#include "fair_cycle.h"

#include <omen/host/task.h>

/* A sequence of states. */
typedef struct om_path {
    const om_heap *heap;
    om_id *ids;
    size_t count, capacity;
} om_path;

void om_path__free(om_path *w);
/* OM_OK or OM_ENOMEM. */
int om_path__add(om_path *w, om_id id);

/* The restrictions and the goal of a search. */
typedef struct om_aim {
    bool known; /* only states that were stored when the om_seek was opened */
    /* NULL, or only states for which it returns true. */
    bool (*inside)(void *self, om_id id);
    void *self;
    om_marks avoid; /* edges with any of these marks are left out */
    /* The search ends at an edge with one of these marks, */
    om_marks marks;
    om_fair_cycle *lacking; /* or that meets a process that this lacks (NULL: none), */
    om_id state;            /* or into this state (OM_NO_ID: none), */
    /* or into a state for which this returns true (NULL: none), */
    bool (*at)(void *self, om_id id);
    /* or, with `cycle`, into a state on the path to the edge. */
    bool cycle;
    uint64_t most;     /* maximum number of expanded states; 0: no limit */
    uint64_t most_met; /* no state is expanded once so many are met; 0: no limit */
} om_aim;

/*
 * Breadth-first searches, one after the other.
 *
 *  S1  met[id] > base if and only if the state has an entry of this search; its number is then
 *      met[id] - base - 1.
 *  S2  An entry has a greater number than its predecessors.
 */
typedef struct om_seek {
    om_context *ctx;
    om_product *product;
    om_cursor *cursor;
    struct om_store_ids *known; /* the states stored when it was opened */
    om_side *met; /* uint32_t by id: `base` + number of its entry + 1, in this search */
    struct om_seek_entry {
        om_id id;
        uint32_t from; /* predecessor entry; OM_NONE: a source */
    } * entries;
    size_t count, capacity;
    uint32_t base;
    uint64_t until_ns; /* deadline by om_clock_ns() after which a search finds nothing; 0: none */
} om_seek;

/* Returns true if the deadline has passed. Reads the clock only now and then; `n` counts calls. */
bool om_seek__timed_out(uint64_t until_ns, size_t n);

int om_seek__open(om_seek *s, om_context *ctx, om_task *task);
void om_seek__close(om_seek *s);
/*
 * Appends to the path the states after the source on a shortest path to the goal (none if a source
 * satisfies `at`); *source is the source. *found: there is a path. With `cycle`, *onto is the state
 * that the last edge leads back to. Either may be NULL. OM_OK; OM_ENOMEM; OM_ELIMIT.
 */
int om_seek__find(om_seek *s, const om_id *sources, size_t n, const om_aim *aim, om_path *path,
    om_id *source, om_id *onto, bool *found);

/*
 * As om_seek__find(), first among the states that were stored before any of these searches, then
 * among all. A checker has usually stored the path to its evidence, and there can be many times
 * more unvisited states than visited ones.
 */
int om_seek__find_known_first(om_seek *s, const om_id *sources, size_t n, const om_aim *aim,
    om_path *path, om_id *source, om_id *onto, bool *found);
/* Returns true if the state was stored when the om_seek was opened. `self` is the om_seek. */
bool om_seek__knows(void *self, om_id id);

/* Collects the marks of edges without `avoid` along a path: from a state through n more. The
 * processes of `lacking` (NULL: none) that the path meets are added to it. */
int om_seek__marks(om_seek *s, om_id from, const om_id *path, size_t n, om_marks avoid,
    om_marks *marks, om_fair_cycle *lacking);

/* Returns true if the last search met the state. `self` is the om_seek. */
bool om_seek__has_met(void *self, om_id id);

/*
 * An accepting component that is reachable from a state, found depth-first: its edges without
 * `avoid` have all of `see` (if marks count), or it is in a weak component of the automaton and has
 * a cycle.
 */
typedef struct om_component {
    /* Input. */
    om_marks see, avoid;
    bool marks_count;
    /* NULL, or only states for which it returns true. */
    bool (*within)(void *self, om_id id);
    void *self;
    bool through;      /* also follow edges of `avoid` to it if nothing is found without */
    uint64_t until_ns; /* as in om_seek */
    /* Result. */
    om_side *number; /* by id: the component is the live states from `from` on */
    uint32_t from;
    om_path way; /* path after the start to the component's first state: depth-first, hence long */
    bool apart;  /* the path to it has edges of `avoid` and is unknown */
    bool found;
    bool weak; /* every cycle in it accepts, whatever its marks */
} om_component;

int om_component__find(om_component *c, om_context *ctx, om_task *task, om_id start);
void om_component__free(om_component *c);
/* Returns true if the state is in the component. `self` is the om_component. */
bool om_component__has(void *self, om_id id);

#endif
