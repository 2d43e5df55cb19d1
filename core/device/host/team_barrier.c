/* SPDX-License-Identifier: Apache-2.0 */
#include "team_barrier.h"

#include <omen/plugin/base.h>

enum { YIELDS = 32 };

bool om_team_barrier__open(om_team_barrier *b, uint32_t size)
{
    b->size = size;
    atomic_init(&b->arrived, 0);
    atomic_init(&b->phase, 0);
    if (pthread_mutex_init(&b->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&b->next, NULL) == 0)
        return true;
    (void) pthread_mutex_destroy(&b->lock);
    return false;
}

void om_team_barrier__close(om_team_barrier *b)
{
    (void) pthread_cond_destroy(&b->next);
    (void) pthread_mutex_destroy(&b->lock);
}

/* acq_rel on `arrived`: the last thread has seen what the others wrote, and they see it through its
 * release of `phase`. That comes after the reset of `arrived`, so a thread that arrives again
 * counts from 0. It is under the lock, so that no thread falls asleep between its check and the
 * broadcast. */
void om_team_barrier__wait(om_team_barrier *b)
{
    const unsigned phase = atomic_load_explicit(&b->phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1 == b->size) {
        atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
        pthread_mutex_lock(&b->lock);
        atomic_store_explicit(&b->phase, phase + 1, memory_order_release);
        pthread_cond_broadcast(&b->next);
        pthread_mutex_unlock(&b->lock);
        return;
    }
    bool quick = true;
    for (int k = 0; k < YIELDS && quick; k++) {
        if (atomic_load_explicit(&b->phase, memory_order_acquire) != phase)
            return;
        quick = om_yield(0);
    }
    pthread_mutex_lock(&b->lock);
    while (atomic_load_explicit(&b->phase, memory_order_acquire) == phase)
        (void) pthread_cond_wait(&b->next, &b->lock);
    pthread_mutex_unlock(&b->lock);
}
