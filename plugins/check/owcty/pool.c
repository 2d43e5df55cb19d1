/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <string.h>
#include <time.h>

/* GIVE_FROM: states on a stack from which on half of them are given to waiting workers. NAP_NS:
 * interval at which a waiting worker checks whether the task was stopped. */
enum { GIVE_FROM = 32, NAP_NS = 1000000 };

void pool_open(pool *p, om_task *task)
{
    p->task = task;
    p->workers = om_task_workers(task);
    (void) pthread_mutex_init(&p->lock, NULL);
    (void) pthread_cond_init(&p->changed, NULL);
}

void pool_close(pool *p)
{
    om_free(om_task_heap(p->task), p->given.ids);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
}

static bool reserve(om_task *task, id_list *l, size_t more)
{
    om_id *ids = om_grow(om_task_heap(task), l->ids, &l->capacity, l->count + more, sizeof *ids);
    if (ids != NULL)
        l->ids = ids;
    return ids != NULL;
}

int id_list_add(om_task *task, id_list *l, om_id id)
{
    if (l->count == l->capacity && !reserve(task, l, 1))
        return om_fail_memory(om_task_context(task));
    l->ids[l->count++] = id;
    return OM_OK;
}

/* Moves the last n states of a list to the end of another. */
static int move(om_task *task, id_list *to, id_list *from, size_t n)
{
    if (n == 0)
        return OM_OK;
    if (!reserve(task, to, n))
        return om_fail_memory(om_task_context(task));
    memcpy(to->ids + to->count, from->ids + from->count - n, n * sizeof *to->ids);
    to->count += n;
    from->count -= n;
    return OM_OK;
}

/* relaxed, here and for has_given: a hint without the lock, exact under it. */
static unsigned waiting(const pool *p)
{
    return atomic_load_explicit(&p->idle, memory_order_relaxed);
}

static void publish_given(pool *p)
{
    atomic_store_explicit(&p->has_given, p->given.count != 0, memory_order_relaxed);
}

static int give(pool_worker *w)
{
    pool *p = w->pool;
    pthread_mutex_lock(&p->lock);
    int rc = waiting(p) == 0 ? OM_OK : move(p->task, &p->given, &w->stack, w->stack.count / 2);
    publish_given(p);
    (void) pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return rc;
}

/* Takes a share of the given states; all waiting workers, including this one, get equal shares. */
static int take(pool_worker *w)
{
    pool *p = w->pool;
    unsigned sharers = waiting(p);
    int rc = move(p->task, &w->stack, &p->given, (p->given.count + sharers - 1) / sharers);
    publish_given(p);
    return rc;
}

static void nap(pool *p)
{
    struct timespec until;
    (void) clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += NAP_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void) pthread_cond_timedwait(&p->changed, &p->lock, &until);
}

/* Called under the lock by the last worker that waits, when no state is left: ends the phase, or
 * continues it with one more state. */
static int end_or_go_on(pool_worker *w, const pool_phase *phase)
{
    pool *p = w->pool;
    om_id id;
    if (phase->more != NULL && phase->more(phase->self, &id))
        return pool_add(w, id);
    p->over = w->phases;
    atomic_store_explicit(&p->idle, 0, memory_order_relaxed);
    (void) pthread_cond_broadcast(&p->changed);
    return OM_OK;
}

/* Waits, under the lock, until the stack has a state or the phase is over. */
static int wait_locked(pool_worker *w, const pool_phase *phase)
{
    pool *p = w->pool;
    int rc = OM_OK;
    (void) atomic_fetch_add_explicit(&p->idle, 1, memory_order_relaxed);
    while (rc == OM_OK && w->stack.count == 0 && p->over < w->phases) {
        if (om_task_stopped(p->task))
            rc = OM_ESTOP;
        else if (p->given.count != 0)
            rc = take(w);
        else if (waiting(p) == p->workers)
            rc = end_or_go_on(w, phase);
        else
            nap(p);
    }
    if (p->over < w->phases)
        (void) atomic_fetch_sub_explicit(&p->idle, 1, memory_order_relaxed);
    return rc;
}

int pool_meet(pool_worker *w, om_barrier *b)
{
    uint64_t since = om_clock_ns();
    int rc = om_barrier_wait(b, NULL);
    w->waited += om_clock_ns() - since;
    return rc;
}

static int expand(pool_worker *w, const pool_phase *phase)
{
    pool *p = w->pool;
    om_id id = w->stack.ids[--w->stack.count];
    int rc = om_task_stopped(p->task) ? OM_ESTOP : phase->expand(phase->self, id);
    if (w->peak < w->stack.count)
        w->peak = w->stack.count;
    if (rc == OM_OK && w->stack.count >= GIVE_FROM && waiting(p) != 0 &&
        !atomic_load_explicit(&p->has_given, memory_order_relaxed))
        rc = give(w);
    return rc;
}

int pool_run(pool_worker *w, const pool_phase *phase)
{
    pool *p = w->pool;
    int rc = OM_OK;
    w->phases++;
    for (;;) {
        while (rc == OM_OK && w->stack.count != 0)
            rc = expand(w, phase);
        if (rc != OM_OK)
            return rc;
        uint64_t since = om_clock_ns();
        pthread_mutex_lock(&p->lock);
        rc = wait_locked(w, phase);
        pthread_mutex_unlock(&p->lock);
        w->waited += om_clock_ns() - since;
        if (w->stack.count == 0)
            return rc;
    }
}
