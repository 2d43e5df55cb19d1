/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ufscc: components that all workers explore together while they are live; Bloemen, Laarman, van de
 * Pol, "Multi-core on-the-fly SCC decomposition", PPoPP 2016, section 3; with marks on classes as
 * in Bloemen, Duret-Lutz, van de Pol 2019, sections 3.2.4 and 3.3.2, for generalized Buchi and for
 * Fin-less acceptance (inf_clauses.h): common/decomposition/decomposition.c, with no edge left out.
 *
 * A worker that has finished from every initial state knows that every state is dead: the search is
 * complete. It never waits for another worker.
 *
 * A single worker has nothing to share: dijkstra is the same search at a lower cost.
 */
#include "decomposition.h"

struct om_run {
    decomposition d;
    inf_clauses accepts;
};

static int work(om_run *run, unsigned worker)
{
    decomposition_worker *s = NULL;
    int rc = decomposition_new(&s, run->d.task, worker);
    if (rc == OM_OK) {
        decomposition_join(s, &run->d, NULL, NULL);
        rc = decomposition_search(s);
    }
    if (rc == OM_OK)
        om_task_complete(run->d.task);
    decomposition_free(s);
    return rc;
}

static void destroy(om_run *run)
{
    if (run->d.classes != NULL)
        om_task_add_counts(run->d.task, 0, 0, om_scc_sets_bytes(run->d.classes));
    om_scc_sets_free(run->d.classes);
    inf_clauses_free(&run->accepts, om_task_heap(run->d.task));
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->d =
        (decomposition){ .task = task, .accepts = &run->accepts, .seen = om_task_all_marks(task) };
    int rc = inf_clauses_read(&run->accepts, task);
    return rc == OM_OK ? om_scc_sets_new(&run->d.classes, om_task_product(task)) : rc;
}

static const om_rank ranks[] = { { OM_FOR_STRONG, 2, 0, 60 }, { OM_FOR_ALL, 1, 0, 20 },
    { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "ufscc",
        "components explored by all workers together, over shared classes",
        "Bloemen, Laarman, van de Pol 2016, section 3", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = INF_CLAUSES_ACCEPTANCE,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES | OM_CHECKER_LATE_WORKERS,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .ranks = ranks,
    .most_workers = OM_SCC_SETS_WORKERS,
    .destroy = destroy,
};
