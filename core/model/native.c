/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#include "audit.h"
#include "executor.h"
#include "gen.h"
#include "native_abi.h"
#include "files/cache.h"
#include "native_make.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The text before and after the generated text. */
static const char head[] =
    "typedef unsigned int om_u32;\n"
    "typedef int om_i32;\n"
    "typedef unsigned long long om_u64;\n"
    "_Static_assert(sizeof(om_u32) == 4 && sizeof(om_u64) == 8, \"sizes\");\n"
    "#define OM_FN static inline\n"
    "#define OM_GEN_STEPS\n"
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
    int rc = om_gen__write(w->ctx, w->m, w->aps, w->ap_count, text);
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

/* Returns OM_ESTOP if the cache has no usable object. */
static int from_cache(native *n, const wish *w, const om_text *key)
{
    int rc = om_native__kept(w->ctx, key, &n->handle);
    if (rc == OM_OK)
        rc = take(n, w);
    if (rc != OM_EUNSUPPORTED)
        return rc;
    om_cache__drop_from(w->ctx, om_cache__native, key);
    (void) dlclose(n->handle);
    n->handle = NULL;
    return OM_ESTOP;
}

/* The text is the first `length` bytes of the key. */
static int from_compiler(
    native *n, const wish *w, const om_cc *compiler, const om_text *key, size_t length)
{
    om_native_object made = { 0 };
    int rc = om_native__make(w->ctx, compiler, key->text, length, &made, w->why, w->why_size);
    if (rc != OM_OK)
        return rc;
    n->handle = made.handle;
    rc = take(n, w);
    if (rc == OM_OK)
        om_cache__store_in(w->ctx, om_cache__native, key, made.bytes, made.size);
    om_free(om_context_heap(w->ctx), made.bytes);
    return rc;
}

static int open_handle(native *n, const wish *w)
{
    om_text text = { .heap = w->m->heap };
    om_cc compiler;
    int rc = whole_text(w, &text);
    const size_t length = text.length;
    if (rc == OM_EUNSUPPORTED)
        (void) snprintf(w->why, w->why_size, "%s", OM_GEN_TOO_DEEP);
    if (rc == OM_OK)
        rc = om_cc__find(&compiler, w->why, w->why_size);
    if (rc != OM_OK)
        goto done;
    om_native__key(&text, &compiler);
    rc = text.failed ? OM_ENOMEM : from_cache(n, w, &text);
    if (rc == OM_ESTOP && !w->order->kept_only)
        rc = from_compiler(n, w, &compiler, &text, length);
done:
    om_text_free(&text);
    return rc;
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
    int rc = open_handle(n, &w);
    if (rc == OM_OK)
        *out = &n->executor;
    else
        native_close(&n->executor);
    return rc == OM_ENOMEM ? om_fail_memory(order->ctx) : rc;
}
