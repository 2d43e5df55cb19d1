/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weak-cl: trimming on an OpenCL device, for weak automata, with the exploration engine of
 * engine.h; the one-way-catch-them-young idea of Cerna and Pelanek 2003, which for weak automata is
 * a single elimination (Renault et al. 2017, section 4.2, on why weak parts need no more).
 *
 * In a weak automaton each cycle of an accepting component accepts. A cycle of the product projects
 * to a cycle of the automaton, so the product has an accepting run if and only if there is a cycle
 * among the states whose automaton part is in an accepting component. The engine counts their
 * in-degrees while it explores, and removes states of in-degree zero until there is none; if states
 * remain, they have a cycle. That holds for terminal automata too (they are weak), and whether
 * finite runs stutter or end: a run that ends is on no cycle.
 *
 * The engine also stops during the exploration at an edge that leads back to an ancestor, and trims
 * each time the number of states has grown fourfold, so that a violation may be found before the
 * last state.
 *
 * The evidence is a path to a state that lies on a cycle: see om_engine_trim().
 */
#include "engine_run.h"

static int search(om_run *r, om_engine *e)
{
    om_id rest = OM_NO_ID;
    int rc = engine_run_explore(r, e, NULL, &rest);
    if (rc == OM_OK && rest == OM_NO_ID)
        rc = om_engine_trim(e, &rest, NULL);
    return rc == OM_OK && rest != OM_NO_ID ? engine_run_report(r, e, rest, true) : rc;
}

static int work(om_run *run, unsigned worker)
{
    return engine_run_work(run, worker, run->accepting, search);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    return engine_run_create(run, task, OM_WEAK);
}

static const om_rank ranks[] = { { OM_FOR_WEAK, 1, 0, 60 }, { OM_FOR_TERMINAL, 1, 0, 40 },
    { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "weak-cl",
        "trimming of the accepting part on an OpenCL device",
        "Cerna, Pelanek 2003; Renault, Duret-Lutz, Kordon, Poitrenaud 2017, section 4.2", NULL),
    .strengths = OM_FOR_TERMINAL | OM_FOR_WEAK,
    .acceptance = OM_ACCEPT_ANY,
    .flags = OM_CHECKER_DEVICE,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .ranks = ranks,
    .destroy = engine_run_destroy,
};
