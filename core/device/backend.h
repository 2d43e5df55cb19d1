/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.h: what computes for the engine: a table of functions for each kind (OpenCL, the host),
 * and what they are handed. A new kind is a folder with one such table, named in devices.c.
 *
 * What a kind keeps is behind pointers of types that only it knows: its memory, its streams (of
 * commands that are done in order), its programs and kernels, its events.
 *
 * Functions that give an `error` give 0 where all went well, else a number that error_text() and
 * is_memory() know; they record no message. A stream is used by one thread at a time; everything
 * else may be called from any thread at any time, but release() and close() by the last user.
 *
 * A device that is lost (om_device__lost()) has commands under way that may never end, or end at
 * any time: nothing of it is given back or released but by close(), which keeps what they use.
 */
#ifndef OM_DEVICE_BACKEND_H
#define OM_DEVICE_BACKEND_H

#include <omen/host/devices.h>

#include <limits.h>

typedef struct om_memory om_memory;
typedef struct om_stream om_stream;
typedef struct om_program om_program;
typedef struct om_kernel om_kernel;
typedef struct om_event om_event;

/* A kernel and the kinds of its arguments: 'm' memory, 'n' memory that goes on with what the
 * argument before has, 'u' 32 bits, 'U' 64 bits. */
typedef struct om_shape {
    const char *name, *args;
} om_shape;

/* "#define NAME VALUE" ahead of the text. */
typedef struct om_define {
    const char *name; /* a constant of the library */
    uint32_t value;
} om_define;

enum { OM_MOST_KERNELS = 8, OM_MOST_DEFINES = 8, OM_MOST_ARGUMENTS = 28 };

enum {
    OM_MOST_SOON = 4096, /* bytes of a read with an event */
    OM_PENDING = INT_MAX /* no back end's error */
};

/* A program to build: the text but for what each kind puts ahead of it, and the kernels that will
 * be used (constants of the library; at most OM_MOST_KERNELS). With all numbers 0 a kernel does
 * nothing and reads no memory. */
typedef struct om_recipe {
    const char *source;
    om_define defines[OM_MOST_DEFINES];
    size_t define_count;
    bool quick; /* rather compiled soon than fast */
    const om_shape *shapes;
    size_t count;
} om_recipe;

/* A program with the kernels of its recipe; zeroed: none. */
typedef struct om_built {
    om_program *program;
    om_kernel *kernels[OM_MOST_KERNELS];
} om_built;

/* An argument of a kernel: where its value is; of memory, where the pointer to it is. */
typedef struct om_arg {
    size_t size;
    const void *value;
} om_arg;

/* `bytes` from one place of memory to another. */
typedef struct om_copy {
    const om_memory *from;
    om_memory *to;
    size_t from_at, to_at, bytes;
} om_copy;

/* How much memory, and where: `pages` is NULL, or (om_device.own_pages) where it shall be;
 * `on_host` asks for the host's memory, which a device reaches more slowly than its own. */
typedef struct om_memory_spec {
    size_t bytes;
    void *pages;
    bool on_host;
} om_memory_spec;

/* A launch: `local` work-items a group, `global` in all, a multiple of it. */
typedef struct om_launch {
    om_kernel *kernel;
    const om_arg *args;
    uint32_t count;
    size_t global, local;
} om_launch;

typedef struct om_backend {
    const char *name;
    /* Adds the devices that there are with om_devices__add(). `trial`: what may end the process is
     * tried out in another one first. *own is close()'s. OM_OK; OM_EUNSUPPORTED or OM_EIO with *why
     * and no message where there are none; OM_ENOMEM, OM_ELIMIT, OM_ESTOP. */
    int (*open)(om_devices *all, om_context *ctx, bool trial, void **own, const char **why);
    /* Frees what open() has made and om_device.own of each device that it added. */
    void (*close)(om_devices *all, void *own);
    /* Makes ready to compute, at the first call: error. */
    int (*start)(om_device *d);

    /* NULL with *error: there is no stream, no memory. */
    om_stream *(*stream_open)(om_device *d, int *error);
    void (*stream_close)(om_device *d, om_stream *s);
    om_memory *(*take)(om_device *d, const om_memory_spec *spec, int *error);
    /* Commands of the stream, the only one that knows this memory, may still be under way. */
    void (*give)(om_device *d, om_stream *s, om_memory *m);

    /* Commands, all of which give an error. Those that return before they are done may use what
     * their arguments point to until all before a mark() is done, but for launch(), which copies
     * them. */
    int (*copy)(om_device *d, om_stream *s, const om_copy *c);
    int (*zero)(om_device *d, om_stream *s, om_memory *m, size_t at, size_t bytes);
    /* Is done when it returns. */
    int (*write)(om_device *d, om_stream *s, om_memory *m, size_t at, const void *from, size_t n);
    /* Is done when it returns, with all before it; or, of OM_MOST_SOON bytes at most, with `event`
     * (which becomes the caller's) when wait() gives 0, which is what fills `to`. */
    int (*read)(om_device *d, om_stream *s, const om_copy *c, void *to, om_event **event);
    int (*launch)(om_device *d, om_stream *s, const om_launch *l);
    /* An event for all before it: done when that is. */
    int (*mark)(om_device *d, om_stream *s, om_event **event);
    /* Waits for an event, and takes it; OM_PENDING where it is not done at that time (of
     * om_clock_ns()): then it is as it was. */
    int (*wait)(om_device *d, om_stream *s, om_event *event, uint64_t until_ns);

    /* Builds a program, or loads it from the cache, so that its kernels start without delay. OM_OK;
     * OM_EUNSUPPORTED with one message; OM_ESTOP or OM_ELIMIT where it heeds a stop of the context;
     * OM_ENOMEM. */
    int (*build)(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *out);
    void (*release)(om_device *d, om_built *b);
    /* Adds what build() hands to a compiler: the text, and the options as a shell would take them.
     * OM_OK or OM_ENOMEM; the device need not have been started. */
    int (*describe)(om_device *d, const om_recipe *recipe, om_text *source, om_text *options);
    /* Adds what the kernels of the stream, all of which are done, did to memory so far. NULL: it
     * cannot say. */
    void (*costs)(om_device *d, om_stream *s, om_device_costs *sum);
    /* The largest work-group that a kernel takes, or 0: unknown. */
    size_t (*group_limit)(om_device *d, om_kernel *k);

    const char *(*error_text)(int error);
    /* Does the error mean that memory is out? */
    bool (*is_memory)(int error);
} om_backend;

#endif
