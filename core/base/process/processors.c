/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processors that this process may use: the affinity mask, reduced by the quotas of its control
 * group (version 2) and of all parent groups. A value that the system does not report is no limit.
 */
#define _GNU_SOURCE
#include "processors.h"

#include <assert.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSORS_MOST = 1024 };

unsigned om_processors__quota(const char *text, unsigned processors)
{
    assert(processors > 0);
    char *end;
    unsigned long long quota = strtoull(text, &end, 10);
    if (end == text) /* "max" */
        return processors;
    const char *second = end;
    unsigned long long period = strtoull(second, &end, 10);
    if (end == second || period == 0)
        return processors;
    /* Rounded up: two and a half processors can keep three workers busy, but two would leave some
     * of them idle. */
    unsigned long long n = quota / period + (quota % period != 0);
    return n == 0 ? 1 : n < processors ? (unsigned) n : processors;
}

static unsigned quota_in(const char *file, unsigned processors)
{
    char text[64];
    FILE *f = fopen(file, "r");
    if (f == NULL)
        return processors;
    bool got = fgets(text, sizeof text, f) != NULL;
    (void) fclose(f);
    return got ? om_processors__quota(text, processors) : processors;
}

/* Applies the quotas of the control group whose path is the rest of a line "0::/path", and of its
 * parents. */
static unsigned group_quota(char *path, unsigned processors)
{
    char file[4200];
    path[strcspn(path, "\n")] = '\0';
    for (;;) {
        int n = snprintf(file, sizeof file, "/sys/fs/cgroup%s/cpu.max", path);
        if (n > 0 && (size_t) n < sizeof file)
            processors = quota_in(file, processors);
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return processors;
        *slash = '\0';
    }
}

static unsigned allowed(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned) CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than a set has bits */
    return n < 1 ? 1 : n > PROCESSORS_MOST ? PROCESSORS_MOST : (unsigned) n;
}

unsigned om_processors__count(void)
{
    char line[4096];
    unsigned processors = quota_in("/sys/fs/cgroup/cpu.max", allowed());
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "0::", 3) == 0)
            processors = group_quota(line + 3, processors);
    if (f != NULL)
        (void) fclose(f);
    assert(processors > 0);
    return processors;
}

unsigned om_processors__current(void)
{
    int at = sched_getcpu();
    return at < 0 ? 0 : (unsigned) at;
}

void om_processors__move_to(unsigned from, unsigned steps)
{
    cpu_set_t set, one;
    if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 2)
        return;
    unsigned at = from % CPU_SETSIZE;
    steps %= (unsigned) CPU_COUNT(&set);
    while (!CPU_ISSET(at, &set) || steps-- > 0)
        at = (at + 1) % CPU_SETSIZE;
    CPU_ZERO(&one);
    CPU_SET(at, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0)
        (void) sched_setaffinity(0, sizeof set, &set);
}
