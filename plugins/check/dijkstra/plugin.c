/* SPDX-License-Identifier: Apache-2.0 */
#include "dijkstra.h"

static int create(om_run **out, om_task *task, const int64_t *options)
{
    (void) options;
    return dijkstra_create((dijkstra **) out, task);
}

static int work(om_run *run, unsigned worker)
{
    return dijkstra_work((dijkstra *) run, worker);
}

static void destroy(om_run *run)
{
    dijkstra_destroy((dijkstra *) run);
}

static const om_option options[] = { { NULL, 0, 0, 0, NULL } };

/* One worker alone: nothing is shared, and nothing is faster. Several repeat each other's work. */
static const om_rank ranks[] = { { OM_FOR_STRONG, 1, 1, 60 }, { OM_FOR_STRONG, 2, 0, 30 },
    { OM_FOR_TERMINAL | OM_FOR_WEAK, 1, 0, 10 }, { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "dijkstra",
        "parallel Dijkstra strategy: components over a shared union-find",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, sections 3.3 and 3.5", options),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES,
    .create = create,
    .work = work,
    .ranks = ranks,
    .destroy = destroy,
};
