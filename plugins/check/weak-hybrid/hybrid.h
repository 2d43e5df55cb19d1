/* SPDX-License-Identifier: Apache-2.0 */
/* hybrid.h: what the searches of weak-hybrid share: see weak-hybrid.c. */
#ifndef OMEN_CHECK_HYBRID_H
#define OMEN_CHECK_HYBRID_H

#include "path_set.h"

#include <omen/plugin/bfs.h>
#include <omen/plugin/dfs.h>

#include <pthread.h>
#include <stdatomic.h>

/* What a state of the accepting part is. Open states are on the path of at least one worker; the
 * first to enter it leaves its number, added to HYBRID_FIRST, where that goes into a byte. */
enum { HYBRID_NEW, HYBRID_DEAD, HYBRID_OPEN, HYBRID_FIRST };

typedef struct id_list {
    om_id *ids;
    size_t count, capacity;
} id_list;

/* One worker. The padding keeps what it writes away from others. */
typedef struct searcher {
    om_run *run;
    unsigned worker;
    om_dfs *way, *dfs;  /* from an initial state to the root, filled for a report; and from there */
    unsigned char mark; /* what states are that this worker enters first */
    path_set path;      /* those on its path that another entered first, or that have no number */
    unsigned char *leads; /* scratch: what each edge of a state leads to */
    size_t leads_capacity;
    om_id root, closes; /* the end that the path begins with; see hybrid_report() */
    /* Ends that its breadth-first search came upon since the last round, or, where it has searched
     * them, before. Others read them during a round. */
    id_list ends;
    bool searched;
    uint64_t rounds; /* that it took part in */
    /* States outside that it stored first; how many its probe may still expand of those drawn; its
     * probes so far; the state where one is to begin, or OM_NO_ID; what that has still to expand,
     * and ends it came upon. */
    uint64_t stored;
    int64_t left;
    unsigned probes;
    om_id probe;
    id_list stack, found;
    unsigned char before[64];
    _Atomic size_t taken;  /* of the ends; may run past their number; relaxed: a ticket */
    _Atomic om_id current; /* the root, OM_NO_ID: none */
    unsigned char behind[64];
} searcher;

struct om_run {
    const om_heap *heap;
    om_task *task;
    unsigned workers;
    om_bfs *bfs;
    om_side *colours; /* atomic_uchar per state: the enumeration above; 0 outside */
    bool *accepting;  /* per automaton state: it is in an accepting component */
    uint32_t last;    /* the word of a product vector that is the automaton's */
    searcher *searchers;
    atomic_uint probes;         /* that were called for */
    _Atomic int64_t left;       /* states that probes may expand; less than 0 is none */
    pthread_mutex_t lock;       /* of `given` */
    id_list given;              /* what probes have to expand, for who has nothing to do */
    _Atomic size_t to_have;     /* of it, for a look without the lock */
    atomic_uint idle;           /* workers that would have it */
    _Atomic uint64_t done;      /* workers with nothing to do, and all of each round before */
    _Atomic(searcher *) finder; /* the first that found a cycle, or NULL */
};

int hybrid_fail_memory(const searcher *s);
int hybrid_add(searcher *s, id_list *l, om_id id);
/* What a state is, of the accepting part. OM_OK or OM_ENOMEM. */
int hybrid_colour(searcher *s, om_id id, unsigned char *out);
/* Depth-first inside, from an end on, until it is dead. OM_ESTOP where somebody found a cycle. */
int hybrid_search(searcher *s, om_id end);
/* The evidence of the finder, when nobody is at work. OM_ESTOP, or why there is none. */
int hybrid_report(searcher *s);
/* The worker's probe, if it has one, and what others gave away. */
int hybrid_probe(searcher *s);
/* Takes what others gave away, by who counts as having nothing to do (idle), and no longer does
 * then, or does not. Whether there was any; not OM_OK in *rc: no memory. */
bool hybrid_take_given(searcher *s, bool idle, int *rc);

#endif
