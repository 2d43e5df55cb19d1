/* SPDX-License-Identifier: Apache-2.0 */
/* mremap() */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "pool.h"

#include <assert.h>
#include <sys/mman.h>

/* Large copies go in pieces of some milliseconds, so that a stop is seen between them. */
static const size_t PIECE = (size_t) 16 << 20;

int om_pool__stopped(const om_pool *p)
{
    return om_control_status(p->control);
}

int om_pool__open(om_pool *p, om_device *device, om_context *ctx)
{
    cl_int error = CL_SUCCESS;
    *p = (om_pool){ .device = device, .ctx = ctx, .control = om_context_control(ctx) };
    int rc = om_device__start(device, ctx);
    if (rc != OM_OK)
        return rc;
    pthread_mutex_lock(&device->owner->lock);
    p->local = device->local;
    p->most_items = device->most_items;
    pthread_mutex_unlock(&device->owner->lock);
    p->queue = device->owner->cl.clCreateCommandQueue(device->context, device->id, 0, &error);
    return p->queue != NULL ? OM_OK : om_device__fail(device, ctx, "clCreateCommandQueue", error);
}

void om_pool__close(om_pool *p)
{
    if (p->queue != NULL)
        p->device->owner->cl.clReleaseCommandQueue(p->queue);
    *p = (om_pool){ 0 };
}

/* ---- pages ---- */

/* What the kernel calls a huge page; a mapping that begins at one is backed by them. */
static const size_t HUGE = (size_t) 2 << 20;

/*
 * Maps `bytes` at a multiple of HUGE where it is large, and moves what `b` has there: the pages
 * change their address, nothing is copied. NULL: no memory, and `b` is as it was.
 */
static void *map_pages(const om_buffer *b, size_t bytes)
{
    size_t slack = bytes >= HUGE ? HUGE : 0;
    char *at =
        mmap(NULL, bytes + slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    size_t skip = slack == 0 ? 0 : (HUGE - (uintptr_t) at % HUGE) % HUGE;
    char *begin = at + skip;
    void *got = b->pages != NULL
                    ? mremap(b->pages, b->mapped, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, begin)
                    : mmap(begin, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) {
        (void) munmap(at, bytes + slack);
        return NULL;
    }
    if (skip > 0)
        (void) munmap(at, skip);
    if (slack > skip)
        (void) munmap(begin + bytes, slack - skip);
    if (bytes >= HUGE)
        (void) madvise(begin, bytes, MADV_HUGEPAGE); /* a wish */
    return begin;
}

/* Whole pages of the system, and of HUGE where there are several of those. */
static size_t whole_pages(size_t bytes)
{
    size_t unit = bytes >= 4 * HUGE ? HUGE : 4096;
    return bytes > SIZE_MAX - unit ? bytes : (bytes + unit - 1) / unit * unit;
}

/* Gives `b`, which has pages or is empty, `bytes` of them. */
static cl_int open_pages(om_pool *p, om_buffer *b, size_t bytes)
{
    const om_device *d = p->device;
    const om_cl *cl = &d->owner->cl;
    cl_int error = CL_SUCCESS;
    size_t mapped = whole_pages(bytes);
    void *pages = map_pages(b, mapped);
    if (pages == NULL)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (b->mem != NULL)
        cl->clReleaseMemObject(b->mem);
    b->pages = pages;
    b->mapped = mapped;
    b->mem = cl->clCreateBuffer(
        d->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, pages, &error);
    if (b->mem == NULL) {
        (void) munmap(pages, mapped);
        b->pages = NULL;
    }
    return error;
}

/* ---- buffers ---- */

/* May a buffer of `old` bytes have `bytes`? One that cannot have them on the device may spill. */
static int room_for(om_pool *p, om_buffer *b, size_t old, size_t bytes)
{
    const om_device *d = p->device;
    uint64_t here = p->used - p->spilled;
    b->spilled = b->must_spill && !d->host_memory;
    if (bytes > d->info.largest_allocation ||
        (!b->spilled && bytes - old > d->info.memory_bytes - here)) {
        b->spilled = b->may_spill && !d->host_memory && bytes <= d->info.largest_allocation;
        if (!b->spilled)
            return om_device__fail(d, p->ctx, "clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    if ((d->host_memory || b->spilled) && !om_control_allows(p->control, bytes - old))
        return om_pool__stopped(p);
    return OM_OK;
}

static void count_bytes(om_pool *p, om_buffer *b, size_t bytes)
{
    p->used += bytes - b->bytes;
    if (b->spilled && p->spilled == 0)
        om_note(p->ctx, OM_NOTE_NOTICE, NULL,
            "device %s: its memory is full; states go to the host's, which is slower",
            p->device->info.name);
    if (b->spilled)
        p->spilled += bytes - b->bytes;
    b->bytes = bytes;
    if (p->used > p->peak)
        p->peak = p->used;
}

int om_pool__take(om_pool *p, om_buffer *b, size_t count, size_t size)
{
    const om_device *d = p->device;
    cl_int error = CL_INVALID_BUFFER_SIZE;
    assert(b->mem == NULL && b->bytes == 0);
    if (count == 0)
        count = 1;
    if (count > SIZE_MAX / size)
        return om_device__fail(d, p->ctx, "clCreateBuffer", error);
    size_t bytes = count * size;
    int rc = room_for(p, b, 0, bytes);
    if (rc != OM_OK)
        return rc;
    if (d->own_pages)
        error = open_pages(p, b, bytes);
    else
        b->mem = d->owner->cl.clCreateBuffer(d->context,
            CL_MEM_READ_WRITE | (b->spilled ? CL_MEM_ALLOC_HOST_PTR : 0), bytes, NULL, &error);
    if (b->mem == NULL)
        return om_device__fail(d, p->ctx, "clCreateBuffer", error);
    count_bytes(p, b, bytes);
    return OM_OK;
}

int om_pool__take_zero(om_pool *p, om_buffer *b, size_t count, size_t size)
{
    int rc = om_pool__take(p, b, count, size);
    return rc == OM_OK && b->pages == NULL ? om_pool__zero(p, b, 0, b->bytes) : rc;
}

void om_pool__give(om_pool *p, om_buffer *b)
{
    if (b->mem == NULL)
        return;
    if (b->pages != NULL)
        (void) om_pool__finish(p); /* who still uses it would miss the pages */
    p->device->owner->cl.clReleaseMemObject(b->mem);
    if (b->pages != NULL)
        (void) munmap(b->pages, b->mapped);
    p->used -= b->bytes;
    if (b->spilled)
        p->spilled -= b->bytes;
    *b = (om_buffer){ .may_spill = b->may_spill };
}

/* A larger buffer whose pages move. */
static int move_pages(om_pool *p, om_buffer *b, size_t count, size_t size)
{
    if (count > SIZE_MAX / size)
        return om_device__fail(p->device, p->ctx, "clCreateBuffer", CL_INVALID_BUFFER_SIZE);
    size_t bytes = count * size;
    int rc = room_for(p, b, b->bytes, bytes);
    if (rc != OM_OK || (rc = om_pool__finish(p)) != OM_OK)
        return rc;
    cl_int error = open_pages(p, b, bytes);
    if (error == CL_SUCCESS)
        count_bytes(p, b, bytes);
    else if (b->mem == NULL) { /* nothing is left */
        p->used -= b->bytes;
        *b = (om_buffer){ .may_spill = b->may_spill };
    }
    return error == CL_SUCCESS ? OM_OK
                               : om_device__fail(p->device, p->ctx, "clCreateBuffer", error);
}

int om_pool__copy(om_pool *p, const om_buffer *from, const om_buffer *to, size_t bytes)
{
    const om_cl *cl = &p->device->owner->cl;
    int rc = OM_OK;
    assert(bytes <= from->bytes && bytes <= to->bytes);
    for (size_t at = 0; rc == OM_OK && at < bytes; at += PIECE) {
        size_t n = bytes - at < PIECE ? bytes - at : PIECE;
        cl_int error =
            cl->clEnqueueCopyBuffer(p->queue, from->mem, to->mem, at, at, n, 0, NULL, NULL);
        rc = error == CL_SUCCESS ? om_pool__pause(p)
                                 : om_device__fail(p->device, p->ctx, "clEnqueueCopyBuffer", error);
    }
    return rc;
}

int om_pool__grow(om_pool *p, om_buffer *b, size_t count, size_t size, size_t keep)
{
    om_buffer larger = { .may_spill = b->may_spill };
    assert(keep <= b->bytes);
    if (b->mem != NULL && count <= b->bytes / size)
        return OM_OK;
    if (keep == 0)
        om_pool__give(p, b);
    else if (b->pages != NULL)
        return move_pages(p, b, count, size);
    int rc = om_pool__take(p, &larger, count, size);
    if (rc != OM_OK)
        return rc;
    if ((rc = om_pool__copy(p, b, &larger, keep)) != OM_OK) {
        (void) om_pool__finish(p); /* nothing may use what goes now */
        om_pool__give(p, &larger);
        return rc;
    }
    om_pool__give(p, b);
    *b = larger;
    return OM_OK;
}

bool om_pool__fits(const om_pool *p, size_t bytes)
{
    return bytes <= p->device->info.memory_bytes - (p->used - p->spilled);
}

int om_pool__spill(om_pool *p, om_buffer *b)
{
    om_buffer there = { .may_spill = true, .must_spill = true };
    if (b->mem == NULL || b->spilled || !b->may_spill || p->device->host_memory)
        return OM_OK;
    int rc = om_pool__take(p, &there, b->bytes, 1);
    if (rc == OM_OK)
        rc = om_pool__copy(p, b, &there, b->bytes);
    if (rc != OM_OK) {
        (void) om_pool__finish(p);
        om_pool__give(p, &there);
        return rc;
    }
    om_pool__give(p, b);
    there.must_spill = false;
    *b = there;
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
    p->read_backs++;
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

int om_pool__order(
    om_pool *p, const om_buffer *b, size_t at, void *to, size_t bytes, cl_event *event)
{
    const om_cl *cl = &p->device->owner->cl;
    assert(at + bytes <= b->bytes);
    p->read_backs++;
    cl_int error =
        cl->clEnqueueReadBuffer(p->queue, b->mem, CL_FALSE, at, bytes, to, 0, NULL, event);
    if (error == CL_SUCCESS && (error = cl->clFlush(p->queue)) != CL_SUCCESS) {
        cl->clReleaseEvent(*event);
        *event = NULL;
    }
    return error == CL_SUCCESS ? OM_OK
                               : om_device__fail(p->device, p->ctx, "clEnqueueReadBuffer", error);
}

int om_pool__wait(om_pool *p, cl_event event)
{
    const om_cl *cl = &p->device->owner->cl;
    if (event == NULL)
        return OM_OK;
    cl_int error = cl->clWaitForEvents(1, &event);
    cl->clReleaseEvent(event);
    return error == CL_SUCCESS ? OM_OK
                               : om_device__fail(p->device, p->ctx, "clWaitForEvents", error);
}

size_t om_pool__batches(const om_pool *p, size_t n)
{
    return (n + p->device->batch - 1) / p->device->batch;
}

int om_pool__run(
    om_pool *p, cl_kernel kernel, const char *name, const om_arg *args, cl_uint count, size_t items)
{
    const om_cl *cl = &p->device->owner->cl;
    const size_t local = p->local;
    cl_int error = CL_SUCCESS;
    if (items == 0)
        return OM_OK;
    p->launches++;
    if (items > p->most_items)
        items = p->most_items;
    for (cl_uint i = 0; i < count && error == CL_SUCCESS; i++)
        error = cl->clSetKernelArg(kernel, i, args[i].size, args[i].value);
    size_t global = (items + local - 1) / local * local;
    if (error == CL_SUCCESS)
        error =
            cl->clEnqueueNDRangeKernel(p->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return error == CL_SUCCESS ? OM_OK : om_device__fail(p->device, p->ctx, name, error);
}
