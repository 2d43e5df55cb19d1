/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"
#include "counters.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLE_NS = 50000000, OUTPUT_MOST = 16 << 20, LEFT_MOST = 10000 };

/* A command that is running. */
typedef struct running {
    pid_t pid;
    int out, err, go; /* go: writing a byte lets the child call exec() */
    uint64_t start, deadline;
    uint64_t memory; /* bytes; 0: no limit */
    bench_counters counters;
    double sampled_peak; /* bytes; 0: none sampled */
} running;

static void waited_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
}

int bench_measure_init(om_context *ctx)
{
    sigset_t set;
    waited_signals(&set);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return om_fail(ctx, OM_EIO, NULL, "cannot wait for processes: %s", strerror(errno));
    return OM_OK;
}

/* ---- the start ---- */

/* Runs in the child, and uses only functions that are allowed between fork() and exec() in a
 * process with one thread. */
static void become(const bench_command *c, const running *r, int go)
{
    sigset_t set;
    char byte;
    int in = open("/dev/null", O_RDONLY);

    if (setpgid(0, 0) != 0 || chdir(c->folder) != 0 || in < 0 || dup2(in, STDIN_FILENO) < 0 ||
        dup2(r->out, STDOUT_FILENO) < 0 || dup2(r->err, STDERR_FILENO) < 0)
        _exit(126);
    for (char *const *e = c->env; *e != NULL; e++)
        if (putenv(*e) != 0)
            _exit(126);
    waited_signals(&set);
    (void) sigprocmask(SIG_UNBLOCK, &set, NULL);
    if (read(go, &byte, 1) != 1)
        _exit(126);
    (void) execvp(c->argv[0], c->argv);
    _exit(127);
}

/* Opens an unnamed temporary file. */
static int scratch(const char *folder)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/output.XXXXXX", folder);
    int fd = n < 0 || (size_t) n >= sizeof path ? -1 : mkstemp(path);
    if (fd >= 0) {
        (void) fcntl(fd, F_SETFD, FD_CLOEXEC);
        (void) unlink(path);
    }
    return fd;
}

static int start(om_context *ctx, const bench_command *c, running *r)
{
    int ends[2] = { -1, -1 };
    r->out = scratch(c->folder);
    r->err = scratch(c->folder);
    r->pid = -1;
    if (r->out >= 0 && r->err >= 0 && pipe(ends) == 0) {
        for (int i = 0; i < 2; i++)
            (void) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        r->pid = fork();
    }
    if (r->pid == 0)
        become(c, r, ends[0]);
    if (r->pid < 0) {
        int rc = om_fail(ctx, OM_EIO, NULL, "cannot start %s: %s", c->argv[0], strerror(errno));
        for (int i = 0; i < 2; i++)
            if (ends[i] >= 0)
                (void) close(ends[i]);
        return rc;
    }
    (void) setpgid(r->pid, r->pid); /* parent and child both do it, because either may come first */
    (void) close(ends[0]);
    r->go = ends[1];
    return OM_OK;
}

/* ---- while it runs ---- */

/* Returns the number after `key` in a file of /proc, or -1. */
static long long proc_number(const char *path, const char *key)
{
    char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    const char *found;
    if (fd >= 0)
        (void) close(fd);
    if (n <= 0)
        return -1;
    text[n] = '\0';
    found = strstr(text, key);
    return found == NULL ? -1 : strtoll(found + strlen(key), NULL, 10);
}

static void sample_peak(running *r)
{
    char path[64];
    (void) snprintf(path, sizeof path, "/proc/%ld/status", (long) r->pid);
    long long kilobytes = proc_number(path, "VmHWM:");
    if (kilobytes > 0 && (double) kilobytes * 1024 > r->sampled_peak)
        r->sampled_peak = (double) kilobytes * 1024;
}

/* ---- memory of a process and its descendants ---- */

enum { PROCESSES = 256 };

/* Returns the resident bytes of a process; 0 if it has ended. */
static double resident(pid_t pid)
{
    char path[64];
    (void) snprintf(path, sizeof path, "/proc/%ld/status", (long) pid);
    long long kilobytes = proc_number(path, "VmRSS:");
    return kilobytes > 0 ? (double) kilobytes * 1024 : 0;
}

/* Adds the children that one thread has started. */
static size_t add_children(const char *path, pid_t *list, size_t count)
{
    char text[4096], *at = text, *stop;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        (void) close(fd);
    text[n < 0 ? 0 : n] = '\0';
    for (long pid = strtol(at, &stop, 10); stop != at && count < PROCESSES;
         pid = strtol(at, &stop, 10)) {
        list[count++] = (pid_t) pid;
        at = stop;
    }
    return count;
}

/* The children of a process are those of all its threads. */
static size_t add_descendants(pid_t *list, size_t at, size_t count)
{
    assert(at < count && count <= PROCESSES);
    char path[64], one[400];
    (void) snprintf(path, sizeof path, "/proc/%ld/task", (long) list[at]);
    DIR *tasks = opendir(path);
    const struct dirent *e;
    while (tasks != NULL && (e = readdir(tasks)) != NULL) {
        if (e->d_name[0] == '.')
            continue;
        (void) snprintf(one, sizeof one, "%s/%s/children", path, e->d_name);
        count = add_children(one, list, count);
    }
    if (tasks != NULL)
        (void) closedir(tasks);
    return count;
}

/* Pages that processes share count once for each of them. */
static double resident_of_all(pid_t pid)
{
    pid_t list[PROCESSES] = { pid };
    size_t count = 1;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += resident(list[i]);
        count = add_descendants(list, i, count);
    }
    return sum;
}

static bool is_too_large(const running *r, bench_outcome *out)
{
    if (r->memory == 0)
        return false;
    out->resident = resident_of_all(r->pid);
    return out->resident > (double) r->memory;
}

static bool ended(const running *r)
{
    siginfo_t info = { 0 };
    return waitid(P_PID, (id_t) r->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == r->pid;
}

/* Waits until the command has ended, without reaping it. */
static void wait_for(running *r, bench_outcome *out)
{
    assert(r->pid > 1); /* kill() takes it for a group of processes */
    const struct timespec pause = { 0, SAMPLE_NS };
    sigset_t set;
    waited_signals(&set);
    while (!ended(r)) {
        int number = sigtimedwait(&set, NULL, &pause);
        if (number == SIGINT || number == SIGTERM)
            out->interrupted = true;
        else if (r->deadline != 0 && om_clock_ns() > r->deadline)
            out->timed_out = true;
        if (number < 0 && !out->interrupted && !out->timed_out) {
            sample_peak(r);
            out->too_large |= is_too_large(r, out);
        }
        if (out->interrupted || out->timed_out || out->too_large)
            (void) kill(-r->pid, SIGKILL);
    }
    out->sample.figures[BENCH_WALL] = (double) (om_clock_ns() - r->start) / 1e9;
}

/* ---- the account ---- */

static double seconds(struct timeval t)
{
    return (double) t.tv_sec + (double) t.tv_usec / 1e6;
}

/* Fields of /proc/PID/stat, counted from 0 after the name; field 0 is field 3 of proc(5). */
enum { STAT_CHILD_FAULTS = 8, STAT_CHILD_USER = 13, STAT_CHILD_SYS = 14 };

/* Returns the n-th field after the name. The name may contain any character; the last ')' ends
 * it. */
static long stat_field(const char *text, int n)
{
    const char *at = strrchr(text, ')');
    for (; at != NULL && n >= 0; n--)
        at = strchr(at + 1, ' ');
    return at == NULL ? -1 : strtol(at, NULL, 10);
}

/* Returns the CPU seconds of the children that an ended process had started and waited for. Sets
 * *any if there were children. */
static double children_cpu(pid_t pid, bool *any)
{
    char path[64], text[1024];
    (void) snprintf(path, sizeof path, "/proc/%ld/stat", (long) pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        (void) close(fd);
    text[n < 0 ? 0 : n] = '\0';
    long user = stat_field(text, STAT_CHILD_USER), sys = stat_field(text, STAT_CHILD_SYS);
    if (user < 0 || sys < 0)
        return NAN;
    *any = user + sys != 0 || stat_field(text, STAT_CHILD_FAULTS) > 0;
    return (double) (user + sys) / (double) sysconf(_SC_CLK_TCK);
}

/* Kills and reaps processes that the command left running. When one ends, its children become
 * children of this process. */
static unsigned reap_left(void)
{
    char path[64];
    unsigned left = 0;
    (void) snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long) getpid());
    while (left < LEFT_MOST) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid == 0) {
            long long child = proc_number(path, "");
            if (child <= 0 || kill((pid_t) child, SIGKILL) != 0)
                break;
            pid = waitpid((pid_t) child, NULL, 0);
        }
        if (pid < 0)
            break;
        left++;
    }
    return left;
}

static void account(running *r, bench_outcome *out)
{
    double *f = out->sample.figures;
    struct rusage use = { 0 };
    bool others = false;
    int status = 0;
    double children = children_cpu(r->pid, &others);

    (void) wait4(r->pid, &status, 0, &use);
    out->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    assert((out->status >= 0) == (out->signal == 0));
    f[BENCH_USER] = seconds(use.ru_utime);
    f[BENCH_SYS] = seconds(use.ru_stime);
    f[BENCH_CPU] = f[BENCH_USER] + f[BENCH_SYS];
    f[BENCH_CHILDREN_CPU] = children;
    f[BENCH_OWN_CPU] = f[BENCH_CPU] - children;
    f[BENCH_PEAK] = (double) use.ru_maxrss * 1024;
    f[BENCH_OWN_PEAK] = !others ? f[BENCH_PEAK] : r->sampled_peak > 0 ? r->sampled_peak : NAN;
    bench_counters_close(&r->counters, &out->sample);
    out->no_counters = r->counters.missing;
    out->left = reap_left();
}

/* Returns the first OUTPUT_MOST bytes of a file that a command wrote. */
static char *contents(const om_heap *heap, int fd)
{
    struct stat st;
    size_t size = fstat(fd, &st) != 0 || st.st_size < 0 ? 0
                  : st.st_size > OUTPUT_MOST            ? OUTPUT_MOST
                                                        : (size_t) st.st_size;
    char *text = om_alloc(heap, size + 1, 1);
    ssize_t n = text == NULL ? 0 : pread(fd, text, size, 0);
    if (text != NULL)
        text[n < 0 ? 0 : n] = '\0';
    return text;
}

int bench_measure(om_context *ctx, const bench_command *c, bench_outcome *out)
{
    const om_heap *heap = om_context_heap(ctx);
    running r = { .pid = -1, .out = -1, .err = -1 };
    int rc;

    *out = (bench_outcome){ .status = -1 };
    bench_sample_clear(&out->sample);
    rc = start(ctx, c, &r);
    if (rc == OM_OK) {
        bench_counters_open(&r.counters, r.pid);
        r.start = om_clock_ns();
        r.memory = c->memory;
        r.deadline = c->timeout_ns == 0 ? 0 : r.start + c->timeout_ns;
        if (write(r.go, "", 1) != 1) /* the command has ended already: the outcome says how */
            out->status = -1;
        (void) close(r.go);
        wait_for(&r, out);
        account(&r, out);
        out->output = contents(heap, r.out);
        out->errors = contents(heap, r.err);
        if (out->output == NULL || out->errors == NULL)
            rc = om_fail_memory(ctx);
    }
    if (r.out >= 0)
        (void) close(r.out);
    if (r.err >= 0)
        (void) close(r.err);
    if (rc != OM_OK)
        bench_outcome_free(ctx, out);
    return rc;
}

void bench_outcome_free(om_context *ctx, bench_outcome *o)
{
    om_free(om_context_heap(ctx), o->output);
    om_free(om_context_heap(ctx), o->errors);
    o->output = o->errors = NULL;
}
