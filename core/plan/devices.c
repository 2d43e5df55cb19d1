/* SPDX-License-Identifier: Apache-2.0 */
/* The device that was named. (The one that races is opened by race.c.) */
#include "session.h"

#include <string.h>

bool om_plan__device_wanted(const om_plan *p)
{
    return p->options.device == NULL || strcmp(p->options.device, "none") != 0;
}

bool om_plan__device_named(const om_plan *p)
{
    return om_plan__device_wanted(p) && p->options.device != NULL &&
           strcmp(p->options.device, "auto") != 0;
}

/* What the devices' context says becomes the plan's. */
static int pass_on(om_plan *p, int rc)
{
    if (om_context_error(p->devices.ctx)[0] != '\0')
        (void) om_fail(p->ctx, rc, NULL, "%s", om_context_error(p->devices.ctx));
    om_context_clear(p->devices.ctx);
    return rc;
}

/* A limit that the drivers alone pass: said as it is, for nothing about the model can be. */
static void blame_drivers(const om_plan *p)
{
    uint64_t most = p->options.limits.memory_bytes, now = om_resident_bytes();
    if (most != 0 && now > most)
        om_note(p->ctx, OM_NOTE_NOTICE, NULL,
            "with its OpenCL drivers the process takes %.0f MB before the first state is stored: "
            "--memory (%.0f MB) leaves no room for a device",
            (double) now / 1e6, (double) most / 1e6);
}

/* What is short now need not be short for ever: the CPU does the work. Nobody asks again. */
static int do_without(om_plan *p, const char *which, const char *why)
{
    om_note(p->ctx, OM_NOTE_NOTICE, NULL, "no OpenCL device '%s' (%s): going on on the CPU", which,
        why);
    om_context_clear(p->ctx);
    p->options.device = "none";
    return OM_OK;
}

int om_plan__device(om_plan *p, const char *checker, om_device **out)
{
    const char *why = NULL, *which = p->options.device == NULL ? "auto" : p->options.device;
    int rc = OM_OK;

    if (p->devices.device == NULL) {
        om_race__settle(p);
        rc = p->devices.list != NULL
                 ? OM_OK
                 : om_devices_open(&p->devices.list, p->devices.ctx, which, &why);
        bool opened = rc == OM_OK;
        if (opened) {
            rc = om_devices_pick(p->devices.list, p->ctx, which, &p->devices.device);
            why = om_context_error(p->ctx);
        }
        if (rc == OM_EIO && why != NULL && checker == NULL)
            return do_without(p, which, why);
        if (!opened && why != NULL)
            return checker == NULL
                       ? om_fail(p->ctx, rc, NULL, "no OpenCL device '%s': %s", which, why)
                       : om_fail(p->ctx, rc, NULL, "checker %s needs an OpenCL device: %s", checker,
                             why);
        if (rc == OM_ELIMIT)
            blame_drivers(p);
    }
    *out = p->devices.device;
    return pass_on(p, rc);
}
