/* SPDX-License-Identifier: Apache-2.0 */
/* tarjan: all workers follow the parallel Tarjan strategy, Renault et al. 2017, section 3.2, with
 * the dead bit of section 3.5: common/strategy/tarjan.c. Several workers repeat each other's work
 * in live components. */
#include "strategy.h"

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD_NAMED(om_checker, OM_PLUGIN_CHECKER, "tarjan",
        "parallel Tarjan strategy: components over a shared union-find",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, sections 3.2 and 3.5", strategy_options,
        strategy_option_names),
    .strengths = STRATEGY_STRENGTHS,
    .acceptance = STRATEGY_ACCEPTANCE,
    .flags = STRATEGY_FLAGS,
    .run_size = sizeof(om_run),
    .create = strategy_create,
    .work = strategy_tarjan,
    .destroy = strategy_destroy,
};
