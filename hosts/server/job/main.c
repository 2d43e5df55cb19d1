/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Why this process ended a job. */
typedef enum end { ENDED, BY_MEMORY, BY_TIME, BY_OUTPUT, BY_PROCESSES, BY_CANCEL } end;

static const char *const end_names[] = { NULL, "memory", "time", "output", "processes",
    "cancelled" };

/* A running job. */
typedef struct run {
    omend_job job;
    pid_t child; /* the running command */
    int how;     /* how it ended, as wait() tells */
    omend_events events;
    int folder, work, signals;
    double started;
    end why;
    omend_usage most; /* maxima, each at its own time */
    int status;       /* of the last command that decides, as wait() tells */
    bool decided;
    bool asked; /* a command was asked to end, and has some time for that */
    double asked_at;
    char note[1024]; /* the last line on standard error of a command that decides */
} run;

/* Interval of checks of a job's processes, and time for a command that was asked to end. */
static const int watch_ms = 50;
static const double grace_seconds = 5;

static double now(void)
{
    struct timespec t;
    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static bool failed(const char *what)
{
    (void) fprintf(stderr, "omend-job: %s: %s\n", what, strerror(errno));
    return false;
}

/* ---- one command ---- */

static _Noreturn void start(const run *r, const om_command *c, const int *pipes)
{
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    /* The folder belongs to the job's user, who may have put a link there for root to follow. */
    int output = c->output == NULL
                     ? pipes[0]
                     : openat(r->work, c->output,
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (input < 0 || output < 0 || dup2(pipes[1], STDERR_FILENO) < 0 ||
        dup2(output, STDOUT_FILENO) < 0 || dup2(input, STDIN_FILENO) < 0 || fchdir(r->work) != 0) {
        (void) failed("redirecting the standard files");
        _exit(126);
    }
    if (!sandbox_enter(&r->job))
        _exit(126);
    (void) execve(c->argv[0], c->argv, r->job.environment);
    (void) failed(c->argv[0]);
    _exit(127);
}

/* A cancelled command is asked to end first, so that it reports what is known so far; it is killed
 * some seconds later. */
static void end_command(run *r, end why)
{
    assert(why != ENDED && r->child > 0);
    if (r->why == ENDED)
        r->why = why;
    if (why == BY_CANCEL && !r->asked) {
        r->asked = true;
        r->asked_at = now();
        (void) kill(r->child, SIGINT);
        return;
    }
    usage_kill_all(r->job.cgroup, r->child, &r->how);
}

static void watch(run *r)
{
    const omend_job *job = &r->job;
    omend_usage u = usage_now();
    if (u.bytes > r->most.bytes)
        r->most.bytes = u.bytes;
    if (u.processes > r->most.processes)
        r->most.processes = u.processes;
    if (job->memory_bytes != 0 && u.bytes > job->memory_bytes)
        end_command(r, BY_MEMORY);
    else if (job->processes != 0 && u.processes > job->processes)
        end_command(r, BY_PROCESSES);
    else if (r->events.full)
        end_command(r, BY_OUTPUT);
    else if (job->seconds != 0 && now() - r->started > job->seconds)
        end_command(r, BY_TIME);
    else if (r->asked && now() - r->asked_at > grace_seconds)
        usage_kill_all(job->cgroup, r->child, &r->how);
}

/* Returns true if this process has received a signal: the job is to end. */
static bool is_cancelled(const run *r)
{
    struct signalfd_siginfo info;
    bool cancelled = false;
    while (read(r->signals, &info, sizeof info) == (ssize_t) sizeof info)
        cancelled = cancelled || info.ssi_signo != SIGCHLD;
    return cancelled;
}

/* Runs until the command has ended; processes that it left may still hold its pipes open. */
static void follow(run *r, int out, int err, omend_lines *lines)
{
    struct pollfd fds[] = { { r->signals, POLLIN, 0 }, { out, POLLIN, 0 }, { err, POLLIN, 0 } };
    double watched = 0;
    for (bool ended = false; !ended;) {
        int n = poll(fds, 3, watch_ms);
        if (n > 0 && (fds[0].revents & POLLIN) != 0 && is_cancelled(r))
            end_command(r, BY_CANCEL);
        for (int i = 1; n > 0 && i < 3; i++)
            if (fds[i].revents != 0 && !lines_read(&lines[i - 1], fds[i].fd))
                fds[i].fd = -1;
        if (now() - watched >= watch_ms * 1e-3) {
            watch(r);
            watched = now();
        }
        siginfo_t info = { 0 };
        ended = waitid(P_PID, (id_t) r->child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
                info.si_pid == r->child;
    }
}

static void drain(int fd, omend_lines *lines)
{
    if (fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
        for (bool more = true; more;) {
            struct pollfd p = { fd, POLLIN, 0 };
            more = poll(&p, 1, 0) > 0 && lines_read(lines, fd);
        }
    lines_end(lines);
}

/* Turns the file that a command wrote, one JSON value after the other, into events. */
static void tell_output(run *r, const om_command *c)
{
    int fd = openat(r->work, c->output, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    json_t *value;
    while (f != NULL && (value = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL)) != NULL)
        events_put_json(&r->events, c->what, value);
    if (f != NULL)
        (void) fclose(f);
    else if (fd >= 0)
        (void) close(fd);
}

static bool run_command(run *r, const om_command *c)
{
    int out[2], err[2];
    assert(r->why == ENDED); /* after a limit no command begins */
    omend_events nowhere = { .fd = -1, .full = true };
    /* Notes of a command that does not decide only repeat those of the others. */
    omend_events *notes = c->decides ? &r->events : &nowhere;
    omend_lines lines[2] = { { .events = &r->events }, { .events = notes, .notes = true } };
    r->asked = false;
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
        return failed("pipe");
    r->how = 0;
    r->child = fork();
    if (r->child == 0)
        start(r, c, (int[]){ out[1], err[1] });
    (void) close(out[1]);
    (void) close(err[1]);
    if (r->child < 0)
        return failed("fork");
    follow(r, out[0], err[0], lines);
    /* Processes that it has left must not write any more. */
    usage_kill_all(r->job.cgroup, r->child, &r->how);
    drain(out[0], &lines[0]);
    drain(err[0], &lines[1]);
    if (c->output != NULL && c->what != NULL)
        tell_output(r, c);
    (void) close(out[0]);
    (void) close(err[0]);
    if (c->decides) {
        r->status = r->how;
        r->decided = true;
        memcpy(r->note, lines[1].last, sizeof r->note);
    }
    if (r->events.full && r->why == ENDED)
        r->why = BY_OUTPUT;
    return true;
}

/* ---- the job ---- */

static json_t *text_or_null(const char *text)
{
    json_t *made = text == NULL || *text == '\0' ? json_null() : json_string(text);
    return made == NULL ? json_string("(not UTF-8)") : made;
}

static json_t *report(const run *r)
{
    struct rusage u;
    (void) getrusage(RUSAGE_CHILDREN, &u);
    bool exited = r->decided && WIFEXITED(r->status);
    bool killed = r->decided && WIFSIGNALED(r->status);
    double cpu = (double) (u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                 (double) (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
    assert(!exited || !killed);
    const char *why = end_names[r->why];
    if (why == NULL && killed && WTERMSIG(r->status) == SIGKILL && usage_oom(r->job.cgroup))
        why = end_names[BY_MEMORY];
    return json_pack("{s:o, s:o, s:o, s:o, s:f, s:f, s:I, s:i}", "ended_by", text_or_null(why),
        "status", exited ? json_integer(WEXITSTATUS(r->status)) : json_null(), "signal",
        killed ? json_integer(WTERMSIG(r->status)) : json_null(), "note", text_or_null(r->note),
        "seconds", now() - r->started, "cpu_seconds", cpu, "peak_bytes", (json_int_t) r->most.bytes,
        "peak_processes", (int) r->most.processes);
}

/* Writes the report atomically, even if the machine stops. */
static bool write_report(const run *r)
{
    json_t *value = report(r);
    char *text = value == NULL ? NULL : json_dumps(value, JSON_COMPACT);
    json_decref(value);
    int fd = openat(r->folder, "report.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = text != NULL && fd >= 0 && write(fd, text, strlen(text)) == (ssize_t) strlen(text) &&
              fsync(fd) == 0 && fsync(r->events.fd) == 0;
    if (fd >= 0)
        (void) close(fd);
    free(text);
    ok = ok && renameat(r->folder, "report.new", r->folder, "report") == 0 && fsync(r->folder) == 0;
    return ok || failed("report");
}

/* The lock tells that a process is at work here; the file holds its pid. */
static bool lock_folder(const run *r)
{
    char number[24];
    int fd = openat(r->folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
        return failed("lock");
    int n = snprintf(number, sizeof number, "%d\n", (int) getpid());
    /* The descriptor stays open as long as this process lives. */
    return (ftruncate(fd, 0) == 0 && write(fd, number, (size_t) n) == n) || failed("lock");
}

static bool open_all(run *r, const char *path)
{
    struct stat st;
    sigset_t set;
    r->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->folder < 0)
        return failed(path);
    if (!lock_folder(r) || !job_read(&r->job, r->folder))
        return false;
    r->work = openat(r->folder, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    r->events.fd = openat(r->folder, "events", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (r->work < 0 || r->events.fd < 0 || fstat(r->events.fd, &st) != 0)
        return failed("events");
    r->events.written = (uint64_t) st.st_size;
    r->events.most = r->job.output_bytes == 0 ? 0 : r->events.written + r->job.output_bytes;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return failed("signals");
    r->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (r->signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return failed("signals");
    return true;
}

int main(int argc, char **argv)
{
    run r = { .why = ENDED };
    bool ok = true;
    if (argc != 2) {
        (void) fputs("usage: omend-job DIR (omend starts it)\n", stderr);
        return 2;
    }
    r.started = now();
    if (!open_all(&r, argv[1]))
        return 1;
    for (size_t i = 0; ok && i < r.job.command_count && r.why == ENDED; i++)
        ok = run_command(&r, &r.job.commands[i]);
    ok = write_report(&r) && ok;
    job_free(&r.job);
    return ok ? 0 : 1;
}
