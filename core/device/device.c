/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <string.h>

/* Commands take milliseconds. The limit is generous because a CPU may be short of memory, or
 * traced. */
static const uint64_t PATIENCE_NS = UINT64_C(60) * 1000000000;

om_device *om_devices__add(om_devices *all, const om_backend *backend)
{
    if (!OM_ROOM(all->heap, all->items, &all->capacity, all->count + 1))
        return NULL;
    om_device *p = &all->items[all->count++];
    *p = (om_device){ .owner = all, .backend = backend, .patience_ns = PATIENCE_NS };
    return p;
}

int om_device__check(const om_device *d, om_context *ctx)
{
    if (!om_device__lost(d))
        return OM_OK;
    return om_fail(ctx, OM_EUNSUPPORTED, NULL, "device %s: no answer for %.0f s", d->info.name,
        (double) d->patience_ns / 1e9);
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
        "device %s: out of memory while %s; use a checker that runs on the CPU", d->info.name,
        what);
}

int om_device__fail(const om_device *d, om_context *ctx, const char *what, int error)
{
    if (d->backend->is_memory(error))
        return om_device__fail_memory(d, ctx, what);
    return om_fail(ctx, OM_EUNSUPPORTED, NULL, "device %s: %s: %s (%d)", d->info.name, what,
        d->backend->error_text(error), error);
}

/* ---- costs ---- */

om_kernel_cost *om_device__cost_of(om_device_costs *sum, const char *kernel)
{
    uint32_t i = 0;
    while (i < sum->count && strcmp(sum->kernels[i].kernel, kernel) != 0)
        i++;
    if (i == OM_COST_KERNELS)
        return &sum->kernels[i - 1];
    if (i == sum->count)
        sum->kernels[sum->count++] = (om_kernel_cost){ .kernel = kernel };
    return &sum->kernels[i];
}

void om_device__add_costs(om_device_costs *sum, const om_device_costs *more)
{
    for (uint32_t k = 0; k < more->count; k++) {
        const om_kernel_cost *from = &more->kernels[k];
        om_kernel_cost *to = om_device__cost_of(sum, from->kernel);
        to->launches += from->launches;
        for (size_t i = 0; i < OM_COST_BUFFERS; i++) {
            const om_traffic *t = &from->buffers[i].traffic;
            om_traffic *sum_of = &to->buffers[i].traffic;
            if (from->buffers[i].name[0] != '\0')
                memcpy(to->buffers[i].name, from->buffers[i].name, sizeof to->buffers[i].name);
            sum_of->read += t->read;
            sum_of->written += t->written;
            sum_of->atomics += t->atomics;
            sum_of->asked_read += t->asked_read;
            sum_of->asked_written += t->asked_written;
        }
    }
}
