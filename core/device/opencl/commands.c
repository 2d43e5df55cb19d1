/* SPDX-License-Identifier: Apache-2.0 */
/* The back end's table, memory and commands: each is a call or two of OpenCL. */
#include "control/monitor.h"
#include "opencl.h"

#include <string.h>

static cl_mem memory_of(const om_memory *m)
{
    union { /* clEnqueueCopyBuffer() and its like take no const, and change nothing */
        const om_memory *ours;
        cl_mem theirs;
    } u = { .ours = m };
    return u.theirs;
}

/* ---- streams ---- */

/* A command that is waited for. Drivers do not wait with a time limit: they report the end of a
 * command in a thread of their own. Events stay with their stream, for reuse. */
struct om_event {
    om_event *next;
    cl_event theirs;
    om_monitor monitor;
    bool watched;  /* the driver has been asked to report the end */
    bool ended;    /* it has; under the monitor, which guards `status` until then */
    cl_int status; /* of the command: CL_COMPLETE, or an error */
    void *to;      /* where the data read is copied to then; or NULL */
    size_t bytes;
    unsigned char copy[OM_MOST_SOON];
};

struct om_stream {
    cl_command_queue queue;
    om_event *spare;
};

static om_stream *stream_open(om_device *d, int *error)
{
    const om_opencl_device *own = om_opencl__of(d);
    om_stream *s = om_alloc(d->owner->heap, 1, sizeof *s);
    *error = CL_OUT_OF_HOST_MEMORY;
    if (s == NULL)
        return NULL;
    s->queue = om_opencl__calls(d)->clCreateCommandQueue(own->context, own->id, 0, error);
    if (s->queue != NULL)
        return s;
    om_free(d->owner->heap, s);
    return NULL;
}

static void stream_close(om_device *d, om_stream *s)
{
    for (om_event *e = s->spare, *next; e != NULL; e = next) {
        next = e->next;
        om_monitor__destroy(&e->monitor);
        om_free(d->owner->heap, e);
    }
    (void) om_opencl__calls(d)->clReleaseCommandQueue(s->queue);
    om_free(d->owner->heap, s);
}

static om_event *take_event(om_device *d, om_stream *s)
{
    om_event *e = s->spare;
    if (e != NULL) {
        s->spare = e->next;
        return e;
    }
    if ((e = om_alloc(d->owner->heap, 1, sizeof *e)) == NULL || om_monitor__init(&e->monitor))
        return e;
    om_free(d->owner->heap, e);
    return NULL;
}

static void spare_event(om_stream *s, om_event *e)
{
    e->watched = e->ended = false;
    e->next = s->spare;
    s->spare = e;
}

/* ---- memory ---- */

static om_memory *take(om_device *d, const om_memory_spec *spec, int *error)
{
    cl_mem_flags where = spec->pages != NULL ? CL_MEM_USE_HOST_PTR
                         : spec->on_host     ? CL_MEM_ALLOC_HOST_PTR
                                             : 0;
    return (om_memory *) om_opencl__calls(d)->clCreateBuffer(
        om_opencl__of(d)->context, CL_MEM_READ_WRITE | where, spec->bytes, spec->pages, error);
}

static void give(om_device *d, om_stream *s, om_memory *m)
{
    (void) s; /* the driver keeps memory that is still in use */
    (void) om_opencl__calls(d)->clReleaseMemObject((cl_mem) m);
}

/* ---- commands ---- */

static int copy(om_device *d, om_stream *s, const om_copy *c)
{
    return om_opencl__calls(d)->clEnqueueCopyBuffer(s->queue, memory_of(c->from), (cl_mem) c->to,
        c->from_at, c->to_at, c->bytes, 0, NULL, NULL);
}

static int zero(om_device *d, om_stream *s, om_memory *m, size_t at, size_t bytes)
{
    const cl_uint nothing = 0;
    return om_opencl__calls(d)->clEnqueueFillBuffer(
        s->queue, (cl_mem) m, &nothing, sizeof nothing, at, bytes, 0, NULL, NULL);
}

static int write_memory(
    om_device *d, om_stream *s, om_memory *m, size_t at, const void *from, size_t n)
{
    return om_opencl__calls(d)->clEnqueueWriteBuffer(
        s->queue, (cl_mem) m, CL_TRUE, at, n, from, 0, NULL, NULL);
}

/* Flushes the command that was queued with this event, and hands out the event. */
static int begun(om_device *d, om_stream *s, om_event *e, int error, om_event **event)
{
    const om_cl *cl = om_opencl__calls(d);
    if (error == CL_SUCCESS && (error = cl->clFlush(s->queue)) != CL_SUCCESS)
        (void) cl->clReleaseEvent(e->theirs);
    if (error != CL_SUCCESS)
        spare_event(s, e);
    else
        *event = e;
    return error;
}

static int read_memory(om_device *d, om_stream *s, const om_copy *c, void *to, om_event **event)
{
    const om_cl *cl = om_opencl__calls(d);
    if (event == NULL)
        return cl->clEnqueueReadBuffer(
            s->queue, memory_of(c->from), CL_TRUE, c->from_at, c->bytes, to, 0, NULL, NULL);
    om_event *e = take_event(d, s);
    if (e == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    e->to = to;
    e->bytes = c->bytes;
    int error = cl->clEnqueueReadBuffer(
        s->queue, memory_of(c->from), CL_FALSE, c->from_at, c->bytes, e->copy, 0, NULL, &e->theirs);
    return begun(d, s, e, error, event);
}

static int mark(om_device *d, om_stream *s, om_event **event)
{
    om_event *e = take_event(d, s);
    if (e == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    e->to = NULL;
    int error = om_opencl__calls(d)->clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &e->theirs);
    return begun(d, s, e, error, event);
}

static void CL_CALLBACK note_end(cl_event theirs, cl_int status, void *self)
{
    om_event *e = self;
    (void) theirs;
    om_monitor__enter(&e->monitor);
    e->status = status;
    e->ended = true;
    om_monitor__wake(&e->monitor);
    om_monitor__leave(&e->monitor);
}

/* Returns true if the command is done by `until_ns`; *status is its status, or an error. */
static bool is_done(om_device *d, om_event *e, uint64_t until_ns, cl_int *status)
{
    const om_cl *cl = om_opencl__calls(d);
    if (d->simulated) { /* it works only during a wait, and takes calls of one thread */
        *status = cl->clWaitForEvents(1, &e->theirs);
        return true;
    }
    if (!e->watched) {
        cl_int error = cl->clGetEventInfo(
            e->theirs, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *status, status, NULL);
        if (error != CL_SUCCESS)
            *status = error;
        else if (*status > CL_COMPLETE &&
                 cl->clSetEventCallback(e->theirs, CL_COMPLETE, note_end, e) != CL_SUCCESS)
            *status = cl->clWaitForEvents(1, &e->theirs);
        if (*status <= CL_COMPLETE)
            return true;
        e->watched = true;
    }
    om_monitor__enter(&e->monitor);
    while (!e->ended && om_monitor__wait(&e->monitor, until_ns))
        ;
    bool ended = e->ended;
    *status = e->status;
    om_monitor__leave(&e->monitor);
    return ended;
}

static int wait_for(om_device *d, om_stream *s, om_event *e, uint64_t until_ns)
{
    cl_int status = CL_COMPLETE;
    if (!is_done(d, e, until_ns, &status))
        return OM_PENDING;
    (void) om_opencl__calls(d)->clReleaseEvent(e->theirs);
    if (status == CL_COMPLETE && e->to != NULL)
        memcpy(e->to, e->copy, e->bytes);
    spare_event(s, e);
    return status;
}

static int launch(om_device *d, om_stream *s, const om_launch *l)
{
    const om_cl *cl = om_opencl__calls(d);
    cl_kernel kernel = (cl_kernel) l->kernel;
    int error = CL_SUCCESS;
    /* Pointers to structures have one representation: the argument's value serves as a cl_mem. */
    for (cl_uint i = 0; i < l->count && error == CL_SUCCESS; i++)
        error = cl->clSetKernelArg(kernel, i, l->args[i].size, l->args[i].value);
    return error != CL_SUCCESS ? error
                               : cl->clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &l->global,
                                     &l->local, 0, NULL, NULL);
}

/* ---- errors ---- */

static const char *error_text(int error)
{
    return om_cl__error(error);
}

static bool is_memory(int error)
{
    return om_cl__is_memory(error) != 0;
}

const om_backend om_opencl__backend = {
    .name = "opencl",
    .open = om_opencl__open,
    .close = om_opencl__close,
    .start = om_opencl__start,
    .stream_open = stream_open,
    .stream_close = stream_close,
    .take = take,
    .give = give,
    .copy = copy,
    .zero = zero,
    .write = write_memory,
    .read = read_memory,
    .launch = launch,
    .mark = mark,
    .wait = wait_for,
    .build = om_opencl__build,
    .release = om_opencl__release,
    .describe = om_opencl__describe,
    .group_limit = om_opencl__group_limit,
    .error_text = error_text,
    .is_memory = is_memory,
};
