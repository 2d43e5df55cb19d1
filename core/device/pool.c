/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <assert.h>

/* Large copies go in pieces of some milliseconds, so that a stop is seen between them. */
static const size_t PIECE = (size_t) 16 << 20;

int om_pool__stopped(const om_pool *p)
{
    return om_control_status(p->control);
}

int om_pool__open(om_pool *p, om_device *device, om_context *ctx, om_control *control)
{
    cl_int error = CL_SUCCESS;
    *p = (om_pool){ .device = device, .ctx = ctx, .control = control };
    int rc = om_device__start(device, ctx);
    if (rc != OM_OK)
        return rc;
    p->queue = device->owner->cl.clCreateCommandQueue(device->context, device->id, 0, &error);
    return p->queue != NULL ? OM_OK : om_device__fail(device, ctx, "clCreateCommandQueue", error);
}

void om_pool__close(om_pool *p)
{
    if (p->queue != NULL)
        p->device->owner->cl.clReleaseCommandQueue(p->queue);
    *p = (om_pool){ 0 };
}

int om_pool__take(om_pool *p, om_buffer *b, size_t count, size_t size)
{
    const om_device *d = p->device;
    const om_cl *cl = &d->owner->cl;
    cl_int error = CL_INVALID_BUFFER_SIZE;
    assert(b->mem == NULL);
    if (count == 0)
        count = 1;
    if (count > SIZE_MAX / size)
        return om_device__fail(d, p->ctx, "clCreateBuffer", error);
    size_t bytes = count * size;
    if (bytes > d->info.largest_allocation || bytes > d->info.memory_bytes - p->used)
        return om_device__fail(d, p->ctx, "clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE);
    if (d->host_memory && p->control != NULL && !om_control_room(p->control, bytes))
        return om_pool__stopped(p);
    b->mem = cl->clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (b->mem == NULL)
        return om_device__fail(d, p->ctx, "clCreateBuffer", error);
    b->bytes = bytes;
    p->used += bytes;
    if (p->used > p->peak)
        p->peak = p->used;
    return OM_OK;
}

void om_pool__give(om_pool *p, om_buffer *b)
{
    if (b->mem == NULL)
        return;
    p->device->owner->cl.clReleaseMemObject(b->mem);
    p->used -= b->bytes;
    *b = (om_buffer){ 0 };
}

int om_pool__grow(om_pool *p, om_buffer *b, size_t count, size_t size, size_t keep)
{
    const om_cl *cl = &p->device->owner->cl;
    om_buffer larger = { 0 };
    assert(keep <= b->bytes);
    if (b->mem != NULL && count <= b->bytes / size)
        return OM_OK;
    if (keep == 0)
        om_pool__give(p, b);
    int rc = om_pool__take(p, &larger, count, size);
    if (rc != OM_OK)
        return rc;
    for (size_t at = 0; at < keep; at += PIECE) {
        size_t n = keep - at < PIECE ? keep - at : PIECE;
        cl_int error =
            cl->clEnqueueCopyBuffer(p->queue, b->mem, larger.mem, at, at, n, 0, NULL, NULL);
        rc = error == CL_SUCCESS ? om_pool__pause(p)
                                 : om_device__fail(p->device, p->ctx, "clEnqueueCopyBuffer", error);
        if (rc != OM_OK) {
            (void) om_pool__finish(p); /* nothing may use what goes now */
            om_pool__give(p, &larger);
            return rc;
        }
    }
    om_pool__give(p, b);
    *b = larger;
    return OM_OK;
}

int om_pool__zero(om_pool *p, const om_buffer *b, size_t from, size_t bytes)
{
    const om_cl *cl = &p->device->owner->cl;
    const cl_uint zero = 0;
    assert(from % sizeof zero == 0 && bytes % sizeof zero == 0 && from + bytes <= b->bytes);
    for (size_t at = 0; at < bytes; at += PIECE) {
        int rc = at == 0 ? OM_OK : om_pool__pause(p);
        size_t n = bytes - at < PIECE ? bytes - at : PIECE;
        if (rc != OM_OK)
            return rc;
        cl_int error = cl->clEnqueueFillBuffer(
            p->queue, b->mem, &zero, sizeof zero, from + at, n, 0, NULL, NULL);
        if (error != CL_SUCCESS)
            return om_device__fail(p->device, p->ctx, "clEnqueueFillBuffer", error);
    }
    return OM_OK;
}

int om_pool__write(om_pool *p, const om_buffer *b, size_t at, const void *from, size_t bytes)
{
    const om_cl *cl = &p->device->owner->cl;
    assert(at + bytes <= b->bytes);
    if (bytes == 0)
        return OM_OK;
    cl_int error =
        cl->clEnqueueWriteBuffer(p->queue, b->mem, CL_TRUE, at, bytes, from, 0, NULL, NULL);
    return error == CL_SUCCESS ? OM_OK
                               : om_device__fail(p->device, p->ctx, "clEnqueueWriteBuffer", error);
}

int om_pool__read(om_pool *p, const om_buffer *b, size_t at, void *to, size_t bytes)
{
    const om_cl *cl = &p->device->owner->cl;
    assert(at + bytes <= b->bytes);
    for (size_t done = 0; done < bytes; done += PIECE) {
        int rc = done == 0 ? OM_OK : om_pool__stopped(p);
        size_t n = bytes - done < PIECE ? bytes - done : PIECE;
        if (rc != OM_OK)
            return rc;
        cl_int error = cl->clEnqueueReadBuffer(
            p->queue, b->mem, CL_TRUE, at + done, n, (char *) to + done, 0, NULL, NULL);
        if (error != CL_SUCCESS)
            return om_device__fail(p->device, p->ctx, "clEnqueueReadBuffer", error);
    }
    return OM_OK;
}

int om_pool__finish(om_pool *p)
{
    cl_int error = p->device->owner->cl.clFinish(p->queue);
    return error == CL_SUCCESS ? OM_OK : om_device__fail(p->device, p->ctx, "clFinish", error);
}

int om_pool__pause(om_pool *p)
{
    int rc = om_pool__finish(p);
    return rc == OM_OK ? om_pool__stopped(p) : rc;
}

int om_pool__run(om_pool *p, cl_kernel kernel, const char *name, const om_arg *args, cl_uint count,
    size_t items, size_t rows)
{
    const om_cl *cl = &p->device->owner->cl;
    cl_int error = CL_SUCCESS;
    if (items == 0)
        return OM_OK;
    for (cl_uint i = 0; i < count && error == CL_SUCCESS; i++)
        error = cl->clSetKernelArg(kernel, i, args[i].size, args[i].value);
    size_t global[2] = { (items + OM_LOCAL - 1) / OM_LOCAL * OM_LOCAL, rows == 0 ? 1 : rows };
    size_t local[2] = { OM_LOCAL, 1 };
    if (error == CL_SUCCESS)
        error = cl->clEnqueueNDRangeKernel(p->queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    return error == CL_SUCCESS ? OM_OK : om_device__fail(p->device, p->ctx, name, error);
}
