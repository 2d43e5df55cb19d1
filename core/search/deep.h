/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deep.h: the part of a breadth-first search that goes deep: it also searches in other orders, in
 * rounds of all workers between two levels, or between two slices of a large one.
 *
 * Each order is a search of its own, from the initial states on: it has its own open states, and a
 * bit for each state that it has entered. All searches share the store. So no order ends where
 * another one has been, and the levels stay those of a breadth-first search. A state may be
 * expanded by each order and by a level. (To record the edges for the level would cost more: a
 * level expands a state several times as fast as it finds and reads a record.)
 *
 *  D1  A deep round and a level never run at the same time: what one writes, the other reads after
 *      the end of the round, or of the slice (team.h).
 *  D2  An order enters a state at most once, by one worker, before it expands it; and expands it at
 *      most once.
 *  D3  A state that a deep round has stored joins one level: when a level reaches it. All other
 *      stored states are on a level from the time that they are stored.
 *  D4  Between rounds, bit i of `waiting` is set if a deep round has stored state i and no level
 *      has reached it. A bit of `map` is set if a deep round has stored a state of its group of
 *      ids. Both cover all ids below `bound`, and deep rounds have stored no other id.
 */
#ifndef OM_SEARCH_DEEP_H
#define OM_SEARCH_DEEP_H

#include "bfs.h"

typedef struct om_deep om_deep;

/* Log2 of the number of ids in a group of the map, and of those whose bits are in one word. */
enum { OM_DEEP_GROUP_BITS = 10, OM_DEEP_WORD_BITS = 6 };

typedef struct om_deep_list {
    om_id *ids;
    size_t count, room;
} om_deep_list;

/* A search in one order. Both arrays have a word for each 64 ids. */
typedef struct om_deep_order {
    uint32_t order;   /* OM_ORDER_DEPTH, _BEST or _WALK */
    bool costly;      /* of OM_ORDER_BEST: by the guides of this kind */
    om_side *entered; /* D2 */
    om_side *taken;   /* OM_ORDER_BEST enters states when it opens them, and takes them later */
} om_deep_order;

struct om_deep {
    om_bfs *b;
    om_deep_order orders[4]; /* in the order of their turns */
    unsigned order_count;
    om_deep_list initial; /* the initial states */
    uint64_t *map;        /* D4 */
    _Atomic uint64_t *waiting;
    om_id bound;
    struct om_diver *divers;     /* by worker */
    uint64_t expanded, stored;   /* by all rounds that have ended */
    uint64_t begun_ns, spent_ns; /* the start of the search; time of the rounds that have ended */
    uint64_t share_ns;           /* time that the rounds may take in all, ... */
    uint64_t shared_ns;          /* ... and until when it was added */
    uint64_t widest;             /* states of the widest level so far */
    uint64_t round_ns;           /* the start of this round */
    _Atomic int64_t left;        /* states that this round may expand and no worker has drawn */
    bool even; /* the order that comes next has expanded least, else it has taken least time */
    bool dry;  /* no order has anything left to expand */
    atomic_bool over;     /* a target or an ending fault was found: no more rounds */
    om_id hit;            /* the first target; guarded by the search's lock, like the rest */
    om_deep_list targets; /* all of them */
    om_fault fault;       /* the first fault, or an ending one, and its state */
    om_id fault_at;
    uint64_t until; /* with `over`: the search ends when it has expanded this many states */
};

/* Creates the deep part of a search, unless its orders do not ask for one: *out is then NULL. OM_OK
 * or OM_ENOMEM. */
int om_deep__new(om_deep **out, om_bfs *b);
void om_deep__free(om_deep *d);
uint64_t om_deep__bytes(const om_deep *d);
/* Adds an id to a list. OM_OK or OM_ENOMEM. */
int om_deep__add(const om_deep *d, om_deep_list *l, om_id id);

/* ---- rounds; the leader, while no worker works ---- */

/* Returns true if a round is due. */
bool om_deep__due(om_deep *d);
/* Prepares a round. OM_OK or OM_ENOMEM. */
int om_deep__begin(om_deep *d);
/* The work of one worker in a round. OM_OK, also if a target was found; OM_ESTOP; a failure. */
int om_deep__work(om_deep *d, unsigned worker);
/* Ends a round. OM_OK or OM_ENOMEM. */
int om_deep__end(om_deep *d);

/* ---- levels; any worker, but not during a round ---- */

/* Returns false if certainly no deep round has stored the id. */
static inline bool om_deep__may_own(const om_deep *d, om_id id)
{
    const uint64_t group = id >> OM_DEEP_GROUP_BITS;
    return id < d->bound && (d->map[group / 64] >> group % 64 & 1) != 0;
}

/* Records that a level has reached the state. Returns true if a deep round has stored it and no
 * level had reached it: it then joins the next level (D3). */
static inline bool om_deep__reach(const om_deep *d, om_id id)
{
    const uint64_t bit = UINT64_C(1) << id % 64;
    if (!om_deep__may_own(d, id))
        return false;
    _Atomic uint64_t *word = &d->waiting[id / 64];
    /* relaxed: one worker clears the bit; the rest is ordered by rounds (D1). */
    return (atomic_load_explicit(word, memory_order_relaxed) & bit) != 0 &&
           (atomic_fetch_and_explicit(word, ~bit, memory_order_relaxed) & bit) != 0;
}
/* Returns true if a deep round has found that a state is a target. */
bool om_deep__is_target(const om_deep *d, om_id id);
/* Returns the origin of a state that a deep round has stored; NULL: none has, or paths are not
 * kept. Only after the search. */
const om_bfs_origin *om_deep__origin(om_deep *d, om_id id);

#endif
