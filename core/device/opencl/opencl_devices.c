/* SPDX-License-Identifier: Apache-2.0 */
/* Finding and listing OpenCL devices. */
#include "opencl.h"

#include "sizing.h"

#include <dlfcn.h>
#include <string.h>

enum { MOST_PLATFORMS = 32, MOST_DEVICES = 64 };

static const char *const NVIDIA_HINT =
    "NVIDIA's OpenCL (libnvidia-opencl.so.1) is installed but no .icd file names it: write that "
    "name into /etc/OpenCL/vendors/nvidia.icd, or set OCL_ICD_VENDORS to it";

/* ---- properties of devices ---- */

/* Returns a string of a device or (device NULL) a platform; "" if it gives none; NULL if memory
 * runs out. */
static char *text_of(
    const om_opencl *opencl, cl_platform_id platform, cl_device_id device, cl_uint what)
{
    const om_cl *cl = &opencl->cl;
    size_t length = 0;
    cl_int error = device != NULL ? cl->clGetDeviceInfo(device, what, 0, NULL, &length)
                                  : cl->clGetPlatformInfo(platform, what, 0, NULL, &length);
    char *text = om_alloc(opencl->all->heap, length + 1, 1);
    if (text == NULL || error != CL_SUCCESS || length == 0)
        return text;
    error = device != NULL ? cl->clGetDeviceInfo(device, what, length, text, NULL)
                           : cl->clGetPlatformInfo(platform, what, length, text, NULL);
    if (error != CL_SUCCESS)
        text[0] = '\0';
    return text;
}

/* Returns an unsigned number of at most eight bytes of a device; 0 if it gives none. */
static uint64_t number_of(const om_opencl *cl, cl_device_id device, cl_uint what, size_t size)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    void *to = size == sizeof wide ? (void *) &wide : (void *) &narrow;
    if (cl->cl.clGetDeviceInfo(device, what, size, to, NULL) != CL_SUCCESS)
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

/* Returns why a device cannot be used according to its properties, a constant; NULL if it can. */
static const char *unfit(
    const om_opencl *cl, cl_device_id id, const char *platform, const char *extensions)
{
    if (!number_of(cl, id, CL_DEVICE_AVAILABLE, sizeof(cl_bool)))
        return "the driver says it is not available";
    if (!number_of(cl, id, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool)))
        return "its driver has no compiler";
    if (!has_extension(extensions, "cl_khr_int64_base_atomics"))
        return "it lacks cl_khr_int64_base_atomics";
    if (!number_of(cl, id, CL_DEVICE_ENDIAN_LITTLE, sizeof(cl_bool)))
        return "it is big-endian";
    return om_driver__fault(cl, platform);
}

static const char *kind_name(uint64_t type)
{
    return (type & CL_DEVICE_TYPE_GPU) != 0   ? "gpu"
           : (type & CL_DEVICE_TYPE_CPU) != 0 ? "cpu"
                                              : "accelerator";
}

/* A CPU runs few work-items at once, each of which keeps several cache misses in flight; other
 * devices run many, with neighbours that read neighbouring words. */
static void shape(om_device *d, bool local_memory)
{
    bool cpu = strcmp(d->info.kind, "cpu") == 0;
    d->simulated = strcmp(d->info.platform, "Oclgrind") == 0;
    d->local = cpu ? 8 : 64;
    d->batch = cpu ? 16 : 1;
    d->filter = local_memory ? 512 : 0;
    /* Several work-groups for each unit, so that no unit waits long for the last one. */
    d->most_items = (d->info.compute_units + 1) * (cpu ? 16 : 32) * d->local;
    d->own_pages = cpu && strstr(d->info.platform, "Portable Computing Language") != NULL;
    d->per_size = d->alone = om_opencl__of(d)->prefetches = d->own_pages;
    d->segments = d->own_pages ? 1 : OM_MOST_SEGMENTS;
}

void om_opencl__imagine(om_device *d, om_opencl_device *own)
{
    *own = (om_opencl_device){ .id = NULL };
    *d = (om_device){ .backend = &om_opencl__backend, .own = own };
    d->info = (om_device_info){ .name = "a GPU",
        .platform = "none",
        .driver = "none",
        .version = "OpenCL 1.2",
        .kind = "gpu",
        .backend = d->backend->name,
        .compute_units = 128,
        .memory_bytes = UINT64_C(80) << 30,
        .largest_allocation = UINT64_C(20) << 30 };
    shape(d, true);
}

static int describe(om_opencl *cl, om_device *d, cl_platform_id platform, cl_device_id id)
{
    const om_heap *heap = cl->all->heap;
    om_opencl_device *own = om_alloc(heap, 1, sizeof *own);
    if (own == NULL)
        return OM_ENOMEM;
    *own = (om_opencl_device){ .opencl = cl, .platform = platform, .id = id };
    d->own = own;
    d->name = text_of(cl, NULL, id, CL_DEVICE_NAME);
    d->driver = text_of(cl, NULL, id, CL_DRIVER_VERSION);
    d->version = text_of(cl, NULL, id, CL_DEVICE_VERSION);
    d->platform_name = text_of(cl, platform, NULL, CL_PLATFORM_NAME);
    d->platform_version = text_of(cl, platform, NULL, CL_PLATFORM_VERSION);
    char *extensions = text_of(cl, NULL, id, CL_DEVICE_EXTENSIONS);
    const char *reason = extensions == NULL || d->platform_name == NULL
                             ? NULL
                             : unfit(cl, id, d->platform_name, extensions);
    if (reason != NULL)
        d->reason = om_strdup(heap, reason);
    bool short_of_memory = d->name == NULL || d->driver == NULL || d->version == NULL ||
                           d->platform_name == NULL || d->platform_version == NULL ||
                           extensions == NULL || (reason != NULL && d->reason == NULL);
    om_free(heap, extensions);
    d->info = (om_device_info){ .name = d->name,
        .platform = d->platform_name,
        .driver = d->driver,
        .version = d->version,
        .kind = kind_name(number_of(cl, id, CL_DEVICE_TYPE, sizeof(cl_device_type))),
        .compute_units = (uint32_t) number_of(cl, id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint)),
        .memory_bytes = number_of(cl, id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong)),
        .largest_allocation = number_of(cl, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong)),
        .reason = d->reason };
    d->folderless = d->platform_name != NULL && om_driver__fault(cl, d->platform_name) != NULL;
    d->host_memory = number_of(cl, id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(cl_bool)) != 0;
    if (short_of_memory)
        return OM_ENOMEM;
    shape(d,
        number_of(cl, id, CL_DEVICE_LOCAL_MEM_TYPE, sizeof(cl_device_local_mem_type)) == CL_LOCAL);
    return OM_OK;
}

/* ---- opening ---- */

/* Counts the twins of the last device. */
static void count_twins(om_devices *all)
{
    om_device *d = &all->items[all->count - 1];
    om_opencl_device *own = om_opencl__of(d);
    for (const om_device *other = all->items; other != d; other++)
        own->twin += other->backend == d->backend &&
                     om_opencl__of(other)->platform == own->platform &&
                     strcmp(other->name, d->name) == 0;
}

static int add_platform(om_opencl *cl, cl_platform_id platform)
{
    cl_device_id ids[MOST_DEVICES];
    cl_uint count = 0;
    if (cl->cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, ids, &count) !=
        CL_SUCCESS)
        return OM_OK; /* a platform without devices */
    for (cl_uint i = 0; i < count && i < MOST_DEVICES; i++) {
        om_device *d = om_devices__add(cl->all, &om_opencl__backend);
        int rc = d == NULL ? OM_ENOMEM : describe(cl, d, platform, ids[i]);
        if (rc != OM_OK)
            return rc;
        count_twins(cl->all);
    }
    return OM_OK;
}

/* Returns true if NVIDIA's library is present, although there is no platform of it. */
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

/* Lists the devices of all platforms; *why is set if there is none. */
static int list_platforms(om_opencl *cl, const char **why)
{
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint count = 0;
    om_devices *all = cl->all;
    cl_int error = cl->cl.clGetPlatformIDs(MOST_PLATFORMS, platforms, &count);
    if (error != CL_SUCCESS)
        count = 0;
    for (cl_uint i = 0; i < count && i < MOST_PLATFORMS; i++)
        if (add_platform(cl, platforms[i]) != OM_OK)
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

int om_opencl__open(om_devices *all, om_context *ctx, bool trial, void **own, const char **why)
{
    om_opencl *cl = om_alloc(all->heap, 1, sizeof *cl);
    if (cl == NULL)
        return om_fail_memory(ctx);
    *own = cl;
    cl->all = all;
    int rc = om_driver__settle(ctx, &cl->work, &cl->no_folder);
    if (rc == OM_OK && trial)
        rc = om_opencl__trial(ctx, why);
    if (rc == OM_OK && (*why = om_cl__load(&cl->cl)) != NULL)
        rc = OM_EUNSUPPORTED;
    return rc == OM_OK ? list_platforms(cl, why) : rc;
}

void om_opencl__close(om_devices *all, void *own)
{
    om_opencl *cl = own;
    bool lost = false;
    om_kernel_compilers__close(cl);
    for (size_t i = 0; i < all->count; i++) {
        om_device *d = &all->items[i];
        if (d->backend != &om_opencl__backend || d->own == NULL)
            continue;
        if (om_device__lost(d)) {
            lost = true;
            continue;
        }
        if (om_opencl__of(d)->context != NULL)
            cl->cl.clReleaseContext(om_opencl__of(d)->context);
        om_free(all->heap, d->own);
    }
    if (lost)
        return; /* the driver still works, and uses its files */
    om_work_folder__end(&cl->work);
    om_free(all->heap, cl);
}
