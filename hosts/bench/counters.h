/* SPDX-License-Identifier: Apache-2.0 */
/* counters.h: cycles, instructions and cache misses of a process, where the kernel allows. */
#ifndef OMEN_BENCH_COUNTERS_H
#define OMEN_BENCH_COUNTERS_H

#include "figures.h"

#include <sys/types.h>

enum { BENCH_COUNTERS = 3 };
typedef struct bench_counters {
    int fds[BENCH_COUNTERS];
    const char *missing; /* why there are none (a constant), or NULL */
} bench_counters;

/* Counts a process that waits to be let into exec(), with all that it will start. */
void bench_counters_open(bench_counters *c, pid_t pid);
/* Puts what was counted into the sample, and closes. */
void bench_counters_close(bench_counters *c, bench_sample *out);

#endif
