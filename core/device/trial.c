/* SPDX-License-Identifier: Apache-2.0 */
/* Do the OpenCL drivers start? Tried in a program of its own (probe.c), which they may end. */
#define _GNU_SOURCE /* dladdr() */
#include "devices.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GLANCE_NS = 1000 * 1000, PATIENCE_S = 30 };
extern char **environ;

/* The program beside this library, as it is built or as it is installed; NULL where it is not. */
static char *find_probe(const om_heap *heap)
{
    static const char *const names[] = { "omen/omen-probe-opencl", "omen-probe-opencl" };
    Dl_info info;
    void *here = dlsym(RTLD_DEFAULT, "om_devices_open");
    if (here == NULL || dladdr(here, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    size_t length = slash == NULL ? 0 : (size_t) (slash - info.dli_fname) + 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        om_text path = { .heap = heap };
        om_text_add_n(&path, info.dli_fname, length);
        om_text_add(&path, names[i]);
        if (!path.failed && access(path.text, X_OK) == 0)
            return path.text;
        om_text_free(&path);
    }
    return NULL;
}

/* Silent, and with signals as programs expect them (ours may be blocked). */
static int start(const char *path, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t none;
    char name[] = "omen-probe-opencl", *argv[] = { name, NULL };
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
    for (int fd = 0; rc == 0 && fd < 3; fd++)
        rc = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    if (rc == 0)
        rc = posix_spawn(pid, path, &actions, &attr, argv, environ);
    (void) posix_spawnattr_destroy(&attr);
    (void) posix_spawn_file_actions_destroy(&actions);
    return rc;
}

const char *om_cl__trial(const om_heap *heap)
{
    const struct timespec nap = { 0, GLANCE_NS };
    uint64_t since = om_clock_ns();
    int status = 0;
    pid_t pid, got = 0;
    char *path = find_probe(heap);
    int rc = path == NULL ? -1 : start(path, &pid);
    om_free(heap, path);
    if (rc != 0)
        return NULL; /* it cannot be tried: what comes will come here */
    while ((got = waitpid(pid, &status, WNOHANG)) == 0) {
        if (om_clock_ns() - since > (uint64_t) PATIENCE_S * 1000000000u) {
            (void) kill(pid, SIGKILL);
            (void) waitpid(pid, &status, 0);
            return "its drivers do not come to an end when they start";
        }
        (void) nanosleep(&nap, NULL);
    }
    return got == pid && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)
               ? "its drivers end the process when they start"
               : NULL;
}
