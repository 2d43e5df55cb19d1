/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reach: parallel breadth-first search for terminal automata; Renault et al. 2017, section 4.2.
 *
 * Once the automaton is in a terminal component, it can stay there whatever the model does. So if
 * every run of the model is infinite, reaching such a state is a violation. Between levels the
 * search goes deep (om_bfs_spec.going). Levels are exact, so the evidence is a shortest path to
 * such a state, unless the deep search found it and the levels found no nearer one soon after.
 */
#include <omen/plugin/bfs.h>
#include <omen/plugin/check.h>

struct om_run {
    const om_heap *heap;
    om_task *task;
    om_bfs *search;
    bool *terminal; /* by automaton state: true if in a terminal component */
    uint32_t last;  /* index of the automaton's word in a product vector */
};

static bool wanted(void *self, unsigned worker, om_id id, const uint32_t *vector)
{
    const om_run *run = self;
    (void) worker;
    (void) id;
    return run->terminal[vector[run->last]];
}

/* Reports the path to a state in a terminal component as evidence. */
static int found(const om_run *run, om_cursor *cursor, om_id last)
{
    om_id *path = NULL;
    size_t n = 0;
    int rc = om_bfs_path(run->search, cursor, last, &path, &n);
    om_evidence e = OM_EVIDENCE(rc == OM_OK ? path : &last, rc == OM_OK ? n : 1);
    e.shortest = rc == OM_OK && om_bfs_nearest(run->search);
    e.ruled_out = om_bfs_nearest(run->search) ? 0 : om_bfs_in_levels(run->search);
    /* Without the path, the state alone is reported, and the path is searched for. */
    if (rc == OM_OK || rc == OM_ENOMEM || rc == OM_ELIMIT || rc == OM_EUNSUPPORTED)
        rc = om_task_evidence(run->task, &e);
    om_free(run->heap, path);
    return rc;
}

/* Called in worker 0 after all workers have ended. */
static int finish(const om_run *run, om_cursor *cursor, int rc)
{
    om_id at = om_bfs_hit(run->search);
    if (at != OM_NO_ID)
        return found(run, cursor, at);
    int told = om_task_bfs_fault(run->task, run->search, cursor);
    if (rc == OM_OK && told == OM_OK)
        om_task_complete(run->task);
    return rc == OM_OK ? told : rc;
}

static int work(om_run *run, unsigned worker)
{
    om_cursor *cursor = NULL;
    int rc = om_task_cursor(run->task, worker, &cursor); /* create() opened it: cannot fail */
    if (rc != OM_OK)
        return rc;
    rc = om_bfs_work(run->search, worker, cursor);
    return worker == 0 ? finish(run, cursor, rc) : rc;
}

static void destroy(om_run *run)
{
    if (run->search != NULL)
        om_task_add_counts(run->task, 0, 0, om_bfs_bytes(run->search));
    om_bfs_free(run->search);
    om_free(run->heap, run->terminal);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    om_product *product = om_task_product(task);
    const om_automaton *a = om_task_automaton(task);
    uint32_t states = om_automaton_state_count(a);
    om_bfs_spec spec = { OM_BFS_SPEC(product), .self = run, .wanted = wanted, .paths = true,
        .going = om_task_going(task) };
    om_cursor *cursor;
    int rc = OM_OK;

    (void) options;
    run->heap = om_task_heap(task);
    run->task = task;
    run->last = om_product_words(product) - 1;
    if (!OM_NEW(run->heap, run->terminal, states))
        return om_fail_memory(om_task_context(task));
    for (uint32_t q = 0; q < states; q++)
        run->terminal[q] = om_task_accepting(task, q, OM_TERMINAL);
    /* Open all cursors now: a worker without a cursor would keep the others waiting. */
    for (unsigned i = 0; i < om_task_workers(task) && rc == OM_OK; i++)
        rc = om_task_cursor(task, i, &cursor);
    return rc == OM_OK ? om_bfs_new(&run->search, &spec) : rc;
}

static const om_rank ranks[] = { { OM_FOR_TERMINAL, 1, 0, 60 }, { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "reach",
        "parallel breadth-first search for a state in a terminal component",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, section 4.2", NULL),
    .strengths = OM_FOR_TERMINAL,
    .acceptance = OM_ACCEPT_ANY,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_NEEDS_STUTTER | OM_CHECKER_SHARES_STATES |
             OM_CHECKER_GOES_DEEP,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .ranks = ranks,
    .destroy = destroy,
};
