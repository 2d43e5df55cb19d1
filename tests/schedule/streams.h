/* SPDX-License-Identifier: Apache-2.0 */
/* streams.h: pools and streams of jobs, made at random. */
#ifndef OMEN_TESTS_SCHEDULE_STREAMS_H
#define OMEN_TESTS_SCHEDULE_STREAMS_H

#include "simulate.h"

/* Of any kind; `limits`: all jobs have one. The jobs are to be freed. */
void stream_any(sim *s, uint64_t seed, bool limits);
/* One token floods the pool with narrow jobs; another has one that needs all of it, and has used
 * so much before that it comes last by usage. */
void stream_flood(sim *s, uint64_t seed);
/* All may have devices, and none is large enough to wait for one. */
void stream_small(sim *s, uint64_t seed);

#endif
