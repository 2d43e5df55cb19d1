/* SPDX-License-Identifier: Apache-2.0 */
#include "team.h"

#include "process/processors.h"

#include <assert.h>

/* Layout of `tickets`. */
enum { ROUND_SHIFT = 32 };
#define LEFT UINT32_MAX

enum { SPINS = 2000 }; /* some tens of microseconds: the time a thread takes to wake up */

void om_team__init(om_team *g, unsigned helpers)
{
    g->helpers = helpers;
    g->spins = helpers < om_processors__count() ? SPINS : 0;
    g->rounds = 0;
    atomic_init(&g->tickets, 0);
    atomic_init(&g->busy, 0);
    (void) pthread_mutex_init(&g->lock, NULL);
    (void) pthread_cond_init(&g->started, NULL);
    (void) pthread_cond_init(&g->done, NULL);
}

void om_team__destroy(om_team *g)
{
    pthread_cond_destroy(&g->started);
    pthread_cond_destroy(&g->done);
    pthread_mutex_destroy(&g->lock);
}

static inline void pause_a_moment(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

void om_team__start(om_team *g, unsigned helpers)
{
    helpers = helpers < g->helpers ? helpers : g->helpers;
    if (helpers == 0)
        return;
    /* The leader has joined the last round, so none of its tickets is left. */
    assert(atomic_load_explicit(&g->busy, memory_order_relaxed) == 0);
    assert((atomic_load_explicit(&g->tickets, memory_order_relaxed) & LEFT) == 0);
    /* relaxed: published by the tickets. */
    atomic_store_explicit(&g->busy, helpers, memory_order_relaxed);
    pthread_mutex_lock(&g->lock);
    /* release: pairs with the acquire in take_ticket(). */
    atomic_store_explicit(
        &g->tickets, (uint64_t) ++g->rounds << ROUND_SHIFT | helpers, memory_order_release);
    if (helpers == g->helpers)
        (void) pthread_cond_broadcast(&g->started);
    else
        for (unsigned i = 0; i < helpers; i++)
            (void) pthread_cond_signal(&g->started);
    pthread_mutex_unlock(&g->lock);
}

static bool take_ticket(om_team *g, uint32_t *seen)
{
    uint64_t left = atomic_load_explicit(&g->tickets, memory_order_relaxed);
    while ((left & LEFT) != 0 && left >> ROUND_SHIFT != *seen)
        /* acquire: pairs with the release in om_team__start(). */
        if (atomic_compare_exchange_weak_explicit(
                &g->tickets, &left, left - 1, memory_order_acquire, memory_order_relaxed)) {
            *seen = (uint32_t) (left >> ROUND_SHIFT);
            return true;
        }
    return false;
}

void om_team__wait(om_team *g, uint32_t *seen)
{
    for (unsigned i = 0; i < g->spins; i++) {
        if (take_ticket(g, seen))
            return;
        pause_a_moment();
    }
    pthread_mutex_lock(&g->lock);
    while (!take_ticket(g, seen))
        (void) pthread_cond_wait(&g->started, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

void om_team__done(om_team *g)
{
    /* release: pairs with the acquire in om_team__join(). acquire: the last helper passes on the
     * work of those before it. */
    unsigned busy = atomic_fetch_sub_explicit(&g->busy, 1, memory_order_acq_rel);
    assert(busy > 0 && busy <= g->helpers);
    if (busy != 1)
        return;
    pthread_mutex_lock(&g->lock);
    (void) pthread_cond_signal(&g->done);
    pthread_mutex_unlock(&g->lock);
}

unsigned om_team__withdraw(om_team *g)
{
    /* relaxed, both: no helper has seen these tickets, and only the leader waits for `busy`. */
    uint32_t left = (uint32_t) atomic_fetch_and_explicit(
        &g->tickets, (uint64_t) LEFT << ROUND_SHIFT, memory_order_relaxed);
    assert(left <= g->helpers);
    if (left != 0)
        (void) atomic_fetch_sub_explicit(&g->busy, left, memory_order_relaxed);
    return left;
}

void om_team__join(om_team *g)
{
    /* acquire: pairs with the release in om_team__done(). */
    for (unsigned i = 0; i < g->spins; i++) {
        if (atomic_load_explicit(&g->busy, memory_order_acquire) == 0)
            return;
        pause_a_moment();
    }
    pthread_mutex_lock(&g->lock);
    while (atomic_load_explicit(&g->busy, memory_order_acquire) != 0)
        (void) pthread_cond_wait(&g->done, &g->lock);
    pthread_mutex_unlock(&g->lock);
}
