/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dfsfifo: co-Buchi acceptance, Fin(0): searches for a cycle without an edge in set 0. If the edges
 * in set 0 are the steps that make progress, that is a non-progress cycle. Laarman and Farago,
 * "Improved on-the-fly livelock detection", NFM 2013; Farago and Schmidt, "Improving non-progress
 * cycle checks", SPIN 2009; Bloemen, Duret-Lutz, van de Pol 2019, section 4.3.
 *
 * Depth-first search follows the edges that are not in set 0: an edge that leads back to the path
 * closes an accepting cycle. The target of an edge in set 0 is queued and searched from later. So
 * there is one pass, and a state that was left is only marked as such, because every cycle
 * reachable from it has edges in set 0.
 *
 * The queue is in layers. Layer n contains states that n edges in set 0 lead to; those that fewer
 * lead to are done when it begins. A layer begins after the one before it has been searched. So the
 * cycle that is found is one of those that can be reached by the fewest edges in set 0. (The
 * counterexample made of it has a stem of few states, which may have more of those edges.)
 *
 * Workers share which states are done and which are queued. Each searches from all states of a
 * layer, its own first, until all of them are done. A worker waits only for the end of a layer, and
 * then at most for the other workers to retreat from states that are done.
 *
 *  D1  Before a worker marks x done, it has, for each edge x -> y that is not in set 0, marked y
 *      done, or seen that y is done (acquire, so y was marked before). It has never skipped a state
 *      on its own path, because there the search ends; and it enters a state that is on another
 *      worker's path.
 *  D2  So every state that can be reached without set 0 from a state that is done is done.
 *
 * Why no cycle is missed, and no worker need wait for the paths of others. Suppose that all states
 * of a cycle without set 0 were done. By D1, the worker that marked one of them had before marked
 * the next one or seen its mark, and so on round the cycle without end. But there are finitely many
 * marks, and none is set before itself. All states are done at the end, for these reasons. Initial
 * states are in layer 0, and all states of a layer are done when a worker has gone through it (it
 * searches from each that is not). If x is done, D2 covers the targets of its edges that are not in
 * set 0. The target of an edge in set 0 was done or queued before x was done; hence it is in this
 * layer, an earlier one, or the next, and is done when that layer is.
 *
 * Why the layers count edges in set 0. All states that fewer than n edges in set 0 lead to are done
 * when layer n begins (D2). So n is the least number of such edges for any state that is expanded
 * in the layer; and a cycle that fewer edges lead to would have been found before.
 *
 * Bits for each state of the product: 2 shared, and 1 for each worker. Bytes: 8 for each state of
 * two layers; and 8 for each state on a path and for each edge from it to a state not met yet.
 */
#include <omen/plugin/barrier.h>
#include <omen/plugin/dfs.h>

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

/* DONE, QUEUED: shared bits of a state. SHARED_LOG2, PATH_LOG2: log2 of the states in a byte. */
enum { DONE = 1, QUEUED = 2, SHARED_BITS = 2, SHARED_LOG2 = 2, PATH_LOG2 = 3, LINE = 64 };

typedef struct layer {
    om_id *ids;
    size_t count, room;
} layer;

/* The states that one worker has queued. In the layer `now` all workers read it; the worker itself
 * writes the next layer. */
typedef struct queue {
    layer at[2];
    char apart[LINE];
} queue;

struct om_run {
    om_task *task;
    const om_heap *heap;
    unsigned workers;
    om_side *shared; /* atomic_uchar for 4 states */
    om_barrier *barrier;
    queue *queues; /* by worker */
    /* The cycle of the worker that found one first. `found` is relaxed; the rest is read after all
     * workers have ended. */
    atomic_bool found;
    layer cycle; /* its states, sorted by id */
};

typedef struct searcher {
    om_run *run;
    om_dfs *dfs;
    om_side *on_path; /* one bit for each state */
    unsigned worker, now;
    bool rooted; /* true if the path begins with an initial state */
    uint64_t blocked_ns;
} searcher;

static int fail_memory(const om_run *run)
{
    return om_fail_memory(om_task_context(run->task));
}

/* ---- bits of the states ---- */

static unsigned shared_shift(om_id id)
{
    return (unsigned) (id & ((1u << SHARED_LOG2) - 1)) * SHARED_BITS;
}

/* Gets the DONE and QUEUED bits of a state. */
static int look(const om_run *run, om_id id, unsigned *out)
{
    const atomic_uchar *at = om_side_at(run->shared, id);
    if (at == NULL)
        return fail_memory(run);
    /* acquire: pairs with the release in say() (D1). */
    *out = atomic_load_explicit(at, memory_order_acquire) >> shared_shift(id);
    *out &= DONE | QUEUED;
    return OM_OK;
}

/* Sets the bit `what` of a state. Sets *news if it was not set before. */
static int say(const om_run *run, om_id id, unsigned what, bool *news)
{
    atomic_uchar *at = om_side_at(run->shared, id);
    unsigned char bit = (unsigned char) (what << shared_shift(id)), before;
    if (at == NULL)
        return fail_memory(run);
    if (run->workers == 1) {
        before = atomic_load_explicit(at, memory_order_relaxed);
        atomic_store_explicit(at, before | bit, memory_order_relaxed);
    } else /* release: pairs with the acquire in look(), even if other workers add bits later. */
        before = atomic_fetch_or_explicit(at, bit, memory_order_release);
    *news = (before & bit) == 0;
    return OM_OK;
}

/* Sets *was to whether the state is on this worker's path. If `turn`, inverts its bit. */
static int turn_path(const searcher *s, om_id id, bool turn, bool *was)
{
    unsigned char *at = om_side_at(s->on_path, id);
    unsigned char bit = (unsigned char) (1u << (id & ((1u << PATH_LOG2) - 1)));
    if (at == NULL)
        return fail_memory(s->run);
    *was = (*at & bit) != 0;
    *at ^= turn ? bit : 0;
    return OM_OK;
}

static void fetch(const searcher *s, const om_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (steps[i].fresh)
            continue;
        om_side_fetch(s->run->shared, steps[i].to);
        om_side_fetch(s->on_path, steps[i].to);
    }
}

/* ---- the queue ---- */

static int add(const om_run *run, layer *to, om_id id)
{
    if (!OM_ROOM(run->heap, to->ids, &to->room, to->count + 1))
        return fail_memory(run);
    to->ids[to->count++] = id;
    return OM_OK;
}

/* Queues a state in the layer `in`: 1 - now, or at the start `now`. */
static int queue_state(const searcher *s, om_id id, unsigned in)
{
    unsigned known = 0;
    bool news = false;
    assert(in <= 1);
    int rc = look(s->run, id, &known);
    if (rc == OM_OK && known == 0)
        rc = say(s->run, id, QUEUED, &news);
    return news ? add(s->run, &s->run->queues[s->worker].at[in], id) : rc;
}

/* ---- a cycle ---- */

static int by_id(const void *a, const void *b)
{
    const om_id *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool same(void *self, om_id a, om_id b)
{
    const layer *c = &((const om_run *) self)->cycle;
    return bsearch(&a, c->ids, c->count, sizeof a, by_id) != NULL &&
           bsearch(&b, c->ids, c->count, sizeof b, by_id) != NULL;
}

/* Reports a cycle: an edge leads from the last state of the path to `first`, which is on the
 * path. */
static int found(searcher *s, om_id first)
{
    om_run *run = s->run;
    om_evidence e = OM_EVIDENCE(&first, 1);
    bool known = true;
    if (atomic_exchange_explicit(&run->found, true, memory_order_relaxed))
        return OM_ESTOP; /* another worker reports its cycle */
    for (om_id id = OM_NO_ID; id != first;) {
        uint64_t top = om_dfs_top(s->dfs);
        id = om_dfs_at(s->dfs, top).to;
        known = known && add(run, &run->cycle, id) == OM_OK;
        if (id != first)
            om_dfs_cut(s->dfs, top);
    }
    /* If memory ran out, the cycle is searched for again. */
    if (known) {
        qsort(run->cycle.ids, run->cycle.count, sizeof *run->cycle.ids, by_id);
        e.same = same;
        e.self = run;
    }
    e.avoid = om_task_all_marks(run->task);
    e.entry = 0;
    return s->rooted ? om_dfs_found(s->dfs, first, &e) : om_task_evidence(run->task, &e);
}

/* ---- the search ---- */

/* Processes an edge that is not in the set: sets *closes if it leads to the path; otherwise adds
 * it, unless its target is done. */
static int take(searcher *s, const om_step *step, om_id *closes)
{
    unsigned known = 0;
    bool on = false;
    int rc = OM_OK;
    if (!step->fresh) {
        rc = look(s->run, step->to, &known);
        if (rc == OM_OK && (known & DONE) == 0)
            rc = turn_path(s, step->to, false, &on);
    }
    if (on)
        *closes = step->to;
    else if (rc == OM_OK && (known & DONE) == 0)
        om_dfs_add(s->dfs, step);
    return rc;
}

static int enter(searcher *s, om_dfs_edge by)
{
    const om_step *steps;
    size_t n;
    om_id closes = OM_NO_ID;
    bool was;
    int rc = om_dfs_enter(s->dfs, by, &steps, &n);
    if (rc == OM_OK)
        rc = turn_path(s, by.to, true, &was);
    if (rc != OM_OK)
        return rc;
    assert(!was); /* else the path would have been closed */
    fetch(s, steps, n);
    /* Edges are followed in reverse order of adding, so add them backwards to keep the cursor's
     * order. */
    while (n-- > 0 && rc == OM_OK)
        rc = steps[n].marks != 0 ? queue_state(s, steps[n].to, 1 - s->now)
                                 : take(s, &steps[n], &closes);
    return rc == OM_OK && closes != OM_NO_ID ? found(s, closes) : rc;
}

/* Called after all edges of the last state of the path have been followed. */
static int leave(searcher *s)
{
    uint64_t place = om_dfs_top(s->dfs);
    om_id id = om_dfs_at(s->dfs, place).to;
    bool news, was;
    int rc = turn_path(s, id, true, &was);
    if (rc == OM_OK)
        rc = say(s->run, id, DONE, &news);
    assert(rc != OM_OK || was);
    om_dfs_cut(s->dfs, place);
    return rc;
}

static int enter_new(searcher *s, om_dfs_edge by)
{
    unsigned known = 0;
    int rc = look(s->run, by.to, &known);
    return rc == OM_OK && (known & DONE) == 0 ? enter(s, by) : rc;
}

static int search_from(searcher *s, om_id id)
{
    assert(om_dfs_depth(s->dfs) == 0);
    om_dfs_edge e = { .to = id };
    int rc = enter_new(s, e);
    while (rc == OM_OK && om_dfs_depth(s->dfs) > 0)
        rc = om_dfs_next(s->dfs, &e) ? enter_new(s, e) : leave(s);
    return rc;
}

/* Searches a layer. Returns OM_OK if all its states are done; sets *empty if it had none. */
static int search_layer(searcher *s, bool *empty)
{
    om_run *run = s->run;
    int rc = OM_OK;
    *empty = true;
    run->queues[s->worker].at[1 - s->now].count = 0;
    for (unsigned k = 0; k < run->workers; k++) {
        const layer *l = &run->queues[(s->worker + k) % run->workers].at[s->now];
        *empty = *empty && l->count == 0;
        for (size_t i = 0; rc == OM_OK && i < l->count; i++)
            rc = search_from(s, l->ids[i]);
    }
    return rc;
}

/* Waits for all workers. Afterwards all of them see the states that each has queued. */
static int meet(searcher *s)
{
    uint64_t since = om_clock_ns();
    int rc = om_barrier_wait(s->run->barrier, NULL);
    s->blocked_ns += om_clock_ns() - since;
    return rc;
}

static int queue_initial(const searcher *s)
{
    const om_step *steps;
    size_t n;
    int rc = om_cursor_initial(om_dfs_cursor(s->dfs), &steps, &n);
    for (size_t i = 0; rc == OM_OK && i < n; i++)
        rc = queue_state(s, steps[i].to, s->now);
    return rc;
}

static int search(searcher *s)
{
    bool empty = false;
    int rc = queue_initial(s);
    s->rooted = true;
    if (rc == OM_OK)
        rc = meet(s);
    while (rc == OM_OK && !empty) {
        rc = search_layer(s, &empty);
        if (rc == OM_OK && !empty)
            rc = meet(s);
        s->now = 1 - s->now;
        s->rooted = false;
    }
    return rc;
}

static int work(om_run *run, unsigned worker)
{
    searcher s = { .run = run, .worker = worker };
    int rc = om_dfs_new(&s.dfs, run->task, worker);
    if (rc == OM_OK)
        rc = om_side_new_grouped(&s.on_path, om_task_product(run->task), 1, PATH_LOG2);
    if (rc == OM_OK)
        rc = search(&s);
    if (rc == OM_OK)
        om_task_complete(run->task);
    om_task_count(run->task, OM_COUNT_BLOCKED_NS, s.blocked_ns);
    if (s.on_path != NULL)
        om_task_add_counts(run->task, 0, 0, om_side_bytes(s.on_path) + om_dfs_bytes(s.dfs));
    om_side_free(s.on_path);
    om_dfs_free(s.dfs);
    return rc;
}

/* ---- the run ---- */

static void layer_free(om_run *run, layer *l)
{
    om_task_add_counts(run->task, 0, 0, l->room * sizeof *l->ids);
    om_free(run->heap, l->ids);
}

static void destroy(om_run *run)
{
    for (unsigned i = 0; run->queues != NULL && i < run->workers; i++)
        for (unsigned k = 0; k < 2; k++)
            layer_free(run, &run->queues[i].at[k]);
    layer_free(run, &run->cycle);
    if (run->shared != NULL)
        om_task_add_counts(run->task, 0, 0, om_side_bytes(run->shared));
    om_free(run->heap, run->queues);
    om_barrier_free(run->barrier);
    om_side_free(run->shared);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->task = task;
    run->heap = om_task_heap(task);
    run->workers = om_task_workers(task);
    if (!OM_NEW(run->heap, run->queues, run->workers))
        return fail_memory(run);
    int rc = om_barrier_new(&run->barrier, task);
    return rc == OM_OK ? om_side_new_grouped(&run->shared, om_task_product(task), 1, SHARED_LOG2)
                       : rc;
}

static const om_rank ranks[] = { { OM_FOR_STRONG, 1, 0, 70 }, { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "dfsfifo",
        "cycles without an edge of a Fin set: depth-first between such edges, which go to a queue",
        "Laarman, Farago 2013; Bloemen, Duret-Lutz, van de Pol 2019, section 4.3", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_CO_BUCHI,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .ranks = ranks,
    .destroy = destroy,
};
