/* SPDX-License-Identifier: Apache-2.0 */
/* Do the OpenCL drivers start? Tried in a program of its own (probe.c), which they may end. */
#include "child.h"
#include "devices.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GLANCE_NS = 1000 * 1000, PATIENCE_S = 30 };

#define PROBE "omen-probe-opencl"

static const char ENDLESS[] = "its drivers do not come to an end when they start";
static const char DEADLY[] = "its drivers end the process when they start";
static const char CUT_OFF[] = "a library of its drivers was cut off";
static const char NO_PROCESS[] = "no process can be started to try its drivers out";
static const char NO_THREAD[] = "its drivers could not start a thread";

/* Waits for the probe's end. What waitpid() says goes to *status; OM_EUNSUPPORTED where patience
 * ends, OM_ELIMIT or OM_ESTOP when the context is stopped: it is ended then. */
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

/* Why it ended as it did; NULL: drivers start. */
static const char *judge(int status)
{
    if (!WIFEXITED(status))
        return DEADLY;
    switch (WEXITSTATUS(status)) {
    case OM_PROBE_GOOD:
    case OM_PROBE_CPU_ONLY:
        return NULL;
    case OM_PROBE_CUT_OFF:
        return CUT_OFF;
    case OM_PROBE_NO_THREAD:
        return NO_THREAD;
    default:
        return DEADLY;
    }
}

/* OM_OK with the status of its end, which is a good one; OM_EUNSUPPORTED with *why; OM_ELIMIT or
 * OM_ESTOP; OM_EIO: there is no such program, so that it cannot be tried. */
static int run_probe(const om_context *ctx, int *status, const char **why)
{
    const om_heap *heap = om_context_heap(ctx);
    pid_t pid = -1;
    int line = -1;
    char name[] = PROBE, *argv[] = { name, NULL }, *path = om_child__find(heap, name);
    if (path == NULL)
        return OM_EIO;
    int error = om_child__launch(path, argv, &pid, &line);
    om_free(heap, path);
    *why = NO_PROCESS;
    if (error != 0)
        return OM_EUNSUPPORTED;
    int rc = wait_for(pid, ctx, status);
    (void) close(line);
    *why = rc == OM_OK ? judge(*status) : ENDLESS;
    return rc == OM_OK && *why != NULL ? OM_EUNSUPPORTED : rc;
}

int om_cl__trial(const om_context *ctx, const char **why)
{
    int status = 0, rc = run_probe(ctx, &status, why);
    return rc == OM_EIO ? OM_OK : rc; /* what comes will come here */
}

int om_devices_promise(om_context *ctx, const char **why)
{
    om_work work;
    bool none = false;
    int status = 0, rc = om_driver__settle(ctx, &work, &none);
    if (rc == OM_OK)
        rc = run_probe(ctx, &status, why);
    om_work__end(&work);
    if (rc == OM_EIO)
        return OM_OK; /* who knows */
    if (rc == OM_OK && WEXITSTATUS(status) == OM_PROBE_CPU_ONLY) {
        *why = "there is no GPU or accelerator";
        return OM_EUNSUPPORTED;
    }
    return rc;
}
