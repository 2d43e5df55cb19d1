/* SPDX-License-Identifier: Apache-2.0 */
/* monitor.h: a mutex with one condition variable, which waits on the monotonic clock: changes of
 * the system time do not affect a wait. */
#ifndef OMEN_BASE_MONITOR_H
#define OMEN_BASE_MONITOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct om_monitor {
    pthread_mutex_t lock;
    pthread_cond_t wake;
} om_monitor;

/* Returns false if initialisation fails. The first is for a condition variable alone, which waits
 * on the monotonic clock, too. */
bool om_monitor__condition(pthread_cond_t *wake);
bool om_monitor__init(om_monitor *m);
void om_monitor__destroy(om_monitor *m);

static inline void om_monitor__enter(om_monitor *m)
{
    (void) pthread_mutex_lock(&m->lock);
}

static inline void om_monitor__leave(om_monitor *m)
{
    (void) pthread_mutex_unlock(&m->lock);
}

/* With the lock held: waits until a waiting thread is woken, or until that time on om_clock_ns(),
 * and then returns false. Spurious wake-ups are possible: check the condition again. */
bool om_monitor__wait(om_monitor *m, uint64_t until_ns);
void om_monitor__wake(om_monitor *m);

#endif
