/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and runs the C compiler: no shell, no inherited descriptors, temporary files in a given
 * folder. */
#include "native_make.h"

#include "process/child.h"
#include "native_abi.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define BUILDER "omen-build-native"

/* Interval at which the context is polled; longest time for which the end of a compiler's minder is
 * awaited. In ms. */
enum { GLANCE_MS = 1, FAREWELL_MS = 1000 };

/*
 * -O1: at most half the compile time of -O2, and equally fast code (rows are copied by memcpy(),
 * guards are already shared in the text). Plain -O2 would also be wrong: gcc 12.2's bswap pass
 * merges byte-wise reads of neighbouring words incorrectly, (d[0] & 255) | (d[1] & ~255) into a
 * load of d[0], and packed vectors are full of such expressions (an earlier text of
 * hosts/cli/demo/lossy.dve had 86,136 states instead of 2,981, also with -fno-store-merging). The
 * pass belongs to -fexpensive-optimizations, which -O1 omits; -O2 -fno-expensive-optimizations is
 * correct, too.
 */
static const char *const FLAGS[] = { "-std=c11", "-w", "-O1", "-fPIC", "-shared", "-fwrapv",
    "-pipe", NULL };

/*
 * For large texts (native.c). CPU time of gcc 12.2 in s, and ns of the code for the successors of a
 * state:
 *
 *                       KB     -O0        -Og        -O1
 *   telephony.4         73   0.07 38    0.08 23    0.10 21
 *   snoopy.pml         201   0.15 82    0.16 56    0.37 55
 *   firewire_link.5    496   0.39 60    0.41 46    0.64 47
 *   leader0.pml        824   0.59 197   0.83 93    1.33 83
 *   LTL/pftp.pml      1021   0.86 229   1.12 67    1.75 55
 *   App.F.pftp.pml    5413   5.3 299    6.0 127   12.8 89
 *
 * These texts were longer than today's: they had what kernels need, too, wrote large conditions
 * that can fault each time, and had no shapes. Now they have 28, 57, 115, 75, 91 and 191 KB, and
 * gcc takes 0.2, 0.4, 0.7, 0.5, 0.6 and 1.5 s for them with -O1, and 0.1, 0.2, 0.6, 0.3, 0.3 and
 * 0.8 s with -Og.
 *
 * -Og omits -fexpensive-optimizations, too. To clang 14 it is -O1, which takes it six times as long
 * as -O0 (LTL/pftp.pml: 1.55 and 0.26 s).
 */
static const char *const QUICK_FLAGS[] = { "-std=c11", "-w", "-Og", "-fPIC", "-shared", "-fwrapv",
    "-pipe", NULL };
static const char *const QUICK_CLANG_FLAGS[] = { "-std=c11", "-w", "-O0", "-fPIC", "-shared",
    "-fwrapv", "-pipe", NULL };

/* ---- finding the compiler ---- */

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool in_path(const char *name, char *out, size_t size)
{
    const char *path = getenv("PATH");
    if (path == NULL)
        path = "/usr/local/bin:/usr/bin:/bin";
    while (*path != '\0') {
        size_t n = strcspn(path, ":");
        int used = snprintf(out, size, "%.*s/%s", (int) n, path, name);
        if (n > 0 && used > 0 && (size_t) used < size && is_program(out))
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

int om_cc__find(om_cc *c, char *why, size_t why_size)
{
    const char *name = getenv("OMEN_CC");
    return om_cc__named(c, name == NULL || name[0] == '\0' ? "cc" : name, why, why_size);
}

/* Makes the path absolute, because a compiler may run in another folder. */
static bool make_absolute(char *path, size_t size)
{
    char here[sizeof((om_cc *) 0)->path], whole[sizeof here];
    if (path[0] == '/')
        return true;
    if (getcwd(here, sizeof here) == NULL)
        return false;
    const int n = snprintf(whole, sizeof whole, "%s/%s", here, path);
    if (n < 0 || (size_t) n >= sizeof whole || (size_t) n >= size)
        return false;
    memcpy(path, whole, (size_t) n + 1);
    return true;
}

void om_cc__hurry(om_cc *c)
{
    char *path = realpath(c->path, NULL);
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    const bool clang = slash != NULL && strstr(slash, "clang") != NULL;
    free(path);
    c->flags = clang ? QUICK_CLANG_FLAGS : QUICK_FLAGS;
}

int om_cc__named(om_cc *c, const char *name, char *why, size_t why_size)
{
    struct stat st;
    bool found;
    if (strchr(name, '/') != NULL) {
        int n = snprintf(c->path, sizeof c->path, "%s", name);
        found = n > 0 && (size_t) n < sizeof c->path && is_program(c->path);
    } else {
        found = in_path(name, c->path, sizeof c->path);
    }
    if (!found || !make_absolute(c->path, sizeof c->path) || stat(c->path, &st) != 0) {
        (void) snprintf(why, why_size, "C compiler '%s' not found", name);
        return OM_EUNSUPPORTED;
    }
    c->flags = FLAGS;
    (void) snprintf(c->identity, sizeof c->identity, "%s %jd %jd.%ld", c->path,
        (intmax_t) st.st_size, (intmax_t) st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return OM_OK;
}

/* ---- running the compiler ---- */

/* Returns the environment of this process with TMPDIR=folder. All strings but this one are
 * borrowed. */
static char **environment(const om_heap *heap, const char *folder, char **tmpdir)
{
    size_t count = 0, used = 0;
    while (environ[count] != NULL)
        count++;
    char **all = om_alloc(heap, count + 2, sizeof *all);
    om_text text = { .heap = heap };
    om_text_printf(&text, "TMPDIR=%s", folder);
    if (all == NULL || text.failed) {
        om_free(heap, all);
        om_text_free(&text);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0)
            all[used++] = environ[i];
    all[used] = *tmpdir = text.text;
    return all;
}

/* The output of the compiler so far. */
typedef struct speech {
    char line[256];
    size_t used;
    char *why;
    size_t why_size;
} speech;

/* Copies the first line of output to `why`, or the first one with "error" in it; discards the
 * rest. */
static void hear(speech *s, const char *chunk, size_t n)
{
    assert(s->used < sizeof s->line);
    for (size_t i = 0; i < n; i++) {
        if (chunk[i] != '\n' && s->used + 1 < sizeof s->line)
            s->line[s->used++] = chunk[i];
        s->line[s->used] = '\0';
        if (chunk[i] != '\n')
            continue;
        if (s->why[0] == '\0' ||
            (strstr(s->why, "error") == NULL && strstr(s->line, "error") != NULL))
            (void) snprintf(s->why, s->why_size, "%s", s->line);
        s->used = 0;
    }
}

/* Reads until all copies of the other end are closed, or the context is stopped. */
static void listen_to(int fd, const om_context *ctx, char *why, size_t why_size)
{
    speech s = { .why = why, .why_size = why_size };
    struct pollfd end = { .fd = fd, .events = POLLIN };
    why[0] = '\0';
    while (om_context_stopped(ctx) == OM_OK) {
        char chunk[4096];
        int ready = poll(&end, 1, GLANCE_MS);
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        ssize_t n = ready < 0 ? -1 : read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        hear(&s, chunk, (size_t) n);
    }
}

/* A running compiler, either started directly or under omen-build-native. */
typedef struct process {
    const char *path, *compiler;
    bool minded;
    om_native_keep *keep; /* NULL: the compiler must not go on */
    pid_t pid;
    int line; /* socket that receives its output */
} process;

/* Waits for the end of the process. Returns false if that takes too long, or if it fails. */
static bool has_ended(const process *p, int *status, unsigned patience_ms)
{
    const struct timespec nap = { 0, GLANCE_MS * 1000000L };
    for (unsigned i = 0; i < patience_ms; i += GLANCE_MS) {
        const pid_t got = waitpid(p->pid, status, WNOHANG);
        if (got == p->pid || (got < 0 && errno != EINTR))
            return got == p->pid;
        (void) nanosleep(&nap, NULL);
    }
    return false;
}

/* Waits for the end of a worker of builder_keep.c without its minder: it removes temporary files
 * and holds the lock of their folder. The end shows in that of its socket. */
static void await_worker(const process *p)
{
    const struct timespec nap = { 0, GLANCE_MS * 1000000L };
    struct pollfd end = { .fd = p->line, .events = POLLIN };
    char rest[256];
    while (poll(&end, 1, FAREWELL_MS) > 0 && read(p->line, rest, sizeof rest) > 0)
        continue;
    (void) nanosleep(&nap, NULL);
}

/* Kills the process and what it started. */
static void end_all(const process *p)
{
    om_child__end(p->pid);
    if (p->keep != NULL)
        await_worker(p);
}

/* Ends the work of a process whose context is stopped. It is not killed if the compiler may go on;
 * its minder then ends at once, or ends everything because it may not. */
static void let_go(const process *p, om_context *ctx)
{
    const om_stop_reason reason = om_control_stopped(om_context_control(ctx));
    const char word = OM_NATIVE_GO_ON;
    int status = 0;
    if (p->keep == NULL ||
        (reason != OM_STOP_FOUND && reason != OM_STOP_TIMEOUT && reason != OM_STOP_STATES)) {
        end_all(p);
        return;
    }
    const bool told = send(p->line, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
    /* A minder that has not ended by then is only slow. */
    p->keep->left = told && (!has_ended(p, &status, FAREWELL_MS) ||
                                (WIFEXITED(status) && WEXITSTATUS(status) == OM_NATIVE_LEFT));
    if (!told)
        end_all(p);
    else if (!p->keep->left)
        await_worker(p);
}

/* Waits until the process terminates. Returns OM_OK; OM_EUNSUPPORTED if it failed, with a reason
 * unless `why` has one; or the status of the context if the process had to be killed. */
static int wait_for(const process *p, om_context *ctx, char *why, size_t why_size)
{
    const struct timespec nap = { 0, GLANCE_MS * 1000000L };
    int status = -1;
    for (pid_t got = 0; got != p->pid;) {
        int rc = om_context_stopped(ctx);
        if (rc != OM_OK) {
            let_go(p, ctx);
            return rc;
        }
        got = waitpid(p->pid, &status, WNOHANG);
        if (got < 0 && errno != EINTR)
            return OM_EUNSUPPORTED;
        if (got == 0)
            (void) nanosleep(&nap, NULL);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == (p->minded ? OM_NATIVE_GOOD : 0))
        return OM_OK;
    if (p->minded && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        (void) snprintf(why, why_size, "the library compiled by %s ends the process that opens it",
            p->compiler);
    else if (WIFSIGNALED(status)) /* omen-build-native reports how the compiler itself ended */
        (void) snprintf(why, why_size, "%s%s is ended by signal %d",
            p->minded ? "the process that opens the library compiled by " : "", p->compiler,
            WTERMSIG(status));
    else if (why[0] == '\0')
        (void) snprintf(why, why_size, "%s fails", p->compiler);
    return OM_EUNSUPPORTED;
}

/* Starts the process. Returns 0 or an errno. */
static int start(process *p, char *const *argv, char *const *env)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    const om_child_start how = { .argv = argv,
        .env = env,
        .in = p->minded ? ends[1] : -1,
        .err = ends[1],
        .session = p->keep != NULL };
    int error = om_child__start_as(p->path, &how, &p->pid);
    (void) close(ends[1]);
    if (error == 0)
        p->line = ends[0];
    else
        (void) close(ends[0]);
    return error;
}

typedef union command { /* posix_spawn() takes char * but modifies none of them */
    const char *set[32];
    char *passed[32];
} command;

/* Writes the command line of omen-build-native. Returns the index of the compiler's own. */
static size_t write_command(command *out, const om_cc *c, const om_cc_files *files,
    const om_native_keep *keep, char nice[4])
{
    size_t argc = 0;
    out->set[argc++] = BUILDER;
    if (keep != NULL) {
        (void) snprintf(nice, 4, "%u", (unsigned) keep->nice % 100);
        out->set[argc++] = "keep";
        out->set[argc++] = nice;
        out->set[argc++] = keep->suffix;
        out->set[argc++] = keep->old;
        out->set[argc++] = files->source;
    }
    out->set[argc++] = files->object;
    const size_t own = argc;
    out->set[argc++] = c->path;
    for (size_t i = 0; c->flags[i] != NULL; i++)
        out->set[argc++] = c->flags[i];
    out->set[argc++] = "-o";
    out->set[argc++] = files->object;
    out->set[argc++] = files->source;
    assert(argc < sizeof out->set / sizeof *out->set);
    out->set[argc] = NULL;
    return own;
}

int om_cc__run(om_context *ctx, const om_cc *c, const om_cc_files *files, om_native_keep *keep,
    char *why, size_t why_size)
{
    command argv;
    char nice[4], *tmpdir = NULL;
    const om_heap *heap = om_context_heap(ctx);
    char **env = environment(heap, files->folder, &tmpdir);
    if (env == NULL)
        return OM_ENOMEM;
    /* Without that program (another host may embed the library), the compiler runs directly. */
    char *minder = om_child__find(heap, BUILDER);
    const size_t own = write_command(&argv, c, files, keep, nice);
    process p = { .path = minder == NULL ? c->path : minder,
        .compiler = c->path,
        .minded = minder != NULL,
        .keep = minder == NULL ? NULL : keep };
    if (keep != NULL)
        keep->stored = p.minded;
    int rc = OM_EUNSUPPORTED, error = start(&p, argv.passed + (p.minded ? 0 : own), env);
    if (error == 0) {
        listen_to(p.line, ctx, why, why_size);
        rc = wait_for(&p, ctx, why, why_size);
        (void) close(p.line);
    } else
        (void) snprintf(why, why_size, "cannot run %s: %s", p.path, strerror(error));
    OM_FREE_ALL(heap, minder, tmpdir, env);
    return rc;
}
