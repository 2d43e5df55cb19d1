/* SPDX-License-Identifier: Apache-2.0 */
/* owcty.h: what the exploration and the rounds of owcty share: see owcty.c. */
#ifndef OMEN_CHECK_OWCTY_H
#define OMEN_CHECK_OWCTY_H

#include "pool.h"

#include <omen/plugin/bfs.h>

/* What is known of a state. */
typedef struct known {
    /* While the product is explored: the id of its maximal accepting predecessor as far as that is
     * known, + 1, or 0; and OWCTY_LISTED, if it may be on an accepting cycle and was expanded.
     * Then: the last round that it has come through, or 0. */
    _Atomic uint64_t word;
    /* Edges that lead here from states of the rest, and how many of them have the mark of the set
     * whose turn is next. */
    atomic_uint degree, seeds;
} known;
#define OWCTY_LISTED (UINT64_C(1) << 63)

/* One worker. The padding keeps what it writes away from others. */
typedef struct searcher {
    om_run *run;
    unsigned worker;
    om_cursor *cursor;
    pool_worker work;
    id_list rest;        /* states of the rest, and some that have left it since the round began */
    uint64_t round;      /* the same in all of them, as is: */
    om_marks next;       /* the set whose turn is next */
    uint64_t came, left; /* states that this worker put into the rest, and took out, in the round */
    uint64_t again;      /* states that it expanded after the exploration */
    int rc;              /* of a callback of the exploration */
    unsigned char behind[64];
} searcher;

struct om_run {
    const om_heap *heap;
    om_task *task;
    unsigned workers;
    om_marks all;    /* 0, too, where every cycle of an accepting component accepts */
    bool map;        /* maximal accepting predecessors are handed on */
    bool *accepting; /* per automaton state: it is in a component that accepts */
    om_bfs *bfs;
    om_side *known;
    om_barrier *barrier;
    pool pool;
    searcher *searchers;
    _Atomic om_id cycle; /* a state on an accepting cycle that the exploration found, or OM_NO_ID */
    _Atomic uint64_t size[2]; /* of the rest, by the round's parity */
    om_id root;               /* the last one: see owcty_source() */
    unsigned list;            /* where the next one is looked for: of this worker */
    size_t at;                /* and in its list */
};

/* Can an edge between these two states of the automaton be on an accepting cycle, if the first one
 * is in a component that accepts? */
static inline bool owcty_inner(const om_run *run, uint32_t from, uint32_t to)
{
    return from == to || om_task_same_component(run->task, from, to);
}

/* Has the memory fetched that is known of the states that these steps lead to. */
static inline void owcty_fetch(const om_run *run, const om_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        om_side_fetch(run->known, steps[i].to);
}

/* OM_OK; OM_ENOMEM. */
int owcty_known(const searcher *s, om_id id, known **out);
/* One edge more. OM_OK; OM_ELIMIT, with a message. */
int owcty_count(const searcher *s, atomic_uint *edges);

/* All edges of a state, when it is explored: what om_bfs_spec.edges is. */
bool owcty_explored(
    void *self, unsigned worker, om_cursor *c, om_id from, const om_step *steps, size_t count);

/* By all workers, when the product is explored: what is left of it, for good. *size: how many
 * states. */
int owcty_fixpoint(searcher *s, uint64_t *size);
/* By all workers, where something is left: run->root becomes a state of it on an accepting cycle.
 */
int owcty_source(searcher *s);

#endif
