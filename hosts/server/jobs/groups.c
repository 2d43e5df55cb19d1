/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* Name of omend's own leaf. */
#define OWN "omend"

enum { FILE_PATH = GROUPS_PATH + 128 };

static bool put(const char *group, const char *file, const char *text)
{
    char path[FILE_PATH];
    if (snprintf(path, sizeof path, "%s/%s", group, file) >= (int) sizeof path)
        return false;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool ok = write(fd, text, strlen(text)) == (ssize_t) strlen(text);
    (void) close(fd);
    return ok;
}

static void put_number(const char *group, const char *file, uint64_t n)
{
    char text[24];
    (void) snprintf(text, sizeof text, "%" PRIu64, n);
    (void) put(group, file, text); /* the file is missing if the controller is */
}

/* ---- the parent group ---- */

static bool is_group(const char *path)
{
    struct statfs s;
    return statfs(path, &s) == 0 && s.f_type == CGROUP2_SUPER_MAGIC;
}

static bool is_delegated(const char *path)
{
    char value[2] = "";
    return (getxattr(path, "user.delegate", value, 1) == 1 ||
               getxattr(path, "trusted.delegate", value, 1) == 1) &&
           value[0] == '1';
}

/* Finds the group of this process. Returns false if no hierarchy of version 2 is mounted in a usual
 * place, or the group is not visible there. */
static bool find_own(char *out, size_t size)
{
    static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
    char line[GROUPS_PATH], found[GROUPS_PATH] = "";
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "0::/", 4) == 0) {
            line[strcspn(line, "\n")] = '\0';
            memcpy(found, line + 3, strlen(line + 3) + 1);
        }
    if (f != NULL)
        (void) fclose(f);
    /* An earlier omend moved into the leaf. */
    size_t n = strlen(found), tail = strlen("/" OWN);
    if (n > tail && strcmp(found + n - tail, "/" OWN) == 0)
        found[n - tail] = '\0';
    for (size_t i = 0; n > 0 && i < sizeof mounts / sizeof *mounts; i++)
        if (snprintf(out, size, "%s%s", mounts[i], found) < (int) size && is_group(out))
            return true;
    return false;
}

/* One controller at a time: a missing one does not affect the other. */
static void enable(const char *group)
{
    (void) put(group, "cgroup.subtree_control", "+memory");
    (void) put(group, "cgroup.subtree_control", "+pids");
}

static void open_own(omend_groups *g)
{
    char own[FILE_PATH];
    if (!find_own(g->path, sizeof g->path) || !is_delegated(g->path)) {
        g->path[0] = '\0';
        return;
    }
    (void) snprintf(own, sizeof own, "%s/" OWN, g->path);
    if ((mkdir(own, 0755) != 0 && errno != EEXIST) || !put(own, "cgroup.procs", "0"))
        g->path[0] = '\0';
    else
        enable(g->path);
}

int groups_open(omend_groups *g, om_context *ctx, const char *where)
{
    g->path[0] = '\0';
    if (strcmp(where, "none") == 0)
        return OM_OK;
    if (strcmp(where, "auto") == 0) {
        open_own(g);
        return OM_OK;
    }
    if (strlen(where) >= sizeof g->path || !is_group(where))
        return om_fail(
            ctx, OM_EINPUT, NULL, "cgroup: '%s' is not a folder of a cgroup2 file system", where);
    if (access(where, W_OK | X_OK) != 0)
        return om_fail(ctx, OM_EINPUT, NULL, "cgroup: %s: %s", where, strerror(errno));
    memcpy(g->path, where, strlen(where) + 1);
    enable(g->path);
    return OM_OK;
}

/* ---- the group of an attempt ---- */

bool groups_path(const omend_groups *g, int64_t id, int attempt, char *out, size_t size)
{
    return g->path[0] != '\0' &&
           snprintf(out, size, "%s/job-%" PRId64 "-%d", g->path, id, attempt) < (int) size;
}

bool groups_make(
    const omend_groups *g, int64_t id, int attempt, uint64_t memory_bytes, uint64_t processes)
{
    char path[FILE_PATH];
    if (!groups_path(g, id, attempt, path, sizeof path) ||
        (mkdir(path, 0755) != 0 && errno != EEXIST))
        return false;
    put_number(path, "memory.max", memory_bytes);
    put_number(path, "memory.swap.max", 0);
    put_number(path, "memory.oom.group", 1);
    put_number(path, "pids.max", processes);
    return true;
}

void groups_remove(const omend_groups *g, int64_t id, int attempt)
{
    const struct timespec pause = { 0, 2000000 };
    char path[FILE_PATH];
    if (!groups_path(g, id, attempt, path, sizeof path))
        return;
    for (int i = 0; i < 250 && rmdir(path) != 0 && errno == EBUSY; i++) {
        (void) put(path, "cgroup.kill", "1");
        (void) nanosleep(&pause, NULL);
    }
}
