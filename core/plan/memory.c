/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the number in a file, or UINT64_MAX for "max" and if there is no such file. */
static uint64_t number_in(const char *path)
{
    char text[64], *end;
    FILE *f = fopen(path, "r");
    size_t n = f == NULL ? 0 : fread(text, 1, sizeof text - 1, f);
    if (f != NULL)
        (void) fclose(f);
    text[n] = '\0';
    unsigned long long value = strtoull(text, &end, 10);
    return end == text ? UINT64_MAX : value;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the limit of the control group whose path is the rest of a line "0::/path". */
static uint64_t group_limit(char *path)
{
    char file[4200];
    uint64_t limit = UINT64_MAX;
    path[strcspn(path, "\n")] = '\0';
    /* A parent's limit binds its children. */
    for (;;) {
        int n = snprintf(file, sizeof file, "/sys/fs/cgroup%s/memory.max", path);
        if (n > 0 && (size_t) n < sizeof file)
            limit = least(limit, number_in(file));
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return limit;
        *slash = '\0';
    }
}

static uint64_t control_groups(void)
{
    char line[4096];
    uint64_t limit = least(number_in("/sys/fs/cgroup/memory.max"),
        number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "0::", 3) == 0)
            limit = least(limit, group_limit(line + 3));
    if (f != NULL)
        (void) fclose(f);
    return limit;
}

uint64_t om_default_memory_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t ram = pages <= 0 || size <= 0 ? UINT64_MAX : (uint64_t) pages * (uint64_t) size;
    uint64_t limit = least(ram, control_groups());
    return limit == UINT64_MAX ? 0 : limit / 5 * 4;
}
