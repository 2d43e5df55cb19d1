/* SPDX-License-Identifier: Apache-2.0 */
/* Finding, listing and picking devices. */
#include "devices.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLATFORMS = 32, MOST_DEVICES = 64 };

static const char *const NVIDIA_HINT =
    "NVIDIA's OpenCL (libnvidia-opencl.so.1) is here but no .icd file names it: write that name "
    "into /etc/OpenCL/vendors/nvidia.icd, or set OCL_ICD_VENDORS to it";

/* ---- what devices say of themselves ---- */

/* A string that a device or (device NULL) a platform gives; "" where it does not; NULL: memory. */
static char *text_of(om_devices *all, cl_platform_id platform, cl_device_id device, cl_uint what)
{
    const om_cl *cl = &all->cl;
    size_t length = 0;
    cl_int error = device != NULL ? cl->clGetDeviceInfo(device, what, 0, NULL, &length)
                                  : cl->clGetPlatformInfo(platform, what, 0, NULL, &length);
    char *text = om_alloc(all->heap, length + 1, 1);
    if (text == NULL || error != CL_SUCCESS || length == 0)
        return text;
    error = device != NULL ? cl->clGetDeviceInfo(device, what, length, text, NULL)
                           : cl->clGetPlatformInfo(platform, what, length, text, NULL);
    if (error != CL_SUCCESS)
        text[0] = '\0';
    return text;
}

/* An unsigned number of at most eight bytes that a device gives; 0 where it does not. */
static uint64_t number_of(const om_devices *all, cl_device_id device, cl_uint what, size_t size)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    void *to = size == sizeof wide ? (void *) &wide : (void *) &narrow;
    if (all->cl.clGetDeviceInfo(device, what, size, to, NULL) != CL_SUCCESS)
        return 0;
    return size == sizeof wide ? wide : narrow;
}

static bool has_extension(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

/* Why a device cannot be used, from what it says; NULL: it can. A constant. */
static const char *unfit(
    om_devices *all, cl_device_id id, const char *platform, const char *extensions)
{
    if (!number_of(all, id, CL_DEVICE_AVAILABLE, sizeof(cl_bool)))
        return "the driver says it is not available";
    if (!number_of(all, id, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool)))
        return "its driver has no compiler";
    if (!has_extension(extensions, "cl_khr_int64_base_atomics"))
        return "it lacks cl_khr_int64_base_atomics";
    if (!number_of(all, id, CL_DEVICE_ENDIAN_LITTLE, sizeof(cl_bool)))
        return "its words are big-endian";
    return om_driver__fault(all, platform);
}

static const char *kind_name(uint64_t type)
{
    return (type & CL_DEVICE_TYPE_GPU) != 0   ? "gpu"
           : (type & CL_DEVICE_TYPE_CPU) != 0 ? "cpu"
                                              : "accelerator";
}

static void close_device(om_device *d)
{
    const om_heap *heap = d->owner->heap;
    if (d->context != NULL)
        d->owner->cl.clReleaseContext(d->context);
    char *texts[] = { d->name, d->platform_name, d->driver, d->version, d->platform_version,
        d->reason };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        om_free(heap, texts[i]);
}

/* A CPU has few work-items run at once, each of which keeps several cache misses in flight; other
 * devices have many, whose neighbours read neighbouring words. */
static void shape(om_device *d)
{
    bool cpu = strcmp(d->info.kind, "cpu") == 0;
    d->simulated = strcmp(d->info.platform, "Oclgrind") == 0;
    d->local = cpu ? 8 : 64;
    d->batch = cpu ? 16 : 1;
    if (number_of(d->owner, d->id, CL_DEVICE_LOCAL_MEM_TYPE, sizeof(cl_device_local_mem_type)) ==
        CL_LOCAL)
        d->filter = 512;
    /* Several work-groups a unit, so that none waits long for the last one. */
    d->most_items = (d->info.compute_units + 1) * (cpu ? 16 : 32) * d->local;
    d->own_pages = cpu && strstr(d->info.platform, "Portable Computing Language") != NULL;
}

static int describe(om_devices *all, om_device *d, cl_platform_id platform, cl_device_id id)
{
    *d = (om_device){ .owner = all, .platform = platform, .id = id };
    d->name = text_of(all, NULL, id, CL_DEVICE_NAME);
    d->driver = text_of(all, NULL, id, CL_DRIVER_VERSION);
    d->version = text_of(all, NULL, id, CL_DEVICE_VERSION);
    d->platform_name = text_of(all, platform, NULL, CL_PLATFORM_NAME);
    d->platform_version = text_of(all, platform, NULL, CL_PLATFORM_VERSION);
    char *extensions = text_of(all, NULL, id, CL_DEVICE_EXTENSIONS);
    const char *reason = extensions == NULL || d->platform_name == NULL
                             ? NULL
                             : unfit(all, id, d->platform_name, extensions);
    if (reason != NULL)
        d->reason = om_strdup(all->heap, reason);
    bool short_of_memory = d->name == NULL || d->driver == NULL || d->version == NULL ||
                           d->platform_name == NULL || d->platform_version == NULL ||
                           extensions == NULL || (reason != NULL && d->reason == NULL);
    om_free(all->heap, extensions);
    d->info = (om_device_info){ .name = d->name,
        .platform = d->platform_name,
        .driver = d->driver,
        .version = d->version,
        .kind = kind_name(number_of(all, id, CL_DEVICE_TYPE, sizeof(cl_device_type))),
        .compute_units =
            (uint32_t) number_of(all, id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint)),
        .memory_bytes = number_of(all, id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong)),
        .largest_allocation = number_of(all, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong)),
        .reason = d->reason };
    d->homeless = d->platform_name != NULL && om_driver__fault(all, d->platform_name) != NULL;
    d->host_memory = number_of(all, id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(cl_bool)) != 0;
    if (short_of_memory)
        return OM_ENOMEM;
    shape(d);
    om_device__recall(d, all->ctx);
    d->info.work_group = d->local;
    d->info.work_items = d->most_items;
    d->info.tuned = d->tuned;
    return OM_OK;
}

/* ---- groups ---- */

/* What a group says of itself, from its members. */
static void describe_group(om_device *g)
{
    g->info = (om_device_info){ .name = g->name,
        .platform = g->members[0]->info.platform,
        .driver = g->members[0]->info.driver,
        .version = g->members[0]->info.version,
        .kind = g->members[0]->info.kind,
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
    om_free(heap, g->name);
    om_free(heap, g->members);
    om_free(heap, g);
}

/* One device is itself. */
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

/* The last device's. */
static void count_twins(om_devices *all)
{
    om_device *d = &all->items[all->count - 1];
    for (const om_device *other = all->items; other != d; other++)
        d->twin += other->platform == d->platform && strcmp(other->name, d->name) == 0;
}

static int add_platform(om_devices *all, cl_platform_id platform, size_t *capacity)
{
    cl_device_id ids[MOST_DEVICES];
    cl_uint count = 0;
    if (all->cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, ids, &count) !=
        CL_SUCCESS)
        return OM_OK; /* a platform without devices */
    for (cl_uint i = 0; i < count && i < MOST_DEVICES; i++) {
        om_device *p = om_grow(all->heap, all->items, capacity, all->count + 1, sizeof *all->items);
        if (p == NULL)
            return OM_ENOMEM;
        all->items = p;
        int rc = describe(all, &all->items[all->count++], platform, ids[i]);
        if (rc == OM_OK)
            count_twins(all);
        if (rc != OM_OK)
            return rc;
    }
    return OM_OK;
}

/* Is NVIDIA's library here, although no platform came of it? */
static bool nvidia_is_hidden(const om_devices *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (strstr(all->items[i].info.platform, "NVIDIA") != NULL)
            return false;
    void *library = dlopen("libnvidia-opencl.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL)
        return false;
    (void) dlclose(library);
    return true;
}

/* Looks at all platforms; *why is set where there is no device. */
static int list_platforms(om_devices *all, const char **why)
{
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint count = 0;
    size_t capacity = 0;
    cl_int error = all->cl.clGetPlatformIDs(MOST_PLATFORMS, platforms, &count);
    if (error != CL_SUCCESS)
        count = 0;
    for (cl_uint i = 0; i < count && i < MOST_PLATFORMS; i++)
        if (add_platform(all, platforms[i], &capacity) != OM_OK)
            return om_fail_memory(all->ctx);
    bool hidden = nvidia_is_hidden(all);
    if (all->count == 0) {
        *why = hidden       ? NVIDIA_HINT
               : count == 0 ? "no OpenCL platform is installed"
                            : "the OpenCL platforms have no device";
        return OM_EUNSUPPORTED;
    }
    if (hidden)
        om_note(all->ctx, OM_NOTE_NOTICE, NULL, "%s", NVIDIA_HINT);
    return OM_OK;
}

int om_devices__open(om_devices **out, om_context *ctx, bool trial, const char **why)
{
    const char *reason = NULL;
    int rc = OM_OK;
    om_devices *all = om_alloc(om_context_heap(ctx), 1, sizeof *all);
    if (all == NULL)
        return om_fail_memory(ctx);
    all->ctx = ctx;
    all->heap = om_context_heap(ctx);
    if (om_builds__open(all) != OM_OK) {
        om_free(all->heap, all);
        return om_fail(ctx, OM_EIO, NULL, "no lock can be made");
    }
    rc = om_driver__settle(ctx, &all->work, &all->no_folder);
    if (rc == OM_OK && trial)
        rc = om_cl__trial(ctx, &reason);
    if (rc == OM_OK && (reason = om_cl__load(&all->cl)) != NULL)
        rc = OM_EUNSUPPORTED;
    if (rc == OM_OK)
        rc = list_platforms(all, &reason);
    if (rc != OM_OK) {
        om_devices_close(all);
        if (why != NULL)
            *why = reason;
        return rc;
    }
    *out = all;
    return OM_OK;
}

int om_devices_open(om_devices **out, om_context *ctx, const char **why)
{
    return om_devices__open(out, ctx, true, why);
}

void om_devices_close(om_devices *all)
{
    if (all == NULL)
        return;
    om_builds__close(all);
    for (size_t i = 0; i < all->count; i++)
        close_device(&all->items[i]);
    while (all->groups != NULL) {
        om_device *next = all->groups->next_group;
        close_group(all->groups);
        all->groups = next;
    }
    om_free(all->heap, all->items);
    om_work__end(&all->work);
    om_free(all->heap, all);
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

/* Runs the known-answer test where it is due; says whether the device may be used. */
static int vet(om_device *d, om_context *ctx, bool *good)
{
    int rc = OM_OK;
    if (d->homeless) /* which need not last */
        return om_fail(ctx, OM_EIO, NULL, "device %s: %s", d->info.name, d->info.reason);
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

/* The first device of this kind that passes, in the order of the list; none is no failure. */
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

/* Every device that passes. */
static int pick_all(om_devices *all, om_context *ctx, om_device **out)
{
    om_device *members[OM_MOST_MEMBERS];
    size_t count = 0;
    for (size_t i = 0; i < all->count && count < OM_MOST_MEMBERS; i++) {
        om_device *d = &all->items[i];
        bool good = false;
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

/* "0,2": each of these. */
static int pick_list(om_devices *all, const char *which, om_context *ctx, om_device **out)
{
    om_device *members[OM_MOST_MEMBERS];
    size_t count = 0;
    for (const char *at = which;; at++) {
        char *end = NULL;
        om_device *d = NULL;
        unsigned long number = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || (*end != ',' && *end != '\0') || count == OM_MOST_MEMBERS)
            return om_fail(ctx, OM_EUSAGE, NULL,
                "several devices are numbers with commas between them, not '%s'", which);
        int rc = pick_number(all, number, ctx, &d);
        if (rc != OM_OK)
            return rc;
        for (size_t i = 0; i < count; i++)
            if (members[i] == d)
                return om_fail(
                    ctx, OM_EUSAGE, NULL, "device %lu is named twice in '%s'", number, which);
        members[count++] = d;
        if (*end == '\0')
            return make_group(all, ctx, members, count, out);
        at = end;
    }
}

int om_devices_pick(om_devices *all, om_context *ctx, const char *which, om_device **out)
{
    static const char *const kinds[] = { "gpu", "accelerator", "cpu" };
    bool any = strcmp(which, "auto") == 0, known = any;
    char *end = NULL;
    om_device *found = NULL;
    unsigned long number = strtoul(which, &end, 10);
    if (which[0] >= '0' && which[0] <= '9' && *end == '\0')
        return pick_number(all, number, ctx, out);
    if (which[0] >= '0' && which[0] <= '9')
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
            "a device is 'auto', 'all', 'cpu', 'gpu', a number or several, not '%s'", which);
    if (found == NULL)
        return om_fail(ctx, OM_EUNSUPPORTED, NULL, "there is no %s%sdevice that can be used",
            any ? "" : which, any ? "" : " ");
    *out = found;
    return OM_OK;
}
