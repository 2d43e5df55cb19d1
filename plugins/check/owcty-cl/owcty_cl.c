/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owcty-cl: one way catch them young on an OpenCL device, for any strength and for generalized
 * Buchi acceptance; I. Cerna, R. Pelanek, "Distributed explicit fair cycle detection (set based
 * approach)", SPIN 2003, with the exploration engine of engine.h. As owcty on the CPU, except that
 * maximal accepting predecessors are not propagated: the product is explored to the end.
 *
 * The engine explores, counts edges inside the accepting part, and computes the fixpoint: see
 * om_engine_fixpoint(), and the proof in core/device/engine/fixpoint.c. An accepting cycle is
 * inside one accepting component of the automaton.
 *
 * The evidence is a shortest path to a state in an accepting component of the product.
 */
#include "engine_run.h"

static int search(om_run *r, om_engine *e)
{
    om_id rest = OM_NO_ID;
    int rc = engine_run_explore(r, e, NULL, NULL);
    if (rc == OM_OK)
        rc = om_engine_fixpoint(e, om_task_all_marks(r->task), &rest, NULL);
    return rc == OM_OK && rest != OM_NO_ID ? engine_run_report(r, e, rest, true) : rc;
}

static int work(om_run *run, unsigned worker)
{
    return engine_run_work(run, worker, run->accepting, search);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->fixpoint = true;
    return engine_run_create(run, task, OM_STRONG);
}

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "owcty-cl",
        "one way catch them young on an OpenCL device", "Cerna, Pelanek 2003", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI,
    .flags = OM_CHECKER_DEVICE,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = engine_run_destroy,
};
