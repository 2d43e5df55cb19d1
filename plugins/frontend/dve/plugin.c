/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The DVE front end: the modelling language of DiVinE, as the BEEM benchmarks use it. The
 * semantics follow DiVinE's own evaluation ("The DVE Specification Language", DiVinE
 * documentation; Pelanek, BEEM, SPIN 2007).
 */
#include "lower.h"
#include "parser.h"

#include <omen/plugin/frontend.h>

#include <string.h>

static void drop(void *data)
{
    dve_file *f = data;
    if (f == NULL)
        return;
    const om_heap *heap = f->region.heap;
    om_region_free(&f->region);
    om_free(heap, f);
}

/* The text is copied because the names and sources of expressions outlive the call. */
static int new_file(
    dve_file **out, om_context *ctx, const char *file, const char *text, size_t length)
{
    const om_heap *heap = om_context_heap(ctx);
    dve_file *f = om_alloc(heap, 1, sizeof *f);
    if (f == NULL)
        return om_fail_memory(ctx);
    f->ctx = ctx;
    f->region.heap = heap;
    f->file = om_region_copy(&f->region, file, strlen(file));
    f->text = om_region_copy(&f->region, text, length);
    if (f->file == NULL || f->text == NULL) {
        drop(f);
        return om_fail_memory(ctx);
    }
    *out = f;
    return OM_OK;
}

/* Returns the file's name without its folder. */
static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash == NULL ? file : slash + 1;
}

/* An interrupted parse fails as if the input were wrong; the status of the interruption replaces
 * that one. */
static int unless_stopped(const om_context *ctx, int rc)
{
    int stopped = rc == OM_OK ? OM_OK : om_context_stopped(ctx);
    return stopped != OM_OK ? stopped : rc;
}

static int load(om_context *ctx, const char *file, const char *text, size_t length,
    const int64_t *options, om_model **out)
{
    dve_file *f = NULL;
    om_model *m = NULL;
    (void) options;
    int rc = new_file(&f, ctx, file, text, length);
    if (rc == OM_OK)
        rc = om_model_new(&m, ctx, base_name(file));
    if (rc != OM_OK) {
        drop(f);
        return rc;
    }
    om_model_set_private(m, f, drop);
    rc = dve_parse_file(f, length);
    if (rc == OM_OK)
        rc = dve_declare(f);
    if (rc == OM_OK)
        rc = dve_resolve(f);
    if (rc == OM_OK)
        rc = dve_lower_file(f, m);
    if (rc == OM_OK)
        rc = om_model_narrow(m);
    if (rc == OM_OK)
        rc = om_model_finish(m);
    if (rc != OM_OK) {
        om_model_free(m);
        return unless_stopped(ctx, rc);
    }
    *out = m;
    return OM_OK;
}

static int expression(om_model *m, const char *origin, const char *text, om_expr *out)
{
    dve_file *f = om_model_private(m);
    dve_expr *e = NULL, *references = NULL;
    om_expr made = 0;
    int rc = dve_parse_proposition(f, origin, text, &e, &references);
    if (rc == OM_OK)
        rc = dve_complete(f, origin, references);
    if (rc == OM_OK) {
        dve_scope s = { .file = f, .model = m, .origin = origin };
        rc = dve_lower_expression(&s, e, &made);
    }
    if (rc == OM_OK)
        *out = made;
    return unless_stopped(f->ctx, rc);
}

/* "system async;" or "system sync;" occurs in every DVE model, and in no other language. */
static bool recognises(const char *text, size_t length)
{
    static const char word[] = "system";
    const char *end = text + length;
    for (const char *at = text; (size_t) (end - at) > sizeof word; at++) {
        if (memcmp(at, word, sizeof word - 1) != 0)
            continue;
        const char *next = at + sizeof word - 1;
        while (next < end && (*next == ' ' || *next == '\t'))
            next++;
        const size_t left = (size_t) (end - next);
        if ((left >= 5 && memcmp(next, "async", 5) == 0) ||
            (left >= 4 && memcmp(next, "sync", 4) == 0))
            return true;
    }
    return false;
}

static const char *const SUFFIXES[] = { ".dve", NULL };

OM_API extern const om_frontend omen_plugin;
const om_frontend omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_frontend, OM_PLUGIN_FRONTEND, "dve",
        "DVE, the language of DiVinE and of the BEEM benchmarks",
        "R. Pelanek, BEEM: Benchmarks for Explicit Model Checkers, SPIN 2007", NULL),
    .suffixes = SUFFIXES,
    .load = load,
    .expression = expression,
    .recognises = recognises,
};
