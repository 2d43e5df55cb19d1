/* SPDX-License-Identifier: Apache-2.0 */
/* Runs Slurm's commands without a shell. No command may take long or delay the end of omend. */
#include "clock.h"
#include "slurm_impl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ANSWER = 4 << 20, LOOK_MS = 50, LONGEST_PAUSE_MS = 300000 };

static const char *const names[SLURM_TOOLS] = { "sbatch", "squeue", "sacct", "scancel" };

/* ---- arguments ---- */

static void add_word(words *w, char *text)
{
    if (text == NULL || w->count + 1 >= (int) (sizeof w->argv / sizeof *w->argv)) {
        free(text);
        w->failed = true;
        return;
    }
    w->argv[w->count++] = text;
    w->argv[w->count] = NULL;
}

void words_add(words *w, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    add_word(w, text);
}

void words_split(words *w, const char *text)
{
    for (size_t n; text += strspn(text, " \t"), (n = strcspn(text, " \t")) != 0; text += n)
        add_word(w, strndup(text, n));
}

void words_free(words *w)
{
    for (int i = 0; i < w->count; i++)
        free(w->argv[i]);
    *w = (words){ 0 };
}

/* ---- failures ---- */

int64_t slurm_pause(const struct slurm *s, int failures)
{
    int64_t pause = (int64_t) (settings_now(s->pool->settings)->slurm_interval_ns / 1000000);
    for (int i = 1; i < failures && pause < LONGEST_PAUSE_MS; i++)
        pause *= 2;
    return pause < LONGEST_PAUSE_MS ? pause : LONGEST_PAUSE_MS;
}

bool slurm_is_due(const struct slurm *s, slurm_tool which)
{
    return clock_ms(CLOCK_MONOTONIC) >= s->tools[which].due_ms;
}

/* A repeated problem is reported once. */
void slurm_failed(struct slurm *s, slurm_tool which, const char *fmt, ...)
{
    tool *t = &s->tools[which];
    char said[sizeof t->said];
    va_list args;
    va_start(args, fmt);
    (void) vsnprintf(said, sizeof said, fmt, args);
    va_end(args);
    t->failures++;
    t->due_ms = clock_ms(CLOCK_MONOTONIC) + slurm_pause(s, t->failures);
    if (t->failures > 1 && strcmp(said, t->said) == 0)
        return;
    memcpy(t->said, said, sizeof said);
    om_note(
        s->pool->ctx, OM_NOTE_WARNING, NULL, "%s: %s (will be tried again)", names[which], said);
}

void slurm_worked(struct slurm *s, slurm_tool which)
{
    tool *t = &s->tools[which];
    if (t->failures > 0)
        om_note(s->pool->ctx, OM_NOTE_NOTICE, NULL, "%s works again", names[which]);
    *t = (tool){ 0 };
}

/* ---- running ---- */

/* Output of a command on one of its files. */
typedef struct intake {
    int fd;
    char *text;
    size_t length, room;
    bool too_much;
} intake;

/* Reads a piece of the output. Returns false at its end. */
static bool take(intake *t)
{
    if (t->length + 4096 > t->room) {
        size_t room = t->room == 0 ? 16384 : t->room * 2;
        char *text = room > MOST_ANSWER ? NULL : realloc(t->text, room);
        if (text == NULL) {
            t->too_much = true;
            return false;
        }
        t->text = text;
        t->room = room;
    }
    assert(t->room - t->length > 1);
    ssize_t n = read(t->fd, t->text + t->length, t->room - t->length - 1);
    if (n > 0)
        t->length += (size_t) n;
    t->text[t->length] = '\0';
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Runs in the child of a process with threads: only system calls are allowed. */
static _Noreturn void become(const char *path, char *const *argv, int out, int err, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void) setsid();
    (void) sigprocmask(SIG_SETMASK, &none, NULL);
    /* A command must not survive a killed omend: it could submit a job that the next omend submits,
     * too. */
    if (input >= 0 && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid() == parent &&
        dup2(input, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0)
        (void) execvp(path, argv);
    static const char failed[] = "cannot run it\n";
    (void) write(err, failed, sizeof failed - 1);
    _exit(127);
}

typedef enum outcome { CAME_TO_END, TOOK_TOO_LONG, WAS_STOPPED, SAID_TOO_MUCH } outcome;

/* Reads until both files have ended, as they do when the command ends, or until its time is
 * over. */
static outcome listen_to(const struct slurm *s, intake *t, int64_t end)
{
    struct pollfd fds[] = { { t[0].fd, POLLIN, 0 }, { t[1].fd, POLLIN, 0 } };
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        int n = poll(fds, 2, LOOK_MS);
        for (int i = 0; n > 0 && i < 2; i++)
            if (fds[i].revents != 0 && !take(&t[i]))
                fds[i].fd = -1;
        if (t[0].too_much || t[1].too_much)
            return SAID_TOO_MUCH;
        if (atomic_load(&s->ending))
            return WAS_STOPPED;
        if (clock_ms(CLOCK_MONOTONIC) >= end)
            return TOOK_TOO_LONG;
    }
    return CAME_TO_END;
}

/* Waits for a command that has closed its files: it may still run. */
static outcome reap(const struct slurm *s, pid_t child, int64_t end, outcome how, int *status)
{
    while (how == CAME_TO_END && waitpid(child, status, WNOHANG) == 0) {
        (void) poll(NULL, 0, 2);
        how = atomic_load(&s->ending)            ? WAS_STOPPED
              : clock_ms(CLOCK_MONOTONIC) >= end ? TOOK_TOO_LONG
                                                 : CAME_TO_END;
    }
    if (how != CAME_TO_END) {
        (void) kill(-child, SIGKILL);
        (void) kill(child, SIGKILL);
        while (waitpid(child, status, 0) < 0 && errno == EINTR)
            continue;
    }
    return how;
}

static bool open_pipes(int *out, int *err)
{
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    if (pipe2(err, O_CLOEXEC) == 0)
        return true;
    (void) close(out[0]);
    (void) close(out[1]);
    return false;
}

/* Returns the last line that is not empty, which says most: earlier lines are warnings. */
static char *last_line(char *text)
{
    char *last = text;
    for (char *line, *rest = text; rest != NULL && (line = slurm_next_line(&rest)) != NULL;)
        if (*line != '\0')
            last = line;
    return last;
}

static bool judge(struct slurm *s, slurm_tool which, outcome how, int status, char *err)
{
    const uint64_t limit = settings_now(s->pool->settings)->slurm_timeout_ns;
    if (how == TOOK_TOO_LONG)
        slurm_failed(s, which, "no answer within %g s", (double) limit * 1e-9);
    else if (how == SAID_TOO_MUCH)
        slurm_failed(s, which, "its output is longer than %d MiB", MOST_ANSWER >> 20);
    else if (how == WAS_STOPPED)
        return false;
    else if (WIFSIGNALED(status))
        slurm_failed(s, which, "killed by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        slurm_failed(s, which, "exit status %d: %.300s", WEXITSTATUS(status),
            err == NULL || *err == '\0' ? "no message" : last_line(err));
    else
        return true;
    return false;
}

static char *run_at(struct slurm *s, slurm_tool which, const char *path, words *w)
{
    const int64_t limit = (int64_t) (settings_now(s->pool->settings)->slurm_timeout_ns / 1000000);
    const pid_t parent = getpid();
    int out[2], err[2], status = 0;
    if (!open_pipes(out, err)) {
        slurm_failed(s, which, "cannot start it: %s", strerror(errno));
        return NULL;
    }
    pid_t child = fork();
    if (child == 0)
        become(path, w->argv, out[1], err[1], parent);
    (void) close(out[1]);
    (void) close(err[1]);
    intake t[] = { { .fd = out[0] }, { .fd = err[0] } };
    bool ok = false;
    if (child < 0) {
        slurm_failed(s, which, "cannot start it: %s", strerror(errno));
    } else {
        const int64_t end = clock_ms(CLOCK_MONOTONIC) + limit;
        outcome how = reap(s, child, end, listen_to(s, t, end), &status);
        ok = judge(s, which, how, status, t[1].text);
    }
    (void) close(out[0]);
    (void) close(err[0]);
    free(t[1].text);
    if (ok && t[0].text == NULL)
        t[0].text = strdup("");
    if (!ok) {
        free(t[0].text);
        return NULL;
    }
    return t[0].text;
}

char *slurm_run(struct slurm *s, slurm_tool which, words *w)
{
    const char *folder = settings_now(s->pool->settings)->slurm_commands;
    char path[4200], *out = NULL;
    int n = *folder == '\0' ? snprintf(path, sizeof path, "%s", names[which])
                            : snprintf(path, sizeof path, "%s/%s", folder, names[which]);
    if (w->failed || w->count == 0 || n < 0 || n >= (int) sizeof path)
        slurm_failed(s, which, "too many arguments, or out of memory");
    else
        out = run_at(s, which, path, w);
    words_free(w);
    return out;
}
