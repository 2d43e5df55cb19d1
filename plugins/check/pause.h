/* SPDX-License-Identifier: Apache-2.0 */
/* pause.h: for workers that wait for what another does, which takes microseconds or for ever. */
#ifndef OMEN_CHECK_PAUSE_H
#define OMEN_CHECK_PAUSE_H

#include <omen/plugin/base.h>

#include <time.h>

/* One wait: zero-initialise. */
typedef struct om_pause {
    uint64_t since; /* clock, or 0: it has not begun */
    unsigned turns;
} om_pause;

/* Lets others run; longer the longer it has been, but never for more than a millisecond: whoever
 * waits looks at om_task_stopped() between. */
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

/* How long it has been, in nanoseconds. */
static inline uint64_t om_pause_length(const om_pause *p)
{
    return p->since == 0 ? 0 : om_clock_ns() - p->since;
}

#endif
