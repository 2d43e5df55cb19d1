/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.h: the interface of back ends: a table of functions for each kind of device (OpenCL, the
 * host), and the types of their arguments. A new kind is a folder with one such table, which
 * devices.c names.
 *
 * The objects of a back end are opaque: its memory, its streams (commands of a stream are executed
 * in order), its programs and kernels, its events.
 *
 * Functions that return or set an `error` give 0 on success, else a number that error_text() and
 * is_memory() interpret; they record no message. A stream is used by one thread at a time. Every
 * other function may be called from any thread at any time, but release() and close() only by the
 * last user.
 *
 * A device that is lost (om_device__lost()) has pending commands that may never end, or end at any
 * time: nothing of it is freed or released except by close(), which keeps what they use.
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

/* A kernel and the kinds of its arguments: 'm' memory, 'n' memory that continues that of the
 * argument before, 'u' 32 bits, 'U' 64 bits. */
typedef struct om_shape {
    const char *name, *args;
} om_shape;

/* "#define NAME VALUE", inserted before the text. */
typedef struct om_define {
    const char *name; /* a constant of the library */
    uint32_t value;
} om_define;

enum { OM_MOST_KERNELS = 8, OM_MOST_DEFINES = 8, OM_MOST_ARGUMENTS = 28 };

enum {
    OM_MOST_SOON = 4096, /* bytes of an asynchronous read at most */
    OM_PENDING = INT_MAX /* a number that no back end uses as an error */
};

/* A program to build: the text without the header that each back end adds, and the kernels that
 * will be used (constants of the library; at most OM_MOST_KERNELS). A kernel whose numbers are all
 * 0 does nothing and reads no memory. */
typedef struct om_recipe {
    const char *source;
    om_define defines[OM_MOST_DEFINES];
    size_t define_count;
    bool quick; /* prefers a short compilation to fast code */
    const om_shape *shapes;
    size_t count;
} om_recipe;

/* A program with the kernels of its recipe; zeroed if there is none. */
typedef struct om_built {
    om_program *program;
    om_kernel *kernels[OM_MOST_KERNELS];
} om_built;

/* An argument of a kernel: the address of its value; for memory, the address of the pointer to
 * it. */
typedef struct om_arg {
    size_t size;
    const void *value;
} om_arg;

/* A copy of `bytes` bytes from one memory object to another. */
typedef struct om_copy {
    const om_memory *from;
    om_memory *to;
    size_t from_at, to_at, bytes;
} om_copy;

/* Size and location of memory. `pages` is NULL or (om_device.own_pages) the pages to use; `on_host`
 * requests the host's memory, which a device accesses more slowly than its own. */
typedef struct om_memory_spec {
    size_t bytes;
    void *pages;
    bool on_host;
} om_memory_spec;

/* A launch: `local` work-items a work-group, `global` in all, a multiple of `local`. */
typedef struct om_launch {
    om_kernel *kernel;
    const om_arg *args;
    uint32_t count;
    size_t global, local;
} om_launch;

typedef struct om_backend {
    const char *name;
    /* Adds the devices present with om_devices__add(). If `trial` is set, anything that may end the
     * process is tried in another process first. *own is passed to close(). Returns OM_OK;
     * OM_EUNSUPPORTED or OM_EIO with *why and no message if there are no devices; OM_ENOMEM,
     * OM_ELIMIT, OM_ESTOP. */
    int (*open)(om_devices *all, om_context *ctx, bool trial, void **own, const char **why);
    /* Frees what open() has made and om_device.own of each device that it added. */
    void (*close)(om_devices *all, void *own);
    /* Prepares the device at the first call. Returns an error. */
    int (*start)(om_device *d);

    /* Return NULL and set *error if no stream or memory can be had. */
    om_stream *(*stream_open)(om_device *d, int *error);
    void (*stream_close)(om_device *d, om_stream *s);
    om_memory *(*take)(om_device *d, const om_memory_spec *spec, int *error);
    /* Gives memory back. Commands of the stream, the only one that uses this memory, may be
     * pending. */
    void (*give)(om_device *d, om_stream *s, om_memory *m);

    /* Commands, all of which return an error. A command that returns before it is done may use
     * the data that its arguments point to until a later mark() is done; launch() copies its
     * arguments. */
    int (*copy)(om_device *d, om_stream *s, const om_copy *c);
    int (*zero)(om_device *d, om_stream *s, om_memory *m, size_t at, size_t bytes);
    /* Is done on return. */
    int (*write)(om_device *d, om_stream *s, om_memory *m, size_t at, const void *from, size_t n);
    /* Is done on return, as are all commands before it. With `event` (OM_MOST_SOON bytes at most),
     * returns at once: the caller owns the event, and wait() fills `to` when it returns 0. */
    int (*read)(om_device *d, om_stream *s, const om_copy *c, void *to, om_event **event);
    int (*launch)(om_device *d, om_stream *s, const om_launch *l);
    /* Makes an event that is done when all commands before it are done. */
    int (*mark)(om_device *d, om_stream *s, om_event **event);
    /* Waits for an event and consumes it. Returns OM_PENDING if the event is not done at that time
     * (of om_clock_ns()); the event then stays valid. */
    int (*wait)(om_device *d, om_stream *s, om_event *event, uint64_t until_ns);

    /* Builds a program, or loads it from the cache, so that its kernels start without delay.
     * Returns OM_OK; OM_EUNSUPPORTED with one message; OM_ESTOP or OM_ELIMIT if it notices a stop
     * of the context; OM_ENOMEM. */
    int (*build)(om_device *d, om_context *ctx, const om_recipe *recipe, om_built *out);
    void (*release)(om_device *d, om_built *b);
    /* Appends the text that build() passes to a compiler, and the options as a shell would take
     * them. Returns OM_OK or OM_ENOMEM. The device need not be started. */
    int (*describe)(om_device *d, const om_recipe *recipe, om_text *source, om_text *options);
    /* Adds the memory traffic so far of the stream's kernels, all of which are done. NULL if the
     * back end does not count it. */
    void (*costs)(om_device *d, om_stream *s, om_device_costs *sum);
    /* Returns the largest work-group that a kernel takes, or 0 if that is unknown. */
    size_t (*group_limit)(om_device *d, om_kernel *k);

    const char *(*error_text)(int error);
    /* Returns true if the error means that memory is exhausted. */
    bool (*is_memory)(int error);
} om_backend;

#endif
