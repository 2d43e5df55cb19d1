/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owcty: one way catch them young, breadth-first and by all workers, for any strength and for
 * generalized Buchi acceptance.
 *
 *   I. Cerna, R. Pelanek, "Distributed explicit fair cycle detection (set based approach)", SPIN
 *   2003; with the heuristic of J. Barnat, L. Brim, P. Rockai, "A time-optimal on-the-fly parallel
 *   algorithm for model checking of weak LTL properties", ICFEM 2009: maximal accepting
 *   predecessors (L. Brim, I. Cerna, P. Moravec, J. Simsa, FMCAD 2004) while the product is
 *   explored. For several sets the fixpoint takes them in turn, as the one of E. A. Emerson, C.-L.
 *   Lei, LICS 1986.
 *
 * An accepting cycle lies in one component of the automaton, which accepts. So the following only
 * concerns states whose automaton part is in such a component, and edges that stay in it (inner
 * edges). If every cycle of such edges accepts, as in a weak automaton, no sets need be seen.
 *
 *  - Exploration: the product is explored once, breadth-first. The states above are the first rest,
 *    and the edges that lead to each of them are counted.
 *  - Elimination: a state of the rest without an incoming edge from the rest is removed, with its
 *    edges, until each state has one. It is expanded again for that, once in all.
 *  - A round, for one set after the other: the rest is reduced to the states that can be reached,
 *    within it, from edges of it that have the mark of the set. Each state that stays is expanded
 *    once, so edges are counted again, for an elimination. Rounds are repeated until no state was
 *    removed in as many rounds as there are sets, or the rest is empty. Without a set there is no
 *    round.
 *
 * Why it is right:
 *  O1  No state of an accepting component of the product is ever removed: an edge of the component
 *      leads to it, and it is reached from an edge of each set within the component. So if the rest
 *      becomes empty, there is no accepting cycle.
 *  O2  In a rest that rounds leave unchanged, take a component that no edge of the rest enters from
 *      outside. Each of its states has an incoming edge, from inside: so it has a cycle. Each state
 *      is reached from an edge of each set, which lies inside, too. So the component accepts.
 *  O3  A state of such a component is found by covering the rest: all states are covered that can
 *      be reached from a root and were not reached from an earlier root; then another root is
 *      taken, until all states are covered. The last root r is in such a component: take a state x
 *      that can reach r. If x was covered before r was taken, so was r, which was not. Otherwise x
 *      was covered from r, as there is no later root, and is in r's component.
 *  O4  When x is expanded, its edges propagate a value: the id of a state that reaches x by a path
 *      that begins with an accepting edge, or the id of x if the edge accepts; the larger of the
 *      two. (An edge accepts if it has all marks.) A state that receives its own id is on an
 *      accepting cycle. Values that arrive later are not propagated, so this is only a heuristic,
 *      and each state is expanded once.
 *
 * Each accepting edge x -> y of these automata is an accepting state of the papers between x and y,
 * which is not stored: its mark is counted at y (seeds), so it disappears with x.
 *
 * The result of a round is a set of states, which does not depend on the order in which states are
 * expanded, or on the workers that expand them. So any number of workers expands each state as
 * often as one worker does. States to expand are on stacks, shared with workers that have none
 * (pool.h), not on levels: a long path does not need a barrier at each step.
 *
 * Evidence: a shortest path to a state on an accepting cycle.
 *
 * Bytes for each state of the product, for any number of workers: 16; for a state in an accepting
 * component of the automaton, 8 more, and 8 while it is to be expanded again; and less than one
 * byte of the search.
 */
#include "owcty.h"

/* Reports the path to a state on an accepting cycle as evidence. */
static int found(searcher *s, om_id at)
{
    om_run *run = s->run;
    om_id *path = NULL;
    size_t n = 0;
    int rc = om_bfs_path(run->bfs, s->cursor, at, &path, &n);
    om_evidence e = OM_EVIDENCE(rc == OM_OK ? path : &at, rc == OM_OK ? n : 1);
    e.entry = e.length - 1;
    e.shortest = rc == OM_OK;
    /* Without the path, the state alone is reported, and the path is searched for. */
    if (rc == OM_OK || rc == OM_ENOMEM || rc == OM_ELIMIT || rc == OM_EUNSUPPORTED)
        rc = om_task_evidence(run->task, &e);
    om_free(run->heap, path);
    return rc;
}

/* Called in worker 0 after the exploration is complete or was stopped. */
static int explored(searcher *s, int rc)
{
    om_run *run = s->run;
    om_id at = atomic_load_explicit(&run->cycle, memory_order_relaxed);
    if (at != OM_NO_ID)
        return found(s, at);
    int told = om_task_bfs_fault(run->task, run->bfs, s->cursor);
    return rc == OM_OK ? told : rc;
}

static int explore(searcher *s)
{
    int rc = om_bfs_work(s->run->bfs, s->worker, s->cursor);
    if (s->rc != OM_OK && s->rc != OM_ESTOP)
        rc = s->rc;
    else if (s->worker == 0)
        rc = explored(s, rc);
    return rc == OM_OK ? pool_meet(&s->work, s->run->barrier) : rc;
}

static int work(om_run *run, unsigned worker)
{
    searcher *s = &run->searchers[worker];
    uint64_t size = 0;
    int rc = explore(s);
    if (rc == OM_OK)
        rc = owcty_fixpoint(s, &size);
    if (rc == OM_OK && size != 0)
        rc = owcty_source(s);
    if (rc != OM_OK || worker != 0)
        return rc;
    if (size != 0)
        return found(s, run->root); /* O3 */
    om_task_complete(run->task);    /* O1 */
    return OM_OK;
}

static void destroy(om_run *run)
{
    uint64_t bytes = (run->bfs == NULL ? 0 : om_bfs_bytes(run->bfs)) +
                     (run->known == NULL ? 0 : om_side_bytes(run->known)) +
                     run->pool.given.capacity * sizeof(om_id);
    for (unsigned i = 0; run->searchers != NULL && i < run->workers; i++) {
        searcher *s = &run->searchers[i];
        bytes += (s->rest.capacity + s->work.stack.capacity) * sizeof(om_id);
        om_task_count(run->task, OM_COUNT_RED, s->again);
        om_task_count(run->task, OM_COUNT_BLOCKED_NS, s->work.waited);
        om_task_count(run->task, OM_COUNT_PEAK_STACK, s->work.peak);
        OM_FREE_ALL(run->heap, s->rest.ids, s->work.stack.ids);
    }
    om_task_add_counts(run->task, 0, 0, bytes);
    om_bfs_free(run->bfs);
    om_side_free(run->known);
    om_barrier_free(run->barrier);
    pool_close(&run->pool);
    OM_FREE_ALL(run->heap, run->accepting, run->searchers);
}

static int prepare(om_run *run)
{
    om_product *product = om_task_product(run->task);
    const om_strength strength = om_task_strength(run->task);
    const uint32_t states = om_automaton_state_count(om_task_automaton(run->task));
    const om_bfs_spec spec = { OM_BFS_SPEC(product), .self = run, .edges = owcty_explored,
        .paths = true };

    if (!OM_NEW(run->heap, run->accepting, states) ||
        !OM_NEW(run->heap, run->searchers, run->workers))
        return om_fail_memory(om_task_context(run->task));
    run->all = strength == OM_STRONG ? om_task_all_marks(run->task) : 0;
    for (uint32_t q = 0; q < states; q++)
        run->accepting[q] = om_task_accepting(run->task, q, strength);
    int rc = om_side_new(&run->known, product, sizeof(known));
    if (rc == OM_OK)
        rc = om_barrier_new(&run->barrier, run->task);
    /* Open all cursors now: a worker without a cursor would keep the others waiting. */
    for (unsigned i = 0; i < run->workers && rc == OM_OK; i++) {
        searcher *s = &run->searchers[i];
        s->run = run;
        s->worker = i;
        s->work.pool = &run->pool;
        s->next = run->all & -run->all;
        rc = om_task_cursor(run->task, i, &s->cursor);
    }
    return rc == OM_OK ? om_bfs_new(&run->bfs, &spec) : rc;
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    run->map = options[0] != 0;
    run->heap = om_task_heap(task);
    run->task = task;
    run->workers = om_task_workers(task);
    atomic_init(&run->cycle, OM_NO_ID);
    pool_open(&run->pool, task);
    return prepare(run);
}

static const om_option options[] = {
    { "map", 1, 0, 1, "maximal accepting predecessors while the product is explored" },
    { NULL, 0, 0, 0, NULL }
};
static const om_option_names names[] = { { "map", (const char *const[]){ "off", "on", NULL } },
    { NULL, NULL } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD_NAMED(om_checker, OM_PLUGIN_CHECKER, "owcty",
        "one way catch them young, with maximal accepting predecessors on the fly",
        "Cerna, Pelanek 2003; Barnat, Brim, Rockai 2009; Brim, Cerna, Moravec, Simsa 2004", options,
        names),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = destroy,
};
