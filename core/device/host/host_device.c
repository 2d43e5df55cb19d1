/* SPDX-License-Identifier: Apache-2.0 */
/* The host as a device, its memory, and the back end's table. */
#include "host.h"

#include <string.h>
#include <unistd.h>

/* The patience with a device whose kernels do not end, for tests of such a device. */
static const uint64_t STUCK_PATIENCE_NS = 1000000000;

/* Small groups, each with a filter, and several states for each work-item: they exercise all code
 * of the kernels that depends on such numbers. */
enum { ITEMS = 4, BATCH = 2, FILTER = 64, MOST_FILTER = 2048, GROUPS = 3 };

static int describe(om_device *d, const om_heap *heap)
{
    d->name = om_strdup(heap, "host");
    d->platform_name = om_strdup(heap, "omen");
    d->driver = om_strdup(heap, "kernels compiled as C");
    d->version = om_strdup(heap, "threads of this process");
    d->platform_version = om_strdup(heap, "1");
    int rc = om_host__fault(heap, &d->reason);
    if (rc != OM_OK || d->name == NULL || d->platform_name == NULL || d->driver == NULL ||
        d->version == NULL || d->platform_version == NULL)
        return OM_ENOMEM;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t memory = pages > 0 && page > 0 ? (uint64_t) pages * (uint64_t) page : UINT64_MAX / 2;
    d->info = (om_device_info){ .name = d->name,
        .platform = d->platform_name,
        .driver = d->driver,
        .version = d->version,
        .kind = "host",
        .compute_units = ITEMS,
        .memory_bytes = memory,
        .largest_allocation = memory,
        .reason = d->reason };
    d->host_memory = true;
    d->local = ITEMS;
    d->batch = BATCH;
    d->filter = FILTER;
    d->segments = 1;
    d->most_items = ITEMS * GROUPS;
    d->tuned = true; /* its speed does not matter */
    return OM_OK;
}

static int open_host(om_devices *all, om_context *ctx, bool trial, void **own, const char **why)
{
    om_device *d = om_devices__add(all, &om_host__backend);
    (void) ctx;
    (void) trial;
    (void) why;
    if (d == NULL || (*own = d->own = om_alloc(all->heap, 1, sizeof(om_host_setting))) == NULL)
        return OM_ENOMEM;
    return describe(d, all->heap);
}

static void close_host(om_devices *all, void *own)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].own == own && om_device__lost(&all->items[i]))
            return; /* its streams still use it */
    om_free(all->heap, own);
}

/* Reads a number up to the end of the text or a colon. Returns false if there is none, or if it is
 * too large. */
static bool read_number(const char **at, const char *end, uint64_t most, uint64_t *out)
{
    const char *from = *at;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        *out = *out * 10 + (uint64_t) (**at - '0');
        if (*out > most)
            return false;
    }
    return *at > from && (*at == end || **at == ':');
}

bool om_host__set(om_device *d, const char *text, size_t length)
{
    static const char *const orders[] = { [OM_HOST_TOGETHER] = "together",
        [OM_HOST_FORWARD] = "forward",
        [OM_HOST_BACKWARD] = "backward",
        [OM_HOST_SHUFFLED] = "shuffled",
        [OM_HOST_TRACED] = "traced",
        [OM_HOST_LOCKSTEP32] = "lockstep32",
        [OM_HOST_LOCKSTEP64] = "lockstep64",
        [OM_HOST_STUCK] = "stuck" };
    om_host_setting *setting = d->own;
    const char *end = text + length, *at = memchr(text, ':', length);
    const size_t word = at == NULL ? length : (size_t) (at - text);
    uint64_t items = d->local, batch = d->batch, seed = 0;
    const struct {
        uint64_t *value, most;
    } numbers[] = { { &items, OM_HOST_MOST_ITEMS }, { &batch, 16 }, { &seed, UINT32_MAX } };
    unsigned order = 0;
    while (order <= OM_HOST_STUCK &&
           (strlen(orders[order]) != word || memcmp(orders[order], text, word) != 0))
        order++;
    if (order > OM_HOST_STUCK)
        return false;
    at = text + word;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && at < end; i++) {
        at++;
        if (!read_number(&at, end, numbers[i].most, numbers[i].value))
            return false;
    }
    if (at < end || items == 0 || batch == 0)
        return false;
    setting->order = (om_host_order) order;
    setting->seed = seed;
    d->steady = om_host__traces(d);
    if (order == OM_HOST_STUCK)
        d->patience_ns = STUCK_PATIENCE_NS;
    d->local = (uint32_t) items;
    d->batch = (uint32_t) batch;
    d->most_items = d->local * GROUPS;
    for (d->filter = FILTER; d->filter < 8 * d->local && d->filter < MOST_FILTER;)
        d->filter *= 2;
    return true;
}

static int start(om_device *d)
{
    (void) d;
    return 0;
}

static size_t group_limit(om_device *d, om_kernel *k)
{
    (void) k;
    return d->local;
}

static const char *error_text(int error)
{
    return error == OM_HOST_NO_MEMORY   ? "no memory"
           : error == OM_HOST_NO_THREAD ? "cannot start a thread"
           : error == OM_HOST_DIVERGED  ? "work-items of a group wait at different barriers"
           : error == OM_HOST_WRONG     ? "a kernel breaks a rule"
                                        : "a work-group is too large";
}

static bool is_memory(int error)
{
    return error == OM_HOST_NO_MEMORY;
}

const om_backend om_host__backend = {
    .name = "host",
    .open = open_host,
    .close = close_host,
    .start = start,
    .stream_open = om_host__stream_open,
    .stream_close = om_host__stream_close,
    .take = om_host__take,
    .give = om_host__give,
    .copy = om_host__copy,
    .zero = om_host__zero,
    .write = om_host__write,
    .read = om_host__read,
    .launch = om_host__launch,
    .mark = om_host__mark,
    .wait = om_host__wait,
    .build = om_host__build,
    .release = om_host__release,
    .describe = om_host__describe,
    .costs = om_host__costs,
    .group_limit = group_limit,
    .error_text = error_text,
    .is_memory = is_memory,
};
