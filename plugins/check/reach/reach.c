/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reach: parallel search with an open set, for terminal automata; Renault et al. 2017, section 4.2.
 *
 * Once the automaton is in a terminal component it can stay there whatever the model does, so where
 * every run of the model is infinite, reaching such a state is the violation. Each state is
 * expanded by one worker, the one that got it from the open set.
 *
 * The open set is a queue per worker, and a pool under a lock that workers with more than they need
 * fill when somebody is hungry.
 *
 * Invariants:
 *  R1  A state is in exactly one queue or the pool, from when it was stored until it is expanded:
 *      who stores it first (`fresh`) queues it.
 *  R2  `hungry` counts the workers that have an empty queue and hold no state; it changes under the
 *      lock alone. When all are hungry and the pool is empty, nothing is open and nothing ever will
 *      be: the search is complete.
 *  R3  parents[s] is the state from which s was stored first, plus one, or 0 for an initial state;
 *      written before s is queued by who queues it. A state comes to another worker through the
 *      pool, under the lock, so whoever holds a state sees the whole way to it.
 */
#include <omen/check.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { SHARE = 64, NAP_NS = 2000000 };

struct om_run {
    const om_heap *heap;
    om_task *task;
    unsigned workers;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* something in the pool, or the end */
    om_id *pool;            /* guarded by the lock, as all below */
    size_t pool_count, pool_room;
    bool complete;
    om_side *parents;   /* R3 */
    atomic_uint hungry; /* R2; read without the lock as a hint */
};

/* Open states of one worker: a ring of a power of two, oldest first. */
typedef struct queue {
    om_id *ids;
    size_t head, count, room;
} queue;

typedef struct searcher {
    om_run *run;
    unsigned worker;
    om_cursor *cursor;
    queue open;
} searcher;

static int fail_memory(const om_run *r)
{
    return om_fail_memory(om_task_context(r->task));
}

static int put(searcher *s, om_id id)
{
    queue *q = &s->open;
    if (q->count == q->room) {
        size_t room = q->room == 0 ? 256 : 2 * q->room;
        om_id *ids = om_resize(s->run->heap, NULL, room, sizeof *ids);
        if (ids == NULL)
            return fail_memory(s->run);
        for (size_t i = 0; i < q->count; i++)
            ids[i] = q->ids[(q->head + i) & (q->room - 1)];
        om_free(s->run->heap, q->ids);
        *q = (queue){ .ids = ids, .count = q->count, .room = room };
    }
    q->ids[(q->head + q->count++) & (q->room - 1)] = id;
    return OM_OK;
}

static om_id take(queue *q)
{
    om_id id = q->ids[q->head];
    q->head = (q->head + 1) & (q->room - 1);
    q->count--;
    return id;
}

/* Gives the oldest half, at most SHARE, to the hungry. */
static int share(searcher *s)
{
    om_run *r = s->run;
    size_t n = s->open.count / 2 < SHARE ? s->open.count / 2 : SHARE;
    int rc = OM_OK;

    pthread_mutex_lock(&r->lock);
    om_id *pool = om_grow(r->heap, r->pool, &r->pool_room, r->pool_count + n, sizeof *pool);
    if (pool != NULL) {
        r->pool = pool;
        for (size_t i = 0; i < n; i++)
            pool[r->pool_count++] = take(&s->open);
        pthread_cond_signal(&r->changed);
    } else {
        rc = fail_memory(r);
    }
    pthread_mutex_unlock(&r->lock);
    return rc;
}

/* Sleeps a little, or until something changes: a stop from outside signals nobody. */
static void nap(om_run *r)
{
    struct timespec t;
    (void) clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += NAP_NS;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    (void) pthread_cond_timedwait(&r->changed, &r->lock, &t);
}

/* With an empty queue: gets states from the pool. OM_OK with an empty queue: complete (R2). */
static int beg(searcher *s)
{
    om_run *r = s->run;
    om_id ids[SHARE];
    size_t n = 0;
    int rc = OM_OK;

    pthread_mutex_lock(&r->lock);
    if (atomic_fetch_add_explicit(&r->hungry, 1, memory_order_relaxed) + 1 == r->workers &&
        r->pool_count == 0) {
        r->complete = true;
        pthread_cond_broadcast(&r->changed);
    }
    while (r->pool_count == 0 && !r->complete && rc == OM_OK) {
        nap(r);
        if (om_task_stopped(r->task))
            rc = OM_ESTOP;
    }
    if (rc == OM_OK && !r->complete) {
        (void) atomic_fetch_sub_explicit(&r->hungry, 1, memory_order_relaxed);
        n = r->pool_count < SHARE ? r->pool_count : SHARE;
        r->pool_count -= n;
        memcpy(ids, r->pool + r->pool_count, n * sizeof *ids);
    }
    pthread_mutex_unlock(&r->lock);
    for (size_t i = 0; i < n && rc == OM_OK; i++)
        rc = put(s, ids[i]);
    return rc;
}

/* The parent's place of a state (R3), or NULL when memory is out. */
static uint64_t *parent_of(const om_run *r, om_id id)
{
    return om_side_at(r->parents, id);
}

/* Evidence: the way to the state, which is in a terminal component. */
static int found(const searcher *s, om_id last)
{
    const om_run *r = s->run;
    size_t n = 1;
    for (om_id id = last; *parent_of(r, id) != 0; id = *parent_of(r, id) - 1)
        n++;
    om_id *path = om_resize(r->heap, NULL, n, sizeof *path);
    if (path == NULL) /* without the way, then */
        return om_task_found(r->task, s->worker, &last, 1);
    om_id id = last;
    for (size_t i = n; i-- > 0; id = *parent_of(r, id) - 1)
        path[i] = id;
    int rc = om_task_found(r->task, s->worker, path, n);
    om_free(r->heap, path);
    return rc;
}

/* Queues what is new, met from a state (OM_NO_ID: initial); ends the search where that is in a
 * terminal component. */
static int open_fresh(searcher *s, om_id from, const om_step *steps, size_t n)
{
    int rc = OM_OK;
    for (size_t i = 0; i < n && rc == OM_OK; i++) {
        if (!steps[i].fresh)
            continue;
        uint32_t q = om_cursor_automaton_state(s->cursor, steps[i].to);
        uint64_t *parent = parent_of(s->run, steps[i].to);
        if (parent == NULL)
            return om_task_stopped(s->run->task) ? OM_ESTOP : fail_memory(s->run);
        *parent = from == OM_NO_ID ? 0 : from + 1;
        if (om_task_accepting(s->run->task, q, OM_TERMINAL))
            return found(s, steps[i].to);
        rc = put(s, steps[i].to); /* R1 */
    }
    return rc;
}

static int search(searcher *s)
{
    om_run *r = s->run;
    const om_step *steps;
    size_t n;
    int rc = OM_OK;

    if (s->worker == 0) {
        rc = om_cursor_initial(s->cursor, &steps, &n);
        if (rc == OM_OK)
            rc = open_fresh(s, OM_NO_ID, steps, n);
    }
    while (rc == OM_OK) {
        if (om_task_stopped(r->task))
            return OM_ESTOP;
        if (s->open.count == 0) {
            rc = beg(s);
            if (rc != OM_OK || s->open.count == 0)
                return rc;
        }
        /* relaxed: a hint; nobody's hunger is forgotten, it only waits for the next state. */
        if (s->open.count > 1 && atomic_load_explicit(&r->hungry, memory_order_relaxed) > 0)
            rc = share(s);
        if (rc != OM_OK)
            return rc;
        om_id id = take(&s->open);
        rc = om_cursor_successors(s->cursor, id, &steps, &n);
        if (rc == OM_OK)
            rc = open_fresh(s, id, steps, n);
    }
    return rc;
}

static int work(om_run *run, unsigned worker)
{
    searcher s = { .run = run, .worker = worker };
    int rc = om_task_cursor(run->task, worker, &s.cursor);
    if (rc == OM_OK)
        rc = search(&s);
    om_task_add_counts(run->task, 0, 0, s.open.room * sizeof *s.open.ids);
    om_free(run->heap, s.open.ids);
    return rc;
}

static void destroy(om_run *run)
{
    if (run == NULL)
        return;
    om_task_add_counts(run->task, 0, 0,
        run->pool_room * sizeof *run->pool +
            (run->parents == NULL ? 0 : om_side_bytes(run->parents)));
    om_side_free(run->parents);
    pthread_cond_destroy(&run->changed);
    pthread_mutex_destroy(&run->lock);
    om_free(run->heap, run->pool);
    om_free(run->heap, run);
}

static int create(om_run **out, om_task *task, const int64_t *options)
{
    (void) options;
    om_run *run = om_alloc(om_task_heap(task), 1, sizeof *run);
    if (run == NULL)
        return om_fail_memory(om_task_context(task));
    run->heap = om_task_heap(task);
    run->task = task;
    run->workers = om_task_workers(task);
    (void) pthread_mutex_init(&run->lock, NULL);
    (void) pthread_cond_init(&run->changed, NULL);
    int rc = om_side_new(&run->parents, om_task_product(task), sizeof(uint64_t));
    if (rc != OM_OK) {
        destroy(run);
        return rc;
    }
    *out = run;
    return OM_OK;
}

static const om_option options[] = { { NULL, 0, 0, 0, NULL } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "reach",
        "parallel search for a state in a terminal component",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, section 4.2", options),
    .strengths = OM_FOR_TERMINAL,
    .acceptance = OM_ACCEPT_ANY,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_NEEDS_STUTTER,
    .create = create,
    .work = work,
    .destroy = destroy,
};
