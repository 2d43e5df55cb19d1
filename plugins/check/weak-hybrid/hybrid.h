/* SPDX-License-Identifier: Apache-2.0 */
/* hybrid.h: definitions that the searches of weak-hybrid share: see weak-hybrid.c. */
#ifndef OMEN_CHECK_HYBRID_H
#define OMEN_CHECK_HYBRID_H

#include "path_set.h"

#include <omen/plugin/bfs.h>
#include <omen/plugin/dfs.h>

#include <pthread.h>
#include <stdatomic.h>

/* Colours of a state of the accepting part. Open states are on the path of at least one worker. The
 * first worker to enter a state stores its number, added to HYBRID_FIRST, if that fits a byte. */
enum { HYBRID_NEW, HYBRID_DEAD, HYBRID_OPEN, HYBRID_FIRST };

typedef struct id_list {
    om_id *ids;
    size_t count, capacity;
} id_list;

/* Data of one worker. The padding keeps its writes out of the cache lines of others. */
typedef struct searcher {
    om_run *run;
    unsigned worker;
    om_dfs *way, *dfs;  /* from an initial state to the root, filled for a report; and from there */
    unsigned char mark; /* colour of states that this worker enters first */
    path_set path;      /* those on its path that another entered first, or that have no number */
    unsigned char *leads; /* scratch: the kind of each edge of a state */
    size_t leads_capacity;
    om_id root, closes; /* the end that the path begins with; see hybrid_report() */
    /* Ends that its breadth-first search found since the last round or, if `searched`, before it.
     * Others read them during a round. */
    id_list ends;
    bool searched;
    uint64_t rounds; /* number of rounds that it took part in */
    /* Number of states outside that it stored first; states drawn that its probe may still expand;
     * number of its probes so far; the state where a probe is to begin, or OM_NO_ID; states that
     * the probe has still to expand, and ends that it found. */
    uint64_t stored;
    int64_t left;
    unsigned probes;
    om_id probe;
    id_list stack, found;
    unsigned char before[64];
    _Atomic size_t taken;  /* of the ends; may exceed their number; relaxed: a ticket */
    _Atomic om_id current; /* the root, or OM_NO_ID */
    unsigned char padding_after[64];
} searcher;

struct om_run {
    const om_heap *heap;
    om_task *task;
    unsigned workers;
    om_bfs *bfs;
    om_side *colours; /* atomic_uchar per state: the enumeration above; 0 outside */
    bool *accepting;  /* by automaton state: true if in an accepting component */
    uint32_t last;    /* index of the automaton's word in a product vector */
    searcher *searchers;
    atomic_uint probes;         /* number of probes that were requested */
    _Atomic int64_t left;       /* states that probes may expand; may be negative */
    pthread_mutex_t lock;       /* protects `given` */
    id_list given;              /* states of probes, for workers with nothing to do */
    _Atomic size_t given_count; /* number of `given`, to be read without the lock */
    atomic_uint idle;           /* number of workers that would take them */
    _Atomic uint64_t done;      /* workers with nothing to do, plus all of each earlier round */
    _Atomic(searcher *) finder; /* the first worker that found a cycle, or NULL */
};

int hybrid_fail_memory(const searcher *s);
int hybrid_add(searcher *s, id_list *l, om_id id);
/* Gets the colour of a state of the accepting part. Returns OM_OK or OM_ENOMEM. */
int hybrid_colour(searcher *s, om_id id, unsigned char *out);
/* Searches inside, depth-first, from an end until it is dead. Returns OM_ESTOP if a worker has
 * found a cycle. */
int hybrid_search(searcher *s, om_id end);
/* Reports the evidence of the finder, after all workers have ended. Returns OM_ESTOP, or the reason
 * why there is none. */
int hybrid_report(searcher *s);
/* Runs the worker's probe, if it has one, and expands the states that others gave away. */
int hybrid_probe(searcher *s);
/* Takes the states that others gave away. If `idle`, the worker is counted in `done`; it no longer
 * is if there were any. Returns true if there were any; sets *rc if memory runs out. */
bool hybrid_take_given(searcher *s, bool idle, int *rc);

#endif
