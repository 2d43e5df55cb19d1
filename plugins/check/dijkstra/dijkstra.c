/* SPDX-License-Identifier: Apache-2.0 */
/* dijkstra: all workers follow the parallel Dijkstra strategy, Renault et al. 2017, section 3.3,
 * with the dead bit of section 3.5: common/strategy/dijkstra.c. */
#include "strategy.h"

/* A single worker shares nothing, and no checker is faster. Several repeat each other's work. */
static const om_rank ranks[] = { { OM_FOR_STRONG, 1, 1, 60 }, { OM_FOR_STRONG, 2, 0, 30 },
    { OM_FOR_TERMINAL | OM_FOR_WEAK, 1, 0, 10 }, { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD_NAMED(om_checker, OM_PLUGIN_CHECKER, "dijkstra",
        "parallel Dijkstra strategy: components over a shared union-find",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, sections 3.3 and 3.5", strategy_options,
        strategy_option_names),
    .strengths = STRATEGY_STRENGTHS,
    .acceptance = STRATEGY_ACCEPTANCE,
    .flags = STRATEGY_FLAGS,
    .run_size = sizeof(om_run),
    .create = strategy_create,
    .work = strategy_dijkstra,
    .ranks = ranks,
    .destroy = strategy_destroy,
};
