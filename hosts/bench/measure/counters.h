/* SPDX-License-Identifier: Apache-2.0 */
/* counters.h: cycles, instructions and cache misses of a process, if the kernel allows counting. */
#ifndef OMEN_MEASURE_COUNTERS_H
#define OMEN_MEASURE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { MEASURE_COUNTERS = 3 };
/* The figures of omen-bench that the counters are. */
extern const char *const measure_counter_names[MEASURE_COUNTERS];

typedef struct measure_counters {
    int fds[MEASURE_COUNTERS];
    const char *missing; /* why counters are missing (a constant), or NULL */
} measure_counters;

/* Opens the counters of a process that waits before exec(); its descendants are counted, too. */
void measure_counters_open(measure_counters *c, pid_t pid);
/* Returns the i-th count, and closes its counter; NaN if it is missing. */
double measure_counter_close(measure_counters *c, size_t i);

#endif
