/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roots.h: one worker's roots of partial components, for decomposition.c only: the states of its
 * path that are in classes of their own, and how these are merged. For the invariants see
 * decomposition.c.
 */
#ifndef OMEN_CHECK_DECOMPOSITION_ROOTS_H
#define OMEN_CHECK_DECOMPOSITION_ROOTS_H

#include "decomposition.h"

typedef struct root {
    uint64_t place; /* on the stack */
    om_id id;
    om_id representative; /* of its class, at some time */
    om_marks by;          /* of the edge by which it was entered */
    om_marks seen;        /* marks of its class after the worker's last addition */
} root;

struct decomposition_worker {
    const decomposition *d;
    inf_clauses accepts; /* those of `d`, unless it is exact */
    om_scc_sets *classes;
    om_task *task;
    const om_heap *heap;
    unsigned worker;
    om_dfs *dfs;
    root *roots;
    size_t root_count, root_room;
    bool rooted; /* the path begins with an initial state */
    bool full;   /* a root below the last one has all marks of an acceptance */
    decomposition_avoided *avoided;
    void *self; /* for `avoided` and the functions of d->exact */
    uint64_t unions, finds, again;
};
typedef decomposition_worker searcher;

static inline root *roots_top(const searcher *s)
{
    return &s->roots[s->root_count - 1];
}

/* Makes the state that was just entered a root. */
int roots_push(searcher *s, om_dfs_edge by);

/* Reports that the class of a root accepts with these marks. Returns OM_ESTOP. */
int roots_found(searcher *s, const root *r, om_marks marks);
/* Reports the last root whose class accepts, which may be below the last one. Returns OM_ESTOP. */
int roots_found_below(searcher *s);

/* Processes an edge with these marks from the last state of the path to one of the worker's
 * classes, whose representative this was: merges roots until that is the class of the last root or,
 * with *below set, of the last but one. */
int roots_reach_down(searcher *s, om_id to, om_id representative, om_marks marks, bool *below);
/* Adds the marks of edges that lead from the last state of the path into the class of the last
 * root. */
int roots_add_marks(searcher *s, om_marks marks);
/* Merges the last root into the last but one, because edges with these marks lead into the latter's
 * class. `last`: the last state of the path is the merged root itself and has no other edges; then
 * it also becomes done. */
int roots_merge(searcher *s, om_marks marks, bool last);

#endif
