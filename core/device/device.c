/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

om_device *om_devices__add(om_devices *all, const om_backend *backend)
{
    om_device *p = om_grow(all->heap, all->items, &all->capacity, all->count + 1, sizeof *p);
    if (p == NULL)
        return NULL;
    all->items = p;
    p += all->count++;
    *p = (om_device){ .owner = all, .backend = backend };
    return p;
}

int om_device__start(om_device *d, om_context *ctx)
{
    int error = d->backend->start(d);
    return error == 0 ? OM_OK : om_device__fail(d, ctx, "starting it", error);
}

int om_device__fail_memory(const om_device *d, om_context *ctx, const char *what)
{
    return om_fail(ctx, OM_EUNSUPPORTED, NULL,
        "device %s: out of memory in %s; use a checker that runs on the CPU", d->info.name, what);
}

int om_device__fail(const om_device *d, om_context *ctx, const char *what, int error)
{
    if (d->backend->is_memory(error))
        return om_device__fail_memory(d, ctx, what);
    return om_fail(ctx, OM_EUNSUPPORTED, NULL, "device %s: %s: %s (%d)", d->info.name, what,
        d->backend->error_text(error), error);
}
