/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const measure_counter_names[MEASURE_COUNTERS] = { "cycles", "instructions",
    "cache-misses" };
static const uint64_t counted[MEASURE_COUNTERS] = { PERF_COUNT_HW_CPU_CYCLES,
    PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CACHE_MISSES };

static const char *reason(int error)
{
    if (error == EACCES || error == EPERM)
        return "not permitted by the kernel (perf_event_paranoid)";
    if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
        return "the machine has no hardware counters";
    return "perf_event_open failed";
}

void measure_counters_open(measure_counters *c, pid_t pid)
{
    c->missing = NULL;
    for (size_t i = 0; i < MEASURE_COUNTERS; i++) {
        struct perf_event_attr attr = {
            .type = PERF_TYPE_HARDWARE,
            .size = sizeof attr,
            .config = counted[i],
            .disabled = 1,
            .inherit = 1,
            .enable_on_exec = 1,
            .exclude_kernel = 1,
            .exclude_hv = 1,
            .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        };
        c->fds[i] = (int) syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
        if (c->fds[i] < 0 && c->missing == NULL)
            c->missing = reason(errno);
    }
}

double measure_counter_close(measure_counters *c, size_t i)
{
    uint64_t value[3]; /* the count, time enabled, time running */
    double count = NAN;
    if (c->fds[i] < 0)
        return NAN;
    /* If counters share the hardware, the count is scaled to the whole time. */
    if (read(c->fds[i], value, sizeof value) == (ssize_t) sizeof value && value[2] != 0)
        count = (double) value[0] * ((double) value[1] / (double) value[2]);
    (void) close(c->fds[i]);
    return count;
}
