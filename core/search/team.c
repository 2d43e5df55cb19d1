/* SPDX-License-Identifier: Apache-2.0 */
#include "team.h"

#include "machine.h"

enum { SPINS = 2000 }; /* some tens of microseconds: what a thread needs to wake up */

void om_team__init(om_team *g, unsigned helpers)
{
    g->helpers = helpers;
    g->spins = helpers < om_machine__processors() ? SPINS : 0;
    atomic_init(&g->round, 0);
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

void om_team__start(om_team *g)
{
    if (g->helpers == 0)
        return;
    /* relaxed: made known by the round. */
    atomic_store_explicit(&g->busy, g->helpers, memory_order_relaxed);
    pthread_mutex_lock(&g->lock);
    /* release: pairs with the acquire in om_team__wait(). */
    (void) atomic_fetch_add_explicit(&g->round, 1, memory_order_release);
    (void) pthread_cond_broadcast(&g->started);
    pthread_mutex_unlock(&g->lock);
}

void om_team__wait(om_team *g, unsigned *seen)
{
    unsigned before = (*seen)++;
    /* acquire: pairs with the release in om_team__start(). */
    for (unsigned i = 0; i < g->spins; i++) {
        if (atomic_load_explicit(&g->round, memory_order_acquire) != before)
            return;
        pause_a_moment();
    }
    pthread_mutex_lock(&g->lock);
    while (atomic_load_explicit(&g->round, memory_order_acquire) == before)
        (void) pthread_cond_wait(&g->started, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

void om_team__done(om_team *g)
{
    /* release: pairs with the acquire in om_team__join(); acquire, so that the last one passes on
     * what those before it did. */
    if (atomic_fetch_sub_explicit(&g->busy, 1, memory_order_acq_rel) != 1)
        return;
    pthread_mutex_lock(&g->lock);
    (void) pthread_cond_signal(&g->done);
    pthread_mutex_unlock(&g->lock);
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
