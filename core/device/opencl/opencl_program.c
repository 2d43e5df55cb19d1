/* SPDX-License-Identifier: Apache-2.0 */
/* Building programs: from the cache, else from source, in a separate process if possible
 * (compile.c). builds.c describes how callers wait. */
#include "opencl.h"

#include "device_cache.h"
#include "files/cache.h"

#include <assert.h>
#include <string.h>

int om_opencl__start(om_device *d)
{
    om_opencl_device *own = om_opencl__of(d);
    cl_int error = CL_SUCCESS;
    cl_context_properties properties[] = { CL_CONTEXT_PLATFORM,
        (cl_context_properties) (uintptr_t) own->platform, 0 };
    if (own->context == NULL)
        own->context =
            om_opencl__calls(d)->clCreateContext(properties, 1, &own->id, NULL, NULL, &error);
    return own->context != NULL ? 0 : error != CL_SUCCESS ? error : CL_INVALID_CONTEXT;
}

/* Copies the first lines of the build log, at most `capacity` bytes with the NUL. */
static void log_start(const om_device *d, cl_program program, char *to, size_t capacity)
{
    const om_cl *cl = om_opencl__calls(d);
    const om_heap *heap = d->owner->heap;
    enum { LINES = 8 };
    size_t length = 0;
    char *log = NULL;
    to[0] = '\0';
    if (cl->clGetProgramBuildInfo(
            program, om_opencl__of(d)->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) != CL_SUCCESS ||
        length == 0 || (log = om_alloc(heap, length + 1, 1)) == NULL)
        return;
    if (cl->clGetProgramBuildInfo(
            program, om_opencl__of(d)->id, CL_PROGRAM_BUILD_LOG, length, log, NULL) == CL_SUCCESS) {
        size_t at = 0, lines = 0;
        for (; log[at] != '\0' && at + 1 < capacity; at++) {
            if (log[at] == '\n' && ++lines == LINES)
                break;
            to[at] = log[at];
        }
        to[at] = '\0';
    }
    om_free(heap, log);
}

/* Returns NULL if the binary does not load. */
static om_program *from_binary(
    om_device *d, const unsigned char *binary, size_t length, const char *options)
{
    const om_cl *cl = om_opencl__calls(d);
    cl_int status = CL_SUCCESS, error = CL_SUCCESS;
    cl_program program = cl->clCreateProgramWithBinary(
        om_opencl__of(d)->context, 1, &om_opencl__of(d)->id, &length, &binary, &status, &error);
    if (program == NULL)
        return NULL;
    if (error != CL_SUCCESS || status != CL_SUCCESS ||
        cl->clBuildProgram(program, 1, &om_opencl__of(d)->id, options, NULL, NULL) != CL_SUCCESS) {
        cl->clReleaseProgram(program);
        return NULL;
    }
    return (om_program *) program;
}

static int from_source(
    om_device *d, om_context *ctx, const char *source, const char *options, om_built *out)
{
    const om_cl *cl = om_opencl__calls(d);
    cl_int error = CL_SUCCESS;
    size_t length = strlen(source);
    cl_program program =
        cl->clCreateProgramWithSource(om_opencl__of(d)->context, 1, &source, &length, &error);
    if (program == NULL)
        return om_device__fail(d, ctx, "clCreateProgramWithSource", error);
    error = cl->clBuildProgram(program, 1, &om_opencl__of(d)->id, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        char log[1024];
        log_start(d, program, log, sizeof log);
        cl->clReleaseProgram(program);
        return om_fail(ctx, OM_EUNSUPPORTED, NULL, "device %s: the kernels do not build: %s%s%s",
            d->info.name, om_cl__error(error), log[0] != '\0' ? "\n" : "", log);
    }
    out->program = (om_program *) program;
    return OM_OK;
}

void om_opencl__release(om_device *d, om_built *b)
{
    const om_cl *cl = om_opencl__calls(d);
    for (size_t i = 0; i < OM_MOST_KERNELS; i++)
        if (b->kernels[i] != NULL)
            cl->clReleaseKernel((cl_kernel) b->kernels[i]);
    if (b->program != NULL)
        cl->clReleaseProgram((cl_program) b->program);
    *b = (om_built){ 0 };
}

size_t om_opencl__group_limit(om_device *d, om_kernel *k)
{
    size_t most = 0;
    return om_opencl__calls(d)->clGetKernelWorkGroupInfo((cl_kernel) k, om_opencl__of(d)->id,
               CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL) == CL_SUCCESS
               ? most
               : 0;
}

/* Makes a kernel and starts it with all numbers 0. */
static cl_int start_kernel(const om_device *d, cl_command_queue queue, cl_program program,
    const om_shape *shape, const cl_mem *buffer, om_kernel **out)
{
    const om_cl *cl = om_opencl__calls(d);
    pthread_mutex_lock(&d->owner->lock);
    const size_t size = d->local;
    pthread_mutex_unlock(&d->owner->lock);
    const cl_ulong zero = 0;
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = cl->clCreateKernel(program, shape->name, &error);
    if (kernel == NULL)
        return error;
    *out = (om_kernel *) kernel;
    for (cl_uint i = 0; shape->args[i] != '\0' && error == CL_SUCCESS; i++)
        error = shape->args[i] == 'm' || shape->args[i] == 'n'
                    ? cl->clSetKernelArg(kernel, i, sizeof(cl_mem), buffer)
                    : cl->clSetKernelArg(
                          kernel, i, shape->args[i] == 'u' ? sizeof(cl_uint) : sizeof zero, &zero);
    if (error == CL_SUCCESS)
        error = cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error = cl->clFinish(queue);
    return error;
}

/* Makes the kernels and starts each once, on nothing: some drivers (pocl) compile for a work-group
 * size at its first use, which takes a second or more and must not happen in a search. */
static int warm_up(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *b)
{
    const om_cl *cl = om_opencl__calls(d);
    cl_int error = CL_SUCCESS;
    const char *what = "clCreateCommandQueue";
    cl_mem buffer = NULL;
    cl_command_queue queue =
        cl->clCreateCommandQueue(om_opencl__of(d)->context, om_opencl__of(d)->id, 0, &error);
    if (queue != NULL) {
        what = "clCreateBuffer";
        buffer = cl->clCreateBuffer(
            om_opencl__of(d)->context, CL_MEM_READ_WRITE, sizeof(cl_ulong), NULL, &error);
    }
    for (size_t i = 0; i < recipe->count && error == CL_SUCCESS; i++) {
        what = recipe->shapes[i].name;
        error = start_kernel(
            d, queue, (cl_program) b->program, &recipe->shapes[i], &buffer, &b->kernels[i]);
    }
    if (buffer != NULL)
        cl->clReleaseMemObject(buffer);
    if (queue != NULL)
        cl->clReleaseCommandQueue(queue);
    return error == CL_SUCCESS ? OM_OK : om_device__fail(d, ctx, what, error);
}

void om_opencl__options(const om_device *d, const om_recipe *recipe, om_text *all)
{
    uint32_t twin = om_opencl__of(d)->twin;
    om_text_printf(all, "-cl-std=CL1.2 -DOM_BATCH=%u -DOM_FILTER=%u", d->batch, d->filter);
    for (size_t i = 0; i < recipe->define_count; i++)
        om_text_printf(all, " -D%s=%u", recipe->defines[i].name, recipe->defines[i].value);
    /* A simulator that detects data races gets atomic loads: see LOAD64 in om_kernel.h. It gets
     * unoptimised code, because oclgrind 21.10 does not cut values that are truncated to fewer than
     * 8 bits: of a switch on two bits, as made by clang's optimiser, it may take no case. */
    om_text_printf(all, "%s%s%s", recipe->quick || d->simulated ? " -cl-opt-disable" : "",
        d->simulated ? " -DOM_OCLGRIND" : "",
        om_opencl__of(d)->prefetches ? " -DOM_PREFETCHES" : "");
    if (d->alone && twin > 0)
        om_text_printf(all, " -DOM_TWIN=%u", twin);
}

int om_opencl__describe(om_device *d, const om_recipe *recipe, om_text *source, om_text *options)
{
    om_text_add(source, recipe->source);
    om_opencl__options(d, recipe, options);
    return OM_OK;
}

/* Gets the binary of a program whose kernels were started: some drivers (pocl) include what they
 * compiled then. Returns OM_EUNSUPPORTED if the driver gives none. */
static int take_binary(
    om_device *d, om_context *ctx, cl_program program, unsigned char **binary, size_t *length)
{
    const om_cl *cl = om_opencl__calls(d);
    size_t n = 0;
    cl_int error = cl->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL);
    if (error != CL_SUCCESS || n == 0)
        return om_device__fail(d, ctx, "clGetProgramInfo", error);
    unsigned char *bytes = om_alloc(om_context_heap(ctx), n, 1);
    if (bytes == NULL)
        return om_fail_memory(ctx);
    error = cl->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
    if (error != CL_SUCCESS) {
        om_free(om_context_heap(ctx), bytes);
        return om_device__fail(d, ctx, "clGetProgramInfo", error);
    }
    *binary = bytes;
    *length = n;
    return OM_OK;
}

int om_opencl__compile(om_device *d, om_context *ctx, const om_recipe *recipe, const char *options,
    om_built *out, unsigned char **binary, size_t *length)
{
    int rc = from_source(d, ctx, recipe->source, options, out);
    if (rc == OM_OK)
        rc = warm_up(d, ctx, recipe, out);
    return rc == OM_OK ? take_binary(d, ctx, (cl_program) out->program, binary, length) : rc;
}

/* Loads the cached binary, or that of a compiler in a separate process, as a program; *out is NULL
 * if there is neither. */
static int from_elsewhere(om_device *d, om_context *ctx, const om_recipe *recipe,
    const char *options, const om_text *key, om_program **out)
{
    const om_heap *heap = om_context_heap(ctx);
    unsigned char *binary = NULL;
    size_t length = 0;
    int rc = OM_OK;
    *out = NULL;
    if (om_cache__load_from(ctx, om_cache__opencl, key, &binary, &length)) {
        *out = from_binary(d, binary, length, options);
        om_free(heap, binary);
        if (*out != NULL)
            return OM_OK;
        om_cache__drop_from(ctx, om_cache__opencl, key);
    }
    rc = om_opencl__compile_apart(d, ctx, recipe, options, &binary, &length);
    if (rc == OM_EIO)
        return OM_OK;
    if (rc == OM_OK) {
        *out = from_binary(d, binary, length, options);
        if (*out != NULL)
            om_cache__store_in(ctx, om_cache__opencl, key, binary, length);
        om_free(heap, binary);
    }
    return rc;
}

int om_opencl__build(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_text key = { .heap = heap }, options = { .heap = heap };
    unsigned char *binary = NULL;
    size_t length = 0;
    om_built built = { 0 };
    assert(recipe->count <= OM_MOST_KERNELS);
    om_opencl__options(d, recipe, &options);
    int rc = options.failed ? om_fail_memory(ctx)
                            : om_device_cache__key(d, ctx, recipe->source, options.text, &key);
    if (rc == OM_OK)
        rc = from_elsewhere(d, ctx, recipe, options.text, &key, &built.program);
    if (rc == OM_OK && built.program != NULL)
        rc = warm_up(d, ctx, recipe, &built);
    else if (rc == OM_OK) {
        rc = om_opencl__compile(d, ctx, recipe, options.text, &built, &binary, &length);
        if (rc == OM_OK)
            om_cache__store_in(ctx, om_cache__opencl, &key, binary, length);
    }
    if (rc == OM_OK) {
        *out = built;
        built = (om_built){ 0 };
    }
    om_opencl__release(d, &built);
    om_free(heap, binary);
    om_text_free(&key);
    om_text_free(&options);
    return rc;
}
