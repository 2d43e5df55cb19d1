/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A barrier by rounds: the last worker to arrive begins the next round. A waiting worker polls for
 * a new round and for a stop of the task, because a stop (a flag that all threads poll) wakes no
 * thread: first without sleeping, then with short sleeps.
 *
 * `here` counts the workers that have arrived in this round. The last one resets it to 0 before the
 * round changes, and no worker arrives again before it has seen the change, so the count is of one
 * round only. After a stop the count stays wrong, and no worker waits any more.
 */
#include "process/processors.h"

#include <omen/plugin/barrier.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { SPINS = 2000, NAP_NS = 1000000 };

struct om_barrier {
    const om_heap *heap;
    om_task *task;
    unsigned workers, spins;
    atomic_uint round, here;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* changes of the round, signalled under the lock */
};

int om_barrier_new(om_barrier **out, om_task *task)
{
    om_barrier *b = om_alloc(om_task_heap(task), 1, sizeof *b);
    if (b == NULL)
        return om_fail_memory(om_task_context(task));
    b->heap = om_task_heap(task);
    b->task = task;
    b->workers = om_task_workers(task);
    /* If threads share processors, a spinning thread delays the threads it waits for. */
    b->spins = b->workers <= om_processors__count() ? SPINS : 0;
    atomic_init(&b->round, 0);
    atomic_init(&b->here, 0);
    (void) pthread_mutex_init(&b->lock, NULL);
    (void) pthread_cond_init(&b->changed, NULL);
    *out = b;
    return OM_OK;
}

void om_barrier_free(om_barrier *b)
{
    if (b == NULL)
        return;
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    om_free(b->heap, b);
}

/* Returns true if round `before` has ended. acquire: pairs with the release in begin_round(). */
static bool is_over(om_barrier *b, unsigned before)
{
    return atomic_load_explicit(&b->round, memory_order_acquire) != before;
}

static void begin_round(om_barrier *b)
{
    /* relaxed: a worker that arrives next has seen the new round. */
    atomic_store_explicit(&b->here, 0, memory_order_relaxed);
    pthread_mutex_lock(&b->lock);
    /* release: publishes the work of all workers, acquired with the count; pairs with is_over(). */
    (void) atomic_fetch_add_explicit(&b->round, 1, memory_order_release);
    (void) pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

static void nap(om_barrier *b, unsigned before)
{
    struct timespec until;
    (void) clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += NAP_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&b->lock);
    if (!is_over(b, before))
        (void) pthread_cond_timedwait(&b->changed, &b->lock, &until);
    pthread_mutex_unlock(&b->lock);
}

int om_barrier_wait(om_barrier *b, bool *last)
{
    /* relaxed: the round does not change before this worker has arrived, too. */
    unsigned before = atomic_load_explicit(&b->round, memory_order_relaxed);
    if (last != NULL)
        *last = false;
    if (om_task_stopped(b->task))
        return OM_ESTOP;
    /* acq_rel: the last worker passes on the work of those before it. */
    unsigned here = atomic_fetch_add_explicit(&b->here, 1, memory_order_acq_rel) + 1;
    assert(here <= b->workers);
    if (here == b->workers) {
        if (last != NULL)
            *last = true;
        begin_round(b);
        return OM_OK;
    }
    for (unsigned i = 0; !is_over(b, before); i++) {
        if (om_task_stopped(b->task))
            return OM_ESTOP;
        if (i >= b->spins)
            nap(b, before);
    }
    return OM_OK;
}
