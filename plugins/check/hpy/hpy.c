/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hpy: nested depth-first search as Holzmann, Peled and Yannakakis have it, and SPIN; Gaiser,
 * Schwoon 2009, section 3.
 *
 * Cycles are found by the red search alone, where it comes to any state of the blue path. So the
 * blue search goes on behind a cycle that it has closed, until it leaves the accepting state; and
 * it takes most successors twice where many states accept. It is here to be compared with.
 */
#include "../nested.h"

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    return nested_create(run, task, 0);
}

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "hpy",
        "nested depth-first search, cycles found by the second one",
        "Holzmann, Peled, Yannakakis 1996; Gaiser, Schwoon 2009, section 3", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI,
    .flags = OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = create,
    .work = nested_work,
    .destroy = nested_destroy,
};
