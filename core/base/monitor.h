/* SPDX-License-Identifier: Apache-2.0 */
/* monitor.h: a lock with one condition, which waits by the monotonic clock: who sets the time of
 * the system shortens no wait. */
#ifndef OMEN_BASE_MONITOR_H
#define OMEN_BASE_MONITOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct om_monitor {
    pthread_mutex_t lock;
    pthread_cond_t wake;
} om_monitor;

/* False where the system gives none. */
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

/* Within: until one of those who wait has been woken, or (by om_clock_ns()) that time has come;
 * then false. As ever, look again at what was waited for. */
bool om_monitor__wait(om_monitor *m, uint64_t until_ns);
void om_monitor__wake(om_monitor *m);

#endif
