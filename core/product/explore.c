/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breadth-first exploration, level by level.
 *
 * Each worker has a list of the states of this level that it stored first, and one of the next. The
 * lists of a level are constant while it is expanded; blocks of them are handed out by a counter
 * per list, so a worker that is done with its own goes on with the others'. Two barriers end a
 * level: between them worker 0 alone looks at all lists and decides what comes next.
 */
#include "product_impl.h"
#include "threads.h"

#include <pthread.h>
#include <string.h>

enum { BLOCK = 16 }; /* states expanded at once */

typedef struct list {
    om_id *ids;
    size_t count, room;
    atomic_size_t taken; /* handed out; may run past count */
} list;

typedef struct explorer {
    om_cursor *cursor;
    list lists[2]; /* of level l: lists[l % 2] */
    unsigned char padding[64];
} explorer;

typedef struct exploration {
    om_product *p;
    const om_heap *heap;
    om_control *control;
    bool (*visit)(void *self, unsigned worker, om_cursor *c, om_id id);
    void *self;
    explorer *workers;
    unsigned count;
    unsigned level;         /* written between the barriers */
    bool over;              /* likewise */
    atomic_bool stop;       /* now */
    atomic_bool last_level; /* a visitor wants no further level */
    pthread_barrier_t barrier;
    pthread_mutex_t lock; /* guards rc and who_failed */
    int rc;
    unsigned who_failed;
} exploration;

/* The first failure stands; everybody stops at the end of the level at the latest. */
static void fail(exploration *e, unsigned worker, int rc)
{
    pthread_mutex_lock(&e->lock);
    if (e->rc == OM_OK) {
        e->rc = rc;
        e->who_failed = worker;
    }
    pthread_mutex_unlock(&e->lock);
    /* relaxed: a hint to stop early; rc is read after the barrier. */
    atomic_store_explicit(&e->stop, true, memory_order_relaxed);
}

static bool stopped(const exploration *e)
{
    return atomic_load_explicit(&e->stop, memory_order_relaxed) ||
           (e->control != NULL && om_control_stopped(e->control) != OM_STOP_NONE);
}

static int push(exploration *e, list *l, om_id id)
{
    om_id *ids = om_grow(e->heap, l->ids, &l->room, l->count + 1, sizeof *ids);
    if (ids == NULL)
        return om_fail_memory(e->p->ctx);
    l->ids = ids;
    ids[l->count++] = id;
    return OM_OK;
}

static int push_fresh(exploration *e, list *to, const om_step *steps, size_t n)
{
    int rc = OM_OK;
    for (size_t i = 0; i < n && rc == OM_OK; i++)
        if (steps[i].fresh)
            rc = push(e, to, steps[i].to);
    return rc;
}

/* Expands some states of the level. */
static int expand(exploration *e, unsigned worker, const om_id *ids, size_t n)
{
    explorer *w = &e->workers[worker];
    const om_step *steps;
    size_t count;

    int rc = om_cursor__expand(w->cursor, ids, n, &steps, &count);
    if (rc == OM_OK)
        rc = push_fresh(e, &w->lists[(e->level + 1) % 2], steps, count);
    /* After the steps were used: visit may ask the cursor for others. */
    for (size_t i = 0; i < n && rc == OM_OK && e->visit != NULL; i++)
        if (!e->visit(e->self, worker, w->cursor, ids[i]))
            atomic_store_explicit(&e->last_level, true, memory_order_relaxed);
    return rc;
}

static void expand_list(exploration *e, unsigned worker, const list *l, atomic_size_t *taken)
{
    /* relaxed: a ticket; the list itself was made before the barrier. */
    for (;;) {
        size_t first = atomic_fetch_add_explicit(taken, BLOCK, memory_order_relaxed);
        if (first >= l->count || stopped(e))
            return;
        size_t n = l->count - first < BLOCK ? l->count - first : BLOCK;
        int rc = expand(e, worker, l->ids + first, n);
        if (rc != OM_OK) {
            fail(e, worker, rc);
            return;
        }
    }
}

/* Between the barriers, worker 0: is there another level? */
static void next_level(exploration *e)
{
    size_t total = 0;
    for (unsigned i = 0; i < e->count; i++) {
        list *done = &e->workers[i].lists[e->level % 2];
        done->count = 0;
        atomic_store_explicit(&done->taken, 0, memory_order_relaxed);
        total += e->workers[i].lists[(e->level + 1) % 2].count;
    }
    if (stopped(e) || atomic_load_explicit(&e->last_level, memory_order_relaxed) || total == 0)
        e->over = true;
    else
        e->level++;
}

static void work(void *self, unsigned worker)
{
    exploration *e = self;
    while (!e->over) {
        for (unsigned i = 0; i < e->count; i++) {
            unsigned owner = (worker + i) % e->count;
            list *l = &e->workers[owner].lists[e->level % 2];
            expand_list(e, worker, l, &l->taken);
        }
        (void) pthread_barrier_wait(&e->barrier);
        if (worker == 0)
            next_level(e);
        (void) pthread_barrier_wait(&e->barrier);
    }
}

static int start(exploration *e)
{
    const om_step *steps;
    size_t n;
    for (unsigned i = 0; i < e->count; i++) {
        int rc = om_cursor_open(&e->workers[i].cursor, e->p, i);
        if (rc != OM_OK)
            return rc;
    }
    int rc = om_cursor_initial(e->workers[0].cursor, &steps, &n);
    return rc == OM_OK ? push_fresh(e, &e->workers[0].lists[0], steps, n) : rc;
}

static int report(exploration *e, om_exploration *out)
{
    om_product *p = e->p;
    for (unsigned i = 0; i < e->count; i++) {
        const om_cursor *c = e->workers[i].cursor;
        if (c == NULL)
            continue;
        out->transitions += c->all_edges;
        out->deadlocks += c->deadlocks;
        for (unsigned k = 0; k < 2; k++)
            out->memory_bytes += e->workers[i].lists[k].room * sizeof(om_id);
    }
    out->states = om_product_state_count(p);
    out->levels = e->level + 1;
    out->memory_bytes += om_product_bytes(p);
    out->store = om_product_figures(p);
    if (e->rc != OM_EMODEL)
        return OM_OK;
    out->fault_vector = om_alloc(p->heap, p->model_words, sizeof *out->fault_vector);
    if (out->fault_vector == NULL)
        return om_fail_memory(p->ctx);
    out->fault = om_cursor_fault(e->workers[e->who_failed].cursor, out->fault_vector);
    return OM_OK;
}

static void finish(exploration *e)
{
    for (unsigned i = 0; e->workers != NULL && i < e->count; i++) {
        om_cursor_close(e->workers[i].cursor);
        om_free(e->heap, e->workers[i].lists[0].ids);
        om_free(e->heap, e->workers[i].lists[1].ids);
    }
    om_free(e->heap, e->workers);
    pthread_mutex_destroy(&e->lock);
}

static int outcome(const exploration *e)
{
    if (e->rc == OM_EMODEL && e->p->spec.executor->model != NULL)
        return om_model_fault(
            e->p->spec.executor->model, om_cursor_fault(e->workers[e->who_failed].cursor, NULL));
    if (e->rc == OM_EMODEL)
        return om_fail(e->p->ctx, OM_EMODEL, NULL, "the model went wrong");
    if (e->rc != OM_OK)
        return e->rc;
    /* Stopped from outside, by a limit or a signal: figures are partial. */
    if (e->control != NULL && om_control_stopped(e->control) != OM_STOP_NONE)
        return om_control_stopped(e->control) == OM_STOP_FOUND ? OM_ESTOP : OM_ELIMIT;
    return OM_OK;
}

int om_explore(om_context *ctx, om_product *p,
    bool (*visit)(void *self, unsigned worker, om_cursor *c, om_id id), void *self,
    om_exploration *out)
{
    uint64_t begin = om_clock_ns();
    exploration e = { .p = p,
        .heap = om_context_heap(ctx),
        .control = p->spec.control,
        .visit = visit,
        .self = self,
        .count = p->spec.workers,
        .lock = PTHREAD_MUTEX_INITIALIZER };
    int rc = OM_OK;

    memset(out, 0, sizeof *out);
    e.workers = om_alloc(e.heap, e.count, sizeof *e.workers);
    if (e.workers == NULL) {
        rc = om_fail_memory(ctx);
        goto done;
    }
    e.rc = start(&e);
    if (e.rc == OM_OK) {
        if (pthread_barrier_init(&e.barrier, NULL, e.count) != 0)
            e.rc = om_fail(ctx, OM_EIO, NULL, "cannot make a barrier for %u threads", e.count);
        else {
            rc = om_threads_run(ctx, e.count, work, &e);
            pthread_barrier_destroy(&e.barrier);
        }
    }
    if (rc == OM_OK)
        rc = report(&e, out);
    if (rc == OM_OK)
        rc = outcome(&e);
done:
    out->seconds = (double) (om_clock_ns() - begin) * 1e-9;
    finish(&e);
    return rc;
}
