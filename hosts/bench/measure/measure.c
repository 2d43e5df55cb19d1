/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen-measure: runs one command for omen-bench and measures it.
 *
 *   omen-measure REPORT SECONDS BYTES COMMAND...
 *
 * SECONDS and BYTES are the limits of the command (0: none); BYTES is that of the resident memory
 * of all its processes together. The figures are written to the descriptor REPORT as a JSON object.
 * The command has the folder, the environment and the other descriptors of this process. SIGINT and
 * SIGTERM end the command.
 *
 * CPU time and memory are the kernel's account (wait4) of the command and of every process that it
 * started and waited for. The share of the other processes is read from /proc just before the
 * command is reaped, to 1/100 s; it includes a compiler that omen starts. Processes that the
 * command left running are counted and killed. Memory is that of the largest process; if there were
 * several, the memory of the command's own process is sampled. This program is small, because the
 * kernel counts the memory of a process before exec() as the command's.
 */
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLE_NS = 50000000, LEFT_MOST = 10000 };

/* A command that is running, and its figures; NaN if unknown. */
typedef struct running {
    pid_t pid;
    double start, deadline; /* seconds; deadline 0: none */
    double memory;          /* bytes; 0: no limit */
    measure_counters counters;
    double sampled_peak; /* bytes; 0: none sampled */
    double resident;     /* of all its processes, as last checked against the limit */
    bool timed_out, too_large, interrupted;
    double wall;
} running;

static double now(void)
{
    struct timespec t;
    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static void waited_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
}

/* ---- the start ---- */

/* Runs in the child. It waits for a byte, so that the counters exist before the command. */
static void become(char **argv, int go)
{
    sigset_t set;
    char byte;
    if (setpgid(0, 0) != 0)
        _exit(126);
    waited_signals(&set);
    (void) sigprocmask(SIG_UNBLOCK, &set, NULL);
    if (read(go, &byte, 1) != 1)
        _exit(126);
    (void) execvp(argv[0], argv);
    _exit(127);
}

/* Starts the command and its clock. Returns false if there can be no process. */
static bool start(running *r, char **argv, double seconds)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        (void) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    r->pid = fork();
    if (r->pid == 0)
        become(argv, ends[0]);
    if (r->pid < 0)
        return false;
    (void) setpgid(r->pid, r->pid); /* parent and child both do it, because either may come first */
    (void) close(ends[0]);
    measure_counters_open(&r->counters, r->pid);
    r->start = now();
    r->deadline = seconds == 0 ? 0 : r->start + seconds;
    (void) write(ends[1], "", 1); /* if it fails, the command has ended; its status says how */
    (void) close(ends[1]);
    return true;
}

/* ---- /proc ---- */

/* Reads a file of /proc; an empty text if it is gone. */
static void read_proc(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);
    if (fd >= 0)
        (void) close(fd);
    text[n < 0 ? 0 : n] = '\0';
}

/* Returns the kilobytes after `key` in the status of a process, in bytes; 0 if it has ended. */
static double memory_of(pid_t pid, const char *key)
{
    char path[64], text[4096];
    (void) snprintf(path, sizeof path, "/proc/%ld/status", (long) pid);
    read_proc(path, text, sizeof text);
    const char *found = strstr(text, key);
    const double kilobytes = found == NULL ? 0 : strtod(found + strlen(key), NULL);
    return kilobytes * 1024;
}

/* ---- memory of a process and its descendants ---- */

enum { PROCESSES = 256 };

/* Adds the children that one thread has started. */
static size_t add_children(const char *path, pid_t *list, size_t count)
{
    char text[4096], *at = text, *stop;
    read_proc(path, text, sizeof text);
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
        sum += memory_of(list[i], "VmRSS:");
        count = add_descendants(list, i, count);
    }
    return sum;
}

/* ---- while it runs ---- */

static bool ended(const running *r)
{
    siginfo_t info = { 0 };
    return waitid(P_PID, (id_t) r->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == r->pid;
}

static void sample(running *r)
{
    const double peak = memory_of(r->pid, "VmHWM:");
    r->sampled_peak = peak > r->sampled_peak ? peak : r->sampled_peak;
    if (r->memory == 0)
        return;
    r->resident = resident_of_all(r->pid);
    r->too_large |= r->resident > r->memory;
}

/* Waits until the command has ended, without reaping it. */
static void wait_for(running *r)
{
    assert(r->pid > 1); /* kill() takes it for a group of processes */
    const struct timespec pause = { 0, SAMPLE_NS };
    sigset_t set;
    waited_signals(&set);
    while (!ended(r)) {
        int number = sigtimedwait(&set, NULL, &pause);
        if (number == SIGINT || number == SIGTERM)
            r->interrupted = true;
        else if (r->deadline != 0 && now() > r->deadline)
            r->timed_out = true;
        if (number < 0 && !r->interrupted && !r->timed_out)
            sample(r);
        if (r->interrupted || r->timed_out || r->too_large)
            (void) kill(-r->pid, SIGKILL);
    }
    r->wall = now() - r->start;
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
    read_proc(path, text, sizeof text);
    long user = stat_field(text, STAT_CHILD_USER), sys = stat_field(text, STAT_CHILD_SYS);
    if (user < 0 || sys < 0)
        return NAN;
    *any = user + sys != 0 || stat_field(text, STAT_CHILD_FAULTS) > 0;
    return (double) (user + sys) / (double) sysconf(_SC_CLK_TCK);
}

/* Kills and reaps processes that the command left running. When one ends, its children become
 * children of this process. */
static void reap_left(void)
{
    char path[64], text[64];
    (void) snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long) getpid());
    for (int left = 0; left < LEFT_MOST; left++) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid == 0) {
            read_proc(path, text, sizeof text);
            const pid_t child = (pid_t) strtol(text, NULL, 10);
            if (child <= 0 || kill(child, SIGKILL) != 0)
                break;
            pid = waitpid(child, NULL, 0);
        }
        if (pid < 0)
            break;
    }
}

/* Writes a member of the report; null if the number is unknown. */
static void put(FILE *out, const char *name, double value)
{
    if (isnan(value))
        (void) fprintf(out, "\"%s\": null, ", name);
    else
        (void) fprintf(out, "\"%s\": %.17g, ", name, value);
}

static void put_flag(FILE *out, const char *name, bool value)
{
    (void) fprintf(out, "\"%s\": %s, ", name, value ? "true" : "false");
}

/* Reaps the command, and writes the report. */
static void account(running *r, FILE *out)
{
    struct rusage use = { 0 };
    bool others = false;
    int status = 0;
    const double children = children_cpu(r->pid, &others);
    (void) wait4(r->pid, &status, 0, &use);
    const double peak = (double) use.ru_maxrss * 1024, user = seconds(use.ru_utime),
                 sys = seconds(use.ru_stime);
    (void) fputs("{", out);
    put(out, "status", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    put(out, "signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    put(out, "resident", r->resident);
    put_flag(out, "timed_out", r->timed_out);
    put_flag(out, "too_large", r->too_large);
    put_flag(out, "interrupted", r->interrupted);
    (void) fputs("\"figures\": {", out);
    put(out, "wall", r->wall);
    put(out, "cpu", user + sys);
    put(out, "user", user);
    put(out, "sys", sys);
    put(out, "children-cpu", children);
    put(out, "own-cpu", user + sys - children);
    put(out, "peak", peak);
    for (size_t i = 0; i < MEASURE_COUNTERS; i++)
        put(out, measure_counter_names[i], measure_counter_close(&r->counters, i));
    (void) fprintf(out, "\"own-peak\": ");
    if (others && r->sampled_peak == 0)
        (void) fprintf(out, "null}, ");
    else
        (void) fprintf(out, "%.17g}, ", others ? r->sampled_peak : peak);
    (void) fprintf(
        out, "\"no_counters\": \"%s\"}\n", r->counters.missing == NULL ? "" : r->counters.missing);
}

/* ---- the program ---- */

int main(int argc, char **argv)
{
    running r = { .resident = 0 };
    sigset_t set;
    if (argc < 5) {
        (void) fputs("usage: omen-measure REPORT SECONDS BYTES COMMAND...\n", stderr);
        return 2;
    }
    const int report = (int) strtol(argv[1], NULL, 10);
    (void) fcntl(report, F_SETFD, FD_CLOEXEC);
    r.memory = strtod(argv[3], NULL);
    waited_signals(&set);
    FILE *out = fdopen(report, "w");
    /* Processes that the command leaves running become children of this one. If omen-bench ends,
     * the command ends, too. */
    if (out == NULL || sigprocmask(SIG_BLOCK, &set, NULL) != 0 ||
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) != 0 ||
        !start(&r, argv + 4, strtod(argv[2], NULL))) {
        (void) fprintf(stderr, "omen-measure: cannot start %s: %s\n", argv[4], strerror(errno));
        return 1;
    }
    wait_for(&r);
    account(&r, out);
    reap_left();
    return fclose(out) == 0 ? 0 : 1;
}
