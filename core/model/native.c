/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#include "gen.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* What comes before and after the generated text. */
static const char head[] =
    "typedef unsigned int om_u32;\n"
    "typedef int om_i32;\n"
    "typedef unsigned long long om_u64;\n"
    "_Static_assert(sizeof(om_u32) == 4 && sizeof(om_u64) == 8, \"sizes\");\n"
    "#define OM_FN static inline\n"
    "#define OM_GEN_STEPS\n"
    "#define OM_GEN_COPY(to, from) __builtin_memcpy(to, from, sizeof(om_u32) * OM_WORDS)\n";

/* om_native_run() adds the successors by one part of the transitions behind n rows, and returns the
 * new n; on a fault *fault is set. There must be room for om_native_most[part] more rows. */
static const char tail[] =
    "const om_u32 om_native_shape[] = { OM_WORDS, OM_APS, OM_TRANSITIONS, OM_GEN_PARTS };\n"
    "#define MOST(P) OM_GEN_MOST_##P,\n"
    "const om_u32 om_native_most[] = { OM_GEN_EACH(MOST) 0 };\n"
    "#define STEP(P) case P: return om_gen_step_##P(s, rows, stride, transition, n, fault);\n"
    "unsigned long om_native_run(const om_u32 *restrict s, om_u32 part, om_u32 *restrict rows,\n"
    "    unsigned long stride, om_u32 *restrict transition, unsigned long n,\n"
    "    om_u32 *restrict fault)\n"
    "{\n"
    "    (void)rows; (void)stride; (void)transition;\n"
    "    if (part == 0 && (*fault = om_gen_assertions(s)) != 0) return n;\n"
    "    switch (part) { OM_GEN_EACH(STEP) default: return n; }\n"
    "}\n"
    "om_u64 om_native_labels(const om_u32 *s, om_u32 *fault)\n"
    "{\n"
    "    return om_gen_labels(s, fault);\n"
    "}\n";

typedef unsigned long run_fn(const uint32_t *s, uint32_t part, uint32_t *rows, unsigned long stride,
    uint32_t *transition, unsigned long n, uint32_t *fault);
typedef unsigned long long labels_fn(const uint32_t *s, uint32_t *fault);

typedef struct native {
    om_executor executor;
    const om_heap *heap;
    void *handle;
    uint32_t parts;
    const uint32_t *most; /* successors of a state by each part */
    run_fn *run;
    labels_fn *labels;
} native;

static void native_initial(const om_executor *x, uint32_t *vector)
{
    memcpy(vector, om_model_initial(x->model), x->words * sizeof *vector);
}

static int native_append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    const native *n = x->self;
    unsigned long count = out->count;
    uint32_t part = 0;
    out->fault = 0;
    do { /* once for a model without transitions: it may have assertions */
        size_t most = n->most[part];
        if (count + most > out->room || out->stride < x->words)
            if (om_successors_reserve(out, count + most, x->words) != OM_OK)
                return OM_ENOMEM;
        count = n->run(vector, part, out->words, out->stride, out->transition, count, &out->fault);
    } while (++part < n->parts && out->fault == 0);
    out->count = count;
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

/* ISO C has no conversion from an object pointer to a function pointer; POSIX says that the bits
 * are the same. */
static bool find(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    _Static_assert(sizeof symbol == sizeof(run_fn *), "POSIX");
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* Looks the functions up, and that they are of this model. */
static bool bind(native *n, om_model *m)
{
    const uint32_t *shape = NULL;
    if (!find(n->handle, "om_native_run", &n->run) ||
        !find(n->handle, "om_native_labels", &n->labels) ||
        !find(n->handle, "om_native_shape", &shape) || !find(n->handle, "om_native_most", &n->most))
        return false;
    n->parts = shape[3];
    return shape[0] == n->executor.words && shape[1] == n->executor.aps &&
           shape[2] == om_model_transition_count(m);
}

static int whole_text(om_model *m, const om_expr *aps, uint32_t ap_count, om_text *text)
{
    om_text_add(text, head);
    int rc = om_gen__write(m, aps, ap_count, text);
    om_text_add(text, tail);
    return rc == OM_OK && text->failed ? OM_ENOMEM : rc;
}

int om_native__open(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count,
    const om_native_order *order, char *why, size_t why_size)
{
    om_text text = { .heap = m->heap };
    bool agrees = true;
    native *n = om_alloc(m->heap, 1, sizeof *n);
    if (n == NULL)
        return om_fail_memory(order->ctx);
    n->heap = m->heap;
    n->executor = (om_executor){ .name = "native",
        .words = om_model_words(m),
        .aps = ap_count,
        .self = n,
        .initial = native_initial,
        .append = native_append,
        .labels = native_labels,
        .close = native_close,
        .model = m };
    int rc = whole_text(m, aps, ap_count, &text);
    if (rc == OM_EUNSUPPORTED)
        (void) snprintf(why, why_size, "%s", OM_GEN_TOO_DEEP);
    if (rc != OM_OK)
        goto done;
    rc = om_native__load(order, text.text, text.length, &n->handle, why, why_size);
    if (rc != OM_OK)
        goto done;
    if (!bind(n, m)) {
        (void) snprintf(why, why_size, "the compiled library lacks its functions");
        rc = OM_EUNSUPPORTED;
        goto done;
    }
    rc = om_native__audit(&n->executor, m, aps, ap_count, &agrees);
    if (rc == OM_OK && !agrees) {
        (void) snprintf(why, why_size, "the compiler is wrong: its code disagrees with the vm");
        rc = OM_EUNSUPPORTED;
    }
    if (rc != OM_OK)
        goto done;
    *out = &n->executor;
    n = NULL;
done:
    if (n != NULL)
        native_close(&n->executor);
    om_text_free(&text);
    return rc == OM_ENOMEM ? om_fail_memory(order->ctx) : rc;
}
