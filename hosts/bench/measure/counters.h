/* SPDX-License-Identifier: Apache-2.0 */
/* counters.h: cycles, instructions and cache misses of a process, if the kernel allows counting. */
#ifndef OMEN_BENCH_COUNTERS_H
#define OMEN_BENCH_COUNTERS_H

#include "report/figures.h"

#include <sys/types.h>

enum { BENCH_COUNTERS = 3 };
typedef struct bench_counters {
    int fds[BENCH_COUNTERS];
    const char *missing; /* why counters are missing (a constant), or NULL */
} bench_counters;

/* Opens the counters of a process that waits before exec(); its descendants are counted, too. */
void bench_counters_open(bench_counters *c, pid_t pid);
/* Stores the counts in the sample and closes the counters. */
void bench_counters_close(bench_counters *c, bench_sample *out);

#endif
