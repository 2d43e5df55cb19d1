/* SPDX-License-Identifier: Apache-2.0 */
/* omen show: a counterexample in another format. */
#include "base/output.h"
#include "base/plan_options.h"
#include "commands.h"
#include "runs/recorded.h"

#include <string.h>

enum { LASSO_BYTES = 1 << 30 }; /* maximum size of a file that is read without the model */

typedef struct show_settings {
    cli_model_settings model;
    om_plan_options plan;
    const char *as, *output; /* or NULL */
} show_settings;

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
static int referee(cli *c, om_plan_options *options, const om_frontend *frontend, const showing *s)
{
    om_plan *plan = NULL;
    cli_property made = { 0 };
    if (s->property == NULL) {
        om_note(
            c->ctx, OM_NOTE_NOTICE, NULL, "the lasso records no property, so it was not checked");
        return OM_OK;
    }
    int rc = cli_recorded_property(c, s->property, options, &made);
    if (rc == OM_OK)
        rc = cli_new_plan(c, options, frontend, s->model, &plan);
    if (rc == OM_OK)
        rc = om_plan_replay(plan, made.kind, made.text, &s->lasso);
    om_plan_free(plan);
    return rc;
}

static int read_with_model(cli *c, show_settings *set, showing *s)
{
    const om_frontend *frontend = NULL;
    const char *file = c->set.positionals[1];
    const cli_run_file run = { c->set.positionals[0], false };
    int rc = cli_load_model(c, &set->model, file, &frontend, &s->model, &s->source);
    if (rc == OM_OK)
        rc = cli_read_run_of(
            c, &set->model, file, frontend, &s->model, run, &s->lasso, &s->property);
    return rc == OM_OK ? referee(c, &set->plan, frontend, s) : rc;
}

static const char *format_of(const show_settings *set)
{
    const char *by_name = set->output == NULL ? NULL : om_lasso_format_of(set->output);
    return set->as != NULL ? set->as : by_name != NULL ? by_name : "txt";
}

/* Writes to a file, or the complete text to standard output: on an error nothing is written. */
static int put(cli *c, const show_settings *set, const showing *s)
{
    const om_lasso_style style = { .property = s->property, .source = s->source };
    const char *format = format_of(set);
    om_text whole = { .heap = c->heap };
    cli_file f;
    int rc;
    if (set->output != NULL) {
        rc = cli_file_open(&f, c, set->output);
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

static int run(cli *c, void *settings)
{
    show_settings *set = settings;
    showing s = { 0 };
    int rc = c->set.positional_count == 1 ? read_alone(c, &s) : read_with_model(c, set, &s);
    if (rc == OM_OK)
        rc = put(c, set, &s);
    om_lasso_free(&s.lasso);
    om_free(c->heap, s.property);
    om_model_free(s.model);
    om_free(c->heap, s.source);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}

static const cli_option options[] = {
    CLI_FINITE_RUNS_OPTION(show_settings),
    CLI_MODEL_OPTIONS(show_settings),
    CLI_BOUND_OPTIONS,
    { "as", 0, CLI_OUTPUT, "", "the format (default: by the name of --output, else txt)",
        cli_set_lasso_format, CLI_AT(show_settings, as) },
    { "output", 0, CLI_OUTPUT, "FILE", "write to this file (default: standard output)",
        cli_set_text, CLI_AT(show_settings, output) },
    CLI_COMMON_OPTIONS,
};

const cli_command cli_show_command = { "show", "RUN.json [MODEL] --as FORMAT",
    "shows a counterexample", 1, 2, options, sizeof(show_settings), run, NULL,
    { "omen show run.json", "omen show run.json starvation.dve --as txt",
        "omen show run.json --output run.html" } };
