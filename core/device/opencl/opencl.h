/* SPDX-License-Identifier: Apache-2.0 */
/* opencl.h: the back end for OpenCL devices; shared by its files. */
#ifndef OM_OPENCL_OPENCL_H
#define OM_OPENCL_OPENCL_H

#include "device.h"

#include "api.h"
#include "files/work_folder.h"

extern const om_backend om_opencl__backend;

typedef struct om_kernel_compiler om_kernel_compiler;

/* The back end's data of a session. */
typedef struct om_opencl {
    om_devices *all;
    om_cl cl;
    om_work_folder work; /* of driver.c */
    bool no_folder;
    /* Of compile.c, under all->lock: the number of processes that compile (all->built signals when
     * one is done), and the processes that wait for work. */
    unsigned compiling;
    bool one_by_one; /* several at once exceeded the system's resources */
    om_kernel_compiler *compilers;
} om_opencl;

/* The back end's data of a device (om_device.own). */
typedef struct om_opencl_device {
    om_opencl *opencl;
    cl_platform_id platform;
    cl_device_id id;
    cl_context context; /* made by the first start */
    /* Number of earlier devices of the same kind. pocl counts the users of a kernel by what it was
     * made from; two devices at once confuse the count. So twins get different options. */
    uint32_t twin;
    bool prefetches; /* a CPU that benefits from prefetch hints */
} om_opencl_device;

static inline om_opencl_device *om_opencl__of(const om_device *d)
{
    return d->own;
}

static inline const om_cl *om_opencl__calls(const om_device *d)
{
    return &om_opencl__of(d)->opencl->cl;
}

/* ---- opencl_devices.c ---- */

int om_opencl__open(om_devices *all, om_context *ctx, bool trial, void **own, const char **why);
void om_opencl__close(om_devices *all, void *own);
/* Fills a zeroed device with the properties of a GPU in general. The device can be described, and
 * nothing else. */
void om_opencl__imagine(om_device *d, om_opencl_device *own);

/* ---- opencl_program.c ---- */

int om_opencl__start(om_device *d);
int om_opencl__build(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *out);
void om_opencl__release(om_device *d, om_built *b);
int om_opencl__describe(om_device *d, const om_recipe *recipe, om_text *source, om_text *options);
size_t om_opencl__group_limit(om_device *d, om_kernel *k);
/* Appends all options of the compiler: those of a recipe and those that this device needs. */
void om_opencl__options(const om_device *d, const om_recipe *recipe, om_text *all);
/* Compiles from source, with all options, and starts the kernels once. The caller releases *out and
 * frees *binary, whatever is returned. */
int om_opencl__compile(om_device *d, om_context *ctx, const om_recipe *recipe, const char *options,
    om_built *out, unsigned char **binary, size_t *length);

/* ---- compile.c ---- */

/* The same in a separate process, which gives only the binary. Returns OM_EIO, and records no
 * message, if that is impossible here; OM_ESTOP if the context was stopped. */
int om_opencl__compile_apart(om_device *d, om_context *ctx, const om_recipe *recipe,
    const char *options, unsigned char **binary, size_t *length);
/* Ends these processes; no compilation may be under way. */
void om_kernel_compilers__close(om_opencl *cl);

/* ---- driver.c: the folder for files of drivers ---- */

/* Must be called before drivers are opened: may set POCL_CACHE_DIR in the environment. *work is the
 * folder that was made for them, or empty; om_work_folder__end() removes it once no object of a
 * driver is in use any more. *none is set if there is no folder for them. Returns OM_OK or
 * OM_ENOMEM. */
int om_driver__settle(om_context *ctx, om_work_folder *work, bool *none);
/* Returns why the drivers of this platform cannot work without such a folder, a constant; NULL if
 * they can work. */
const char *om_driver__fault(const om_opencl *cl, const char *platform);

/* ---- driver_trial.c ---- */

/* Starts OpenCL's drivers in a separate program. Returns OM_OK if it ends well (or cannot be
 * tried); OM_EUNSUPPORTED with the reason (a constant) why they must not be used, OM_EIO if the
 * only reason is that the system gives too few processes or threads; OM_ELIMIT or OM_ESTOP if the
 * context is stopped first. Takes some 30 ms. */
int om_opencl__trial(const om_context *ctx, const char **why);

#endif
