/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a stored lasso to another format. */
#include "cli.h"

#include <string.h>

enum { LASSO_BYTES = 1 << 30 }; /* maximum size of a file that is read without the model */

/* The lasso to show */
typedef struct showing {
    om_model *model; /* of the lasso, or a stand-in */
    char *source;    /* the model's text, or NULL */
    om_lasso lasso;
    char *property; /* of the lasso, or NULL */
} showing;

static int read_alone(cli *c, showing *s)
{
    const char *path = c->set.positionals[0];
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(c->ctx, path, LASSO_BYTES, &text, &length);
    if (rc == OM_OK)
        rc = om_lasso_read_alone(&s->lasso, &s->model, c->ctx, path, text, length, &s->property);
    om_free(c->heap, text);
    return rc;
}

/* Checks that the lasso is a counterexample to its property. */
static int referee(cli *c, const om_frontend *frontend, const showing *s)
{
    om_plan *plan = NULL;
    cli_property made = { 0 };
    if (s->property == NULL) {
        om_note(
            c->ctx, OM_NOTE_NOTICE, NULL, "the lasso records no property, so it was not checked");
        return OM_OK;
    }
    int rc = cli_recorded_property(c, s->property, &made);
    if (rc == OM_OK)
        rc = cli_new_plan(c, frontend, s->model, &plan);
    if (rc == OM_OK)
        rc = om_plan_replay(plan, made.kind, made.text, &s->lasso);
    om_plan_free(plan);
    om_free(c->heap, made.text);
    return rc;
}

static int read_with_model(cli *c, showing *s)
{
    const om_frontend *frontend = NULL;
    int rc = cli_load_text(c, c->set.positionals[1], &frontend, &s->model, &s->source);
    if (rc == OM_OK)
        rc = cli_read_run_of(c, c->set.positionals[1], frontend, &s->model, c->set.positionals[0],
            &s->lasso, &s->property);
    return rc == OM_OK ? referee(c, frontend, s) : rc;
}

static const char *format_of(const cli_settings *set)
{
    const char *by_name = set->output == NULL ? NULL : om_lasso_format_of(set->output);
    return set->as != NULL ? set->as : by_name != NULL ? by_name : "txt";
}

/* Writes to a file, or the complete text to standard output: on an error nothing is written. */
static int put(cli *c, const showing *s)
{
    const om_lasso_style style = { .property = s->property, .source = s->source };
    const char *format = format_of(&c->set);
    om_text whole = { .heap = c->heap };
    cli_file f;
    int rc;
    if (c->set.output != NULL) {
        rc = cli_file_open(&f, c, c->set.output);
        if (rc == OM_OK)
            rc = om_lasso_write(&s->lasso, s->model, format, &style, &f.text);
        return cli_file_close(&f, rc == OM_ENOMEM ? om_fail_memory(c->ctx) : rc);
    }
    rc = om_lasso_write(&s->lasso, s->model, format, &style, &whole);
    if (rc == OM_OK)
        om_text_add_n(&c->out, whole.text == NULL ? "" : whole.text, whole.length);
    om_text_free(&whole);
    return rc == OM_ENOMEM ? om_fail_memory(c->ctx) : rc;
}

int cli_run_show(cli *c)
{
    showing s = { 0 };
    int rc = c->set.positional_count == 1 ? read_alone(c, &s) : read_with_model(c, &s);
    if (rc == OM_OK)
        rc = put(c, &s);
    om_lasso_free(&s.lasso);
    om_free(c->heap, s.property);
    om_model_free(s.model);
    om_free(c->heap, s.source);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}
