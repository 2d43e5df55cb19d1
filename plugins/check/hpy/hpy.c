/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hpy: nested depth-first search by Holzmann, Peled and Yannakakis, as in SPIN; Gaiser, Schwoon
 * 2009, section 3.
 *
 * Only the red search finds cycles, when it reaches a state of the blue path. So after the blue
 * search has closed a cycle, it continues until it leaves the accepting state; and if many states
 * accept, it expands most states twice. The checker is here for comparison.
 */
#include "nested.h"

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
