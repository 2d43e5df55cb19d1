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

#include <pthread.h>
#include <stdatomic.h>

extern const om_backend om_host__backend;

/* Work-items of a work-group at most: each is a thread of a stream. */
enum { OM_HOST_MOST_ITEMS = 256 };

/* In which order the work-items of a group run: all at once; or one after the other, each until it
 * waits for the others, by number, backwards, or in an order that changes each time. Groups come in
 * that order, too. A kernel must not depend on it. */
typedef enum om_host_order {
    OM_HOST_TOGETHER,
    OM_HOST_FORWARD,
    OM_HOST_BACKWARD,
    OM_HOST_SHUFFLED,
    OM_HOST_TRACED, /* shuffled, and each access is looked at: trace.c */
    /* Traced, too; 32 or 64 work-items side by side go from atomic to atomic together: turns.c */
    OM_HOST_LOCKSTEP32,
    OM_HOST_LOCKSTEP64,
    OM_HOST_STUCK /* shuffled, and from the command of number `seed` on no kernel ends */
} om_host_order;
/* om_device.own */
typedef struct om_host_setting {
    om_host_order order;
    uint64_t seed;   /* of orders that change, and of OM_HOST_STUCK */
    char wrong[256]; /* the first thing that a kernel did that it may not, under the owner's lock */
} om_host_setting;

struct om_memory {
    unsigned char *bytes;
    size_t size;
    bool own;             /* else they are pages of the queue's */
    unsigned char *known; /* of each byte, where kernels are traced: was it ever written? Or NULL */
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
enum {
    OM_HOST_NO_MEMORY = 1,
    OM_HOST_NO_THREAD,
    OM_HOST_TOO_LARGE,
    OM_HOST_DIVERGED,
    OM_HOST_WRONG
};

/* ---- devices.c ---- */

/* Sets the device, which nothing has used yet, to "ORDER:ITEMS:BATCH:SEED" or the first of these,
 * `length` bytes of text: the name of an order; work-items of a group; what each
 * of them sees to. False: that is not understood. */
bool om_host__set(om_device *d, const char *text, size_t length);

/* ---- memory.c ---- */

om_memory *om_host__take(om_device *d, const om_memory_spec *spec, int *error);
void om_host__give(om_device *d, om_stream *s, om_memory *m);
/* These bytes were written; or became what others are. By the team of the stream. */
void om_host__know(om_memory *m, size_t at, size_t bytes);
void om_host__know_copy(om_memory *to, size_t at, const om_memory *from, size_t from_at, size_t n);
/* The first of these bytes that nobody has written; or their end. Likewise. */
size_t om_host__unknown(const om_memory *m, size_t at, size_t bytes);

/* ---- barrier.c ---- */

/* A barrier for threads that meet again soon, more of them than cores: who waits lets others run
 * for a while before it sleeps, which takes a fraction of what a sleep and a wake-up do. */
typedef struct om_barrier {
    uint32_t size; /* to be changed while nobody waits */
    atomic_uint arrived, phase;
    pthread_mutex_t lock; /* of those who sleep */
    pthread_cond_t next;
} om_barrier;
/* For so many threads; false: there is no lock, and nothing to close. */
bool om_barrier__open(om_barrier *b, uint32_t size);
void om_barrier__close(om_barrier *b);
/* Until all have come; what they did before is then seen by all. */
void om_barrier__wait(om_barrier *b);

/* ---- turns.c ---- */

/* Who runs when, for the threads of a stream. */
typedef struct om_turns om_turns;
/* NULL: no memory, or no lock. */
om_turns *om_turns__open(const om_heap *heap, uint32_t size, const om_host_setting *setting);
void om_turns__close(om_turns *t);
/* Groups have so many work-items from now on, `size` of om_turns__open() at most; nobody is in one.
 */
void om_turns__resize(om_turns *t, uint32_t size);
/* A work-item of a group begins; comes to a barrier (in this line) and goes on behind it; ends. */
void om_turns__begin(om_turns *t, uint32_t me);
void om_turns__meet(om_turns *t, uint32_t me, unsigned line);
void om_turns__end(om_turns *t, uint32_t me);
/* Work-item `id` of a launch comes to an atomic, which it does when it is back. */
void om_turns__step(om_turns *t, uint32_t id);
/* Some of a group came to one barrier, and others to another or to the end: a device would hang, or
 * worse. From then on everybody runs as he likes. Not seen where they run together. Any thread. */
bool om_turns__diverged(const om_turns *t);
/* The group that comes as number i of n of this launch; the same for all of the team. */
size_t om_turns__group(const om_turns *t, uint64_t launch, size_t i, size_t n);

/* ---- trace.c ---- */

typedef struct om_trace om_trace;
/* A launch, for who asks of it: its number from 1, and the memory of each argument that is some. */
typedef struct om_traced_launch {
    om_trace *trace; /* or NULL */
    om_turns *turns;
    uint64_t number;
    const om_shape *shape;
    om_memory *const *memory;
} om_traced_launch;
/* NULL: no memory. */
om_trace *om_trace__open(const om_heap *heap);
void om_trace__close(om_trace *t);
/* A work-item does that; before it does. One at a time. */
void om_trace__access(const om_traced_launch *l, unsigned id, const om_host_touch *touch);
/* There is such a launch; likewise, by a work-item of it. */
void om_trace__launched(const om_traced_launch *l);
/* Has a kernel done something that it may not? Any thread. */
bool om_trace__bad(const om_trace *t);
/* What that was first, or NULL; and what kernels did to memory. When nothing is under way. */
const char *om_trace__wrong(const om_trace *t);
const om_device_costs *om_trace__costs(const om_trace *t);

/* ---- program.c ---- */

int om_host__build(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *out);
int om_host__describe(om_device *d, const om_recipe *recipe, om_text *source, om_text *options);
void om_host__release(om_device *d, om_built *b);
/* Does it look at each access of kernels? */
bool om_host__traces(const om_device *d);
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
int om_host__mark(om_device *d, om_stream *s, om_event **event);
int om_host__wait(om_device *d, om_stream *s, om_event *event, uint64_t until_ns);
/* Waits for everything of the stream, however long that takes. */
void om_host__finish(om_stream *s);
void om_host__costs(om_device *d, om_stream *s, om_device_costs *sum);

#endif
