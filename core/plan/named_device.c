/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the device that the options name. (opener.c opens the one that races.) */
#include "plan_devices.h"

#include <assert.h>
#include <string.h>

bool om_plan__device_wanted(const om_plan *p, const om_plan_options *o)
{
    return !p->memory.no_device && (o->device == NULL || strcmp(o->device, "none") != 0);
}

bool om_plan__device_named(const om_plan *p, const om_plan_options *o)
{
    return om_plan__device_wanted(p, o) && o->device != NULL && strcmp(o->device, "auto") != 0;
}

/* Returns true for the host, by the rule of om_devices_open(): it needs no driver. */
static bool is_host(const char *which)
{
    return strncmp(which, "host", 4) == 0;
}

static const char *device_word(const char *which)
{
    return is_host(which) ? "device" : "OpenCL device";
}

/* Copies the error of the devices' context to the plan's. */
static int pass_on(om_plan *p, int rc)
{
    if (om_context_error(p->devices.ctx)[0] != '\0')
        (void) om_fail(p->ctx, rc, NULL, "%s", om_context_error(p->devices.ctx));
    om_context_clear(p->devices.ctx);
    return rc;
}

/* Reports that the drivers alone exceed the memory limit; the model is not the cause. */
static void blame_drivers(const om_plan *p, const char *which)
{
    uint64_t most = p->supervisor.limits.memory_bytes, now = om_resident_bytes();
    if (most != 0 && now > most)
        om_note(p->ctx, OM_NOTE_NOTICE, NULL,
            "%sthe process uses %.0f MB before the first state is stored: --memory (%.0f MB) "
            "leaves no room for a device",
            is_host(which) ? "" : "with its OpenCL drivers ", (double) now / 1e6,
            (double) most / 1e6);
}

/* Continues on the CPU for the rest of the plan, because the shortage may be temporary. */
static int do_without(om_plan *p, const char *which, const char *why)
{
    om_note(p->ctx, OM_NOTE_NOTICE, NULL, "no %s '%s' (%s): continuing on the CPU",
        device_word(which), which, why);
    om_context_clear(p->ctx);
    assert(p->supervisor.watched.self == NULL); /* P3 */
    p->memory.no_device = true;
    return OM_OK;
}

int om_plan__device(om_plan *p, const om_plan_options *o, const char *checker, om_device **out)
{
    const char *why = NULL, *which = o->device == NULL ? "auto" : o->device;
    int rc = OM_OK;

    if (p->devices.device == NULL) {
        om_opener__recall(p, true);
        assert(!p->devices.opener.running); /* P6 */
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
                       ? om_fail(p->ctx, rc, NULL, "no %s '%s': %s", device_word(which), which, why)
                       : om_fail(p->ctx, rc, NULL, "checker %s needs a device: %s", checker, why);
        if (rc == OM_ELIMIT)
            blame_drivers(p, which);
    }
    *out = p->devices.device;
    return pass_on(p, rc);
}
