/* SPDX-License-Identifier: Apache-2.0 */
/* Tests whether the OpenCL drivers start, in a separate program (driver_probe.c), which they may
 * end. */
#include "opencl.h"

#include "process/child.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GLANCE_NS = 1000 * 1000, PATIENCE_S = 30 };

#define PROBE "omen-probe-opencl"

static const char ENDLESS[] = "its drivers hang when they start";
static const char DEADLY[] = "its drivers end the process when they start";
static const char CUT_OFF[] = "a library of its drivers is truncated";
static const char NO_PROCESS[] = "cannot start a process to test its drivers";
static const char NO_THREADS[] = "its drivers could not start all their threads";

/* Waits for the end of the probe; *status is that of waitpid(). Returns OM_EUNSUPPORTED after
 * PATIENCE_S, OM_ELIMIT or OM_ESTOP if the context is stopped: the probe is then killed. */
static int wait_for(pid_t pid, const om_context *ctx, int *status)
{
    const struct timespec nap = { 0, GLANCE_NS };
    uint64_t since = om_clock_ns();
    pid_t got = 0;
    while ((got = waitpid(pid, status, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        int rc = om_context_stopped(ctx);
        if (rc == OM_OK && om_clock_ns() - since > (uint64_t) PATIENCE_S * 1000000000u)
            rc = OM_EUNSUPPORTED;
        if (rc != OM_OK) {
            om_child__end(pid);
            return rc;
        }
        (void) nanosleep(&nap, NULL);
    }
    return OM_OK;
}

/* Interprets the probe's exit status. Returns OM_OK; OM_EUNSUPPORTED or OM_EIO with *why. */
static int judge(int status, const char **why)
{
    switch (WIFEXITED(status) ? WEXITSTATUS(status) : -1) {
    case OM_PROBE_GOOD:
    case OM_PROBE_CPU_ONLY:
        return OM_OK;
    case OM_PROBE_CUT_OFF:
        *why = CUT_OFF;
        return OM_EUNSUPPORTED;
    case OM_PROBE_NO_THREAD:
        *why = NO_THREADS;
        return OM_EIO;
    default:
        *why = DEADLY;
        return OM_EUNSUPPORTED;
    }
}

/* Returns OM_OK if drivers start, or if there is no program to try them; *cpu_only: there are only
 * CPUs. Returns OM_EUNSUPPORTED, or OM_EIO if the system gives too few resources, with *why;
 * OM_ELIMIT; OM_ESTOP. */
static int run_probe(const om_context *ctx, bool *cpu_only, const char **why)
{
    const om_heap *heap = om_context_heap(ctx);
    pid_t pid = -1;
    int line = -1, status = 0;
    char name[] = PROBE, *argv[] = { name, NULL }, *path = om_child__find(heap, name);
    *cpu_only = false;
    if (path == NULL)
        return OM_OK; /* the drivers start untried in the library's process */
    int error = om_child__launch(path, argv, &pid, &line);
    om_free(heap, path);
    if (error != 0) {
        *why = NO_PROCESS;
        return OM_EIO;
    }
    int rc = wait_for(pid, ctx, &status);
    (void) close(line);
    if (rc == OM_EUNSUPPORTED)
        *why = ENDLESS;
    if (rc != OM_OK)
        return rc;
    *cpu_only = WIFEXITED(status) && WEXITSTATUS(status) == OM_PROBE_CPU_ONLY;
    return judge(status, why);
}

int om_opencl__trial(const om_context *ctx, const char **why)
{
    bool cpu_only;
    return run_probe(ctx, &cpu_only, why);
}

int om_devices_promise(om_context *ctx, const char **why)
{
    om_work_folder work;
    bool none = false, cpu_only = false;
    int rc = om_driver__settle(ctx, &work, &none);
    if (rc == OM_OK)
        rc = run_probe(ctx, &cpu_only, why);
    om_work_folder__end(&work);
    if (rc == OM_OK && cpu_only) {
        *why = "there is no GPU or accelerator";
        return OM_EUNSUPPORTED;
    }
    return rc == OM_EIO ? OM_EUNSUPPORTED : rc;
}
