/* SPDX-License-Identifier: Apache-2.0 */
/* opencl.h: the back end for OpenCL devices, and what its files share. */
#ifndef OM_OPENCL_OPENCL_H
#define OM_OPENCL_OPENCL_H

#include "device.h"

#include "api.h"
#include "work.h"

extern const om_backend om_opencl__backend;

typedef struct om_kernel_compiler om_kernel_compiler;

/* A session's. */
typedef struct om_opencl {
    om_devices *all;
    om_cl cl;
    om_work work; /* of driver.c */
    bool no_folder;
    /* Of compile.c, under all->lock: processes that work (all->built tells of one that is done) and
     * those that wait for work. */
    unsigned compiling;
    bool one_by_one; /* several at once were too much */
    om_kernel_compiler *compilers;
} om_opencl;

/* A device's (om_device.own). */
typedef struct om_opencl_device {
    om_opencl *opencl;
    cl_platform_id platform;
    cl_device_id id;
    cl_context context; /* made by the first start */
    /* How many devices before it are of the same make. pocl counts who uses a kernel by what that
     * was made from, and loses count where two devices do at once: twins get options of their own.
     */
    uint32_t twin;
    bool prefetches; /* a CPU whose caches are told what comes next */
} om_opencl_device;

static inline om_opencl_device *om_opencl__of(const om_device *d)
{
    return d->own;
}

static inline const om_cl *om_opencl__calls(const om_device *d)
{
    return &om_opencl__of(d)->opencl->cl;
}

/* ---- devices.c ---- */

int om_opencl__open(om_devices *all, om_context *ctx, bool trial, void **own, const char **why);
void om_opencl__close(om_devices *all, void *own);
/* Fills a zeroed device with what a GPU would have, whichever it is; it can be described, and
 * nothing else. */
void om_opencl__imagine(om_device *d, om_opencl_device *own);

/* ---- program.c ---- */

int om_opencl__start(om_device *d);
int om_opencl__build(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *out);
void om_opencl__release(om_device *d, om_built *b);
int om_opencl__describe(om_device *d, const om_recipe *recipe, om_text *source, om_text *options);
size_t om_opencl__group_limit(om_device *d, om_kernel *k);
/* Adds all options of the compiler: those of a recipe and what this device needs. */
void om_opencl__options(const om_device *d, const om_recipe *recipe, om_text *all);
/* Compiles from source, with all options, and starts the kernels once; *out is the caller's to
 * release and *binary to free, whatever is returned. */
int om_opencl__compile(om_device *d, om_context *ctx, const om_recipe *recipe, const char *options,
    om_built *out, unsigned char **binary, size_t *length);

/* ---- compile.c ---- */

/* The same in a process of its own, which gives the binary alone. OM_EIO, and no message: that
 * cannot be done here. OM_ESTOP: the context was stopped. */
int om_opencl__compile_apart(om_device *d, om_context *ctx, const om_recipe *recipe,
    const char *options, unsigned char **binary, size_t *length);
/* Ends the processes that do it; nothing may be under way. */
void om_kernel_compilers__close(om_opencl *cl);

/* ---- driver.c: where drivers keep their files ---- */

/* To be called before drivers are opened: may set POCL_CACHE_DIR in the environment. *work is
 * the folder that was made for them, to be removed by om_work__end() when nothing of a driver is in
 * use any more, or empty; *none: there is no folder for them. OM_OK or OM_ENOMEM. */
int om_driver__settle(om_context *ctx, om_work *work, bool *none);
/* Why the drivers of this platform cannot work for want of such a folder, a constant; NULL: they
 * can. */
const char *om_driver__fault(const om_opencl *cl, const char *platform);

/* ---- trial.c ---- */

/* Starts OpenCL's drivers in a program of their own. OM_OK when that ends well (or cannot be
 * tried); OM_EUNSUPPORTED with (a constant) why they are not to be used, OM_EIO where that is only
 * because the system gives too few processes or threads; OM_ELIMIT or OM_ESTOP when the context is
 * stopped first. Some 30 ms. */
int om_opencl__trial(const om_context *ctx, const char **why);

#endif
