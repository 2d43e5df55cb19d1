/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frontend.h: a fuzz target for the front end FRONTEND, a string. Loads the input as a model. On
 * success, reads the proposition PROPOSITION and takes some steps.
 */
#include <omen/host/load.h>
#include <omen/plugin/ltl.h>

#include <stdlib.h>
#include <string.h>

#ifndef FORMULA
#define FORMULA ""
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 32, LARGEST_VECTOR = 4096 };

/* The context and the plug-ins, opened once. They are not freed, because the process belongs to
 * the fuzzer. */
typedef struct session {
    om_context *ctx;
    om_registry *registry;
    const om_frontend *frontend;
} session;

static const session *open_session(void)
{
    static session s;
    const om_plugin *p = NULL;
    if (s.frontend != NULL)
        return &s;
    if (om_context_new(&s.ctx, NULL) != OM_OK || om_registry_new(&s.registry, s.ctx) != OM_OK ||
        om_registry_find(s.registry, OM_PLUGIN_FRONTEND, FRONTEND, &p) != OM_OK)
        abort();
    s.frontend = (const om_frontend *) (const void *) p;
    if ((s.frontend->flags & OM_FRONTEND_PREPROCESSED) != 0) {
        static const char *const definitions[] = { "DEFINED", "TWO=2",
            "SUM(a,...)=(a+__VA_ARGS__)" };
        static const char *const folders[] = { "/nonexistent" };
        const om_sources sources = { definitions, 3, folders, 1, NULL, 0 };
        om_context_set_sources(s.ctx, &sources);
    }
    return &s;
}

enum { LONGEST_FORMULA = 64 };

/* Formulas in the language's own grammar: the end of the input, and the target's FORMULA.
 * om_ltl_parse() must accept the resulting text. */
static void read_formulas(const session *s, om_model *m, const uint8_t *data, size_t size)
{
    const size_t n = size < LONGEST_FORMULA ? size : LONGEST_FORMULA;
    char *end = om_strndup(om_context_heap(s->ctx), (const char *) data + (size - n), n);
    const char *const texts[] = { FORMULA, end };
    for (size_t i = 0; i < 2 && end != NULL; i++) {
        om_text read = { .heap = om_context_heap(s->ctx) };
        om_ltl *l = NULL;
        om_ltl_ref f = 0;
        if (s->frontend->formula(m, "formula", texts[i], &read) == OM_OK &&
            om_ltl_new(&l, s->ctx) == OM_OK &&
            om_ltl_parse(l, "read", read.text, read.length, &f) != OM_OK)
            abort();
        om_ltl_free(l);
        om_text_free(&read);
        om_context_clear(s->ctx);
    }
    om_free(om_context_heap(s->ctx), end);
}

/* Follows a path whose successors are chosen by the input. */
static void walk(const session *s, om_model *m, const uint8_t *data, size_t size)
{
    om_executor *x = NULL;
    om_expr ap = 0;
    uint32_t row[LARGEST_VECTOR];
    om_successors next = { .heap = om_context_heap(s->ctx) };
    om_fault fault = 0;
    bool has_ap = s->frontend->expression(m, "AP", PROPOSITION, &ap) == OM_OK;
    if (om_model_words(m) > LARGEST_VECTOR ||
        om_executor_open(&x, m, OM_EXEC_VM, &ap, has_ap) != OM_OK)
        return;
    x->initial(x, row);
    for (size_t i = 0; i < STEPS; i++) {
        (void) x->labels(x, row, &fault);
        if (om_executor_successors(x, row, &next) != OM_OK || next.fault != 0 || next.count == 0)
            break;
        size_t k = data[i % size] % next.count;
        memcpy(row, next.words + k * x->words, x->words * sizeof *row);
    }
    if (next.fault != 0)
        (void) om_model_fault(m, next.fault);
    om_successors_free(&next);
    om_executor_close(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const session *s = open_session();
    const om_heap *heap = om_context_heap(s->ctx);
    char *text = om_strndup(heap, (const char *) data, size);
    om_model *m = NULL;
    om_context_clear(s->ctx);
    if (text == NULL)
        return 0;
    int rc = s->frontend->load(s->ctx, "fuzz." FRONTEND, text, size, NULL, &m);
    /* A rejected input has a message and no model. */
    if (rc != OM_OK && (m != NULL || om_context_error(s->ctx)[0] == '\0'))
        abort();
    if (rc == OM_OK && size != 0)
        walk(s, m, data, size);
    om_context_clear(s->ctx);
    if (rc == OM_OK && size != 0 && s->frontend->formula != NULL)
        read_formulas(s, m, data, size);
    if (s->frontend->recognises != NULL)
        (void) s->frontend->recognises(text, strlen(text));
    om_model_free(m);
    om_free(heap, text);
    return 0;
}
