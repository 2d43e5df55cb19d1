/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
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

/* Standard input, output and error of the program. What it prints must not get between its answers:
 * the drivers and plug-ins in it may print what they like. */
static int add_files(posix_spawn_file_actions_t *actions, int fd)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < 3; i++)
        rc = fd >= 0 && i == 0
                 ? posix_spawn_file_actions_adddup2(actions, fd, i)
                 : posix_spawn_file_actions_addopen(actions, i, "/dev/null", O_RDWR, 0);
    return rc;
}

int om_child__start(const char *path, char *const argv[], int fd, pid_t *pid)
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
    (void) posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    rc = add_files(&actions, fd);
    if (rc == 0)
        rc = posix_spawn(pid, path, &actions, &attr, argv, environ);
    (void) posix_spawnattr_destroy(&attr);
    (void) posix_spawn_file_actions_destroy(&actions);
    return rc;
}

void om_child__end(pid_t pid)
{
    int status = 0;
    (void) kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
}
