/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* dladdr() */
#include "child.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

char *om_child__find(const om_heap *heap, const char *name)
{
    static const char *const folders[] = { "omen/", "" };
    Dl_info info;
    void *here = dlsym(RTLD_DEFAULT, "om_devices_open");
    if (here == NULL || dladdr(here, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    size_t length = slash == NULL ? 0 : (size_t) (slash - info.dli_fname) + 1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        om_text path = { .heap = heap };
        om_text_add_n(&path, info.dli_fname, length);
        om_text_add(&path, folders[i]);
        om_text_add(&path, name);
        if (!path.failed && access(path.text, X_OK) == 0)
            return path.text;
        om_text_free(&path);
    }
    return NULL;
}

/* Standard input, output and error of the program. */
static int add_files(posix_spawn_file_actions_t *actions, int fd)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < 3; i++)
        rc = fd >= 0 && i < 2
                 ? posix_spawn_file_actions_adddup2(actions, fd, i)
                 : posix_spawn_file_actions_addopen(actions, i, "/dev/null", O_RDWR, 0);
    return rc;
}

int om_child__start(const char *path, const char *name, int fd, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t none;
    char own_name[64], *argv[] = { own_name, NULL };
    if (strlen(name) >= sizeof own_name)
        return EINVAL;
    memcpy(own_name, name, strlen(name) + 1);
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
