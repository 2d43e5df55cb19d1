/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_run.h: the run of a checker with one worker that keeps its live states on a live stack (the
 * Tarjan stack), and the evidence for an accepting component: the component contains the live
 * states from the root's number on.
 */
#ifndef OMEN_CHECK_LIVE_RUN_H
#define OMEN_CHECK_LIVE_RUN_H

#include <omen/plugin/dfs.h>
#include <omen/plugin/live_stack.h>

#include "inf_clauses.h"

#include <assert.h>

struct om_run {
    om_task *task;
    inf_clauses accepts;
    om_live_stack *live; /* kept for the evidence */
    uint64_t from;       /* number of the root of the accepting component */
};

static inline bool live_run_same(void *self, om_id a, om_id b)
{
    const om_run *run = self;
    uint64_t i = om_live_stack_find(run->live, a), k = om_live_stack_find(run->live, b);
    return i < OM_LIVE_STACK_GONE && k < OM_LIVE_STACK_GONE && i >= run->from && k >= run->from;
}

/* Reports that the component whose root has number `from` accepts, with the marks `see`. Returns as
 * om_dfs_found(). */
static inline int live_run_found(om_run *run, om_dfs *d, uint64_t from, om_marks see)
{
    assert(from < om_live_stack_size(run->live));
    om_evidence e = OM_EVIDENCE(NULL, 0);
    e.see = see;
    e.same = live_run_same;
    e.self = run;
    run->from = from;
    return om_dfs_found(d, om_live_stack_at(run->live, from), &e);
}

static inline int live_run_create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->task = task;
    int rc = inf_clauses_read(&run->accepts, task);
    return rc == OM_OK ? om_live_stack_new(&run->live, om_task_product(task)) : rc;
}

static inline void live_run_destroy(om_run *run)
{
    if (run->live != NULL)
        om_task_add_counts(run->task, 0, 0, om_live_stack_bytes(run->live));
    om_live_stack_free(run->live);
    inf_clauses_free(&run->accepts, om_task_heap(run->task));
}

#endif
