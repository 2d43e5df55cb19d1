/* SPDX-License-Identifier: Apache-2.0 */
/* Returns the time in milliseconds: CLOCK_REALTIME, since 1970, for times that are recorded;
 * CLOCK_MONOTONIC for durations. */
#ifndef OMEND_CLOCK_H
#define OMEND_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ms(clockid_t clock)
{
    struct timespec t;
    (void) clock_gettime(clock, &t);
    return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#endif
