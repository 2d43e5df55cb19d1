/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Promela front end: the language of SPIN. The semantics follow SPIN 6.5.2's manual pages and
 * the results of its verifiers (Holzmann, The SPIN Model Checker, 2003, Chapters 3 and 7, Appendix
 * A).
 */
#include "claims/claims.h"
#include "lower/ends.h"
#include "lower/trace.h"
#include "read/parser.h"
#include "text/lexer.h"

#include <omen/plugin/frontend.h>

#include <string.h>

static void drop(void *data)
{
    pml_file *f = data;
    if (f == NULL)
        return;
    const om_heap *heap = f->region.heap;
    om_region_free(&f->region);
    om_free(heap, f);
}

/* The text is copied because the words of statements outlive the call. */
static int new_file(pml_file **out, om_context *ctx, const char *file, const char *text,
    size_t length, const char **copy)
{
    const om_heap *heap = om_context_heap(ctx);
    pml_file *f = om_alloc(heap, 1, sizeof *f);
    if (f == NULL)
        return om_fail_memory(ctx);
    f->ctx = ctx;
    f->region.heap = heap;
    f->file = om_region_copy(&f->region, file, strlen(file));
    *copy = om_region_copy(&f->region, text, length);
    f->lowering = om_region_take(&f->region, 1, sizeof *f->lowering);
    if (f->file == NULL || *copy == NULL || f->lowering == NULL) {
        drop(f);
        return om_fail_memory(ctx);
    }
    f->lowering->file = f;
    *out = f;
    return OM_OK;
}

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

enum { POOL, LOSSY, EXCLUSIVE, PROCESSES };
static const om_option OPTIONS[] = { [POOL] = { "pool", 8, 1, PML_MAX_PROCESSES,
                                         "most processes of a \"run\" in a loop at any time" },
    [LOSSY] = { "lossy", 0, 0, 1, "1: a message that is sent to a full channel is lost" },
    [EXCLUSIVE] = { "exclusive", 1, 0, 1, "0: \"xr\" and \"xs\" are ignored" },
    [PROCESSES] = { "processes", PML_SPIN_PROCESSES, 1, PML_MAX_PROCESSES,
        "most processes, and most channels, at any time; SPIN has 255" },
    { NULL, 0, 0, 0, NULL } };

/* Lowers the whole file: slots, transitions, properties. */
static int lower_file(pml_lowering *l)
{
    int rc = pml_make_instances(l);
    if (rc == OM_OK && l->instance_count == 0)
        return PML_FAIL(l->file, ((om_place){ l->file->file, 1, 1 }),
            "no process runs: there is neither \"init\" nor an active proctype");
    if (rc == OM_OK)
        rc = pml_make_slots(l);
    if (rc == OM_OK)
        rc = pml_check_trace(l);
    if (rc == OM_OK)
        rc = pml_lower_transitions(l);
    if (rc == OM_OK)
        rc = pml_lower_exclusive(l);
    if (rc == OM_OK)
        rc = pml_lower_end(l);
    if (rc == OM_OK)
        rc = pml_lower_progress(l);
    if (rc == OM_OK)
        rc = pml_lower_visible(l);
    if (rc == OM_OK)
        om_model_forbid_deadlock(l->model); /* a deadlock is an invalid end state */
    if (rc == OM_OK)
        rc = pml_lower_claims(l);
    if (rc == OM_OK)
        rc = pml_lower_formulas(l);
    if (rc == OM_OK)
        rc = pml_lower_accept(l);
    if (rc == OM_OK)
        rc = pml_name_properties(l);
    return rc == OM_OK ? om_model_expr_check(l->model, NULL) : rc;
}

static int load(om_context *ctx, const char *file, const char *text, size_t length,
    const int64_t *options, om_model **out)
{
    pml_file *f = NULL;
    om_model *m = NULL;
    const char *copy = NULL;
    int rc = new_file(&f, ctx, file, text, length, &copy);
    if (rc == OM_OK)
        rc = om_model_new(&m, ctx, base_name(file));
    if (rc != OM_OK) {
        drop(f);
        return rc;
    }
    om_model_set_private(m, f, drop);
    f->lowering->model = m;
    f->model = m;
    f->lowering->pool_size = options == NULL ? 8 : (uint32_t) options[POOL];
    f->lowering->lossy = options != NULL && options[LOSSY] != 0;
    f->most = options == NULL ? PML_SPIN_PROCESSES : (uint32_t) options[PROCESSES];
    rc = pml_preprocess(f, copy, length);
    if (rc == OM_OK)
        rc = pml_parse_file(f);
    f->exclusive = f->exclusive && (options == NULL || options[EXCLUSIVE] != 0);
    if (rc == OM_OK)
        rc = lower_file(f->lowering);
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
    pml_file *f = om_model_private(m);
    pml_scope s = { .l = f->lowering };
    pml_expr *e = NULL;
    om_expr made = 0;
    int rc = pml_parse_proposition(f, origin, text, &e);
    if (rc == OM_OK)
        rc = pml_lower_expression(&s, e, &made);
    if (rc == OM_OK)
        *out = made;
    return unless_stopped(f->ctx, rc);
}

static int formula(om_model *m, const char *origin, const char *text, om_text *out)
{
    pml_file *f = om_model_private(m);
    pml_tokens words = { NULL, 0, 0 };
    pml_expr *e = NULL;
    int rc = pml_parse_given_formula(f, origin, text, &words, &e);
    if (rc == OM_OK)
        rc = pml_write_formula(f->lowering, e, out);
    om_free(f->region.heap, words.at);
    return unless_stopped(f->ctx, rc);
}

static const char *const SUFFIXES[] = { ".pml", ".promela", ".prom", ".prm", ".pr", ".spin", ".pm",
    NULL };

OM_API extern const om_frontend omen_plugin;
const om_frontend omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_frontend, OM_PLUGIN_FRONTEND, "promela",
        "Promela, the language of SPIN, without embedded C",
        "G. J. Holzmann, The SPIN Model Checker, Addison-Wesley 2003", OPTIONS),
    .suffixes = SUFFIXES,
    .load = load,
    .expression = expression,
    .recognises = pml_recognises,
    .formula = formula,
    .flags = OM_FRONTEND_PREPROCESSED,
};
