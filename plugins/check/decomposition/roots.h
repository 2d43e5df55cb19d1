/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roots.h: one worker's roots of partial components, for decomposition.c alone: which of its path's
 * states are in classes of their own, and how those become one. Invariants are decomposition.c's.
 */
#ifndef OMEN_CHECK_DECOMPOSITION_ROOTS_H
#define OMEN_CHECK_DECOMPOSITION_ROOTS_H

#include "decomposition.h"

typedef struct root {
    uint64_t place; /* on the stack */
    om_id id;
    om_id representative; /* that its class had once */
    om_marks by;          /* of the edge that it was entered by */
    om_marks seen;        /* that its class had when the worker added to it last */
} root;

struct decomposition_worker {
    const decomposition *d;
    inf_clauses accepts; /* its, where it is not exact */
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
    void *self; /* its, and of the functions in d->exact */
    uint64_t unions, finds, again;
};
typedef decomposition_worker searcher;

static inline root *roots_top(const searcher *s)
{
    return &s->roots[s->root_count - 1];
}

/* The state that was just entered is a root. */
int roots_push(searcher *s, om_dfs_edge by);

/* The class of a root accepts with these marks: evidence. OM_ESTOP. */
int roots_found(searcher *s, const root *r, om_marks marks);
/* The same of one below the last. */
int roots_found_below(searcher *s);

/* An edge with these marks leads from the last state of the path to one of the worker's classes,
 * whose representative this was: merges roots until that is the class of the last root or, *below,
 * of the last but one. */
int roots_reach_down(searcher *s, om_id to, om_id representative, om_marks marks, bool *below);
/* Edges from the last state of the path, with these marks altogether, lead into the class of the
 * last root. */
int roots_add_marks(searcher *s, om_marks marks);
/* The same into the class of the last root but one, which the last is merged into. `last`: the last
 * state of the path is that root itself, and has no other edges; then it is done by that. */
int roots_merge(searcher *s, om_marks marks, bool last);

#endif
