/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explore.h: breadth-first exploration of a whole product; the levels of such a search in a task.
 */
#ifndef OM_SEARCH_EXPLORE_H
#define OM_SEARCH_EXPLORE_H

#include "product.h"

#include <omen/plugin/bfs.h>
#include <omen/plugin/check.h>
#include <omen/plugin/explore.h>

/*
 * Explores all states, level by level, with the workers of the product. `visit`, if not NULL, is
 * called once for each state when it is expanded (from the worker's thread); returning false stops
 * the exploration at the end of that level. `paths`: also finds the path to a fault, which takes
 * memory for each state. Returns OM_OK, OM_ELIMIT with partial figures, OM_EMODEL, ...
 */
int om_explore__all(om_context *ctx, om_product *p,
    bool (*visit)(void *self, unsigned worker, om_cursor *c, om_id id), void *self, bool paths,
    om_exploration *out);

/*
 * As om_explore__all(), for a search with the callbacks of `spec`, which must use all workers and
 * set faults_end. If wanted() returns true, the search ends with OM_OK. `begun`, which may be NULL,
 * is called with the search before it begins. `ended`, which may be NULL, is called after a search
 * that ended with OM_OK, OM_ELIMIT or OM_EMODEL, before the search is freed, with one of its
 * cursors. If `ended` fails, its status is returned.
 */
int om_explore__with(om_context *ctx, const om_bfs_spec *spec, void (*begun)(void *self, om_bfs *b),
    int (*ended)(void *self, om_bfs *b, om_cursor *c, int rc), om_exploration *out);

/* Returns the levels of the breadth-first search that runs in a task, or that ran last; count 0:
 * none ran. Any thread, as om_task_progress(). */
void om_task__levels(om_task *t, om_levels *out);

/* Adds the use of each kind of code by the task's workers: om_product__add_use(). */
void om_task__add_use(const om_task *t, om_code_use *sum);

#endif
