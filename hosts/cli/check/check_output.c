/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of a check: each result as soon as it is known, and a summary of all.
 *
 *  B1  A lasso's file has a suffix, which names its format (cli_set_lasso()).
 *  B2  A lasso is written after its violation is counted, because the number names its file.
 *  B3  The rows of the summary are rows[0 .. row_count - 1], and row_count <= row_room.
 *  B4  The column of names is between LEAST and MOST wide; longer names stick out.
 */
#include "check/check_output.h"
#include "base/output.h"
#include "base/safe_text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Writes "FILE.json", or "FILE.2.json" for the second violation. */
static void lasso_path(const check_output *o, om_text *out)
{
    const char *file = o->set->lasso, *dot = strrchr(file, '.');
    assert(dot != NULL && o->violations > 0); /* B1, B2 */
    if (o->violations <= 1)
        om_text_add(out, file);
    else
        om_text_printf(out, "%.*s.%zu%s", (int) (dot - file), file, o->violations, dot);
}

/* Writes "ltl=FORMULA" etc., the property that a replay of the lasso checks. */
static void record(const check_found *f, om_text *out)
{
    const cli_property *p = f->property;
    if (f->r->about == OM_ABOUT_ASSERTION) {
        om_text_add(out, "assertion");
        return;
    }
    if (f->recorded != NULL && p->kind == OM_PROPERTY_DEFAULT) {
        om_text_add(out, f->recorded);
        return;
    }
    om_text_add(out, p->option);
    if (p->text != NULL)
        om_text_printf(out, "=%s", p->kind == OM_PROPERTY_LTL_FILE ? f->r->property : p->text);
}

/* A counterexample to print */
typedef struct shown {
    cli *c;
    const check_found *f;
    const char *source, *format;
    bool one_line;
} shown;

static int put_lasso(void *self, om_text *out)
{
    const shown *s = self;
    const om_obligation goes_wrong = { .model = s->f->model, .fault = OM_FAULT(OM_FAULT_ANY, 0) };
    om_text property = { .heap = out->heap };
    if (s->f->r->verdict == OM_VIOLATED)
        record(s->f, &property);
    else if (s->f->recorded != NULL)
        om_text_add(&property, s->f->recorded);
    else if (!s->f->read && om_lasso_replay(s->c->ctx, &s->f->r->lasso, &goes_wrong) == OM_OK)
        om_text_add(&property, "fault"); /* the run shows nothing about the property */
    else
        om_context_clear(s->c->ctx);
    const om_lasso_style style = { property.text, s->one_line, s->source };
    int rc = property.failed ? OM_ENOMEM
                             : om_lasso_write(&s->f->r->lasso, s->f->model, s->format, &style, out);
    om_text_free(&property);
    return rc;
}

/* *path: the file; the caller frees it. */
static int write_lasso(const check_output *o, const check_found *found, char **path)
{
    cli *c = o->c;
    om_text name = { .heap = c->heap };
    shown s = { c, found, o->source, om_lasso_format_of(o->set->lasso), false };
    cli_file f;

    assert(s.format != NULL); /* B1 */
    lasso_path(o, &name);
    if (name.failed)
        return om_fail_memory(c->ctx);
    int rc = cli_file_open(&f, c, name.text);
    if (rc == OM_OK)
        rc = put_lasso(&s, &f.text);
    rc = cli_file_close(&f, rc == OM_ENOMEM ? om_fail_memory(c->ctx) : rc);
    if (rc == OM_OK)
        *path = name.text;
    else
        om_text_free(&name);
    return rc;
}

static void put_text(const check_output *o, const check_found *f)
{
    cli *c = o->c;
    const om_check_result *r = f->r;
    cli_put_property_line(c, r);
    if (!c->set.quiet)
        cli_put_unrefereed(c, r);
    if (r->about == OM_ABOUT_ASSERTION)
        cli_put_assertion(c, r);
    if (r->has_lasso && o->set->lasso == NULL && !c->set.quiet)
        (void) om_lasso_write(&r->lasso, f->model, "txt", NULL, &c->out);
    if (!c->set.quiet && o->set->plan.shortest_ns != 0)
        cli_put_minimality(c, r);
    cli_put_overflows(c, &f->overflows);
    if (!c->set.quiet)
        cli_put_parts(c, r);
    if (c->set.verbose && !c->set.quiet)
        cli_put_code(c, f->code);
}

/* Takes ownership of the path. */
static int add_row(check_output *o, const check_found *f, char *path)
{
    const om_check_result *r = f->r;
    const om_heap *heap = o->c->heap;
    check_row *rows = om_grow(heap, o->rows, &o->row_room, o->row_count + 1, sizeof *rows);
    char *name = om_strdup(heap, r->property == NULL ? "" : r->property);
    if (rows != NULL)
        o->rows = rows;
    if (rows == NULL || name == NULL) {
        om_free(heap, name);
        om_free(heap, path);
        return om_fail_memory(o->c->ctx);
    }
    assert(o->row_count < o->row_room); /* B3 */
    rows[o->row_count++] = (check_row){ .name = name,
        .about = r->about,
        .verdict = r->verdict,
        .failed = f->failed,
        .states = r->states,
        .seconds = r->seconds,
        .lasso = path };
    return OM_OK;
}

/* If writing a lasso takes too long, only the lasso is missing. */
static int put_one(check_output *o, const check_found *f)
{
    cli *c = o->c;
    const om_check_result *r = f->r;
    int rc = OM_OK, kept = OM_OK;
    char *path = NULL;
    if (r->has_lasso) {
        o->violations++;
        if (o->set->lasso != NULL)
            kept = write_lasso(o, f, &path);
    }
    if (kept != OM_OK && kept != OM_ELIMIT)
        return kept;
    if (c->set.json || c->set.json_lines) {
        shown s = { c, f, NULL, "json", c->set.json_lines };
        const cli_asked asked = { &o->set->plan, o->properties };
        rc = cli_put_result_json(
            c, &asked, r, &f->overflows, f->code, r->has_lasso ? put_lasso : NULL, &s);
    } else
        put_text(o, f);
    if (rc == OM_OK)
        rc = cli_flush(c);
    const int added = add_row(o, f, path);
    return rc != OM_OK ? rc : added != OM_OK ? added : kept;
}

/* Returns true if the result was printed before the model was read again (cli_grow()). */
static bool was_told(const check_output *o, const om_check_result *r)
{
    for (size_t i = 0; i < o->row_count; i++)
        if (o->rows[i].about == r->about && strcmp(o->rows[i].name, r->property) == 0)
            return true;
    return false;
}

int check_put_result(check_output *o, const check_found *f)
{
    int first = OM_OK;
    if (f->r->assertion != NULL && !was_told(o, f->r->assertion)) {
        const check_found assertion = {
            .property = f->property, .r = f->r->assertion, .model = f->model
        };
        first = put_one(o, &assertion);
        if (first != OM_OK && first != OM_ELIMIT)
            return first;
    }
    int rc = put_one(o, f);
    return rc == OM_OK ? first : rc;
}

/* ---- the summary ---- */

static const char *word_of(const check_row *r)
{
    return r->failed ? "failed" : om_verdict_name(r->verdict);
}

static void put_row(cli *c, const check_row *r, int width, bool lassos)
{
    om_text name = { .heap = c->heap };
    om_text_printf(&name, "%s%s", r->about == OM_ABOUT_ASSERTION ? "assertion " : "", r->name);
    cli_put_plain(&c->out, name.text == NULL ? "" : name.text);
    om_text_printf(&c->out, "%*s  %-8s  %12" PRIu64 "  %8.2f s",
        name.length < (size_t) width ? width - (int) name.length : 0, "", word_of(r), r->states,
        r->seconds);
    if (lassos && r->lasso != NULL) {
        om_text_add(&c->out, "  ");
        cli_put_plain(&c->out, r->lasso);
    }
    om_text_add(&c->out, "\n");
    om_text_free(&name);
}

/* Returns the length of the longest name, limited to the width of a column. */
static int width_of(const check_output *o)
{
    enum { MOST = 60, LEAST = 8 };
    size_t width = LEAST;
    for (size_t i = 0; i < o->row_count; i++) {
        const check_row *r = &o->rows[i];
        const size_t n =
            strlen(r->name) + (r->about == OM_ABOUT_ASSERTION ? sizeof "assertion" : 0);
        width = n > width && n <= MOST ? n : width;
    }
    assert(width >= LEAST && width <= MOST); /* B4 */
    return (int) width;
}

int check_put_summary(check_output *o, size_t unchecked)
{
    cli *c = o->c;
    const int width = width_of(o);
    bool lassos = false;
    if (c->set.json || c->set.json_lines || c->set.quiet || o->row_count + unchecked < 2)
        return OM_OK;
    for (size_t i = 0; i < o->row_count; i++)
        lassos = lassos || o->rows[i].lasso != NULL;
    om_text_printf(&c->out, "\n%-*s  %-8s  %12s  %10s%s\n", width, "property", "verdict", "states",
        "time", lassos ? "  counterexample" : "");
    for (size_t i = 0; i < o->row_count; i++)
        put_row(c, &o->rows[i], width, lassos);
    if (unchecked != 0)
        om_text_printf(&c->out, "%zu propert%s not checked\n", unchecked,
            unchecked == 1 ? "y was" : "ies were");
    return cli_flush(c);
}

void check_output_free(check_output *o)
{
    for (size_t i = 0; i < o->row_count; i++) {
        om_free(o->c->heap, o->rows[i].name);
        om_free(o->c->heap, o->rows[i].lasso);
    }
    om_free(o->c->heap, o->rows);
    *o = (check_output){ .c = o->c, .set = o->set };
}

/* ---- exit statuses ---- */

static int status_of(om_verdict verdict)
{
    return verdict == OM_HOLDS ? 0 : verdict == OM_VIOLATED ? 10 : 30;
}

int check_status(const om_check_result *r)
{
    const int own = status_of(r->verdict);
    return r->assertion == NULL ? own : check_worse(own, status_of(r->assertion->verdict));
}

int check_worse(int a, int b)
{
    static const int order[] = { 0, 30, 10, 2, 3, 1 };
    for (size_t i = sizeof order / sizeof *order; i-- > 0;)
        if (a == order[i] || b == order[i])
            return order[i];
    return a;
}
