/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h: the back end for the host: the same kernels, compiled as C (kernels/om_host.h), executed
 * by threads of this process. Its purpose is not speed, but to test the engine, with every
 * sanitizer, on machines without a driver. The device is used only if it is named.
 */
#ifndef OM_HOST_HOST_H
#define OM_HOST_HOST_H

#include "device.h"

#include "om_host.h"

#include <pthread.h>
#include <stdatomic.h>

extern const om_backend om_host__backend;

/* Maximum number of work-items of a work-group: each is a thread of a stream. */
enum { OM_HOST_MOST_ITEMS = 256 };

/* The order in which the work-items of a group run: all at once; or one after the other, each until
 * it waits for the others, by number, backwards, or in an order that changes each time. Groups
 * follow the same order. A kernel must not depend on it. */
typedef enum om_host_order {
    OM_HOST_TOGETHER,
    OM_HOST_FORWARD,
    OM_HOST_BACKWARD,
    OM_HOST_SHUFFLED,
    OM_HOST_TRACED, /* shuffled, and each access is checked: access_trace.h */
    /* Traced, too; 32 or 64 adjacent work-items proceed together from atomic to atomic: turns.h */
    OM_HOST_LOCKSTEP32,
    OM_HOST_LOCKSTEP64,
    OM_HOST_STUCK /* shuffled; from the command of number `seed` on no kernel ends */
} om_host_order;
/* om_device.own */
typedef struct om_host_setting {
    om_host_order order;
    uint64_t seed;   /* of orders that change, and of OM_HOST_STUCK */
    char wrong[256]; /* the first violation by a kernel, under the owner's lock */
} om_host_setting;

struct om_memory {
    unsigned char *bytes;
    size_t size;
    bool own;               /* else the pages belong to the queue */
    unsigned char *written; /* for each byte, if kernels are traced: not 0 if it was ever written;
                             * else NULL */
};

struct om_kernel {
    om_host_kernel *run;
    const om_shape *shape;
};

struct om_program {
    void *handle; /* of dlopen() */
    om_kernel kernels[OM_MOST_KERNELS];
};

/* Errors of this back end. */
enum {
    OM_HOST_NO_MEMORY = 1,
    OM_HOST_NO_THREAD,
    OM_HOST_TOO_LARGE,
    OM_HOST_DIVERGED,
    OM_HOST_WRONG
};

/* ---- host_device.c ---- */

/* Sets the device, which must not have been used yet, to "ORDER:ITEMS:BATCH:SEED" or the first of
 * these, `length` bytes of text: the name of an order; work-items of a group; items for each of
 * them; the seed. Returns false if the text is invalid. */
bool om_host__set(om_device *d, const char *text, size_t length);

/* ---- host_memory.c ---- */

om_memory *om_host__take(om_device *d, const om_memory_spec *spec, int *error);
void om_host__give(om_device *d, om_stream *s, om_memory *m);
/* Record that these bytes were written; or copied from others. Called by the team of the stream. */
void om_host__mark_written(om_memory *m, size_t at, size_t bytes);
void om_host__copy_written(
    om_memory *to, size_t at, const om_memory *from, size_t from_at, size_t n);
/* Returns the first of these bytes that was never written, or their end. Called likewise. */
size_t om_host__find_unwritten(const om_memory *m, size_t at, size_t bytes);

/* ---- host_program.c ---- */

int om_host__build(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *out);
int om_host__describe(om_device *d, const om_recipe *recipe, om_text *source, om_text *options);
void om_host__release(om_device *d, om_built *b);
/* Returns true if the device traces each access of kernels. */
bool om_host__traces(const om_device *d);
/* Sets *why to the reason why programs cannot be built (the caller frees it), or to NULL if they
 * can. */
int om_host__fault(const om_heap *heap, char **why);

/* ---- stream.c ---- */

om_stream *om_host__stream_open(om_device *d, int *error);
void om_host__stream_close(om_device *d, om_stream *s);
int om_host__copy(om_device *d, om_stream *s, const om_copy *c);
int om_host__zero(om_device *d, om_stream *s, om_memory *m, size_t at, size_t bytes);
int om_host__write(om_device *d, om_stream *s, om_memory *m, size_t at, const void *from, size_t n);
int om_host__read(om_device *d, om_stream *s, const om_copy *c, void *to, om_event **event);
int om_host__launch(om_device *d, om_stream *s, const om_launch *l);
int om_host__mark(om_device *d, om_stream *s, om_event **event);
int om_host__wait(om_device *d, om_stream *s, om_event *event, uint64_t until_ns);
/* Waits for all commands of the stream, without a time limit. */
void om_host__finish(om_stream *s);
void om_host__costs(om_device *d, om_stream *s, om_device_costs *sum);

#endif
