/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weak-hybrid: breadth-first outside the accepting part of the product, depth-first inside it, for
 * weak automata; after Cerna, Pelanek, "Relating hierarchy of temporal properties to model
 * checking", MFCS 2003 (cycles need be looked for only inside, and one search finds them), with the
 * searches inside as in Renault et al. 2017, section 4.2, and Bloemen et al. 2016.
 *
 * In a weak automaton, a cycle accepts if and only if the automaton's part of it lies in an
 * accepting component. The accepting part is all states (s, q) with q in such a component.
 *
 *  - Outside, only reachability matters: a breadth-first search by all workers expands each state
 *    once. States of the accepting part that it meets are its ends.
 *  - Inside, cycles matter: between two levels, the workers search depth-first from these ends. An
 *    edge back to a worker's own path closes a cycle, which is a violation. So as long as there is
 *    no violation, the searched part has no cycles, and components, the union-find of ufscc, or the
 *    waits of CNDFS would be of no use. A state that is left is dead for all workers. An edge that
 *    leaves the part gives its target, if that is new, back to the first search.
 *
 * Workers take different ends. A worker that finds none left joins one that is still being
 * searched, in its own order, with states that no worker has entered first: only states on another
 * worker's path are expanded twice. A round lasts until no worker has anything left to do, and no
 * worker waits while there is work.
 *
 * A state of the accepting part is NEW; OPEN, on the path of at least one worker; or DEAD.
 *
 * Why no cycle is missed:
 *  H1  Before a worker marks x dead it has, for each edge x -> y inside the part, marked y dead
 *      itself, or seen that y is dead (acquire, so y was marked before), or found y on its own path
 *      and reported it. Without a report, the third case never occurred. If all states of a cycle
 *      inside the part were dead, each mark on it would be preceded by that of the next state,
 *      round the cycle without end; but there are finitely many marks. So a cycle whose states are
 *      all dead was reported.
 *  H2  Each stored state was met first by one call of one worker. If that was the breadth-first
 *      search, the state is on one of its levels, or kept: as an end, or as the start of a probe.
 *      If it was a search inside, the state is on that worker's stack or, if outside, added to the
 *      next level. If it was a probe, the state is an end that the probe searches from at once or,
 *      if outside, on the probe's stack; states left on that stack are added to the next level.
 *  H3  The breadth-first search is complete when no level is left and no state was kept since the
 *      last round; each worker has then reached the end of that round. By then each end is dead,
 *      because some worker has completed a search from it, and, by H1 and H2, so is each stored
 *      state of the part; and each state outside has been expanded. So all reachable states have
 *      been expanded, and all those of the part are dead.
 *
 * Probes (probe.c) search depth-first outside, now and then, for violations far from the initial
 * states.
 *
 * Evidence: the path to the end, which the breadth-first search knows, and the depth-first path. If
 * the former goes through a state that a search inside gave back, it is not known, and the engine
 * finds one.
 *
 * Over the BEEM property processes that hold, eight workers expand 1.008 times as many states as
 * one (at most 1.05 times; weak-swarm 1.24 and 2.1, ufscc 1.06 and 1.25). Trimming, as in weak-cl,
 * would expand the accepting part twice: a tenth to a third of all transitions, or all of them, as
 * in leader_election; and it finds no violation before the end.
 *
 * Bytes for each state of the product, for any number of workers: 1, and 8 for each end kept since
 * the last round; and 24 to 40 while the state is on a path.
 */
#include "hybrid.h"

#include <limits.h>
#include <time.h>

/* PROBE_FIRST: states stored by a worker when the first probes are requested. PROBE_GROWTH_BITS:
 * log2 of the growth of that number for each further request. */
enum { PROBE_FIRST = 1 << 11, PROBE_GROWTH_BITS = 2 };

/* A worker that waits for the end of the others' rounds yields YIELDS times, and then sleeps. */
enum { YIELDS = 64, WAIT_NS = 50000 };

int hybrid_fail_memory(const searcher *s)
{
    return om_fail_memory(om_task_context(s->run->task));
}

int hybrid_add(searcher *s, id_list *l, om_id id)
{
    if (!OM_ROOM(s->run->heap, l->ids, &l->capacity, l->count + 1))
        return hybrid_fail_memory(s);
    l->ids[l->count++] = id;
    return OM_OK;
}

/* ---- rounds ---- */

static int search_ends_of(searcher *s, searcher *of)
{
    int rc = OM_OK;
    while (rc == OM_OK) {
        size_t i = atomic_load_explicit(&of->taken, memory_order_relaxed);
        if (i < of->ends.count)
            i = atomic_fetch_add_explicit(&of->taken, 1, memory_order_relaxed);
        if (i >= of->ends.count)
            break;
        rc = hybrid_search(s, of->ends.ids[i]);
    }
    return rc;
}

/* Joins a worker that is searching, if there is one; its result is *rc. */
static bool join_another(searcher *s, int *rc)
{
    bool joined = false;
    for (unsigned i = 1; i < s->run->workers && *rc == OM_OK && !joined; i++) {
        const searcher *other = &s->run->searchers[(s->worker + i) % s->run->workers];
        /* acquire: pairs with the release in hybrid_search(). */
        om_id end = atomic_load_explicit(&other->current, memory_order_acquire);
        unsigned char colour = HYBRID_DEAD;
        if (end != OM_NO_ID)
            *rc = hybrid_colour(s, end, &colour);
        joined = *rc == OM_OK && colour != HYBRID_DEAD;
        if (joined)
            *rc = hybrid_search(s, end);
    }
    return joined;
}

/* Yields to other workers, or sleeps. */
static void wait_a_little(unsigned *times)
{
    const struct timespec ns = { 0, WAIT_NS };
    if (++*times >= YIELDS || !om_yield(0))
        (void) nanosleep(&ns, NULL);
}

/* Counts the worker as having nothing left to do. The last one knows that no work is left: the
 * states that this round's probes did not expand do not add to the next round's. */
static void count_done(const searcher *s)
{
    om_run *run = s->run;
    /* relaxed, both: the results of other workers become visible at the end of the round. */
    if (atomic_fetch_add_explicit(&run->done, 1, memory_order_relaxed) + 1 ==
        s->rounds * run->workers)
        atomic_store_explicit(&run->left, 0, memory_order_relaxed);
}

/* Helps other workers until all are done. */
static int help_others(searcher *s)
{
    om_run *run = s->run;
    const uint64_t all = s->rounds * run->workers;
    unsigned waits = 0;
    int rc = OM_OK;
    (void) atomic_fetch_add_explicit(&run->idle, 1, memory_order_relaxed);
    /* relaxed: the results of other workers become visible at the end of the round. */
    while (rc == OM_OK && atomic_load_explicit(&run->done, memory_order_relaxed) < all) {
        if (om_task_stopped(run->task) ||
            atomic_load_explicit(&run->finder, memory_order_relaxed) != NULL) {
            rc = OM_ESTOP;
        } else if (hybrid_take_given(s, true, &rc)) {
            (void) atomic_fetch_sub_explicit(&run->idle, 1, memory_order_relaxed);
            rc = rc == OM_OK ? hybrid_probe(s) : rc;
            (void) atomic_fetch_add_explicit(&run->idle, 1, memory_order_relaxed);
            count_done(s);
        } else if (!join_another(s, &rc)) {
            wait_a_little(&waits);
        }
    }
    (void) atomic_fetch_sub_explicit(&run->idle, 1, memory_order_relaxed);
    return rc;
}

/* A round between two levels */
static int between(void *self, unsigned worker, om_cursor *c)
{
    om_run *run = self;
    searcher *s = &run->searchers[worker];
    int rc = OM_OK;
    (void) c;
    s->rounds++;
    for (unsigned i = 0; i < run->workers && rc == OM_OK; i++)
        rc = search_ends_of(s, &run->searchers[(worker + i) % run->workers]);
    s->searched = true;
    if (rc == OM_OK)
        rc = hybrid_probe(s);
    /* Also after a failure: others wait for the number. */
    count_done(s);
    return rc == OM_OK ? help_others(s) : rc;
}

/* ---- breadth-first ---- */

/* Keeps an end. The first end after a round begins a new list. */
static int keep_end(searcher *s, om_id id)
{
    if (s->searched) {
        s->ends.count = 0;
        atomic_store_explicit(&s->taken, 0, memory_order_relaxed);
        s->searched = false;
    }
    return hybrid_add(s, &s->ends, id);
}

/* Returns true if the worker must probe: all workers do as soon as the first has stored enough
 * states, so that none waits for the probes of others. */
static bool is_to_probe(searcher *s)
{
    /* relaxed: a count of requests, which each worker answers when it reads it. */
    unsigned called = atomic_load_explicit(&s->run->probes, memory_order_relaxed);
    if (++s->stored >> PROBE_GROWTH_BITS * called >= PROBE_FIRST &&
        atomic_compare_exchange_strong_explicit(
            &s->run->probes, &called, called + 1, memory_order_relaxed, memory_order_relaxed))
        called++;
    if (s->probes == called || s->probe != OM_NO_ID)
        return false;
    s->probes = called;
    return true;
}

static int keep(void *self, unsigned worker, om_id id, const uint32_t *vector, bool *kept)
{
    const om_run *run = self;
    searcher *s = &run->searchers[worker];
    *kept = run->accepting[vector[run->last]];
    if (*kept)
        return keep_end(s, id);
    *kept = is_to_probe(s);
    if (*kept)
        s->probe = id;
    return OM_OK;
}

/* Called in worker 0 after all workers have ended. */
static int finish(const om_run *run, om_cursor *cursor, int rc)
{
    searcher *finder = atomic_load_explicit(&run->finder, memory_order_relaxed);
    if (finder != NULL)
        return hybrid_report(finder);
    int told = om_task_bfs_fault(run->task, run->bfs, cursor);
    if (rc == OM_OK && told == OM_OK)
        om_task_complete(run->task); /* H3 */
    return rc == OM_OK ? told : rc;
}

static int work(om_run *run, unsigned worker)
{
    om_cursor *cursor = om_dfs_cursor(run->searchers[worker].dfs);
    int rc = om_bfs_work(run->bfs, worker, cursor);
    return worker == 0 ? finish(run, cursor, rc) : rc;
}

/* ---- the run ---- */

static void free_searcher(searcher *s)
{
    const om_heap *heap = s->run->heap;
    om_task_add_counts(s->run->task, 0, 0,
        (s->dfs == NULL ? 0 : om_dfs_bytes(s->dfs)) + s->leads_capacity +
            (s->path.capacity + s->ends.capacity + s->stack.capacity + s->found.capacity) *
                sizeof(om_id));
    om_dfs_free(s->dfs);
    om_dfs_free(s->way);
    path_set_free(&s->path, heap);
    OM_FREE_ALL(heap, s->leads, s->ends.ids, s->stack.ids, s->found.ids);
}

static void destroy(om_run *run)
{
    for (unsigned i = 0; run->searchers != NULL && i < run->workers; i++)
        if (run->searchers[i].run != NULL)
            free_searcher(&run->searchers[i]);
    om_task_add_counts(run->task, 0, 0,
        (run->bfs == NULL ? 0 : om_bfs_bytes(run->bfs)) +
            (run->colours == NULL ? 0 : om_side_bytes(run->colours)));
    om_bfs_free(run->bfs);
    om_side_free(run->colours);
    om_free(run->heap, run->given.ids);
    (void) pthread_mutex_destroy(&run->lock);
    OM_FREE_ALL(run->heap, run->searchers, run->accepting);
}

static int prepare(om_run *run)
{
    om_product *product = om_task_product(run->task);
    const om_automaton *a = om_product_spec_of(product)->automaton;
    uint32_t states = om_automaton_state_count(a);
    const om_bfs_spec spec = { OM_BFS_SPEC(product), .self = run, .paths = true, .keep = keep,
        .between = between };

    run->last = om_product_words(product) - 1;
    if (!OM_NEW(run->heap, run->accepting, states) ||
        !OM_NEW(run->heap, run->searchers, run->workers))
        return om_fail_memory(om_task_context(run->task));
    for (uint32_t q = 0; q < states; q++)
        run->accepting[q] = om_task_accepting(run->task, q, OM_WEAK);
    int rc = om_side_new(&run->colours, product, sizeof(atomic_uchar));
    /* Open all cursors now: a worker without a cursor would keep the others waiting. */
    for (unsigned i = 0; i < run->workers && rc == OM_OK; i++) {
        searcher *s = &run->searchers[i];
        s->run = run;
        s->worker = i;
        s->mark = (unsigned char) (i < UCHAR_MAX - HYBRID_FIRST ? HYBRID_FIRST + i : HYBRID_OPEN);
        s->probe = OM_NO_ID;
        atomic_init(&s->current, OM_NO_ID);
        rc = om_dfs_new(&s->way, run->task, i);
        if (rc == OM_OK)
            rc = om_dfs_new_above(&s->dfs, s->way);
    }
    return rc == OM_OK ? om_bfs_new(&run->bfs, &spec) : rc;
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->heap = om_task_heap(task);
    run->task = task;
    run->workers = om_task_workers(task);
    (void) pthread_mutex_init(&run->lock, NULL);
    return prepare(run);
}

static const om_option options[] = { { NULL, 0, 0, 0, NULL } };

static const om_rank ranks[] = { { OM_FOR_WEAK, 1, 0, 70 }, { OM_FOR_TERMINAL, 1, 0, 50 },
    { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "weak-hybrid",
        "breadth-first outside the accepting part, depth-first inside it",
        "Cerna, Pelanek 2003; Renault, Duret-Lutz, Kordon, Poitrenaud 2017, section 4.2", options),
    .strengths = OM_FOR_TERMINAL | OM_FOR_WEAK,
    .acceptance = OM_ACCEPT_ANY,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .ranks = ranks,
    .destroy = destroy,
};
