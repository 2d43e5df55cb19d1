/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a job are the descendants of this one. It is their subreaper: a process that
 * loses its parent becomes its child, so that none escapes, whatever session or group it creates.
 */
#include "job.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Calls `each` for all descendants of a process, parents first, with a pidfd of each. A process may
 * start or end meanwhile: then it is missed, and its pid may be reused. Each process that is passed
 * to `each` has been seen to be a child of a process that existed before and after that check.
 */
typedef void each_fn(void *self, pid_t pid, int pidfd);

enum { DEEPEST = 256 };

static size_t read_small(const char *path, char *to, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, to, room - 1);
    assert(n < (ssize_t) room);
    if (fd >= 0)
        (void) close(fd);
    to[n < 0 ? 0 : n] = '\0';
    return n < 0 ? 0 : (size_t) n;
}

static bool is_there(int pidfd)
{
    return syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0;
}

/* Field 4 of the line, after the name, which may contain any character. */
static pid_t parent_of(pid_t pid)
{
    char path[64], text[512];
    (void) snprintf(path, sizeof path, "/proc/%d/stat", (int) pid);
    (void) read_small(path, text, sizeof text);
    const char *name_ends = strrchr(text, ')');
    return name_ends == NULL || strlen(name_ends) < 4 ? 0 : (pid_t) strtol(name_ends + 4, NULL, 10);
}

/* Returns a pidfd of this child; -1 if it is gone. */
static int open_child(pid_t parent, int parent_fd, pid_t child)
{
    int fd = (int) syscall(SYS_pidfd_open, child, 0);
    if (fd < 0 || (parent_of(child) == parent && is_there(fd) && is_there(parent_fd)))
        return fd;
    (void) close(fd);
    return -1;
}

static void walk(pid_t pid, int pidfd, int depth, each_fn *each, void *self)
{
    char path[64], children[8192];
    DIR *tasks;
    assert(depth >= 0 && pidfd >= 0);
    (void) snprintf(path, sizeof path, "/proc/%d/task", (int) pid);
    tasks = depth == 0 ? NULL : opendir(path);
    if (tasks == NULL)
        return;
    /* Children are listed by the thread that created them. */
    for (const struct dirent *d; (d = readdir(tasks)) != NULL;) {
        char list[96];
        if (d->d_name[0] < '0' || d->d_name[0] > '9')
            continue;
        (void) snprintf(list, sizeof list, "/proc/%d/task/%.20s/children", (int) pid, d->d_name);
        (void) read_small(list, children, sizeof children);
        char *next = children;
        for (long child; (child = strtol(next, &next, 10)) > 0;) {
            int fd = open_child(pid, pidfd, (pid_t) child);
            if (fd < 0)
                continue;
            each(self, (pid_t) child, fd);
            walk((pid_t) child, fd, depth - 1, each, self);
            (void) close(fd);
        }
    }
    (void) closedir(tasks);
}

static void walk_all(each_fn *each, void *self)
{
    int fd = (int) syscall(SYS_pidfd_open, getpid(), 0);
    if (fd < 0)
        return;
    walk(getpid(), fd, DEEPEST, each, self);
    (void) close(fd);
}

static void add_usage(void *self, pid_t pid, int pidfd)
{
    omend_usage *sum = self;
    char path[64], text[128];
    unsigned long long pages, resident;
    (void) pidfd;
    (void) snprintf(path, sizeof path, "/proc/%d/statm", (int) pid);
    sum->processes++;
    if (read_small(path, text, sizeof text) != 0 &&
        sscanf(text, "%llu %llu", &pages, &resident) == 2) // NOLINT(cert-err34-c)
        sum->bytes += resident * (uint64_t) sysconf(_SC_PAGESIZE);
}

omend_usage usage_now(void)
{
    omend_usage sum = { 0 };
    walk_all(add_usage, &sum);
    return sum;
}

uint64_t usage_threads_of(uid_t user)
{
    uint64_t count = 0;
    DIR *all = opendir("/proc");
    for (const struct dirent *d; all != NULL && (d = readdir(all)) != NULL;) {
        char path[64], text[4096];
        struct stat st;
        if (d->d_name[0] < '0' || d->d_name[0] > '9')
            continue;
        (void) snprintf(path, sizeof path, "/proc/%.20s/status", d->d_name);
        if (stat(path, &st) != 0 || st.st_uid != user)
            continue;
        (void) read_small(path, text, sizeof text);
        const char *threads = strstr(text, "\nThreads:");
        count += threads == NULL ? 1 : strtoul(threads + 9, NULL, 10);
    }
    if (all != NULL)
        (void) closedir(all);
    return count;
}

static void stop_one(void *self, pid_t pid, int pidfd)
{
    (void) self;
    (void) pid;
    (void) syscall(SYS_pidfd_send_signal, pidfd, SIGSTOP, NULL, 0);
}

static void kill_one(void *self, pid_t pid, int pidfd)
{
    (void) pid;
    *(bool *) self = true;
    (void) syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
}

static void kill_group(const char *cgroup)
{
    char path[4096];
    (void) snprintf(path, sizeof path, "%s/cgroup.kill", cgroup);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void) write(fd, "1", 1);
    (void) close(fd);
}

static void reap(pid_t command, int *status)
{
    int how;
    for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
        if (pid == command)
            *status = how;
}

void usage_kill_all(const char *cgroup, pid_t command, int *status)
{
    const struct timespec pause = { 0, 2000000 };
    bool any = true;
    if (cgroup != NULL)
        kill_group(cgroup);
    while (any) {
        any = false;
        /* A process that forks all the time is stopped first, so that it does not outrun the round
         * that finds it. */
        walk_all(stop_one, NULL);
        walk_all(kill_one, &any);
        reap(command, status);
        if (any)
            (void) nanosleep(&pause, NULL);
    }
}

bool usage_oom(const char *cgroup)
{
    char path[4096], text[512];
    const char *found;
    if (cgroup == NULL)
        return false;
    (void) snprintf(path, sizeof path, "%s/memory.events", cgroup);
    (void) read_small(path, text, sizeof text);
    found = strstr(text, "oom_kill ");
    return found != NULL && strtol(found + 9, NULL, 10) > 0;
}
