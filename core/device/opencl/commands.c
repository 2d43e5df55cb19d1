/* SPDX-License-Identifier: Apache-2.0 */
/* The back end's table, and memory and commands: each a call or two of OpenCL. */
#include "opencl.h"

static cl_mem memory_of(const om_memory *m)
{
    union { /* clEnqueueCopyBuffer() and its like take no const, and change none */
        const om_memory *ours;
        cl_mem theirs;
    } u = { .ours = m };
    return u.theirs;
}

/* ---- streams and memory ---- */

static om_stream *stream_open(om_device *d, int *error)
{
    const om_opencl_device *own = om_opencl__of(d);
    return (om_stream *) om_opencl__calls(d)->clCreateCommandQueue(own->context, own->id, 0, error);
}

static void stream_close(om_device *d, om_stream *s)
{
    (void) om_opencl__calls(d)->clReleaseCommandQueue((cl_command_queue) s);
}

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
    (void) s; /* the driver keeps what is still used */
    (void) om_opencl__calls(d)->clReleaseMemObject((cl_mem) m);
}

/* ---- commands ---- */

static int copy(om_device *d, om_stream *s, const om_copy *c)
{
    return om_opencl__calls(d)->clEnqueueCopyBuffer((cl_command_queue) s, memory_of(c->from),
        (cl_mem) c->to, c->from_at, c->to_at, c->bytes, 0, NULL, NULL);
}

static int zero(om_device *d, om_stream *s, om_memory *m, size_t at, size_t bytes)
{
    const cl_uint nothing = 0;
    return om_opencl__calls(d)->clEnqueueFillBuffer(
        (cl_command_queue) s, (cl_mem) m, &nothing, sizeof nothing, at, bytes, 0, NULL, NULL);
}

static int write(om_device *d, om_stream *s, om_memory *m, size_t at, const void *from, size_t n)
{
    return om_opencl__calls(d)->clEnqueueWriteBuffer(
        (cl_command_queue) s, (cl_mem) m, CL_TRUE, at, n, from, 0, NULL, NULL);
}

static int read(om_device *d, om_stream *s, const om_copy *c, void *to, om_event **event)
{
    const om_cl *cl = om_opencl__calls(d);
    cl_command_queue queue = (cl_command_queue) s;
    cl_event done = NULL;
    int error = cl->clEnqueueReadBuffer(queue, memory_of(c->from), event == NULL, c->from_at,
        c->bytes, to, 0, NULL, event == NULL ? NULL : &done);
    if (event == NULL || error != CL_SUCCESS)
        return error;
    if ((error = cl->clFlush(queue)) != CL_SUCCESS)
        (void) cl->clReleaseEvent(done);
    else
        *event = (om_event *) done;
    return error;
}

static int wait_for(om_device *d, om_stream *s, om_event *event)
{
    const om_cl *cl = om_opencl__calls(d);
    cl_event theirs = (cl_event) event;
    (void) s;
    int error = cl->clWaitForEvents(1, &theirs);
    (void) cl->clReleaseEvent(theirs);
    return error;
}

static int finish(om_device *d, om_stream *s)
{
    return om_opencl__calls(d)->clFinish((cl_command_queue) s);
}

static int launch(om_device *d, om_stream *s, const om_launch *l)
{
    const om_cl *cl = om_opencl__calls(d);
    cl_kernel kernel = (cl_kernel) l->kernel;
    int error = CL_SUCCESS;
    /* Pointers to structures look alike: that to a cl_mem is where the argument says. */
    for (cl_uint i = 0; i < l->count && error == CL_SUCCESS; i++)
        error = cl->clSetKernelArg(kernel, i, l->args[i].size, l->args[i].value);
    return error != CL_SUCCESS ? error
                               : cl->clEnqueueNDRangeKernel((cl_command_queue) s, kernel, 1, NULL,
                                     &l->global, &l->local, 0, NULL, NULL);
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
    .write = write,
    .read = read,
    .launch = launch,
    .wait = wait_for,
    .finish = finish,
    .build = om_opencl__build,
    .release = om_opencl__release,
    .describe = om_opencl__describe,
    .group_limit = om_opencl__group_limit,
    .error_text = error_text,
    .is_memory = is_memory,
};
