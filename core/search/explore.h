/* SPDX-License-Identifier: Apache-2.0 */
/* explore.h: breadth-first exploration of all of a product; levels of such a search in a task. */
#ifndef OM_SEARCH_EXPLORE_H
#define OM_SEARCH_EXPLORE_H

#include <omen/plugin/bfs.h>
#include <omen/plugin/check.h>
#include <omen/plugin/explore.h>

/*
 * Explores everything, level by level, with spec->workers threads. `visit`, where given, is called
 * once for each state when it is expanded (from the worker's thread); returning false stops the
 * exploration at the end of that level. `paths`: with the way to a fault, which takes memory for
 * each state. OM_OK, OM_ELIMIT with partial figures, OM_EMODEL, ...
 */
int om_explore__all(om_context *ctx, om_product *p,
    bool (*visit)(void *self, unsigned worker, om_cursor *c, om_id id), void *self, bool paths,
    om_exploration *out);

/*
 * The same with what the search is asked to tell (spec: its product is p; workers are all, and
 * faults end it; wanted() that returns true ends it, too, with OM_OK). `ended`, which may be NULL,
 * is called behind a search that came to OM_OK, OM_ELIMIT or OM_EMODEL, before it is given back,
 * with a cursor of its; where it fails, that is returned.
 */
int om_explore__with(om_context *ctx, const om_bfs_spec *spec,
    int (*ended)(void *self, om_bfs *b, om_cursor *c, int rc), om_exploration *out);

/* The levels of the breadth-first search that runs in a task, or ran last; count 0: none did. Any
 * thread, as om_task_progress(). */
void om_task__levels(om_task *t, om_levels *out);

#endif
