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
#include <time.h>
#include <unistd.h>

extern char **environ;

/* How often the control is looked at. */
enum { GLANCE_MS = 1 };

/*
 * -O1: at most half the compile time of -O2, and code as fast (rows are copied by memcpy(), guards
 * are shared in the text already). Nor would plain -O2 do: gcc 12.2's bswap pass merges byte-wise
 * reads of neighbouring words wrongly, (d[0] & 255) | (d[1] & ~255) into a load of d[0], and packed
 * vectors are full of such expressions (an earlier text of hosts/cli/demo/lossy.dve had 86,136
 * states instead of 2,981, with -fno-store-merging too). The pass belongs to
 * -fexpensive-optimizations, which -O1 leaves off; -O2 -fno-expensive-optimizations is right too.
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

/* What the compiler said so far. */
typedef struct speech {
    char line[256];
    size_t used;
    char *why;
    size_t why_size;
} speech;

/* The first line of what the compiler says goes to `why`, or the first with "error" in it; the rest
 * is thrown away. */
static void hear(speech *s, const char *chunk, size_t n)
{
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

/* Listens until the other end is closed everywhere, or the control stops. */
static void listen(int fd, const om_control *control, char *why, size_t why_size)
{
    speech s = { .why = why, .why_size = why_size };
    struct pollfd end = { .fd = fd, .events = POLLIN };
    why[0] = '\0';
    while (om_control_status(control) == OM_OK) {
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

/* In a process group of its own, so that all it starts can be killed together, and with signals
 * as programs expect them (ours may be blocked). */
static int attributes(posix_spawnattr_t *attr)
{
    sigset_t none;
    int rc = posix_spawnattr_init(attr);
    if (rc != 0)
        return rc;
    sigemptyset(&none);
    rc = posix_spawnattr_setsigmask(attr, &none);
    if (rc == 0)
        rc = posix_spawnattr_setpgroup(attr, 0);
    if (rc == 0)
        rc = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    if (rc != 0)
        (void) posix_spawnattr_destroy(attr);
    return rc;
}

/* Starts it with stderr into a pipe. 0 or an errno; *pid and *from are set last. */
static int start(const char *path, char *const *argv, char *const *env, pid_t *pid, int *from)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    int rc = attributes(&attr);
    if (rc != 0)
        goto done;
    rc = posix_spawn_file_actions_init(&actions);
    if (rc != 0) {
        (void) posix_spawnattr_destroy(&attr);
        goto done;
    }
    rc = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    if (rc == 0)
        rc = posix_spawn(pid, path, &actions, &attr, argv, env);
    (void) posix_spawnattr_destroy(&attr);
    (void) posix_spawn_file_actions_destroy(&actions);
done:
    (void) close(ends[1]);
    if (rc == 0)
        *from = ends[0];
    else
        (void) close(ends[0]);
    return rc;
}

/* Waits for its end. OM_OK; OM_EUNSUPPORTED when it failed; what the control says when it had to be
 * killed. */
static int wait_for(pid_t pid, const om_control *control)
{
    const struct timespec nap = { 0, GLANCE_MS * 1000000L };
    int status = -1;
    for (;;) {
        int rc = om_control_status(control);
        if (rc != OM_OK)
            (void) kill(-pid, SIGKILL);
        pid_t got = waitpid(pid, &status, rc == OM_OK ? WNOHANG : 0);
        if (rc != OM_OK && got == pid)
            return rc;
        if (got == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? OM_OK : OM_EUNSUPPORTED;
        if (got < 0 && errno != EINTR)
            return OM_EUNSUPPORTED;
        if (got == 0)
            (void) nanosleep(&nap, NULL);
    }
}

int om_compiler__run(const om_heap *heap, const om_control *control, const om_compiler *c,
    const char *folder, const char *source, const char *object, char *why, size_t why_size)
{
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
        listen(from, control, why, why_size);
        (void) close(from);
        rc = wait_for(pid, control);
        if (rc == OM_EUNSUPPORTED && why[0] == '\0')
            (void) snprintf(why, why_size, "%s fails", c->path);
    }
    om_free(heap, tmpdir);
    om_free(heap, env);
    return rc;
}
