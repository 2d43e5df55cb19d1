/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor.h"

#include <time.h>

bool om_monitor__condition(pthread_cond_t *wake)
{
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0)
        return false;
    bool made = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(wake, &attr) == 0;
    (void) pthread_condattr_destroy(&attr);
    return made;
}

bool om_monitor__init(om_monitor *m)
{
    const bool made = om_monitor__condition(&m->wake);
    if (made && pthread_mutex_init(&m->lock, NULL) != 0) {
        (void) pthread_cond_destroy(&m->wake);
        return false;
    }
    return made;
}

void om_monitor__destroy(om_monitor *m)
{
    (void) pthread_cond_destroy(&m->wake);
    (void) pthread_mutex_destroy(&m->lock);
}

bool om_monitor__wait(om_monitor *m, uint64_t until_ns)
{
    const struct timespec until = { .tv_sec = (time_t) (until_ns / 1000000000),
        .tv_nsec = (long) (until_ns % 1000000000) };
    return pthread_cond_timedwait(&m->wake, &m->lock, &until) == 0;
}

void om_monitor__wake(om_monitor *m)
{
    (void) pthread_cond_signal(&m->wake);
}
