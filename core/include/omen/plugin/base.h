/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h: status codes, memory, contexts, messages, options, limits.
 *
 * A function that can fail returns an om_status (0 on success) and records a message in the
 * context. The library neither prints nor exits. Unless a docstring says otherwise, several threads
 * may read an object at the same time, but only one thread may change it, and no thread may read it
 * meanwhile.
 */
#ifndef OMEN_BASE_H
#define OMEN_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OM_API __attribute__((visibility("default")))
#define OM_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* "No such index", for all 32-bit indices of the interface. */
#define OM_NONE UINT32_MAX

/* The result of a function. Hosts convert it to an exit status with om_exit_status(). */
typedef enum om_status {
    OM_OK = 0,
    OM_ENOMEM = -1,       /* an allocation failed */
    OM_EINVAL = -2,       /* the caller violated a precondition */
    OM_EINPUT = -3,       /* invalid model, formula, automaton, lasso or plug-in */
    OM_EUSAGE = -4,       /* options that do not exist or cannot be combined */
    OM_EIO = -5,          /* a system call failed: file, directory, process, thread */
    OM_ELIMIT = -6,       /* a limit was reached; the verdict is unknown */
    OM_ESTOP = -7,        /* stopped on request (not a failure); see om_context_stopped() */
    OM_EMODEL = -8,       /* the model is wrong: index, division by zero, assertion */
    OM_EUNSUPPORTED = -9, /* valid but not available: no device, compiler, feature */
    OM_EINTERNAL = -10    /* a bug in omen: the referee rejected a result */
} om_status;

/* Returns the exit status of a program for a status: 0, 1, 2, 3 or 30 (see the command-line
 * page). */
OM_API int om_exit_status(int status);

/* ---- memory ---- */

/*
 * A memory allocator. resize(self, NULL, n) allocates, resize(self, p, n) changes the size and
 * keeps the contents, resize(self, p, 0) frees and returns NULL. Any thread may call it. Tests pass
 * a heap whose n-th call fails.
 */
typedef struct om_heap {
    void *(*resize)(void *self, void *p, size_t bytes);
    void *self;
} om_heap;

/* Returns the C library's heap. */
OM_API const om_heap *om_heap_default(void);

/* Allocates count * size zeroed bytes, at least one. Returns NULL if the product overflows or
 * memory runs out. */
OM_API void *om_alloc(const om_heap *heap, size_t count, size_t size);

/* Does so for a pointer: sets it to the zeroed elements, or to NULL. Returns false if it is NULL.
 */
static inline bool om_new_array(const om_heap *heap, void *array, size_t count, size_t size)
{
    void *at = om_alloc(heap, count, size);
    memcpy(array, &at, sizeof at); /* the pointer may have any object type */
    return at != NULL;
}
/* For an lvalue of pointer type. */
#define OM_NEW(HEAP, ARRAY, COUNT) om_new_array(HEAP, (void *) &(ARRAY), COUNT, sizeof *(ARRAY))

/* Resizes p to count * size bytes; new bytes are not zeroed. On failure returns NULL and leaves p
 * unchanged. */
OM_API void *om_resize(const om_heap *heap, void *p, size_t count, size_t size);

/* Frees p, which may be NULL. */
OM_API void om_free(const om_heap *heap, void *p);
/* Frees several blocks, in this order; each of the pointers may be NULL. They are all read before
 * the first block is freed, so they may be members of the last one. */
static inline void om_free_each(const om_heap *heap, void *const *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        om_free(heap, all[i]);
}
#define OM_FREE_ALL(HEAP, ...) \
    om_free_each(              \
        HEAP, (void *const[]){ __VA_ARGS__ }, sizeof(void *[]){ __VA_ARGS__ } / sizeof(void *))

/* Copies the n bytes at s and appends a NUL. Returns NULL if memory runs out. */
OM_API char *om_strndup(const om_heap *heap, const char *s, size_t n);
OM_API char *om_strdup(const om_heap *heap, const char *s);

/*
 * Grows an array to hold `need` elements: doubles *capacity (at least 16) until it suffices.
 * Returns the array, which may have moved, or NULL with the array and *capacity unchanged.
 */
OM_API void *om_grow(const om_heap *heap, void *p, size_t *capacity, size_t need, size_t size);
/* Does so in place: sets the pointer to the array, to which `array` points. Returns false, with the
 * array and *capacity unchanged, if memory runs out. */
static inline bool om_grow_array(
    const om_heap *heap, void *array, size_t *capacity, size_t need, size_t size)
{
    void *at;
    memcpy(&at, array, sizeof at);
    at = om_grow(heap, at, capacity, need, size);
    if (at != NULL)
        memcpy(array, &at, sizeof at);
    return at != NULL;
}
/* For an array that is an lvalue of pointer type. */
#define OM_ROOM(HEAP, ARRAY, CAPACITY, NEED) \
    om_grow_array(HEAP, (void *) &(ARRAY), CAPACITY, NEED, sizeof *(ARRAY))

/* ---- context: the process-wide part of a session ---- */

typedef struct om_context om_context;
typedef struct om_control om_control; /* control.h: each context has one */

/* A position in an input. line and column count from 1; 0 means unknown. file is borrowed. */
typedef struct om_place {
    const char *file;
    uint32_t line, column;
} om_place;

/* The importance of a note. */
typedef enum om_note_level { OM_NOTE_NOTICE, OM_NOTE_WARNING, OM_NOTE_VERBOSE } om_note_level;
typedef void om_note_fn(void *self, om_note_level level, const char *text);

/* Creates a root context that allocates from heap (NULL: the default heap). heap is borrowed for
 * the context's life. */
OM_API int om_context_new(om_context **out, const om_heap *heap);
/*
 * Creates a context for a part of the work of parent, which must outlive it. It has its own
 * messages and its own control. Its notes go to the listener of the root context, and a stop of the
 * parent stops it. Any thread. OM_ENOMEM, with no message recorded.
 */
OM_API int om_context_new_below(om_context **out, om_context *parent);
/* Frees a context, which may be NULL. No context below it may exist any more. */
OM_API void om_context_free(om_context *ctx);
/*
 * Returns the heap of the context, which allocates from the heap that the context was created with.
 * It returns NULL for a large block that would exceed the memory limit, after it has stopped the
 * control. Memory from it may be freed through another context over the same base heap; the om_heap
 * itself lives as long as the context.
 */
OM_API const om_heap *om_context_heap(const om_context *ctx);

/* Returns the control of the context, borrowed: limits and stops (control.h). */
OM_API om_control *om_context_control(om_context *ctx);
/* Returns the status with which a stopped function returns: OM_OK (continue), OM_ESTOP if the
 * answer or a failure is known elsewhere, otherwise OM_ELIMIT. Records no message. One relaxed
 * load; any thread. */
OM_API int om_context_stopped(const om_context *ctx);

/* Sets the function that receives one-line notes; without one, notes are dropped. fn is called
 * under a lock. Only the function of the root context is called (see om_context_new_below()). */
OM_API void om_context_on_note(om_context *ctx, om_note_fn *fn, void *self);

/*
 * Records a failure and returns `status`, so that callers can write `return om_fail(...)`. The
 * message is "file:line:column: text", as far as the place (may be NULL) is known. The first
 * failure is kept until om_context_clear(), because later failures are usually its consequences.
 * Any thread may call it.
 */
OM_API int om_fail(om_context *ctx, int status, const om_place *place, const char *fmt, ...)
    OM_PRINTF(4, 5);

/* For om_fail_memory(): returns true if the memory limit refused the allocation. Otherwise records
 * "out of memory" and returns false. */
OM_API bool om_context_at_limit(om_context *ctx);

/* Returns the status for a failed allocation: OM_ENOMEM with the usual message, or OM_ELIMIT with
 * no message if the memory limit refused it. Inline, so that a compiler or an analyser that reads
 * `p == NULL ? om_fail_memory(ctx) : OM_OK` sees that the result is never OM_OK. */
static inline int om_fail_memory(om_context *ctx)
{
    return om_context_at_limit(ctx) ? OM_ELIMIT : OM_ENOMEM;
}

/* Returns the recorded message ("" if there is none), valid until om_context_clear(). */
OM_API const char *om_context_error(const om_context *ctx);
OM_API void om_context_clear(om_context *ctx);

/* Sends one line to the listener of the root context, preceded by the place (may be NULL). Any
 * thread may call it. */
OM_API void om_note(om_context *ctx, om_note_level level, const om_place *place, const char *fmt,
    ...) OM_PRINTF(4, 5);

/*
 * Reads a whole regular file (at most `most` bytes) into *text, NUL-terminated; the caller frees it
 * with om_free(). *length excludes the NUL. "-" and "/dev/stdin" name standard input and
 * "/dev/fd/N" names that descriptor, whatever their type; a pipe or a device in the file system is
 * refused. Returns OM_ELIMIT or OM_ESTOP, with no message recorded, if the context is stopped
 * first.
 */
OM_API int om_read_file(
    om_context *ctx, const char *path, size_t most, char **text, size_t *length);

/* ---- options of plug-ins, as tables ---- */

/* An integer option; a table ends with a NULL name. Boolean options have low 0 and high 1. Names
 * consist of letters, digits, _ and -; low <= dflt <= high; help (may be NULL) is one line. */
typedef struct om_option {
    const char *name;
    int64_t dflt, low, high;
    const char *help;
} om_option;

/* Names for the values low, low + 1, ..., high of an option, which then accepts nothing else:
 * exactly one name for each value, followed by NULL. Value names consist of the same characters as
 * option names. A table ends with a NULL option. */
typedef struct om_option_names {
    const char *option;
    const char *const *names;
} om_option_names;

/* ---- a growing string ---- */

/* Receives the next piece of a text. Returns an om_status, with a message on failure. */
typedef int om_text_drain_fn(void *self, const char *text, size_t length);

/*
 * Initialise to zero with heap set. `failed` is sticky: check it once at the end. text is
 * NUL-terminated, or NULL while empty. With a drain, appended text is handed over in pieces of
 * about OM_TEXT_PIECE bytes and only the last piece is kept; om_text_flush() hands over that one.
 */
enum { OM_TEXT_PIECE = 1 << 16 };
typedef struct om_text {
    const om_heap *heap;
    char *text;
    size_t length, capacity;
    bool failed;
    om_text_drain_fn *drain; /* or NULL */
    void *drain_self;
    int drained; /* the status of the drain, if it failed */
} om_text;

/* Each appends to the text; after a failure they do nothing. */
OM_API void om_text_add(om_text *t, const char *s);
OM_API void om_text_add_n(om_text *t, const char *s, size_t n);
OM_API void om_text_printf(om_text *t, const char *fmt, ...) OM_PRINTF(2, 3);
/* Appends s as a JSON string, with quotes; invalid UTF-8 becomes U+FFFD. */
OM_API void om_text_add_json(om_text *t, const char *s);
/* Returns OM_OK, OM_ENOMEM, or the status of the drain. */
static inline int om_text_status(const om_text *t)
{
    return !t->failed ? OM_OK : t->drained != OM_OK ? t->drained : OM_ENOMEM;
}
/* Hands the remaining text to the drain, if there is one. Returns om_text_status(). */
OM_API int om_text_flush(om_text *t);
/* Frees the text but not t, which can be used again. */
OM_API void om_text_free(om_text *t);

/* ---- external programs ---- */

/* A program (a path, or a name that is searched in PATH) with its arguments; argv ends with
 * NULL. */
typedef struct om_command {
    char *const *argv;
    const char *input; /* its standard input; NULL: empty */
    size_t input_length;
    size_t most_output;  /* limit on its standard output, in bytes */
    uint64_t timeout_ns; /* time limit */
} om_command;

typedef enum om_command_end {
    OM_COMMAND_EXITED,
    OM_COMMAND_KILLED, /* by a signal that omen did not send */
    OM_COMMAND_TOO_LONG,
    OM_COMMAND_TOO_MUCH
} om_command_end;

typedef struct om_command_result {
    om_command_end end;
    int status;       /* the exit status, or the signal */
    om_text out, err; /* its standard output; the beginning of its standard error */
} om_command_result;

/*
 * Runs a program, without a shell, in a process group of its own. Waits until it ends, exceeds its
 * time or its output limit, or the context is stopped; then kills the program and every process
 * that is left in its group. OM_OK however the program ended; OM_EIO, with a message, if it cannot
 * be started; OM_ENOMEM; OM_ELIMIT or OM_ESTOP, without a message, if the context is stopped. The
 * caller frees *out with om_command_result_free() in every case. Any thread.
 */
OM_API int om_command_run(om_context *ctx, const om_command *how, om_command_result *out);
OM_API void om_command_result_free(om_command_result *r);

/* ---- time and randomness ---- */

/* Returns the time of the monotonic clock in nanoseconds. */
OM_API uint64_t om_clock_ns(void);

/*
 * Lets other threads run; for loops that wait a few microseconds. Yields the processor as long as a
 * yield is quick. If other programs compete for the processors, a yield costs a time slice of each
 * of them; then, for some calls, the thread sleeps about nap_ns nanoseconds instead (0: returns at
 * once), because the scheduler prefers a thread that wakes up. Returns true if it yielded. Any
 * thread.
 */
OM_API bool om_yield(uint32_t nap_ns);
#define OM_NAP_NS 20000u /* for loops in which nothing else sleeps */

/* splitmix64: good enough for shuffling and small enough to give each worker its own; any seed
 * works. */
typedef struct om_random {
    uint64_t state;
} om_random;
OM_API uint64_t om_random_next(om_random *r);
/* Returns a uniformly distributed number in [0, n); n > 0. */
OM_API uint64_t om_random_below(om_random *r, uint64_t n);

/* Appends a line with the default number of workers and the placement of their memory. */
OM_API void om_nodes_describe(om_context *ctx, om_text *out);

/* Returns the name that `name` was probably meant to be, for messages: the only name that begins
 * with it, otherwise the nearest one (edit distance at most a third of its length), or NULL. */
OM_API const char *om_nearest(const char *name, const char *const *names, size_t count);

#endif
