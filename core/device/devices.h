/* SPDX-License-Identifier: Apache-2.0 */
/* devices.h: what the files of core/device share about devices, programs and buffers. */
#ifndef OM_DEVICE_DEVICES_H
#define OM_DEVICE_DEVICES_H

#include <omen/device.h>

#include "opencl.h"

typedef enum om_test_state { OM_TEST_DUE, OM_TEST_PASSED, OM_TEST_FAILED } om_test_state;

struct om_device {
    om_devices *owner;
    cl_platform_id platform;
    cl_device_id id;
    om_device_info info;
    /* What info points to. */
    char *name, *platform_name, *driver, *version, *platform_version, *reason;
    bool host_memory; /* its memory is the process's: --memory counts it */
    om_test_state test;
    cl_context context; /* made by om_device__start() */
};

struct om_devices {
    om_context *ctx;
    const om_heap *heap;
    om_cl cl;
    om_device *items;
    size_t count;
};

/* Makes the context of a device at the first call, which the known-answer test makes: later calls,
 * from any thread, change nothing. OM_OK or OM_EUNSUPPORTED with a message. */
int om_device__start(om_device *d, om_context *ctx);

/* Records what an OpenCL call came to: OM_EUNSUPPORTED, "device NAME: what: why". */
int om_device__fail(const om_device *d, om_context *ctx, const char *what, cl_int error);

/*
 * Builds a program, or loads it from the cache. options are the compiler's; source is the whole
 * text. Errors give one message with the log's first lines (OM_EUNSUPPORTED).
 */
int om_device__program(
    om_device *d, om_context *ctx, const char *source, const char *options, cl_program *out);

/* ---- the cache of programs ---- */

/* What a cached program depends on; the caller frees *key. */
int om_cache__key(
    const om_device *d, om_context *ctx, const char *source, const char *options, om_text *key);
/* The binary cached for this key, the caller's to free; false when there is none that is whole. */
bool om_cache__load(om_context *ctx, const om_text *key, unsigned char **binary, size_t *length);
/* Stores it as well as it can; failures are silent, the cache is a convenience. */
void om_cache__store(
    om_context *ctx, const om_text *key, const unsigned char *binary, size_t length);
/* Removes what is cached for this key: it turned out not to load. */
void om_cache__drop(om_context *ctx, const om_text *key);

/* Is there room where the driver of this platform keeps what it compiles? pocl ends the process
 * when it runs out of it. True where that is not known. */
bool om_cache__driver_has_room(const om_heap *heap, const char *platform);

/* The known-answer test of a device. OM_OK; OM_EUNSUPPORTED with *why (the caller frees it). */
int om_device__self_test(om_device *d, char **why);

/* Texts of kernels/, made at build time. */
extern const char om_kernel_prelude[], om_kernel_store[], om_kernel_expand[];

#endif
