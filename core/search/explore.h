/* SPDX-License-Identifier: Apache-2.0 */
/* explore.h: breadth-first exploration of all of a product; levels of such a search in a task. */
#ifndef OM_SEARCH_EXPLORE_H
#define OM_SEARCH_EXPLORE_H

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

/* The levels of the breadth-first search that runs in a task, or ran last; count 0: none did. Any
 * thread, as om_task_progress(). */
void om_task__levels(om_task *t, om_levels *out);

#endif
