/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h: the back end for the host: the same kernels, compiled as C (kernels/om_host.h), by
 * threads of this process. Not for speed: for the engine to be tried out, with every sanitizer,
 * where there is no driver. It is a device that must be named.
 */
#ifndef OM_HOST_HOST_H
#define OM_HOST_HOST_H

#include "device.h"

#include "../../../kernels/om_host.h"

extern const om_backend om_host__backend;

/* Work-items of a work-group at most: each is a thread of a stream. */
enum { OM_HOST_MOST_ITEMS = 16 };

struct om_memory {
    unsigned char *bytes;
    bool own; /* else they are pages of the queue's */
};

struct om_kernel {
    om_host_kernel *run;
    const om_shape *shape;
};

struct om_program {
    void *handle; /* dlopen()'s */
    om_kernel kernels[OM_MOST_KERNELS];
};

/* Errors of this back end. */
enum { OM_HOST_NO_MEMORY = 1, OM_HOST_NO_THREAD, OM_HOST_TOO_LARGE };

/* ---- program.c ---- */

int om_host__build(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *out);
int om_host__describe(om_device *d, const om_recipe *recipe, om_text *source, om_text *options);
void om_host__release(om_device *d, om_built *b);
/* Why programs cannot be built, the caller's to free; *why NULL: they can. */
int om_host__fault(const om_heap *heap, char **why);

/* ---- stream.c ---- */

om_stream *om_host__stream_open(om_device *d, int *error);
void om_host__stream_close(om_device *d, om_stream *s);
int om_host__copy(om_device *d, om_stream *s, const om_copy *c);
int om_host__zero(om_device *d, om_stream *s, om_memory *m, size_t at, size_t bytes);
int om_host__write(om_device *d, om_stream *s, om_memory *m, size_t at, const void *from, size_t n);
int om_host__read(om_device *d, om_stream *s, const om_copy *c, void *to, om_event **event);
int om_host__launch(om_device *d, om_stream *s, const om_launch *l);
int om_host__wait(om_device *d, om_stream *s, om_event *event);
int om_host__finish(om_device *d, om_stream *s);

#endif
