/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen-probe-opencl: starts the OpenCL drivers of this machine and ends. The library runs it before
 * it starts them in its own process (driver_trial.c), because some end the process in an unsuitable
 * environment: pocl does without /sys, or if it cannot start a thread for each processor, or a
 * linker. So as many threads are started here as it will need. A truncated library need not end the
 * process at once, so the loaded libraries are checked. The output of drivers is discarded. The
 * exit status is one of OM_PROBE_..., unless a driver ends the process.
 */
#define _GNU_SOURCE /* dl_iterate_phdr() */
#include "process/parent_watch.h"
#include "api.h"

#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 64, STACK = 64 * 1024 };

/* Returns 1 if the file of a library is shorter than the segments loaded from it. Objects without a
 * file (the system's own, the program itself) are skipped. */
static int is_cut_off(struct dl_phdr_info *library, size_t size, void *self)
{
    struct stat st;
    (void) size;
    (void) self;
    if (library->dlpi_name[0] != '/' || stat(library->dlpi_name, &st) != 0)
        return 0;
    for (size_t i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &library->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && p->p_offset + p->p_filesz > (uint64_t) st.st_size)
            return 1;
    }
    return 0;
}

static void *wait_for_release(void *hold)
{
    (void) pthread_mutex_lock(hold);
    (void) pthread_mutex_unlock(hold);
    return NULL;
}

/* Returns true if `count` threads can exist at once, here and (as far as limits go) in the
 * library's process. */
static bool start_threads(unsigned count)
{
    pthread_mutex_t hold = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *threads = calloc(count, sizeof *threads);
    pthread_attr_t attr;
    unsigned n = 0;
    if (threads == NULL || pthread_attr_init(&attr) != 0) {
        free(threads);
        return false;
    }
    (void) pthread_attr_setstacksize(&attr, STACK);
    (void) pthread_mutex_lock(&hold);
    while (n < count && pthread_create(&threads[n], &attr, wait_for_release, &hold) == 0)
        n++;
    (void) pthread_mutex_unlock(&hold);
    for (unsigned i = 0; i < n; i++)
        (void) pthread_join(threads[i], NULL);
    (void) pthread_attr_destroy(&attr);
    free(threads);
    return n == count;
}

static int start_drivers(void)
{
    om_cl cl;
    cl_platform_id platforms[MOST];
    cl_device_id devices[MOST];
    cl_uint count = 0, found = 0, all = 0, cpus = 0;
    if (om_cl__load(&cl) != NULL || cl.clGetPlatformIDs(MOST, platforms, &count) != CL_SUCCESS)
        return OM_PROBE_CPU_ONLY; /* the library itself reports the reason */
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
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    /* A driver in the library; the same and its linker in the program that compiles; and the
     * library has a thread for each program that it waits for. */
    unsigned wanted = 2 * (processors < 1 ? 1 : (unsigned) processors) + 12;
    if (!om_watch_parent(STDIN_FILENO) || !start_threads(wanted))
        return OM_PROBE_NO_THREAD;
    int found = start_drivers();
    return dl_iterate_phdr(is_cut_off, NULL) != 0 ? OM_PROBE_CUT_OFF : found;
}
