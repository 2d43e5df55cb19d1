/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bfs.h: the internals of a breadth-first search, for the files of this folder.
 *
 *  L1  The ranges of a list are in the order of `at`, none is empty, and the last ends at `states`.
 *  L2  A level ends when all of its lists are handed out, unless the search stops.
 */
#ifndef OM_SEARCH_BFS_H
#define OM_SEARCH_BFS_H

#include "control/control.h"
#include "team.h"

#include <omen/plugin/bfs.h>

/* Consecutive ids in a list: element `at` is state `first`, the next one first + 1, and so on. */
typedef struct om_bfs_range {
    om_id first;
    uint64_t at;
} om_bfs_range;

/* Part of a level. */
typedef struct om_bfs_list {
    om_bfs_range *ranges;
    size_t count, capacity;
    uint64_t states;
    _Atomic uint64_t taken; /* elements handed out; may exceed `states` */
} om_bfs_list;

/* `count` states from `first` on were stored when `sources` states from `source` on were expanded.
 * No sources: initial states. */
typedef struct om_bfs_origin {
    om_id first, source;
    uint32_t count, sources;
} om_bfs_origin;

typedef struct om_bfs_origins {
    om_bfs_origin *list;
    size_t count, room;
    bool unsorted; /* not sorted by first id */
} om_bfs_origins;

typedef struct om_bfs_worker {
    om_cursor *cursor;
    om_bfs_list lists[2]; /* list of level l: lists[l % 2] */
    om_bfs_list owned[2]; /* likewise: states of the level that deep rounds have stored (deep.h) */
    om_bfs_origins origins;
    bool kept; /* the caller kept a state that this worker stored, since the last spec.between() */
    int rc;    /* error of this worker */
    om_fault fault;       /* first fault that it has met, on a level */
    uint32_t fault_level; /* level of that fault, and its state */
    om_id fault_at;
    unsigned char padding[64];
} om_bfs_worker;

/* What the workers do in a round */
typedef enum om_bfs_round {
    OM_BFS_LEVEL,   /* they expand a level */
    OM_BFS_BETWEEN, /* spec.between() */
    OM_BFS_DEEP     /* the deep search */
} om_bfs_round;

struct om_bfs {
    om_context *ctx;
    const om_heap *heap;
    om_control *control;
    om_turn *turn; /* of a single worker that shares its thread's time; or NULL */
    om_bfs_spec spec;
    om_bfs_worker *workers;
    struct om_deep *deep; /* NULL: levels only */
    unsigned count;
    uint32_t words;
    /* Written by the leader between levels. */
    uint32_t level;
    uint64_t width;         /* states of the level */
    uint64_t expanded, due; /* states of all levels so far; number at which spec.between() is due */
    om_bfs_round round;
    bool over, complete;
    unsigned processors;          /* available to the workers */
    uint64_t state_ns, narrow_ns; /* time per state; levels below narrow_ns are not shared */
    om_team team;
    uint64_t slice_least;   /* states of a level between two deep rounds, at least */
    _Atomic int64_t slice;  /* of them, those that are left; may fall below 0 */
    atomic_bool stop;       /* stop now; publishes no data */
    atomic_bool last_level; /* no further level */
    pthread_mutex_t lock;   /* guards the rest until all are done, and origins in spec.between() */
    int rc;
    om_id hit;
};

/* Adds states first .. first + n - 1 to a list. OM_OK or OM_ENOMEM. */
int om_bfs__push(const om_bfs *b, om_bfs_list *l, om_id first, size_t n);
/* Returns true if the search has to stop at once. */
bool om_bfs__stopped(const om_bfs *b);
/* Counts states that a worker has expanded, and waits if its turn is over; the worker holds no
 * lock. Returns true if the search goes on. */
bool om_bfs__goes_on(om_bfs *b, uint64_t states);
/* Returns true if this fault (or 0) ends the search. */
bool om_bfs__ends_search(const om_bfs *b, om_fault fault);
/* For callbacks: returns true if the search goes deep, so that states are stored and expanded out
 * of turn. */
bool om_bfs__is_deep(const om_bfs *b);
/* Adds an origin for om_bfs_path(). OM_OK or OM_ENOMEM. */
int om_bfs__remember(const om_bfs *b, om_bfs_origins *to, om_bfs_origin o);
/* Sorts origins, and then finds that of a state, or NULL. */
void om_bfs__sort_origins(om_bfs_origins *o);
const om_bfs_origin *om_bfs__find_origin(const om_bfs_origins *o, om_id id);

#endif
