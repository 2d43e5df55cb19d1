/* SPDX-License-Identifier: Apache-2.0 */
/* Do the OpenCL drivers start? Tried in a program of its own (probe.c), which they may end. */
#include "child.h"
#include "devices.h"

#include <sys/wait.h>
#include <time.h>

enum { GLANCE_NS = 1000 * 1000, PATIENCE_S = 30 };

#define PROBE "omen-probe-opencl"

/*
 * Runs the probe to its end. OM_OK with what waitpid() says; OM_ELIMIT or OM_ESTOP when the context
 * (may be NULL) is stopped first; OM_EUNSUPPORTED where its patience does; OM_EIO where it cannot
 * be run.
 */
static int run_probe(const om_heap *heap, const om_context *ctx, int *status)
{
    const struct timespec nap = { 0, GLANCE_NS };
    uint64_t since = om_clock_ns();
    pid_t pid, got = 0;
    char name[] = PROBE, *argv[] = { name, NULL }, *path = om_child__find(heap, name);
    int rc = path == NULL ? -1 : om_child__start(path, argv, -1, &pid);
    om_free(heap, path);
    if (rc != 0)
        return OM_EIO;
    while ((got = waitpid(pid, status, WNOHANG)) == 0) {
        rc = ctx == NULL ? OM_OK : om_context_stopped(ctx);
        if (rc == OM_OK && om_clock_ns() - since > (uint64_t) PATIENCE_S * 1000000000u)
            rc = OM_EUNSUPPORTED;
        if (rc != OM_OK) {
            om_child__end(pid);
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

int om_devices_promise(om_context *ctx, const char **why)
{
    int status = 0, rc = run_probe(om_context_heap(ctx), ctx, &status);
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
