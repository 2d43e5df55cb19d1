/* SPDX-License-Identifier: Apache-2.0 */
/*
 * and: improved nested depth-first search, Gaiser, Schwoon 2009, section 3, figure 1.
 *
 * As se; in addition, a state whose successors are all red is on no accepting cycle, so it becomes
 * red without a red search. That saves the second search for accepting states that are on no cycle
 * at all, which is common for states that wait for an event.
 *
 * Edges to states that were met before are processed when the state that they leave is entered, as
 * in checkers by components: the search may choose the order of edges.
 */
#include "bitstate.h"
#include "nested.h"

static int work(om_run *run, unsigned worker)
{
    return run->bits == 0 ? nested_work(run, worker)
                          : bitstate_work(run->task, run->bits, false, run->accepting);
}

static int create(om_run *run, om_task *task, const int64_t *values)
{
    int rc = nested_create(run, task, NESTED_EARLY | NESTED_ALL_RED | NESTED_KNOWN_FIRST);
    run->bits = (unsigned) values[0];
    return rc == OM_OK ? bitstate_vet(task, values[0]) : rc;
}

static const om_option options[] = { BITSTATE_OPTION, { NULL, 0, 0, 0, NULL } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "and",
        "nested depth-first search that avoids second searches",
        "Gaiser, Schwoon 2009, section 3, figure 1", options),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI,
    .flags = OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = nested_destroy,
};
