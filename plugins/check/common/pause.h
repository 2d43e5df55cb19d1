/* SPDX-License-Identifier: Apache-2.0 */
/* pause.h: waiting for the work of another thread, which takes microseconds or never ends. */
#ifndef OMEN_CHECK_PAUSE_H
#define OMEN_CHECK_PAUSE_H

#include <omen/plugin/base.h>

#include <time.h>

/* State of one wait; zero-initialise it. */
typedef struct om_pause {
    uint64_t since; /* start on the clock, or 0 if the wait has not begun */
    unsigned turns;
} om_pause;

/* Yields the processor. The pauses grow with the length of the wait, up to one millisecond: the
 * caller checks om_task_stopped() between them. */
static inline void om_pause_once(om_pause *p)
{
    enum { YIELDS = 64, SHORTEST = 10000, LONGEST = 1000000 };
    if (p->since == 0)
        p->since = om_clock_ns();
    if (p->turns++ < YIELDS && om_yield(0))
        return;
    long ns = p->turns <= YIELDS ? SHORTEST : (long) (p->turns - YIELDS) * SHORTEST;
    (void) nanosleep(&(struct timespec){ 0, ns < LONGEST ? ns : LONGEST }, NULL);
}

/* Returns the length of the wait so far, in nanoseconds. */
static inline uint64_t om_pause_length(const om_pause *p)
{
    return p->since == 0 ? 0 : om_clock_ns() - p->since;
}

#endif
