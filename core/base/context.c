/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts form a tree: work that may fail or be stopped on its own has a context below that of its
 * caller. Each context has its own heap (a wrapper of the base heap that asks the control before
 * large allocations), its own control, and its own first failure. Only the root has what exists
 * once per user and machine: the listener for notes, the notices given so far (once.h), whether
 * compilers may go on (leave.h), and the NUMA nodes. All contexts have the same base heap, so
 * memory may be freed through any of them.
 */
#include "control/control_impl.h"
#include "progress.h"
#include "process/processors.h"
#include "once.h"
#include "leave.h"

#include <omen/plugin/sources.h>

#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = 2048 };

struct om_context {
    om_context *parent; /* or NULL */
    om_heap heap;       /* limited_resize() over `base` */
    const om_heap *base;
    om_control control;
    pthread_mutex_t lock; /* guards everything below */
    om_note_fn *note;
    void *note_self;
    om_sources sources; /* set before other threads exist */
    om_nodes *nodes;
    bool has_read_nodes, leaves_compilers;
    unsigned given_once;     /* om_once */
    om_stage_progress stage; /* without done and made, and with stage_since for seconds */
    uint64_t stage_since;
    /* relaxed: statistics. */
    _Atomic uint64_t done, made;
    /* release in om_fail(), after the message is written; acquire in om_context_error(), which
     * therefore sees the complete message without the lock. */
    atomic_bool failed;
    /* A member array, so that "out of memory" can always be recorded. Written only while
     * !failed. */
    char error[MESSAGE_SIZE];
};

/* Returns the root of the tree. */
static om_context *top_of(om_context *ctx)
{
    while (ctx->parent != NULL)
        ctx = ctx->parent;
    return ctx;
}

int om_exit_status(int status)
{
    switch (status) {
    case OM_OK:
        return 0;
    case OM_EUSAGE:
    case OM_EUNSUPPORTED:
        return 2;
    case OM_EINPUT:
    case OM_EMODEL:
    case OM_EIO:
        return 3;
    case OM_ELIMIT:
    case OM_ENOMEM:
        return 30;
    default:
        return 1;
    }
}

/* Smaller blocks exceed the limit only slightly before the watcher notices. */
#define LARGE ((size_t) 1 << 20)
/* Part of a doubled array that may come into use before the watcher checks again. */
#define SOON ((size_t) 8 << 20)

static void *limited_resize(void *self, void *p, size_t bytes)
{
    om_context *ctx = self;
    if (bytes >= LARGE) {
        size_t has = p != NULL && ctx->base == om_heap_default() ? malloc_usable_size(p) : 0;
        size_t more = bytes > has ? bytes - has : 0;
        /* A growing array comes into use gradually, while the watcher checks. */
        size_t soon = more <= has && more > SOON ? SOON : more;
        if (more > 0 && !om_control__allows_soon(&ctx->control, soon, more))
            return NULL;
    }
    return ctx->base->resize(ctx->base->self, p, bytes);
}

static int make(om_context **out, const om_heap *base, om_context *parent)
{
    om_context *ctx = om_alloc(base, 1, sizeof *ctx);
    if (ctx == NULL)
        return OM_ENOMEM;
    ctx->parent = parent;
    ctx->base = base;
    ctx->heap = (om_heap){ limited_resize, ctx };
    if (pthread_mutex_init(&ctx->lock, NULL) != 0) {
        om_free(base, ctx);
        return OM_ENOMEM;
    }
    if (!om_control__open(&ctx->control, parent == NULL ? NULL : &parent->control)) {
        pthread_mutex_destroy(&ctx->lock);
        om_free(base, ctx);
        return OM_ENOMEM;
    }
    *out = ctx;
    return OM_OK;
}

int om_context_new(om_context **out, const om_heap *heap)
{
    return make(out, heap == NULL ? om_heap_default() : heap, NULL);
}

int om_context_new_below(om_context **out, om_context *parent)
{
    return make(out, parent->base, parent);
}

void om_context_free(om_context *ctx)
{
    if (ctx == NULL)
        return;
    om_nodes__close(ctx->nodes);
    om_control__close(&ctx->control);
    pthread_mutex_destroy(&ctx->lock);
    om_free(ctx->base, ctx);
}

const om_heap *om_context_heap(const om_context *ctx)
{
    return &ctx->heap;
}

om_control *om_context_control(om_context *ctx)
{
    return &ctx->control;
}

bool om_context_at_limit(om_context *ctx)
{
    if (om_control_stopped(&ctx->control) == OM_STOP_MEMORY)
        return true;
    (void) om_fail(ctx, OM_ENOMEM, NULL, "out of memory");
    return false;
}

int om_context_stopped(const om_context *ctx)
{
    return om_control__status(&ctx->control);
}

const om_nodes *om_context__nodes(om_context *ctx)
{
    ctx = top_of(ctx);
    pthread_mutex_lock(&ctx->lock);
    if (!ctx->has_read_nodes)
        ctx->nodes = om_nodes__open(ctx->base);
    ctx->has_read_nodes = true;
    pthread_mutex_unlock(&ctx->lock);
    return ctx->nodes;
}

void om_context_on_note(om_context *ctx, om_note_fn *fn, void *self)
{
    pthread_mutex_lock(&ctx->lock);
    ctx->note = fn;
    ctx->note_self = self;
    pthread_mutex_unlock(&ctx->lock);
}

void om_context_set_sources(om_context *ctx, const om_sources *sources)
{
    ctx->sources = *sources;
}

const om_sources *om_context_sources(const om_context *ctx)
{
    while (ctx->parent != NULL)
        ctx = ctx->parent;
    return &ctx->sources;
}

/* Writes "file:line:column: ", as far as it is known. */
static size_t put_place(char *to, size_t size, const om_place *place)
{
    int n = 0;
    if (place == NULL || place->file == NULL)
        return 0;
    if (place->line == 0)
        n = snprintf(to, size, "%s: ", place->file);
    else if (place->column == 0)
        n = snprintf(to, size, "%s:%u: ", place->file, place->line);
    else
        n = snprintf(to, size, "%s:%u:%u: ", place->file, place->line, place->column);
    assert(size > 0);
    return n < 0 ? 0 : (size_t) n < size ? (size_t) n : size - 1;
}

OM_PRINTF(4, 0)
static void put_message(char *to, size_t size, const om_place *place, const char *fmt, va_list args)
{
    size_t at = put_place(to, size, place);
    if (vsnprintf(to + at, size - at, fmt, args) < 0)
        to[at] = '\0';
}

int om_fail(om_context *ctx, int status, const om_place *place, const char *fmt, ...)
{
    pthread_mutex_lock(&ctx->lock);
    /* relaxed: the thread that set it held the lock. The first failure is kept. */
    if (!atomic_load_explicit(&ctx->failed, memory_order_relaxed)) {
        va_list args;
        va_start(args, fmt);
        put_message(ctx->error, sizeof ctx->error, place, fmt, args);
        va_end(args);
        atomic_store_explicit(&ctx->failed, true, memory_order_release);
    }
    pthread_mutex_unlock(&ctx->lock);
    return status;
}

const char *om_context_error(const om_context *ctx)
{
    return atomic_load_explicit(&ctx->failed, memory_order_acquire) ? ctx->error : "";
}

void om_context_clear(om_context *ctx)
{
    pthread_mutex_lock(&ctx->lock);
    atomic_store_explicit(&ctx->failed, false, memory_order_relaxed);
    pthread_mutex_unlock(&ctx->lock);
}

void om_note(om_context *ctx, om_note_level level, const om_place *place, const char *fmt, ...)
{
    char text[MESSAGE_SIZE];
    va_list args;
    va_start(args, fmt);
    put_message(text, sizeof text, place, fmt, args);
    va_end(args);
    ctx = top_of(ctx);
    pthread_mutex_lock(&ctx->lock);
    if (ctx->note != NULL)
        ctx->note(ctx->note_self, level, text);
    pthread_mutex_unlock(&ctx->lock);
}

/* ---- current activity ---- */

static void set_stage(om_context *ctx, const char *what, uint64_t total)
{
    ctx = top_of(ctx);
    pthread_mutex_lock(&ctx->lock);
    ctx->stage = (om_stage_progress){ .what = what, .total = total };
    ctx->stage_since = om_clock_ns();
    atomic_store_explicit(&ctx->done, 0, memory_order_relaxed);
    pthread_mutex_unlock(&ctx->lock);
}

void om_stage__begin(om_context *ctx, const char *what, uint64_t total)
{
    set_stage(ctx, what, total);
}

void om_stage__end(om_context *ctx)
{
    set_stage(ctx, NULL, 0);
}

void om_stage__at(om_context *ctx, uint64_t done)
{
    atomic_store_explicit(&top_of(ctx)->done, done, memory_order_relaxed);
}

void om_stage__made(om_context *ctx, uint64_t states)
{
    (void) atomic_fetch_add_explicit(&top_of(ctx)->made, states, memory_order_relaxed);
}

void om_context_stage_progress(om_context *ctx, om_stage_progress *out)
{
    ctx = top_of(ctx);
    pthread_mutex_lock(&ctx->lock);
    *out = ctx->stage;
    out->seconds = out->what == NULL ? 0 : (double) (om_clock_ns() - ctx->stage_since) / 1e9;
    out->done = atomic_load_explicit(&ctx->done, memory_order_relaxed);
    out->made = atomic_load_explicit(&ctx->made, memory_order_relaxed);
    pthread_mutex_unlock(&ctx->lock);
    /* Two concurrent activities may update it in turn. */
    if (out->total != 0 && out->done > out->total)
        out->done = out->total;
}

void om_context__leave_compilers(om_context *ctx)
{
    ctx = top_of(ctx);
    pthread_mutex_lock(&ctx->lock);
    ctx->leaves_compilers = true;
    pthread_mutex_unlock(&ctx->lock);
}

bool om_context__leaves_compilers(om_context *ctx)
{
    ctx = top_of(ctx);
    pthread_mutex_lock(&ctx->lock);
    bool leaves = ctx->leaves_compilers;
    pthread_mutex_unlock(&ctx->lock);
    return leaves;
}

bool om_context__once(om_context *ctx, om_once what)
{
    ctx = top_of(ctx);
    pthread_mutex_lock(&ctx->lock);
    bool first = (ctx->given_once & what) == 0;
    ctx->given_once |= what;
    pthread_mutex_unlock(&ctx->lock);
    return first;
}
