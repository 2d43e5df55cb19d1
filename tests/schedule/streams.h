/* SPDX-License-Identifier: Apache-2.0 */
/* streams.h: random pools and streams of jobs. */
#ifndef OMEN_TESTS_SCHEDULE_STREAMS_H
#define OMEN_TESTS_SCHEDULE_STREAMS_H

#include "simulate.h"

/* Jobs of any kind. limits: all jobs have a limit. The caller frees s->jobs. */
void stream_any(sim *s, uint64_t seed, bool limits);
/* One token floods the pool with narrow jobs. Another token has a job that needs the whole pool,
 * and has so much usage that it is last in the order. */
void stream_flood(sim *s, uint64_t seed);
/* All jobs may have devices, and none is large enough to wait for one. */
void stream_small(sim *s, uint64_t seed);

#endif
