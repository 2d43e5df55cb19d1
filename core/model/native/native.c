/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#include "audit.h"
#include "execute/executor.h"
#include "generate/gen.h"
#include "native_abi.h"
#include "files/cache.h"
#include "files/cache_lock.h"
#include "leave.h"
#include "native_make.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* The text before and after the generated text. */
static const char head[] =
    "typedef unsigned int om_u32;\n"
    "typedef int om_i32;\n"
    "typedef unsigned long long om_u64;\n"
    "_Static_assert(sizeof(om_u32) == 4 && sizeof(om_u64) == 8, \"sizes\");\n"
    "#define OM_FN static inline\n"
    "#define OM_FN_APART OM_FN\n"
    "#define OM_CONSTANT\n"
    "#define OM_GEN_APART __attribute__((noinline))\n"
    "#define OM_GEN_COPY(to, from) __builtin_memcpy(to, from, sizeof(om_u32) * OM_WORDS)\n";

/* native_abi.h documents these symbols. */
static const char tail[] =
    "const om_u32 om_native_shape[] = { OM_WORDS, OM_APS, OM_TRANSITIONS, OM_GEN_CHUNKS };\n"
    "#define MOST(P) OM_GEN_MOST_##P,\n"
    "const om_u32 om_native_most[] = { OM_GEN_EACH(MOST) 0 };\n"
    "#define STEP(P) case P: return om_gen_step_##P(s, rows, stride, transition, n, fault);\n"
    "unsigned long om_native_run(const om_u32 *restrict s, om_u32 chunk, om_u32 *restrict rows,\n"
    "    unsigned long stride, om_u32 *restrict transition, unsigned long n,\n"
    "    om_u32 *restrict fault)\n"
    "{\n"
    "    (void)rows; (void)stride; (void)transition;\n"
    "    if (chunk == 0 && (*fault = om_gen_assertions(s)) != 0) return n;\n"
    "    switch (chunk) { OM_GEN_EACH(STEP) default: return n; }\n"
    "}\n"
    "om_u64 om_native_labels(const om_u32 *s, om_u32 *fault)\n"
    "{\n"
    "    return om_gen_labels(s, fault);\n"
    "}\n";

typedef struct native {
    om_executor executor;
    const om_heap *heap;
    void *handle;
    uint32_t chunks;
    const uint32_t *most; /* maximum successors of a state by each chunk */
    om_native_run_fn *run;
    om_native_labels_fn *labels;
    om_native_result result;
} native;

static int native_append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    const native *n = x->self;
    unsigned long count = out->count;
    uint32_t chunk = 0, fault[2] = { 0, 0 };
    do { /* once for a model without transitions: it may have assertions */
        size_t most = n->most[chunk];
        if (count + most > out->capacity || out->stride < x->words)
            if (om_successors_reserve(out, count + most, x->words) != OM_OK)
                return OM_ENOMEM;
        count = n->run(vector, chunk, out->words, out->stride, out->transition, count, fault);
    } while (++chunk < n->chunks && fault[0] == 0);
    out->count = count;
    out->fault = fault[0];
    if (fault[1] != 0 && fault[0] == 0)
        out->overflows += fault[1];
    return OM_OK;
}

static uint64_t native_labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    const native *n = x->self;
    *fault = 0;
    return n->labels(vector, fault);
}

static void native_close(om_executor *x)
{
    native *n = x->self;
    if (n->handle != NULL)
        (void) dlclose(n->handle);
    om_free(n->heap, n);
}

/* ISO C has no conversion from an object pointer to a function pointer; POSIX guarantees that the
 * representation is the same. */
static bool find(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    _Static_assert(sizeof symbol == sizeof(om_native_run_fn *), "POSIX");
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* Looks up the functions and checks that they are of this model. */
static bool bind_functions(native *n, om_model *m)
{
    const uint32_t *shape = NULL;
    if (!find(n->handle, "om_native_run", &n->run) ||
        !find(n->handle, "om_native_labels", &n->labels) ||
        !find(n->handle, "om_native_shape", &shape) || !find(n->handle, "om_native_most", &n->most))
        return false;
    n->chunks = shape[OM_NATIVE_CHUNKS];
    return shape[OM_NATIVE_WORDS] == n->executor.words && shape[OM_NATIVE_APS] == n->executor.aps &&
           shape[OM_NATIVE_TRANSITIONS] == om_model_transition_count(m);
}

/* ---- opening ---- */

/* The arguments for opening, and the buffer for the reason if that fails. */
typedef struct wish {
    const om_native_order *order;
    om_context *ctx;
    om_model *m;
    const om_expr *aps;
    uint32_t ap_count;
    char *why;
    size_t why_size;
} wish;

static int whole_text(const wish *w, om_text *text)
{
    const uint32_t *initial = om_model_initial(w->m);
    om_text_add(text, head);
    int rc = om_gen__write(w->ctx, w->m, w->aps, w->ap_count,
        (om_gen_form){ .steps = true, .plain = OM_GEN_PLAIN }, text);
    om_text_add(text, tail);
    om_text_add(text, "const om_u32 om_native_initial[] = {");
    for (uint32_t i = 0; i < om_model_words(w->m); i++)
        om_text_printf(text, " %u,", initial[i]);
    om_text_add(text, " 0 };\n");
    return rc == OM_OK && text->failed ? OM_ENOMEM : rc;
}

/* Returns OM_OK if the opened library can be trusted. */
static int take(native *n, const wish *w)
{
    bool agrees = true;
    if (!bind_functions(n, w->m)) {
        (void) snprintf(w->why, w->why_size, "the compiled library lacks its functions");
        return OM_EUNSUPPORTED;
    }
    int rc = om_audit__compare(w->m, &n->executor, w->order->reference, &agrees);
    if (rc == OM_OK && !agrees) {
        (void) snprintf(
            w->why, w->why_size, "the compiler is faulty: its code disagrees with the vm");
        return OM_EUNSUPPORTED;
    }
    return rc;
}

/* ---- the cache and the compiler ---- */

/*
 * Size of a text from which quick code comes first. gcc takes 0.2 to 0.3 s for such a text with
 * -O1, and a bit more than half of that for quick code (native_compile.c has measurements); below,
 * quick code would be ready 0.01 to 0.05 s sooner.
 */
enum { LARGE = 48 * 1024 };

/*
 * Size of the largest text that is compiled. gcc takes 12 s for each MB (thousands of processes:
 * 1.3 MB in 15 s, 2.6 MB in 28 s), and the code of such a model is no faster than the vm.
 */
enum { MOST_TEXT = 2 * 1024 * 1024 };

enum { NAP_NS = 5 * 1000 * 1000 };

/* The text of a model, and the compilers */
typedef struct source {
    om_text text; /* followed by the rest of a key */
    size_t length;
    om_cc best, quick;
    om_text best_suffix, quick_suffix;
    om_native_result result;
} source;

static void free_source(source *s)
{
    om_text_free(&s->text);
    om_text_free(&s->best_suffix);
    om_text_free(&s->quick_suffix);
}

static bool is_large(const source *s)
{
    return s->length >= LARGE;
}

/* Makes the key for quick code, or for the best. Returns it, or NULL if memory runs out. */
static const om_text *key_of(source *s, bool quick)
{
    const om_text *suffix = quick ? &s->quick_suffix : &s->best_suffix;
    s->text.length = s->length;
    om_text_add_n(&s->text, suffix->text, suffix->length);
    return s->text.failed ? NULL : &s->text;
}

/* Writes the text and finds the compiler. */
static int make_source(source *s, const wish *w)
{
    const om_heap *heap = w->m->heap;
    *s = (source){
        .text = { .heap = heap }, .best_suffix = { .heap = heap }, .quick_suffix = { .heap = heap }
    };
    int rc = whole_text(w, &s->text);
    s->length = s->result.text_bytes = s->text.length;
    if (rc == OM_EUNSUPPORTED)
        (void) snprintf(w->why, w->why_size, "%s", OM_GEN_TOO_DEEP);
    if (rc == OM_OK && s->length > MOST_TEXT) {
        (void) snprintf(w->why, w->why_size, "its text would have %zu bytes", s->length);
        rc = OM_EUNSUPPORTED;
    }
    if (rc == OM_OK)
        rc = om_cc__find(&s->best, w->why, w->why_size);
    if (rc != OM_OK)
        return rc;
    s->quick = s->best;
    om_cc__hurry(&s->quick);
    om_native__key(&s->best_suffix, &s->best);
    om_native__key(&s->quick_suffix, &s->quick);
    return s->best_suffix.failed || s->quick_suffix.failed ? OM_ENOMEM : OM_OK;
}

/* Returns OM_ESTOP if the cache has no usable object of that kind. */
static int from_cache(native *n, const wish *w, source *s, bool quick)
{
    const om_text *key = key_of(s, quick);
    if (key == NULL)
        return OM_ENOMEM;
    int rc = om_native__kept(w->ctx, key, &n->handle);
    if (rc == OM_OK)
        rc = take(n, w);
    if (rc == OM_OK) {
        s->result.quick = quick;
        s->result.cached = true;
    }
    if (rc != OM_EUNSUPPORTED)
        return rc;
    om_cache__drop_from(w->ctx, om_cache__native, key);
    (void) dlclose(n->handle);
    n->handle = NULL;
    return OM_ESTOP;
}

/* The same for the best code, or for quick code if that will do. */
static int from_cache_any(native *n, const wish *w, source *s)
{
    int rc = from_cache(n, w, s, false);
    if (rc == OM_ESTOP && w->order->kind != OM_NATIVE_BEST && is_large(s))
        rc = from_cache(n, w, s, true);
    return rc;
}

/* Stores what the compiler made, unless its process has done so; or removes what that has stored,
 * if it is wrong. */
static void store(const wish *w, source *s, bool quick, const om_native_object *made,
    const om_native_keep *keep, int rc)
{
    const om_text *key = key_of(s, quick);
    if (key == NULL)
        return;
    if (rc == OM_OK && !keep->stored)
        om_cache__store_in(w->ctx, om_cache__native, key, made->bytes, made->size);
    if (rc == OM_EUNSUPPORTED && keep->stored)
        om_cache__drop_from(w->ctx, om_cache__native, key);
    if (rc == OM_OK && !keep->stored && !quick && is_large(s) && (key = key_of(s, true)) != NULL)
        om_cache__drop_from(w->ctx, om_cache__native, key);
}

static int from_compiler(native *n, const wish *w, source *s, bool quick)
{
    om_native_object made = { 0 };
    om_native_keep keep = { .suffix = quick ? s->quick_suffix.text : s->best_suffix.text,
        .old = quick || !is_large(s) ? "" : s->quick_suffix.text,
        .nice = w->order->nice };
    const bool keeps = om_context__leaves_compilers(w->ctx) && om_native__has_cache(w->ctx);
    const uint64_t since_ns = om_clock_ns();
    int rc = om_native__make(w->ctx, quick ? &s->quick : &s->best, s->text.text, s->length,
        keeps ? &keep : NULL, &made, w->why, w->why_size);
    s->result.compiler_ns += om_clock_ns() - since_ns;
    s->result.quick = quick;
    s->result.left = keep.left;
    if (rc != OM_OK)
        return rc;
    n->handle = made.handle;
    rc = take(n, w);
    store(w, s, quick, &made, &keep, rc);
    om_free(om_context_heap(w->ctx), made.bytes);
    return rc;
}

/* If another process compiles the text, waits for it: its compiler began earlier, and has the usual
 * priority while it is awaited. Returns OM_OK unless the context is stopped. */
static int wait_for_other(const wish *w, source *s)
{
    const struct timespec nap = { 0, NAP_NS };
    const uint64_t since_ns = om_clock_ns();
    om_cache_lock locks;
    if (!om_context__leaves_compilers(w->ctx) ||
        om_cache_lock__open(&locks, om_context_heap(w->ctx)) != OM_OK)
        return OM_OK;
    const uint64_t right = om_cache_lock__right_of(s->text.text, s->length);
    int rc = OM_OK;
    bool taken = false;
    om_cache_lock__want(&locks, right);
    while ((taken = om_cache_lock__is_taken(&locks, right)) &&
           (rc = om_context_stopped(w->ctx)) == OM_OK)
        (void) nanosleep(&nap, NULL);
    om_cache_lock__close(&locks);
    s->result.compiler_ns += om_clock_ns() - since_ns;
    s->result.left = taken;
    return rc;
}

static int open_handle(native *n, const wish *w, source *s)
{
    int rc = make_source(s, w);
    if (rc != OM_OK) /* OM_ESTOP: the context was stopped */
        return rc;
    rc = from_cache_any(n, w, s);
    if (rc != OM_ESTOP || w->order->kind == OM_NATIVE_CACHED)
        return rc;
    rc = wait_for_other(w, s);
    if (rc == OM_OK)
        rc = from_cache_any(n, w, s);
    if (rc == OM_ESTOP && om_context_stopped(w->ctx) == OM_OK)
        rc = from_compiler(n, w, s, w->order->kind == OM_NATIVE_QUICK && is_large(s));
    return rc;
}

bool om_native__is(const om_executor *x, bool *quick)
{
    if (x->append != native_append)
        return false;
    const native *n = x->self;
    *quick = n->result.quick;
    return true;
}

bool om_native__account(const om_executor *x, uint64_t since_ns, om_executor_code *sum)
{
    if (x->append != native_append)
        return false;
    const native *n = x->self;
    const uint64_t passed_ns = om_clock_ns() - since_ns, compiler_ns = n->result.compiler_ns;
    uint64_t *use_ns = n->result.quick ? &sum->quick_ns : &sum->native_ns;
    *use_ns += passed_ns > compiler_ns ? passed_ns - compiler_ns : 0;
    sum->compiler_ns += compiler_ns;
    sum->hurried_ns += n->result.quick ? compiler_ns : 0;
    sum->text_bytes = n->result.text_bytes;
    sum->cached = sum->cached || n->result.cached;
    return true;
}

int om_native__open(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count,
    /* NOLINTNEXTLINE(readability-non-const-parameter) */
    const om_native_order *order, char *why, size_t why_size)
{
    const wish w = { order, order->ctx, m, aps, ap_count, why, why_size };
    native *n = om_alloc(m->heap, 1, sizeof *n);
    if (n == NULL)
        return om_fail_memory(order->ctx);
    n->heap = m->heap;
    n->executor = (om_executor){ .size = sizeof(om_executor),
        .name = "native",
        .words = om_model_words(m),
        .aps = ap_count,
        .self = n,
        .initial = om_executor__initial,
        .append = native_append,
        .labels = native_labels,
        .close = native_close,
        .model = m };
    source s;
    int rc = open_handle(n, &w, &s);
    n->result = s.result;
    if (order->result != NULL)
        *order->result = s.result;
    free_source(&s);
    if (rc == OM_OK)
        *out = &n->executor;
    else
        native_close(&n->executor);
    return rc == OM_ENOMEM ? om_fail_memory(order->ctx) : rc;
}
