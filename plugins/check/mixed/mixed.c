/* SPDX-License-Identifier: Apache-2.0 */
/* mixed: the first half of the workers follow the Dijkstra strategy and the rest, or a single
 * worker, the Tarjan strategy, over one union-find: Renault et al. 2017, section 3.4. */
#include "strategy.h"

static int work(om_run *run, unsigned worker)
{
    return worker < run->workers / 2 ? strategy_dijkstra(run, worker)
                                     : strategy_tarjan(run, worker);
}

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD_NAMED(om_checker, OM_PLUGIN_CHECKER, "mixed",
        "Dijkstra and Tarjan strategies over one shared union-find, half of the workers each",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, sections 3.4 and 3.5", strategy_options,
        strategy_option_names),
    .strengths = STRATEGY_STRENGTHS,
    .acceptance = STRATEGY_ACCEPTANCE,
    .flags = STRATEGY_FLAGS,
    .run_size = sizeof(om_run),
    .create = strategy_create,
    .work = work,
    .destroy = strategy_destroy,
};
