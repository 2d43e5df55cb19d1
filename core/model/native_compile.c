/* SPDX-License-Identifier: Apache-2.0 */
/* Finding and running the C compiler: no shell, no inherited descriptors, its temporary files where
 * we say. */
#define _GNU_SOURCE /* pipe2: no descriptor may slip into a program that another thread starts */
#include "native.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/*
 * -O1, not -O2: gcc 12.2 at -O2 merges byte-wise reads and writes of neighbouring words wrongly.
 * Its bswap pass makes (d[0] & 255) | (d[1] & ~255) a plain load of d[0] (seen on
 * hosts/cli/demo/lossy.dve, whose state space grew from 2,981 to 86,136), and packed vectors are
 * full of such expressions. At -O1 that pass, and store merging, which shares its code, are off.
 */
const char *const om_compiler__flags[] = { "-std=c11", "-w", "-O1", "-fPIC", "-shared", "-fwrapv",
    "-pipe", NULL };

/* ---- which ---- */

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

int om_compiler__find(om_compiler *c, char *why, size_t why_size)
{
    const char *name = getenv("OMEN_CC");
    struct stat st;
    bool found;
    if (name == NULL || name[0] == '\0')
        name = "cc";
    if (strchr(name, '/') != NULL) {
        int n = snprintf(c->path, sizeof c->path, "%s", name);
        found = n > 0 && (size_t) n < sizeof c->path && is_program(c->path);
    } else {
        found = in_path(name, c->path, sizeof c->path);
    }
    if (!found || stat(c->path, &st) != 0) {
        (void) snprintf(why, why_size, "no C compiler '%s'", name);
        return OM_EUNSUPPORTED;
    }
    (void) snprintf(c->identity, sizeof c->identity, "%s %jd %jd.%ld", c->path,
        (intmax_t) st.st_size, (intmax_t) st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return OM_OK;
}

/* ---- run ---- */

/* Our environment with TMPDIR=folder; strings but one are borrowed. */
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

/* What the compiler says: the first line goes to `why`, or the first with "error" in it; the rest
 * is thrown away. */
typedef struct listener {
    char line[256], *why;
    size_t used, why_size;
} listener;

static void hear(listener *l, const char *chunk, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (chunk[i] != '\n' && l->used + 1 < sizeof l->line)
            l->line[l->used++] = chunk[i];
        l->line[l->used] = '\0';
        if (chunk[i] != '\n')
            continue;
        if (l->why[0] == '\0' ||
            (strstr(l->why, "error") == NULL && strstr(l->line, "error") != NULL))
            (void) snprintf(l->why, l->why_size, "%s", l->line);
        l->used = 0;
    }
}

/* Listens until the compiler has closed its end. True when it had to be told to go: politely, so
 * that it removes its temporary files, then not. */
static bool listen(om_context *ctx, pid_t pid, int fd, char *why, size_t why_size)
{
    enum { PATIENCE_MS = 10, POLITE_ROUNDS = 200 };
    listener l = { .why = why, .why_size = why_size };
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    char chunk[4096];
    int told = 0;
    why[0] = '\0';
    for (;;) {
        int ready = poll(&wait, 1, PATIENCE_MS);
        if (told > 0 || om_context_unwanted(ctx)) {
            if (told == 0 || told == POLITE_ROUNDS)
                (void) kill(-pid, told == 0 ? SIGTERM : SIGKILL);
            told++;
        }
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return told > 0;
        hear(&l, chunk, (size_t) n);
    }
}

/* Signals are what they are in a fresh program, and a group of its own lets all its children be
 * stopped together. 0 or an errno. */
static int set_attributes(posix_spawnattr_t *attr)
{
    sigset_t set;
    sigemptyset(&set);
    int rc = posix_spawnattr_setsigmask(attr, &set);
    sigaddset(&set, SIGPIPE);
    if (rc == 0)
        rc = posix_spawnattr_setsigdefault(attr, &set);
    if (rc == 0)
        rc = posix_spawnattr_setpgroup(attr, 0);
    if (rc == 0)
        rc = posix_spawnattr_setflags(
            attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    return rc;
}

static int spawn(const char *path, char *const *argv, char *const *env,
    const posix_spawn_file_actions_t *actions, pid_t *pid)
{
    posix_spawnattr_t attr;
    int rc = posix_spawnattr_init(&attr);
    if (rc != 0)
        return rc;
    rc = set_attributes(&attr);
    if (rc == 0)
        rc = posix_spawn(pid, path, actions, &attr, argv, env);
    (void) posix_spawnattr_destroy(&attr);
    return rc;
}

/* Starts it with stderr into a pipe. 0 or an errno; *pid and *from are set last. */
static int start(const char *path, char *const *argv, char *const *env, pid_t *pid, int *from)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc != 0)
        goto done;
    rc = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    if (rc == 0)
        rc = spawn(path, argv, env, &actions, pid);
    (void) posix_spawn_file_actions_destroy(&actions);
done:
    (void) close(ends[1]);
    if (rc == 0)
        *from = ends[0];
    else
        (void) close(ends[0]);
    return rc;
}

static bool ended_well(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int om_compiler__run(om_context *ctx, const om_compiler *c, const char *folder, const char *source,
    const char *object, char *why, size_t why_size)
{
    const om_heap *heap = om_context_heap(ctx);
    union { /* posix_spawn() wants char *, and changes none of them */
        const char *set[16];
        char *passed[16];
    } argv;
    size_t argc = 0;
    char *tmpdir = NULL;
    pid_t pid = -1;
    int from = -1;

    char **env = environment(heap, folder, &tmpdir);
    if (env == NULL)
        return OM_ENOMEM;
    argv.set[argc++] = c->path;
    for (size_t i = 0; om_compiler__flags[i] != NULL; i++)
        argv.set[argc++] = om_compiler__flags[i];
    argv.set[argc++] = "-o";
    argv.set[argc++] = object;
    argv.set[argc++] = source;
    argv.set[argc] = NULL;
    int rc = start(c->path, argv.passed, env, &pid, &from);
    if (rc != 0) {
        (void) snprintf(why, why_size, "cannot run %s: %s", c->path, strerror(rc));
        rc = OM_EUNSUPPORTED;
    } else {
        bool told = listen(ctx, pid, from, why, why_size);
        (void) close(from);
        rc = ended_well(pid) ? OM_OK : told ? OM_ESTOP : OM_EUNSUPPORTED;
        if (rc == OM_EUNSUPPORTED && why[0] == '\0')
            (void) snprintf(why, why_size, "%s fails", c->path);
    }
    om_free(heap, tmpdir);
    om_free(heap, env);
    return rc;
}
