/* SPDX-License-Identifier: Apache-2.0 */
/* bfs.h: the inside of a breadth-first search, for the files of this folder. */
#ifndef OM_SEARCH_BFS_H
#define OM_SEARCH_BFS_H

#include "team.h"

#include <omen/plugin/bfs.h>

/* States first, first + 1, ...: the `at`-th of a list and those after it. */
typedef struct om_bfs_range {
    om_id first;
    uint64_t at;
} om_bfs_range;

/* Part of a level. */
typedef struct om_bfs_list {
    om_bfs_range *ranges;
    size_t count, capacity;
    uint64_t states;
    _Atomic uint64_t taken; /* handed out; may run past `states` */
} om_bfs_list;

/* `count` states from `first` on were stored when `sources` states from `source` on were expanded;
 * no sources: initial states. */
typedef struct om_bfs_origin {
    om_id first, source;
    uint32_t count, sources;
} om_bfs_origin;

typedef struct om_bfs_worker {
    om_cursor *cursor;
    om_bfs_list lists[2]; /* of level l: lists[l % 2] */
    om_bfs_origin *origins;
    size_t origin_count, origin_capacity;
    bool unsorted;  /* the origins, so far */
    bool kept;      /* the caller kept a state of what it stored, since the last spec.between() */
    int rc;         /* its own failure */
    om_fault fault; /* that its cursor has met, ... */
    uint32_t fault_level; /* on this level */
    unsigned char padding[64];
} om_bfs_worker;

struct om_bfs {
    om_context *ctx;
    const om_heap *heap;
    om_control *control;
    om_bfs_spec spec;
    om_bfs_worker *workers;
    unsigned count;
    uint32_t words;
    /* Written by the leader between levels. */
    uint32_t level;
    uint64_t width;         /* states of the level */
    uint64_t expanded, due; /* states of all levels so far; and when spec.between() is due */
    bool between;           /* this round is for it, not for a level */
    bool over, complete;
    unsigned processors;          /* that workers may have */
    uint64_t state_ns, narrow_ns; /* what a state takes; levels below that are not shared */
    om_team team;
    atomic_bool stop;       /* now; no data comes with it */
    atomic_bool last_level; /* no further level */
    pthread_mutex_t
        lock; /* guards what follows until all are done; and, in spec.between(), origins */
    int rc;
    om_id hit;
};

/* Adds an origin; of use to om_bfs_path(). OM_OK or OM_ENOMEM. */
int om_bfs__remember(const om_bfs *b, om_bfs_worker *w, om_bfs_origin o);

#endif
