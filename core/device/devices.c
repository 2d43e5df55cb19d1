/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and listing devices of all kinds; picking one, or a group. */
#include "devices.h"

#include "builds.h"
#include "host/host.h"
#include "device_cache.h"
#include "opencl/opencl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char HOST[] = "host";

/* ---- groups ---- */

/* Describes a group by its members. */
static void describe_group(om_device *g)
{
    assert(g->member_count > 1);
    g->info = (om_device_info){ .name = g->name,
        .platform = g->members[0]->info.platform,
        .driver = g->members[0]->info.driver,
        .version = g->members[0]->info.version,
        .kind = g->members[0]->info.kind,
        .backend = g->members[0]->info.backend,
        .largest_allocation = UINT64_MAX };
    for (size_t i = 0; i < g->member_count; i++) {
        const om_device_info *of = &g->members[i]->info;
        g->info.compute_units += of->compute_units;
        g->info.memory_bytes += of->memory_bytes;
        if (of->largest_allocation < g->info.largest_allocation)
            g->info.largest_allocation = of->largest_allocation;
        g->host_memory = g->host_memory || g->members[i]->host_memory;
    }
}

static void close_group(om_device *g)
{
    const om_heap *heap = g->owner->heap;
    OM_FREE_ALL(heap, g->name, g->members, g);
}

/* A single device is not wrapped in a group. */
static int make_group(
    om_devices *all, om_context *ctx, om_device *const *members, size_t count, om_device **out)
{
    om_text name = { .heap = all->heap };
    if (count == 1) {
        *out = members[0];
        return OM_OK;
    }
    om_device *g = om_alloc(all->heap, 1, sizeof *g);
    if (g == NULL || count == 0) {
        om_free(all->heap, g);
        return om_fail_memory(ctx);
    }
    g->owner = all;
    g->test = OM_TEST_PASSED;
    g->member_count = count;
    g->members = om_alloc(all->heap, count, sizeof(void *));
    for (size_t i = 0; i < count; i++) {
        assert(members[i] != NULL);
        om_text_printf(&name, "%s%s", i == 0 ? "" : " + ", members[i]->info.name);
    }
    g->name = name.text;
    if (g->members == NULL || name.failed) {
        close_group(g);
        return om_fail_memory(ctx);
    }
    memcpy(g->members, members, count * sizeof(void *));
    describe_group(g);
    g->next_group = all->groups;
    all->groups = g;
    *out = g;
    return OM_OK;
}

/* ---- opening ---- */

/* Completes the descriptions of all devices, with the sizes that earlier sessions found. */
static void complete(om_devices *all, om_context *ctx)
{
    for (size_t i = 0; i < all->count; i++) {
        om_device *d = &all->items[i];
        om_device_cache__recall_sizes(d, ctx);
        d->info.backend = d->backend->name;
        d->info.work_group = d->local;
        d->info.work_items = d->most_items;
        d->info.tuned = d->tuned;
    }
}

/* Opens the kinds in this order. A kind without devices is no failure if another kind has one. */
static int open_backends(
    om_devices *all, om_context *ctx, const om_devices_choice *choice, const char **why)
{
    const om_backend *const kinds[OM_BACKENDS] = { choice->opencl ? &om_opencl__backend : NULL,
        choice->host ? &om_host__backend : NULL };
    int none = OM_EUNSUPPORTED;
    for (size_t i = 0; i < OM_BACKENDS; i++) {
        if (kinds[i] == NULL)
            continue;
        all->open[i].backend = kinds[i];
        int rc = kinds[i]->open(all, ctx, choice->trial, &all->open[i].own, why);
        if (rc == OM_EIO && *why != NULL)
            none = rc;
        else if (rc != OM_OK && rc != OM_EUNSUPPORTED)
            return rc;
    }
    return all->count > 0 ? OM_OK : none;
}

int om_devices__open(
    om_devices **out, om_context *ctx, const om_devices_choice *choice, const char **why)
{
    const char *reason = NULL;
    om_devices *all = om_alloc(om_context_heap(ctx), 1, sizeof *all);
    if (all == NULL)
        return om_fail_memory(ctx);
    all->ctx = ctx;
    all->heap = om_context_heap(ctx);
    if (om_builds__open(all) != OM_OK) {
        om_free(all->heap, all);
        return om_fail(ctx, OM_EIO, NULL, "cannot create a lock");
    }
    int rc = open_backends(all, ctx, choice, &reason);
    if (why != NULL)
        *why = reason;
    if (rc != OM_OK) {
        om_devices_close(all);
        return rc == OM_ENOMEM ? om_fail_memory(ctx) : rc;
    }
    complete(all, ctx);
    *out = all;
    return OM_OK;
}

static bool is_host(const char *which)
{
    return strncmp(which, "host", 4) == 0;
}

int om_devices_open(om_devices **out, om_context *ctx, const char *which, const char **why)
{
    const om_devices_choice choice = { .opencl = which == NULL || !is_host(which),
        .host = which == NULL || is_host(which),
        .trial = true };
    return om_devices__open(out, ctx, &choice, why);
}

static void close_texts(om_device *d)
{
    char *texts[] = { d->name, d->platform_name, d->driver, d->version, d->platform_version,
        d->reason };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        om_free(d->owner->heap, texts[i]);
}

void om_devices_close(om_devices *all)
{
    if (all == NULL)
        return;
    om_builds__close(all);
    for (size_t i = 0; i < OM_BACKENDS; i++)
        if (all->open[i].own != NULL)
            all->open[i].backend->close(all, all->open[i].own);
    for (size_t i = 0; i < all->count; i++)
        close_texts(&all->items[i]);
    while (all->groups != NULL) {
        om_device *next = all->groups->next_group;
        close_group(all->groups);
        all->groups = next;
    }
    OM_FREE_ALL(all->heap, all->items, all);
}

size_t om_devices_count(const om_devices *all)
{
    return all->count;
}

const om_device_info *om_devices_info(const om_devices *all, size_t i)
{
    return i < all->count ? &all->items[i].info : NULL;
}

const om_device_info *om_device_info_of(const om_device *d)
{
    return &d->info;
}

/* ---- picking ---- */

/* Runs the known-answer test if it is due. *good is set if the device may be used. */
static int vet(om_device *d, om_context *ctx, bool *good)
{
    int rc = OM_OK;
    if (d->folderless) /* which may be temporary */
        return om_fail(ctx, OM_EIO, NULL, "device %s: %s", d->info.name, d->info.reason);
    if (om_device__lost(d))
        d->info.reason = "it does not answer";
    if (d->info.reason == NULL && d->test == OM_TEST_DUE) {
        rc = om_device__self_test(d, ctx, &d->reason);
        if (rc != OM_OK && rc != OM_EUNSUPPORTED)
            return rc;
        d->test = rc == OM_OK ? OM_TEST_PASSED : OM_TEST_FAILED;
        if (rc != OM_OK)
            d->info.reason = d->reason != NULL ? d->reason : "it failed the known-answer test";
    }
    *good = d->info.reason == NULL;
    return OM_OK;
}

static int pick_number(om_devices *all, size_t i, om_context *ctx, om_device **out)
{
    bool good = false;
    if (i >= all->count && all->count == 1)
        return om_fail(ctx, OM_EUSAGE, NULL, "there is no device %zu: the only one is number 0", i);
    if (i >= all->count)
        return om_fail(ctx, OM_EUSAGE, NULL, "there is no device %zu: they are numbered 0 to %zu",
            i, all->count - 1);
    int rc = vet(&all->items[i], ctx, &good);
    if (rc != OM_OK)
        return rc;
    if (!good)
        return om_fail(ctx, OM_EUNSUPPORTED, NULL, "device %zu (%s) cannot be used: %s", i,
            all->items[i].info.name, all->items[i].info.reason);
    *out = &all->items[i];
    return OM_OK;
}

/* Picks "host", or "host:ORDER:ITEMS:BATCH:SEED" (host/host.h) or the first of these. */
static int pick_host(
    om_devices *all, const char *which, const char **at, om_context *ctx, om_device **out)
{
    const char *setting = *at + sizeof HOST - 1;
    const size_t length = strcspn(setting, ",");
    bool good = false;
    *at = setting + length;
    for (size_t i = 0; i < all->count; i++) {
        om_device *d = &all->items[i];
        if (strcmp(d->info.kind, HOST) != 0)
            continue;
        if (length > 0 && (setting[0] != ':' || !om_host__set(d, setting + 1, length - 1)))
            return om_fail(ctx, OM_EUSAGE, NULL,
                "the host is 'host' or 'host:ORDER:ITEMS:BATCH:SEED', with the order together, "
                "forward, backward, shuffled, traced, lockstep32, lockstep64 or stuck and at most "
                "%d items, not '%s'",
                OM_HOST_MOST_ITEMS, which);
        int rc = vet(d, ctx, &good);
        if (rc == OM_OK && !good)
            rc = om_fail(ctx, OM_EUNSUPPORTED, NULL, "the host cannot be used as a device: %s",
                d->info.reason);
        if (rc == OM_OK)
            *out = d;
        return rc;
    }
    return om_fail(ctx, OM_EUNSUPPORTED, NULL, "the host was not opened as a device");
}

/* Picks the first device of this kind that passes, in the order of the list; it is no failure if
 * there is none. */
static int pick_kind(om_devices *all, const char *kind, om_context *ctx, om_device **out)
{
    for (size_t i = 0; i < all->count; i++) {
        om_device *d = &all->items[i];
        bool good = false, due = d->info.reason == NULL && d->test == OM_TEST_DUE;
        if (strcmp(d->info.kind, kind) != 0)
            continue;
        int rc = vet(d, ctx, &good);
        if (rc != OM_OK)
            return rc;
        if (good) {
            *out = d;
            return OM_OK;
        }
        if (due)
            om_note(ctx, OM_NOTE_WARNING, NULL, "device %zu (%s) is skipped: %s", i, d->info.name,
                d->info.reason);
    }
    return OM_OK;
}

/* Picks every device that passes. */
static int pick_all(om_devices *all, om_context *ctx, om_device **out)
{
    om_device *members[OM_MOST_MEMBERS];
    size_t count = 0;
    for (size_t i = 0; i < all->count && count < OM_MOST_MEMBERS; i++) {
        om_device *d = &all->items[i];
        bool good = false;
        if (strcmp(d->info.kind, HOST) == 0)
            continue;
        int rc = vet(d, ctx, &good);
        if (rc != OM_OK)
            return rc;
        if (good)
            members[count++] = d;
        else
            om_note(ctx, OM_NOTE_WARNING, NULL, "device %zu (%s) is skipped: %s", i, d->info.name,
                d->info.reason);
    }
    return count > 0 ? make_group(all, ctx, members, count, out)
                     : om_fail(ctx, OM_EUNSUPPORTED, NULL, "there is no device that can be used");
}

/* Picks one member of a list: a number, or "host". */
static int pick_member(
    om_devices *all, const char *which, const char **at, om_context *ctx, om_device **out)
{
    char *end = NULL;
    if (is_host(*at))
        return pick_host(all, which, at, ctx, out);
    unsigned long number = strtoul(*at, &end, 10);
    if (**at < '0' || **at > '9' || (*end != ',' && *end != '\0'))
        return om_fail(ctx, OM_EUSAGE, NULL,
            "several devices are numbers separated by commas, not '%s'", which);
    *at = end;
    return pick_number(all, number, ctx, out);
}

/* Picks each device of a list such as "0,2". The host may be named several times: it computes for
 * each. */
static int pick_list(om_devices *all, const char *which, om_context *ctx, om_device **out)
{
    om_device *members[OM_MOST_MEMBERS];
    size_t count = 0;
    for (const char *at = which;; at++) {
        om_device *d = NULL;
        int rc = count == OM_MOST_MEMBERS
                     ? om_fail(ctx, OM_EUSAGE, NULL, "'%s' names too many devices", which)
                     : pick_member(all, which, &at, ctx, &d);
        if (rc != OM_OK)
            return rc;
        assert(d != NULL);
        for (size_t i = 0; i < count; i++)
            if (members[i] == d && strcmp(d->info.kind, HOST) != 0)
                return om_fail(ctx, OM_EUSAGE, NULL, "device %zu is named twice in '%s'",
                    (size_t) (d - all->items), which);
        members[count++] = d;
        if (*at == '\0')
            return make_group(all, ctx, members, count, out);
    }
}

int om_devices_pick(om_devices *all, om_context *ctx, const char *which, om_device **out)
{
    static const char *const kinds[] = { "gpu", "accelerator", "cpu" };
    bool any = strcmp(which, "auto") == 0, known = any;
    om_device *found = NULL;
    if ((which[0] >= '0' && which[0] <= '9') || is_host(which))
        return pick_list(all, which, ctx, out);
    if (strcmp(which, "all") == 0)
        return pick_all(all, ctx, out);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && found == NULL; i++) {
        if (!any && strcmp(which, kinds[i]) != 0)
            continue;
        known = true;
        int rc = pick_kind(all, kinds[i], ctx, &found);
        if (rc != OM_OK)
            return rc;
    }
    if (!known)
        return om_fail(ctx, OM_EUSAGE, NULL,
            "a device is 'auto', 'all', 'cpu', 'gpu', 'host', a number or a list of numbers, not "
            "'%s'",
            which);
    if (found == NULL)
        return om_fail(ctx, OM_EUNSUPPORTED, NULL, "there is no %s%sdevice that can be used",
            any ? "" : which, any ? "" : " ");
    *out = found;
    return OM_OK;
}
