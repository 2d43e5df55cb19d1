/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A barrier by rounds: who comes last begins the next one. Who waits looks for a new round and, as
 * often, whether the task was stopped, for a stop (a flag that is read everywhere) wakes nobody:
 * first without sleeping, then in naps.
 *
 * `here` counts who has come in this round. The last one sets it to 0 before the round changes, and
 * nobody comes again before he has seen that, so the count is of one round alone. After a stop it
 * is wrong for ever, and nobody waits any more.
 */
#include "machine.h"

#include <omen/plugin/barrier.h>

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
    pthread_cond_t changed; /* the round, told under the lock */
};

int om_barrier_new(om_barrier **out, om_task *task)
{
    om_barrier *b = om_alloc(om_task_heap(task), 1, sizeof *b);
    if (b == NULL)
        return om_fail_memory(om_task_context(task));
    b->heap = om_task_heap(task);
    b->task = task;
    b->workers = om_task_workers(task);
    /* Where threads share processors, who spins keeps those off that are waited for. */
    b->spins = b->workers <= om_machine__processors() ? SPINS : 0;
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

/* Has the round that was `before` ended? acquire: pairs with the release in begin_round(). */
static bool is_over(om_barrier *b, unsigned before)
{
    return atomic_load_explicit(&b->round, memory_order_acquire) != before;
}

static void begin_round(om_barrier *b)
{
    /* relaxed: who comes next has seen the round. */
    atomic_store_explicit(&b->here, 0, memory_order_relaxed);
    pthread_mutex_lock(&b->lock);
    /* release: what all did before, which came with the count; pairs with is_over(). */
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
    /* relaxed: nobody changes it before this worker is here, too. */
    unsigned before = atomic_load_explicit(&b->round, memory_order_relaxed);
    if (last != NULL)
        *last = false;
    if (om_task_stopped(b->task))
        return OM_ESTOP;
    /* acq_rel: the last one passes on what those before it did. */
    if (atomic_fetch_add_explicit(&b->here, 1, memory_order_acq_rel) + 1 == b->workers) {
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
