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

/* Interval at which the context is polled, in ms. */
enum { GLANCE_MS = 1 };

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
    if (!found || stat(c->path, &st) != 0) {
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
    pid_t pid;
    int line; /* socket that receives its output */
} process;

/* Waits until the process terminates. Returns OM_OK; OM_EUNSUPPORTED if it failed, with a reason
 * unless `why` has one; or the status of the context if the process had to be killed. */
static int wait_for(const process *p, const om_context *ctx, char *why, size_t why_size)
{
    const struct timespec nap = { 0, GLANCE_MS * 1000000L };
    int status = -1;
    for (pid_t got = 0; got != p->pid;) {
        int rc = om_context_stopped(ctx);
        if (rc != OM_OK) {
            om_child__end(p->pid);
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
    const om_child_start how = {
        .argv = argv, .env = env, .in = p->minded ? ends[1] : -1, .err = ends[1]
    };
    int error = om_child__start_as(p->path, &how, &p->pid);
    (void) close(ends[1]);
    if (error == 0)
        p->line = ends[0];
    else
        (void) close(ends[0]);
    return error;
}

int om_cc__run(om_context *ctx, const om_cc *c, const char *folder, const char *source,
    const char *object, char *why, size_t why_size)
{
    union { /* posix_spawn() takes char * but modifies none of them */
        const char *set[20];
        char *passed[20];
    } argv;
    enum { OWN = 2 }; /* number of arguments of omen-build-native itself */
    const om_heap *heap = om_context_heap(ctx);
    size_t argc = 0;
    char *tmpdir = NULL;
    char **env = environment(heap, folder, &tmpdir);
    if (env == NULL)
        return OM_ENOMEM;
    argv.set[argc++] = BUILDER;
    argv.set[argc++] = object;
    argv.set[argc++] = c->path;
    for (size_t i = 0; c->flags[i] != NULL; i++)
        argv.set[argc++] = c->flags[i];
    argv.set[argc++] = "-o";
    argv.set[argc++] = object;
    argv.set[argc++] = source;
    assert(argc < sizeof argv.set / sizeof *argv.set);
    argv.set[argc] = NULL;
    /* Without that program (another host may embed the library), the compiler runs directly. */
    char *minder = om_child__find(heap, BUILDER);
    process p = {
        .path = minder == NULL ? c->path : minder, .compiler = c->path, .minded = minder != NULL
    };
    int rc = OM_EUNSUPPORTED, error = start(&p, argv.passed + (p.minded ? 0 : OWN), env);
    if (error == 0) {
        listen_to(p.line, ctx, why, why_size);
        rc = wait_for(&p, ctx, why, why_size);
        (void) close(p.line);
    } else
        (void) snprintf(why, why_size, "cannot run %s: %s", p.path, strerror(error));
    OM_FREE_ALL(heap, minder, tmpdir, env);
    return rc;
}
