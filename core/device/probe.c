/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen-probe-opencl: starts the OpenCL drivers of this machine and ends. The library runs it before
 * it starts them in its own process (trial.c), because some end the process where they do not like
 * it: pocl does without /sys, or where it may start no threads. A library that was cut off need not
 * do so at once, so those that came along are looked at. What drivers print is thrown away. It ends
 * with one of OM_PROBE_..., or it does not.
 */
#define _GNU_SOURCE /* dl_iterate_phdr() */
#include "mind.h"
#include "object.h"
#include "opencl.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

enum { MOST = 64 };

/* 1: it was cut off. What has no file (the system's own, the program itself) is passed over. */
static int look_at(struct dl_phdr_info *library, size_t size, void *self)
{
    (void) size;
    (void) self;
    int fd = library->dlpi_name[0] == '/' ? open(library->dlpi_name, O_RDONLY | O_CLOEXEC) : -1;
    int cut = fd >= 0 && om_object__fault(fd) != NULL;
    if (fd >= 0)
        (void) close(fd);
    return cut;
}

static int start_drivers(void)
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
    return all == cpus ? OM_PROBE_CPU_ONLY : OM_PROBE_GOOD;
}

int main(void)
{
    if (!om_mind_parent(STDIN_FILENO))
        return OM_PROBE_NO_THREAD;
    int found = start_drivers();
    return dl_iterate_phdr(look_at, NULL) != 0 ? OM_PROBE_CUT_OFF : found;
}
