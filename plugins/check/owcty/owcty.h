/* SPDX-License-Identifier: Apache-2.0 */
/* owcty.h: definitions that the exploration and the rounds of owcty share: see owcty.c. */
#ifndef OMEN_CHECK_OWCTY_H
#define OMEN_CHECK_OWCTY_H

#include "pool.h"

#include <omen/plugin/bfs.h>

/* Data of a state */
typedef struct known {
    /* During the exploration: the id of the largest accepting predecessor known so far, + 1, or 0;
     * and OWCTY_LISTED if the state may be on an accepting cycle and was expanded. Afterwards: the
     * last round that the state has survived, or 0. */
    _Atomic uint64_t word;
    /* Number of edges from states of the rest to this state, and how many of them have the mark of
     * the set that is next. */
    atomic_uint degree, seeds;
} known;
#define OWCTY_LISTED (UINT64_C(1) << 63)

/* Data of one worker. The padding keeps its writes out of the cache lines of others. */
typedef struct searcher {
    om_run *run;
    unsigned worker;
    om_cursor *cursor;
    pool_worker work;
    id_list rest;         /* states of the rest, and some that have left it in this round */
    uint64_t round;       /* equal in all workers, as is: */
    om_marks next;        /* the set that is next */
    uint64_t added, left; /* states that this worker added to the rest, and removed, in the round */
    uint64_t again;       /* states that it expanded after the exploration */
    int rc;               /* of a callback of the exploration */
    unsigned char padding_after[64];
} searcher;

struct om_run {
    const om_heap *heap;
    om_task *task;
    unsigned workers;
    om_marks all;    /* also 0 if every cycle of an accepting component accepts */
    bool map;        /* true if maximal accepting predecessors are propagated */
    bool *accepting; /* by automaton state: true if in an accepting component */
    om_bfs *bfs;
    om_side *known;
    om_barrier *barrier;
    pool pool;
    searcher *searchers;
    _Atomic om_id cycle; /* a state on an accepting cycle found by the exploration, or OM_NO_ID */
    _Atomic uint64_t size[2]; /* of the rest, by the round's parity */
    om_id root;               /* the last root: see owcty_source() */
    unsigned list;            /* next_root() continues in the list of this worker, */
    size_t at;                /* at this index */
};

/* Returns true if an edge between these two automaton states can be on an accepting cycle, provided
 * that the first one is in an accepting component. */
static inline bool owcty_inner(const om_run *run, uint32_t from, uint32_t to)
{
    return from == to || om_task_same_component(run->task, from, to);
}

/* Prefetches the data of the states that these steps lead to. */
static inline void owcty_fetch(const om_run *run, const om_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        om_side_fetch(run->known, steps[i].to);
}

/* Gets the data of a state. Returns OM_OK or OM_ENOMEM. */
int owcty_known(const searcher *s, om_id id, known **out);
/* Counts one more edge. Returns OM_OK; OM_ELIMIT, with a message. */
int owcty_count(const searcher *s, atomic_uint *edges);

/* Processes all edges of a state during the exploration: the callback om_bfs_spec.edges. */
bool owcty_explored(
    void *self, unsigned worker, om_cursor *c, om_id from, const om_step *steps, size_t count);

/* Called by all workers after the exploration: computes the fixpoint. Sets *size to the number of
 * states that remain. */
int owcty_fixpoint(searcher *s, uint64_t *size);
/* Called by all workers if states remain: sets run->root to a remaining state on an accepting
 * cycle. */
int owcty_source(searcher *s);

#endif
