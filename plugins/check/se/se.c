/* SPDX-License-Identifier: Apache-2.0 */
/*
 * se: nested depth-first search with cyan states, Schwoon and Esparza 2005; Gaiser, Schwoon 2009,
 * section 3.
 *
 * As hpy, but the blue search looks at the states of its own path, which are cyan: it reports an
 * edge at once if the edge closes a cycle and has an accepting state at either end.
 */
#include "nested.h"

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    return nested_create(run, task, NESTED_EARLY);
}

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "se",
        "nested depth-first search, some cycles found by the first one",
        "Schwoon, Esparza 2005; Gaiser, Schwoon 2009, section 3", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI,
    .flags = OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = create,
    .work = nested_work,
    .destroy = nested_destroy,
};
