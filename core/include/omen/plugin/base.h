/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h: status codes, memory, the context, messages, options, limits.
 *
 * Every function that can fail returns an om_status (0 is success) and leaves its message in the
 * context. Nothing in the library prints or exits. Unless a docstring says otherwise, an object may
 * be read by several threads at once and changed by one.
 */
#ifndef OMEN_BASE_H
#define OMEN_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OM_API __attribute__((visibility("default")))
#define OM_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* "No such index", for every 32-bit index of the interface. */
#define OM_NONE UINT32_MAX

/* What a function came to. Hosts turn it into an exit status with om_exit_status(). */
typedef enum om_status {
    OM_OK = 0,
    OM_ENOMEM = -1,       /* an allocation failed */
    OM_EINVAL = -2,       /* misuse of the interface */
    OM_EINPUT = -3,       /* a model, formula, automaton, lasso or plug-in is bad */
    OM_EUSAGE = -4,       /* options that do not exist or do not go together */
    OM_EIO = -5,          /* the system refused: file, directory, process, thread */
    OM_ELIMIT = -6,       /* a limit was hit; the verdict is unknown */
    OM_ESTOP = -7,        /* told to stop (not a failure: somebody else has the answer) */
    OM_EMODEL = -8,       /* the model itself went wrong: index, division, assertion */
    OM_EUNSUPPORTED = -9, /* sound to ask, not offered: no device, no compiler, no such feature */
    OM_EINTERNAL = -10    /* a bug in omen: a referee disagreed */
} om_status;

/* Exit status of a program for a status: 0, 1, 2, 3 or 30 (see the command-line page). */
OM_API int om_exit_status(int status);

/* ---- memory ---- */

/*
 * Where memory comes from. resize(self, NULL, n) allocates, resize(self, p, n) changes the size and
 * keeps the contents, resize(self, p, 0) frees and returns NULL. Any thread may call it.
 * Tests hand in a heap whose n-th call fails.
 */
typedef struct om_heap {
    void *(*resize)(void *self, void *p, size_t bytes);
    void *self;
} om_heap;

/* The C library's heap. */
OM_API const om_heap *om_heap_default(void);

/* count * size bytes, zeroed; NULL when that overflows or memory is out. At least one byte. */
OM_API void *om_alloc(const om_heap *heap, size_t count, size_t size);

/* p changed to count * size bytes (new bytes are not zeroed); NULL leaves p as it was. */
OM_API void *om_resize(const om_heap *heap, void *p, size_t count, size_t size);

/* Frees; NULL is fine. */
OM_API void om_free(const om_heap *heap, void *p);

/* A copy of the n bytes at s with a NUL behind them, or NULL. */
OM_API char *om_strndup(const om_heap *heap, const char *s, size_t n);
OM_API char *om_strdup(const om_heap *heap, const char *s);

/*
 * Grows an array for `need` elements: doubles *capacity (at least 16) until it fits.
 * Returns the array, moved if it must be, or NULL with everything as it was.
 */
OM_API void *om_grow(const om_heap *heap, void *p, size_t *capacity, size_t need, size_t size);

/* ---- context: the process-wide part of a session ---- */

typedef struct om_context om_context;
typedef struct om_control om_control; /* control.h: each context has one */

/* A place in an input. line and column count from 1; 0 means unknown. file is borrowed. */
typedef struct om_place {
    const char *file;
    uint32_t line, column;
} om_place;

/* How much a note matters to a reader. */
typedef enum om_note_level { OM_NOTE_NOTICE, OM_NOTE_WARNING, OM_NOTE_VERBOSE } om_note_level;
typedef void om_note_fn(void *self, om_note_level level, const char *text);

/* A new context over a heap (NULL: the default one, borrowed for the context's life). */
OM_API int om_context_new(om_context **out, const om_heap *heap);
/*
 * A context for a piece of another's work, which must outlive it: with messages and a control of
 * its own; its notes go to whoever listens to the other, and what stops the other stops it. Any
 * thread. OM_ENOMEM, with nothing recorded.
 */
OM_API int om_context_new_below(om_context **out, om_context *parent);
/* Nothing is below it any more. NULL is fine. */
OM_API void om_context_free(om_context *ctx);
/*
 * The heap that it was made over, which gives nothing (NULL) where a large piece would pass the
 * limit on memory: the control is stopped then. What comes from it may be given back to that of
 * another context over the same heap, but the om_heap itself goes with the context.
 */
OM_API const om_heap *om_context_heap(const om_context *ctx);

/* The control of a context, for as long as that lives: limits, and who stops whom (control.h). */
OM_API om_control *om_context_control(om_context *ctx);
/* What a function returns that was stopped, one relaxed load: OM_OK (go on), OM_ESTOP where
 * somebody else has the answer or the failure, else OM_ELIMIT. Records no message. Any thread. */
OM_API int om_context_stopped(const om_context *ctx);

/* Where one-line notes go; none are kept when there is no function. fn is called under a lock. (Of
 * a context that is below another: see there.) */
OM_API void om_context_on_note(om_context *ctx, om_note_fn *fn, void *self);

/*
 * Records a failure and returns `status`, so that `return om_fail(...)` reads well. The message is
 * "file:line:column: text" where the place (may be NULL) knows them. The first failure stands until
 * om_context_clear(): what follows from it would only hide it. Any thread may call it.
 */
OM_API int om_fail(om_context *ctx, int status, const om_place *place, const char *fmt, ...)
    OM_PRINTF(4, 5);

/* For om_fail_memory(): was it the limit on memory that refused it? Else records "out of memory".
 */
OM_API bool om_context_at_limit(om_context *ctx);

/* What a function returns that was given no memory: OM_ENOMEM with the usual words, or OM_ELIMIT,
 * with no message, where it was the limit that refused it. Inline, so that a reader of `p == NULL ?
 * om_fail_memory(ctx) : OM_OK` (a compiler, an analyzer) sees that it is never OM_OK. */
static inline int om_fail_memory(om_context *ctx)
{
    return om_context_at_limit(ctx) ? OM_ELIMIT : OM_ENOMEM;
}

/* The standing message ("" when there is none), valid until om_context_clear(). */
OM_API const char *om_context_error(const om_context *ctx);
OM_API void om_context_clear(om_context *ctx);

/* One line to whoever listens; the place (may be NULL) goes in front. Any thread may call it. */
OM_API void om_note(om_context *ctx, om_note_level level, const om_place *place, const char *fmt,
    ...) OM_PRINTF(4, 5);

/*
 * Reads a whole regular file (at most `most` bytes) into *text, NUL-terminated, the caller's to
 * om_free(); *length excludes the NUL. "-" and "/dev/stdin" are standard input, "/dev/fd/N" is that
 * descriptor, whatever they are; a pipe or a device in the file system is refused. OM_ELIMIT or
 * OM_ESTOP, with no message recorded, when the context is stopped first.
 */
OM_API int om_read_file(
    om_context *ctx, const char *path, size_t most, char **text, size_t *length);

/* ---- options of plug-ins, as tables ---- */

/* One integer option; a table ends with a NULL name. bool options have low 0 and high 1. Names are
 * of letters, digits, _ and -; low <= dflt <= high; help (may be NULL) is one line. */
typedef struct om_option {
    const char *name;
    int64_t dflt, low, high;
    const char *help;
} om_option;

/* Names for the values low, low + 1, ..., high of an option, which takes nothing else then: as
 * many, and a NULL behind them. They are made as names of options are. A table ends with a NULL
 * option. */
typedef struct om_option_names {
    const char *option;
    const char *const *names;
} om_option_names;

/* ---- a growing string ---- */

/* Takes the next piece of a text; an om_status, with a message where it failed. */
typedef int om_text_drain_fn(void *self, const char *text, size_t length);

/*
 * Zero-initialise with heap set. failed is sticky: check once at the end. text is NUL-terminated
 * or NULL while empty. With a drain, what is added goes there in pieces of some OM_TEXT_PIECE
 * bytes, and no more than that is kept; om_text_flush() hands over the last one.
 */
enum { OM_TEXT_PIECE = 1 << 16 };
typedef struct om_text {
    const om_heap *heap;
    char *text;
    size_t length, capacity;
    bool failed;
    om_text_drain_fn *drain; /* or NULL */
    void *drain_self;
    int drained; /* what a drain that failed returned */
} om_text;

/* Each appends; once one has failed, they do nothing. */
OM_API void om_text_add(om_text *t, const char *s);
OM_API void om_text_add_n(om_text *t, const char *s, size_t n);
OM_API void om_text_printf(om_text *t, const char *fmt, ...) OM_PRINTF(2, 3);
/* A string as JSON writes it, quotes included; what is not UTF-8 becomes U+FFFD. */
OM_API void om_text_add_json(om_text *t, const char *s);
/* OM_OK, OM_ENOMEM, or what the drain returned. */
static inline int om_text_status(const om_text *t)
{
    return !t->failed ? OM_OK : t->drained != OM_OK ? t->drained : OM_ENOMEM;
}
/* Hands what is left to the drain, if there is one. The status. */
OM_API int om_text_flush(om_text *t);
/* Frees the text; t itself is the caller's, and can be used anew. */
OM_API void om_text_free(om_text *t);

/* ---- programs of others ---- */

/* What to run: a program (a path, or a name that PATH knows) with its arguments, and NULL. */
typedef struct om_command {
    char *const *argv;
    const char *input; /* what it reads from standard input; NULL: nothing */
    size_t input_length;
    size_t most_output;  /* bytes of its standard output */
    uint64_t timeout_ns; /* how long it may take */
} om_command;

typedef enum om_command_end {
    OM_COMMAND_EXITED,
    OM_COMMAND_KILLED, /* by a signal that was not ours */
    OM_COMMAND_TOO_LONG,
    OM_COMMAND_TOO_MUCH
} om_command_end;

typedef struct om_command_result {
    om_command_end end;
    int status;       /* the exit status, or the signal */
    om_text out, err; /* what it wrote; of standard error the beginning */
} om_command_result;

/*
 * Runs a program, never by a shell, in a process group of its own, and waits until it ends, or has
 * used its time, or has written too much, or the context is stopped; whatever is left of it and of
 * what it started in its group is killed then. OM_OK, however it ended; OM_EIO with a message where
 * it cannot be started; OM_ENOMEM; OM_ELIMIT or OM_ESTOP, without one, when the context is stopped.
 * *out is to be freed in each case. Any thread.
 */
OM_API int om_command_run(om_context *ctx, const om_command *how, om_command_result *out);
OM_API void om_command_result_free(om_command_result *r);

/* ---- time and chance ---- */

/* Nanoseconds of the monotonic clock. */
OM_API uint64_t om_clock_ns(void);

/*
 * Lets other threads run, for a loop that waits for what takes microseconds: yields the processor,
 * as long as that is quick. If other programs want the processors, a yield takes a time slice of
 * each of them; then, for some calls, the thread sleeps about nap_ns nanoseconds instead (0: does
 * nothing), for who wakes goes before them. True: it has yielded. Any thread.
 */
OM_API bool om_yield(uint32_t nap_ns);
#define OM_NAP_NS 20000u /* for loops in which nothing else sleeps */

/* splitmix64: good enough to shuffle, small enough for one per worker; any seed will do. */
typedef struct om_random {
    uint64_t state;
} om_random;
OM_API uint64_t om_random_next(om_random *r);
/* Uniform in [0, n); n > 0. */
OM_API uint64_t om_random_below(om_random *r, uint64_t n);

/* Appends a line: how many workers there are by default, where their memory is. */
OM_API void om_nodes_describe(om_context *ctx, om_text *out);

/* The name that was meant by `name`: the only one that begins so, else the nearest (edit distance
 * at most a third), or NULL; for messages. */
OM_API const char *om_nearest(const char *name, const char *const *names, size_t count);

#endif
