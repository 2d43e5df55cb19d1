/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deep.h: the part of a breadth-first search that goes deep: it expands states in other orders, in
 * rounds of all workers between two levels.
 *
 * The levels stay those of a breadth-first search. A state that was stored out of turn (it is
 * *owned* by the deep search) joins a level when an edge of the level before leads to it (it is
 * *reached*). If it has been expanded by then, its edges were recorded, and the level reads the
 * record. So each state is expanded once, and all work counts towards completeness.
 *
 *  D1  Deep rounds and levels never run at the same time: what one writes, the other reads after
 *      the end of the round (team.h).
 *  D2  A state is claimed before it is expanded, by one worker. An owned state that is claimed has
 *      a record when the round ends, unless the search has failed.
 *  D3  An owned state joins at most one level, when it is reached. All other stored states are on
 *      a level from the time that they are stored.
 *  D4  A state that the deep search begins with is taken from the next level: it becomes owned, and
 *      is reached. All other states that are owned were stored by the deep search.
 *  D5  Between rounds, bit i of `waiting` is set if state i is owned and was not reached. A bit of
 *      `map` is set if a state of its group of ids is owned. Both cover all ids below `bound`, and
 *      no other id belongs to an owned state.
 */
#ifndef OM_SEARCH_DEEP_H
#define OM_SEARCH_DEEP_H

#include "bfs.h"

typedef struct om_deep om_deep;

/* The data of an owned state: a word of flags and of its deep parent; and its record, which is the
 * number of its edges and its fault, then the targets. NULL: it was not expanded. */
typedef struct om_deep_state {
    _Atomic uint64_t word;
    _Atomic(const om_id *) record;
} om_deep_state;

enum {
    OM_DEEP_OWNED = 1u << 0,
    OM_DEEP_CLAIMED = 1u << 1,
    OM_DEEP_TARGET = 1u << 2,
    OM_DEEP_ON_LEVEL = 1u << 3, /* a level has claimed it: it never has a record */
    OM_DEEP_ENTERED = 1u << 4   /* by the depth-first search of worker 0; the next bit: 1; ... */
};

/* Log2 of the number of ids in a group of the map, and of those whose data is allocated together.
 */
enum { OM_DEEP_GROUP_BITS = 10, OM_DEEP_BLOCK_BITS = 6 };

struct om_deep {
    om_bfs *b;
    om_side *blocks; /* by block of ids: its states, or NULL */
    uint64_t *map;   /* D5 */
    _Atomic uint64_t *waiting;
    om_id bound;
    struct om_diver *divers;     /* by worker */
    uint64_t expanded, stored;   /* by all rounds that have ended */
    uint64_t begun_ns, spent_ns; /* the start of the search; time of the rounds that have ended */
    uint64_t round_ns;           /* the start of this round */
    uint64_t round;              /* states that this round may expand in all, ... */
    _Atomic int64_t left;        /* ... and that no worker has drawn */
    atomic_bool over;            /* a target or an ending fault was found: no more rounds */
    om_id hit;                   /* the target; guarded by the search's lock, like the rest */
    om_fault fault;              /* the first fault, or an ending one, and its state */
    om_id fault_at;
    uint64_t until; /* with `over`: the search ends when it has expanded this many states */
};

/* Creates the deep part of a search, unless its orders do not ask for one: *out is then NULL. OM_OK
 * or OM_ENOMEM. */
int om_deep__new(om_deep **out, om_bfs *b);
void om_deep__free(om_deep *d);
uint64_t om_deep__bytes(const om_deep *d);

/* ---- rounds; the leader, while no worker works ---- */

/* Returns true if a round is due. */
bool om_deep__due(const om_deep *d);
/* Prepares a round. OM_OK or OM_ENOMEM. */
int om_deep__begin(om_deep *d);
/* The work of one worker in a round. OM_OK, also if a target was found; OM_ESTOP; a failure. */
int om_deep__work(om_deep *d, unsigned worker);
/* Ends a round. OM_OK or OM_ENOMEM. */
int om_deep__end(om_deep *d);

/* ---- levels; any worker, but not during a round ---- */

/* Returns false if the id certainly belongs to no owned state. */
static inline bool om_deep__may_own(const om_deep *d, om_id id)
{
    const uint64_t group = id >> OM_DEEP_GROUP_BITS;
    return id < d->bound && (d->map[group / 64] >> group % 64 & 1) != 0;
}

/* Records that a level has reached the state. Returns true if the state is owned and was not
 * reached before: it then joins the next level (D3). */
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
/* Returns true if the deep search has found that an owned state is a target. */
bool om_deep__is_target(const om_deep *d, om_id id);
/* Returns the record of a state that is owned and has been expanded; claims the state and returns
 * NULL if it has not. */
const om_id *om_deep__record(om_deep *d, om_id id);
/* Read a record. */
static inline size_t om_deep__edges(const om_id *record)
{
    return (uint32_t) record[0];
}
static inline om_fault om_deep__fault(const om_id *record)
{
    return (om_fault) (record[0] >> 32);
}
/* Returns the state from which the deep search stored this one; OM_NO_ID: it did not. */
om_id om_deep__parent(const om_deep *d, om_id id);

#endif
