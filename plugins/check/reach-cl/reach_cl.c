/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reach-cl: breadth-first search on an OpenCL device, for terminal automata; Renault et al. 2017,
 * section 4.2, with the exploration engine of engine.h.
 *
 * The automaton can stay in a terminal component whatever the model does. So if every run of the
 * model is infinite, a stored state of such a component is a violation. The engine finds one of the
 * nearest, and the evidence is a shortest path to it.
 */
#include "engine_run.h"

static int search(om_run *r, om_engine *e)
{
    om_id hit = OM_NO_ID;
    int rc = engine_run_explore(r, e, r->accepting, &hit);
    return rc == OM_OK && hit != OM_NO_ID ? engine_run_report(r, e, hit, false) : rc;
}

static int work(om_run *run, unsigned worker)
{
    return engine_run_work(run, worker, NULL, search);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    return engine_run_create(run, task, OM_TERMINAL);
}

static const om_rank ranks[] = { { OM_FOR_TERMINAL, 1, 0, 60 }, { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "reach-cl",
        "search on an OpenCL device for a state in a terminal component",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, section 4.2", NULL),
    .strengths = OM_FOR_TERMINAL,
    .acceptance = OM_ACCEPT_ANY,
    .flags = OM_CHECKER_DEVICE | OM_CHECKER_NEEDS_STUTTER,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .ranks = ranks,
    .destroy = engine_run_destroy,
};
