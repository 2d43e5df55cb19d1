/* SPDX-License-Identifier: Apache-2.0 */
/* api.h: the functions of libOpenCL.so.1, found with dlopen(), as one table. */
#ifndef OM_OPENCL_API_H
#define OM_OPENCL_API_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define OM_CL_FUNCTIONS(X)         \
    X(clGetPlatformIDs)            \
    X(clGetPlatformInfo)           \
    X(clGetDeviceIDs)              \
    X(clGetDeviceInfo)             \
    X(clCreateContext)             \
    X(clReleaseContext)            \
    X(clCreateCommandQueue)        \
    X(clReleaseCommandQueue)       \
    X(clCreateProgramWithSource)   \
    X(clCreateProgramWithBinary)   \
    X(clBuildProgram)              \
    X(clGetProgramInfo)            \
    X(clGetProgramBuildInfo)       \
    X(clReleaseProgram)            \
    X(clCreateKernel)              \
    X(clReleaseKernel)             \
    X(clGetKernelWorkGroupInfo)    \
    X(clSetKernelArg)              \
    X(clCreateBuffer)              \
    X(clReleaseMemObject)          \
    X(clEnqueueNDRangeKernel)      \
    X(clEnqueueReadBuffer)         \
    X(clEnqueueWriteBuffer)        \
    X(clEnqueueCopyBuffer)         \
    X(clEnqueueFillBuffer)         \
    X(clEnqueueMarkerWithWaitList) \
    X(clFlush)                     \
    X(clWaitForEvents)             \
    X(clGetEventInfo)              \
    X(clSetEventCallback)          \
    X(clReleaseEvent)              \
    X(clFinish)

/* Exit statuses of omen-probe-opencl: drivers start; they do, but there is no GPU or accelerator; a
 * library of theirs is truncated; the threads that they would start cannot be started. */
enum { OM_PROBE_GOOD = 0, OM_PROBE_CPU_ONLY = 3, OM_PROBE_CUT_OFF, OM_PROBE_NO_THREAD };

typedef struct om_cl {
#define X(NAME) __typeof__(&NAME) NAME; /* NOLINT(bugprone-macro-parentheses) */
    OM_CL_FUNCTIONS(X)
#undef X
} om_cl;

/* Fills the table. Returns NULL, or the reason (a constant) why OpenCL is not available. The
 * library stays open for the life of the process, because threads of the drivers run its code. */
const char *om_cl__load(om_cl *cl);

/* Returns "out of memory on the device", "CL_INVALID_VALUE" ...; a constant. */
const char *om_cl__error(cl_int error);
/* Returns true if this error means that the device's memory is exhausted. */
int om_cl__is_memory(cl_int error);

#endif
