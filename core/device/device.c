/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

/* Commands take milliseconds. A CPU may be slow for want of memory, or traced, and is a program
 * that we see: it has longer. */
static const uint64_t PATIENCE_NS = UINT64_C(60) * 1000000000;

om_device *om_devices__add(om_devices *all, const om_backend *backend)
{
    om_device *p = om_grow(all->heap, all->items, &all->capacity, all->count + 1, sizeof *p);
    if (p == NULL)
        return NULL;
    all->items = p;
    p += all->count++;
    *p = (om_device){ .owner = all, .backend = backend, .patience_ns = PATIENCE_NS };
    return p;
}

int om_device__check(const om_device *d, om_context *ctx)
{
    if (!om_device__lost(d))
        return OM_OK;
    return om_fail(ctx, OM_EUNSUPPORTED, NULL, "device %s: it has not answered for %.0f s",
        d->info.name, (double) d->patience_ns / 1e9);
}

int om_device__lose(om_device *d, om_context *ctx)
{
    atomic_store_explicit(&d->lost, true, memory_order_relaxed);
    return om_device__check(d, ctx);
}

int om_device__start(om_device *d, om_context *ctx)
{
    int rc = om_device__check(d, ctx);
    if (rc != OM_OK)
        return rc;
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
