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
    "#define OM_GEN_STEPS\n";

/*
 * om_native_run() goes on with `group` while 64 more rows fit, and returns the group where it
 * stopped. On a fault it returns OM_GROUPS with *fault set.
 */
static const char tail[] =
    "const om_u32 om_native_shape[] = { OM_WORDS, OM_APS, OM_TRANSITIONS, OM_GROUPS };\n"
    "#define STEP(G) case G: \\\n"
    "    if (room - n < 64u) { *count = n; return G; } \\\n"
    "    n = om_gen_step_##G(s, rows, stride, transition, n, fault); \\\n"
    "    if (*fault != 0) return OM_GROUPS; /* fall through */\n"
    "om_u32 om_native_run(const om_u32 *restrict s, om_u32 group, om_u32 *restrict rows,\n"
    "    unsigned long stride,"
    "    om_u32 *restrict transition, unsigned long room, unsigned long *restrict count,\n"
    "    om_u32 *restrict fault)\n"
    "{\n"
    "    unsigned long n = *count;\n"
    "    (void)rows; (void)stride; (void)transition; (void)room;\n"
    "    if (group == 0 && (*fault = om_gen_assertions(s)) != 0) return OM_GROUPS;\n"
    "    switch (group) { OM_GEN_EACH(STEP) default: break; }\n"
    "    *count = n;\n"
    "    return OM_GROUPS;\n"
    "}\n"
    "om_u64 om_native_labels(const om_u32 *s, om_u32 *fault)\n"
    "{\n"
    "    return om_gen_labels(s, fault);\n"
    "}\n";

typedef uint32_t run_fn(const uint32_t *s, uint32_t group, uint32_t *rows, unsigned long stride,
    uint32_t *transition, unsigned long room, unsigned long *count, uint32_t *fault);
typedef unsigned long long labels_fn(const uint32_t *s, uint32_t *fault);

typedef struct native {
    om_executor executor;
    const om_heap *heap;
    void *handle;
    uint32_t groups;
    run_fn *run;
    labels_fn *labels;
} native;

enum { ROOM_OF_A_GROUP = 64 };

static void native_initial(const om_executor *x, uint32_t *vector)
{
    memcpy(vector, om_model_initial(x->model), x->words * sizeof *vector);
}

static int native_append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    const native *n = x->self;
    unsigned long count = out->count;
    uint32_t group = 0;
    out->fault = 0;
    do {
        if (om_successors_reserve(out, count + ROOM_OF_A_GROUP, x->words) != OM_OK)
            return OM_ENOMEM;
        group = n->run(vector, group, out->words, out->stride, out->transition, out->room, &count,
            &out->fault);
    } while (group < n->groups);
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
        !find(n->handle, "om_native_shape", &shape))
        return false;
    n->groups = shape[3];
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
