/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's helper programs. posix_spawn(), not fork(), because this process has threads and
 * may be large. Each program gets a process group, so that om_child__end() also kills the processes
 * that it starts.
 */
#define _GNU_SOURCE /* POSIX_SPAWN_SETSID */
#include "child.h"

#include "library.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

char *om_child__find(const om_heap *heap, const char *name)
{
    om_text path = { .heap = heap };
    if (om_library__own(&path, name) && !path.failed && access(path.text, X_OK) == 0)
        return path.text;
    om_text_free(&path);
    return NULL;
}

/* Sets standard input, output and error of the program. Its output must not mix with its answers:
 * drivers and plug-ins in it may print anything. */
static int add_files(posix_spawn_file_actions_t *actions, const om_child_start *how)
{
    const int files[] = { how->in, how->out > 0 ? how->out : -1, how->err > 0 ? how->err : -1 };
    int rc = 0;
    for (int i = 0; rc == 0 && i < 3; i++)
        rc = files[i] >= 0 ? posix_spawn_file_actions_adddup2(actions, files[i], i)
                           : posix_spawn_file_actions_addopen(actions, i, "/dev/null", O_RDWR, 0);
    return rc;
}

int om_child__start_as(const char *path, const om_child_start *how, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t none;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc != 0)
        return rc;
    if ((rc = posix_spawnattr_init(&attr)) != 0) {
        (void) posix_spawn_file_actions_destroy(&actions);
        return rc;
    }
    (void) sigemptyset(&none);
    (void) posix_spawnattr_setsigmask(&attr, &none);
    (void) posix_spawnattr_setpgroup(&attr, 0);
    /* The leader of a session leads a process group of it. */
    (void) posix_spawnattr_setflags(
        &attr, (short) (POSIX_SPAWN_SETSIGMASK |
                        (how->session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP)));
    rc = add_files(&actions, how);
    if (rc == 0)
        rc = posix_spawnp(
            pid, path, &actions, &attr, how->argv, how->env == NULL ? environ : how->env);
    (void) posix_spawnattr_destroy(&attr);
    (void) posix_spawn_file_actions_destroy(&actions);
    return rc;
}

int om_child__launch(const char *path, char *const argv[], pid_t *pid, int *line)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    int rc = om_child__start_as(path, &(om_child_start){ .argv = argv, .in = ends[1] }, pid);
    (void) close(ends[1]);
    if (rc == 0)
        *line = ends[0];
    else
        (void) close(ends[0]);
    return rc;
}

void om_child__end(pid_t pid)
{
    assert(pid > 0); /* 0 and -1 stand for other processes than one group */
    int status = 0;
    (void) kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
}
