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

/*
 * Runs the probe to its end. OM_OK with what waitpid() says; OM_ELIMIT or OM_ESTOP when the control
 * (may be NULL) stops first; OM_EUNSUPPORTED where its patience does; OM_EIO where it cannot be
 * run.
 */
static int run_probe(const om_heap *heap, const om_control *control, int *status)
{
    const struct timespec nap = { 0, GLANCE_NS };
    uint64_t since = om_clock_ns();
    pid_t pid, got = 0;
    char *path = find_probe(heap);
    int rc = path == NULL ? -1 : start(path, &pid);
    om_free(heap, path);
    if (rc != 0)
        return OM_EIO;
    while ((got = waitpid(pid, status, WNOHANG)) == 0) {
        rc = om_control_status(control);
        if (rc == OM_OK && om_clock_ns() - since > (uint64_t) PATIENCE_S * 1000000000u)
            rc = OM_EUNSUPPORTED;
        if (rc != OM_OK) {
            (void) kill(pid, SIGKILL);
            (void) waitpid(pid, status, 0);
            return rc;
        }
        (void) nanosleep(&nap, NULL);
    }
    return got == pid ? OM_OK : OM_EIO;
}

static const char ENDLESS[] = "its drivers do not come to an end when they start";
static const char DEADLY[] = "its drivers end the process when they start";

/* It ended as it should. */
static bool survived(int status)
{
    return WIFEXITED(status) &&
           (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == OM_PROBE_CPU_ONLY);
}

const char *om_cl__trial(const om_heap *heap)
{
    int status = 0, rc = run_probe(heap, NULL, &status);
    return rc == OM_EIO            ? NULL /* it cannot be tried: what comes will come here */
           : rc == OM_EUNSUPPORTED ? ENDLESS
           : survived(status)      ? NULL
                                   : DEADLY;
}

int om_devices_promise(om_context *ctx, const om_control *control, const char **why)
{
    int status = 0, rc = run_probe(om_context_heap(ctx), control, &status);
    if (rc == OM_EIO)
        return OM_OK; /* who knows */
    if (rc == OM_OK && !survived(status)) {
        *why = DEADLY;
        return OM_EUNSUPPORTED;
    }
    if (rc == OM_OK && WEXITSTATUS(status) == OM_PROBE_CPU_ONLY) {
        *why = "there is no GPU or accelerator";
        return OM_EUNSUPPORTED;
    }
    if (rc == OM_EUNSUPPORTED)
        *why = ENDLESS;
    return rc;
}
