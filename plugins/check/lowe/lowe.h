/* SPDX-License-Identifier: Apache-2.0 */
/* lowe.h: the searches of lowe: what each has, and what they do to each other. See lowe.c. */
#ifndef OMEN_LOWE_H
#define OMEN_LOWE_H

#include <omen/plugin/dfs.h>

#include <pthread.h>
#include <stdatomic.h>

/*
 * Of each state one word. 0: nobody has met it. LIVE: it is on the live stack of a search, whose
 * number is in bits 40 to 61, at the place in bits 0 to 39. DEAD: it and all that can be reached
 * from it has been searched.
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

/* An entry of a path: an edge that is to be followed, or, ON_PATH, was: its state is on the path,
 * and above it are the edges that leave it. */
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
    bool from_initial; /* the first state of its path is an initial one */
    om_dfs_edge edge;  /* BLOCKED: leads to the state that it waits for; READY: to be followed */
    lowe_entry *entries;
    size_t entry_count, entry_room, most_entries;
    lowe_root *roots;
    size_t root_count, root_room;
    om_id *live;
    size_t live_count, live_room;
    size_t offered; /* entries below were looked through for others */
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
    /* States and edges of searches that are not RUNNING, and all states of searches. */
    pthread_mutex_t lock;
    /* Under the lock, too: the initial states; where to begin, and how many of those have begun. */
    om_id *initial, *starts;
    size_t initial_count, start_count, start_room;
    bool begun, failed; /* to make these */
    bool over;          /* all that can be reached is dead */
    atomic_uint idle;   /* workers with nothing to do; carries no data: relaxed */
    atomic_bool fault;  /* one of the model was met, and its way noted; likewise */
};

/* The word of a state; NULL: memory is out. */
static inline lowe_word *lowe_at(const om_run *run, om_id id)
{
    return om_side_at(run->words, id);
}

/* All that follows: OM_OK, OM_ENOMEM, OM_ELIMIT. */

/* For a worker: a search that can go on, or a new one, RUNNING; or NULL. *follow: first its edge is
 * to be followed. *over: all that can be reached is dead. */
void lowe_take(om_run *run, lowe_search **taken, bool *follow, bool *over);
/* A running search has an edge to a live state of another. *blocked: it is the worker's no more.
 * Else (*follow or not) it goes on, as after lowe_take(). */
int lowe_block(om_run *run, lowe_search *s, om_dfs_edge e, bool *blocked, bool *follow);
/* A running search has no states any more. */
void lowe_end(om_run *run, lowe_search *s);
/* The last of its roots that is not above a place of its live stack. */
size_t lowe_root_below(const lowe_search *s, uint64_t place);
/* Where workers are idle, gives them a state that this search would come to late. */
int lowe_offer(om_run *run, lowe_search *s);

/* The last component of a running search has all marks. OM_ESTOP. */
int lowe_found(lowe_search *s);
/* The model went wrong in the last state of its path, or before. OM_OK: go on. OM_ESTOP: it was a
 * failed assertion. */
int lowe_fault(lowe_search *s, const om_cursor *cursor, om_id id);

#endif
