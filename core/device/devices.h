/* SPDX-License-Identifier: Apache-2.0 */
/* devices.h: what the files of core/device share about devices, programs and buffers. */
#ifndef OM_DEVICE_DEVICES_H
#define OM_DEVICE_DEVICES_H

#include <omen/device.h>

#include "opencl.h"
#include "work.h"

#include <pthread.h>

typedef enum om_test_state { OM_TEST_DUE, OM_TEST_PASSED, OM_TEST_FAILED } om_test_state;

struct om_device {
    om_devices *owner;
    cl_platform_id platform;
    cl_device_id id;
    om_device_info info;
    /* What info points to. */
    char *name, *platform_name, *driver, *version, *platform_version, *reason;
    bool host_memory; /* its memory is the process's: --memory counts it */
    bool homeless;    /* there is no folder for its driver's files */
    bool simulated;   /* by oclgrind, which looks for data races and takes calls of one thread */
    bool own_pages;   /* its buffers are pages that we map, and move without a copy: see queue.c */
    /* Work-items of a work-group (one size, so that a driver that compiles per size does it once)
     * and what each of them sees to: OM_BATCH of the kernels. */
    uint32_t local, batch;
    /* Entries of a work-group's filter of repeated candidates (OM_FILTER of the kernels); 0: none,
     * where local memory is memory like any other. */
    uint32_t filter;
    /* How many devices before it are of the same make. pocl counts who uses a kernel by what that
     * was made from, and loses count where two devices do at once: twins get options of their own.
     */
    uint32_t twin;
    uint32_t most_items; /* that it needs to be busy: more items than that share work-items */
    bool tuned;          /* those sizes were tried out; after opening, under the owner's lock */
    om_test_state test;
    cl_context context; /* made by om_device__start() */
    /* Of a group, which is nothing else: devices that explore together (group.c), at least two. */
    om_device **members;
    size_t member_count;
    om_device *next_group;
};

enum { OM_MOST_MEMBERS = 64 };

typedef struct om_build om_build;
typedef struct om_orphan om_orphan;
typedef struct om_kernel_compiler om_kernel_compiler;

struct om_devices {
    om_context *ctx;
    const om_heap *heap;
    om_cl cl;
    om_device *items;
    size_t count;
    om_device *groups;
    om_work work; /* of driver.c */
    bool no_folder;
    pthread_mutex_t lock; /* guards the builds: see build.c */
    pthread_cond_t built;
    om_build *builds;
    om_orphan *orphans;
    /* Of compile.c, under the lock: processes that work (`built` tells of one that is done) and
     * those that wait for work. */
    unsigned compiling;
    bool one_by_one; /* several at once were too much */
    om_kernel_compiler *compilers;
};

enum { OM_MOST_KERNELS = 8 };

/* A program with the kernels of its recipe; zeroed: none. */
typedef struct om_built {
    cl_program program;
    cl_kernel kernels[OM_MOST_KERNELS];
} om_built;

/* A kernel and the kinds of its arguments: 'm' a buffer, 'u' a cl_uint, 'U' a cl_ulong. */
typedef struct om_shape {
    const char *name, *args;
} om_shape;

/* A program to build: the whole text, options of the compiler, and the kernels that will be used
 * (constants of the library; at most OM_MOST_KERNELS). With all numbers 0 a kernel does nothing and
 * reads no buffer. */
typedef struct om_recipe {
    const char *source, *options;
    const om_shape *shapes;
    size_t count;
} om_recipe;

/* Makes the context of a device at the first call, which the known-answer test makes: later calls,
 * from any thread, change nothing. OM_OK or OM_EUNSUPPORTED with a message. */
int om_device__start(om_device *d, om_context *ctx);

/* Records what an OpenCL call came to: OM_EUNSUPPORTED, "device NAME: what: why". */
int om_device__fail(const om_device *d, om_context *ctx, const char *what, cl_int error);

/*
 * Builds a program, or loads it from the cache, so that its kernels start without delay. Errors
 * give one message with the log's first lines (OM_EUNSUPPORTED). When the context is stopped, the
 * build is given up: OM_ELIMIT or OM_ESTOP within some milliseconds, while the compiler
 * goes on in the background until om_devices_close() at the latest.
 */
int om_device__program(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *out);
/* The same in two halves, so that several programs are built side by side. What was ordered is
 * collected, or abandoned (NULL is fine), once. */
int om_device__order(om_device *d, om_context *ctx, const om_recipe *recipe, om_build **out);
int om_device__collect(om_build *b, om_context *ctx, om_built *out);
void om_device__abandon(om_build *b);
/* Adds all options of the compiler: those of a recipe and what this device needs. */
void om_device__options(const om_device *d, const char *options, om_text *all);
/* The work itself, in the caller's thread; the device was started. What is compiled elsewhere is
 * broken off, with OM_ESTOP, when the context is stopped. */
int om_device__build(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *out);
/* Compiles from source, with all options, and starts the kernels once; *out is the caller's to
 * release and *binary to free, whatever is returned. */
int om_device__compile(om_device *d, om_context *ctx, const om_recipe *recipe, const char *options,
    om_built *out, unsigned char **binary, size_t *length);
/* compile.c: the same in a process of its own, which gives the binary alone. OM_EIO, and no
 * message: that cannot be done here. OM_ESTOP: the context was stopped. */
int om_device__compile_apart(om_device *d, om_context *ctx, const om_recipe *recipe,
    const char *options, unsigned char **binary, size_t *length);
/* Ends the processes that do it; nothing may be under way. */
void om_kernel_compilers__close(om_devices *all);
/* Opens devices without trying first what their drivers do. */
int om_devices__open(om_devices **out, om_context *ctx, bool trial, const char **why);
/* Releases a program and its kernels, without waiting for a build that is under way. */
void om_device__release(om_device *d, om_built *b);
/* The release itself. */
void om_cl__release(const om_cl *cl, om_built *b);

/* The list of builds is made, and (waiting for those that still run) taken down. */
int om_builds__open(om_devices *all);
void om_builds__close(om_devices *all);

/* ---- what is kept from session to session ---- */

/* What a cached program depends on; the caller frees *key. */
int om_kept__key(
    const om_device *d, om_context *ctx, const char *source, const char *options, om_text *key);
/* What is kept for this key, the caller's to free; false when there is nothing that is whole. */
bool om_kept__load(om_context *ctx, const om_text *key, unsigned char **bytes, size_t *length);
/* Keeps it as well as it can: the cache is a convenience. */
void om_kept__store(om_context *ctx, const om_text *key, const void *bytes, size_t length);
/* Removes what is kept for this key: it turned out to be of no use. */
void om_kept__drop(om_context *ctx, const om_text *key);

/* ---- where drivers keep their files ---- */

/* To be called before drivers are opened: may set POCL_CACHE_DIR in the environment. *work is
 * the folder that was made for them, to be removed by om_work__end() when nothing of a driver is in
 * use any more, or empty; *none: there is no folder for them. OM_OK or OM_ENOMEM. */
int om_driver__settle(om_context *ctx, om_work *work, bool *none);
/* Why the drivers of this platform cannot work for want of such a folder, a constant; NULL: they
 * can. */
const char *om_driver__fault(const om_devices *all, const char *platform);

/* Sets the sizes that an earlier session found best, if there are any. */
void om_device__recall(om_device *d, om_context *ctx);

/* The known-answer test of a device. OM_OK; OM_EUNSUPPORTED with *why (the caller frees it);
 * OM_ELIMIT or OM_ESTOP where the context was stopped: nothing is known then. */
int om_device__self_test(om_device *d, om_context *asker, char **why);

/* Starts OpenCL's drivers in a program of their own. OM_OK when that ends well (or cannot be
 * tried); OM_EUNSUPPORTED with (a constant) why they are not to be used, OM_EIO where that is only
 * because the system gives too few processes or threads; OM_ELIMIT or OM_ESTOP when the context is
 * stopped first. Some 30 ms. */
int om_cl__trial(const om_context *ctx, const char **why);

/* Texts of kernels/, made at build time. */
extern const char om_kernel__steps[], om_kernel__prelude[], om_kernel__record[], om_kernel__store[],
    om_kernel__quotient[], om_kernel__expand[], om_kernel__owner[], om_kernel__share[];

#endif
