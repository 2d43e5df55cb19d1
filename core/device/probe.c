/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen-probe-opencl: starts the OpenCL drivers of this machine and ends. The library runs it before
 * it starts them in its own process (trial.c), because some end the process where they do not like
 * it: pocl does without /sys, for one. What it prints is thrown away; it ends with 0, or with
 * OM_PROBE_CPU_ONLY where no device is anything but a CPU, or it does not.
 */
#include "opencl.h"

enum { MOST = 64 };

int main(void)
{
    om_cl cl;
    cl_platform_id platforms[MOST];
    cl_device_id devices[MOST];
    cl_uint count = 0, found = 0, all = 0, cpus = 0;
    if (om_cl__load(&cl) != NULL || cl.clGetPlatformIDs(MOST, platforms, &count) != CL_SUCCESS)
        return OM_PROBE_CPU_ONLY; /* that is said in words, by the library itself */
    for (cl_uint i = 0; i < count && i < MOST; i++) {
        if (cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MOST, devices, &found) == 0)
            all += found;
        if (cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, MOST, devices, &found) == 0)
            cpus += found;
    }
    return all == cpus ? OM_PROBE_CPU_ONLY : 0;
}
