/* SPDX-License-Identifier: Apache-2.0 */
/* lowe.h: the searches of lowe: their data and how they interact. See lowe.c. */
#ifndef OMEN_LOWE_H
#define OMEN_LOWE_H

#include <omen/plugin/dfs.h>

#include <pthread.h>
#include <stdatomic.h>

/*
 * One word for each state. 0: never met. LIVE: on the live stack of the search whose number is in
 * bits 40 to 61, at the place in bits 0 to 39. DEAD: the state and all states reachable from it
 * have been searched.
 */
#define LOWE_DEAD (UINT64_C(1) << 63)
#define LOWE_LIVE (UINT64_C(1) << 62)
enum { LOWE_PLACE_BITS = 40 };
typedef _Atomic uint64_t lowe_word;

static inline uint64_t lowe_live(uint32_t search, uint64_t place)
{
    return LOWE_LIVE | (uint64_t) search << LOWE_PLACE_BITS | place;
}

static inline uint32_t lowe_search_of(uint64_t word)
{
    return (uint32_t) ((word & ~(LOWE_LIVE | LOWE_DEAD)) >> LOWE_PLACE_BITS);
}

static inline uint64_t lowe_place_of(uint64_t word)
{
    return word & ((UINT64_C(1) << LOWE_PLACE_BITS) - 1);
}

/* An entry of a path: an edge that is still to be followed or, with ON_PATH, one that was: its
 * target is on the path, and the edges that leave the target are above it. */
#define LOWE_ON_PATH (UINT64_C(1) << 63)
typedef struct lowe_entry {
    uint64_t to;
    om_marks marks;
} lowe_entry;

typedef struct lowe_root {
    size_t entry;   /* of the root itself */
    uint64_t place; /* on the live stack */
    om_marks marks; /* seen on edges within the component */
} lowe_root;

typedef enum lowe_state { LOWE_FREE, LOWE_RUNNING, LOWE_BLOCKED, LOWE_READY } lowe_state;

typedef struct lowe_search {
    om_run *run;
    lowe_state state;
    uint32_t number;
    bool from_initial; /* the first state of its path is an initial state */
    om_dfs_edge edge;  /* BLOCKED: leads to the awaited state; READY: to be followed */
    lowe_entry *entries;
    size_t entry_count, entry_room, most_entries;
    lowe_root *roots;
    size_t root_count, root_room;
    om_id *live;
    size_t live_count, live_room;
    size_t offered; /* entries below this index were examined by lowe_offer() */
    uint64_t components;
} lowe_search;

enum { LOWE_SEARCHES_EACH = 8 };

struct om_run {
    const om_heap *heap;
    om_task *task;
    om_side *words; /* lowe_word */
    om_marks all;
    unsigned workers, search_count;
    lowe_search *searches;
    /* Protects the states and edges of searches that are not RUNNING, and the state of every
     * search. */
    pthread_mutex_t lock;
    /* Also protected by the lock: the initial states; the stack of states to begin at. */
    om_id *initial, *starts;
    size_t initial_count, start_count, start_room;
    bool begun, failed; /* add_initial() was called; it failed */
    bool over;          /* all reachable states are dead */
    atomic_uint idle;   /* workers with nothing to do; no other data depends on it: relaxed */
    atomic_bool fault;  /* a fault of the model was met and its path noted; relaxed, too */
};

/* Returns the word of a state, or NULL if memory runs out. */
static inline lowe_word *lowe_at(const om_run *run, om_id id)
{
    return om_side_at(run->words, id);
}

/* The functions below that return int return OM_OK, OM_ENOMEM or OM_ELIMIT, unless stated
 * otherwise. */

/* Gives a worker a search that can continue, or a new one, now RUNNING; or NULL. Sets *follow if
 * its `edge` must be followed first, and *over if all reachable states are dead. */
void lowe_take(om_run *run, lowe_search **taken, bool *follow, bool *over);
/* Called if a running search has an edge to a live state of another. Sets *blocked if the worker no
 * longer owns the search. Otherwise the search continues as after lowe_take(), with *follow. */
int lowe_block(om_run *run, lowe_search *s, om_dfs_edge e, bool *blocked, bool *follow);
/* Ends a running search that has no states left. */
void lowe_end(om_run *run, lowe_search *s);
/* Returns the last root of `s` whose place on the live stack is not above `place`. */
size_t lowe_root_below(const lowe_search *s, uint64_t place);
/* Offers idle workers a state that this search would reach late. */
int lowe_offer(om_run *run, lowe_search *s);

/* Reports that the last component of a running search has all marks. Returns OM_ESTOP. */
int lowe_found(lowe_search *s);
/* Reports a fault of the model if it was met in `id`, the last state of the path. Returns OM_OK to
 * continue, or OM_ESTOP after a failed assertion. */
int lowe_fault(lowe_search *s, const om_cursor *cursor, om_id id);

#endif
