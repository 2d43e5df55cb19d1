/* SPDX-License-Identifier: Apache-2.0 */
/* omen replay: checks a counterexample, step by step. */
#include "base/json.h"
#include "base/plan_options.h"
#include "base/progress.h"
#include "commands.h"
#include "runs/recorded.h"

typedef struct replay_settings {
    cli_model_settings model;
    cli_properties properties;
    om_plan_options plan;
    const char *trail; /* or NULL */
} replay_settings;

static void put_accepted(cli *c, const om_lasso *lasso)
{
    om_text_printf(&c->out, "lasso accepted: %zu states", lasso->count);
    if (lasso->loop != OM_NO_LOOP)
        om_text_printf(&c->out, ", cycle from state %zu", lasso->loop);
    if (lasso->bad_prefix != 0)
        om_text_printf(&c->out, ", violated from state %zu on", lasso->bad_prefix - 1);
    om_text_add(&c->out, "\n");
}

/* Prints the verdict as an object. If the lasso could not be read, property is NULL and there are
 * no states. */
static int put_replay(
    cli *c, const char *path, const cli_property *property, const om_lasso *lasso, bool accepted)
{
    const char *about = property == NULL         ? NULL
                        : property->text != NULL ? property->text
                                                 : property->option;
    bool read = lasso->count != 0, endless = read && lasso->loop != OM_NO_LOOP;
    return cli_put_json(c,
        json_pack("{s:i, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "schema", 1, "model",
            cli_text_json(c->set.positionals[0]), "lasso", cli_text_json(path), "property",
            cli_text_json(about), "verdict", accepted ? "accepted" : "rejected", "reason",
            accepted ? json_null() : cli_text_json(om_context_error(c->ctx)), "states",
            read ? json_integer((json_int_t) lasso->count) : json_null(), "loop",
            endless ? json_integer((json_int_t) lasso->loop) : json_null(), "violated_at",
            lasso->bad_prefix != 0 ? json_integer((json_int_t) (lasso->bad_prefix - 1))
                                   : json_null()),
        true);
}

/* Prints the fault at the end of a run that leads to a fault. */
static int put_fault(cli *c, om_model *model, om_lasso *run)
{
    om_executor *x = NULL;
    om_successors next = { .heap = c->heap };
    int rc = om_lasso_vectors(run, model);
    if (rc == OM_OK)
        rc = om_executor_open(&x, model, OM_EXEC_VM, NULL, 0);
    const uint32_t *last = rc == OM_OK ? run->vectors + (run->count - 1) * run->words : NULL;
    if (rc == OM_OK && om_executor_successors(x, last, &next) != OM_OK)
        rc = om_fail_memory(c->ctx);
    if (rc == OM_OK) {
        (void) om_model_fault_in(model, next.fault, last);
        om_text_printf(&c->out, "%s\n", om_context_error(c->ctx));
        om_context_clear(c->ctx);
    }
    om_successors_free(&next);
    om_executor_close(x);
    return rc;
}

static int replay(cli *c, replay_settings *set, const om_frontend *frontend, om_model **model)
{
    const char *path = set->trail != NULL ? set->trail : c->set.positionals[1];
    char *recorded = NULL;
    om_plan *plan = NULL;
    om_lasso lasso = { 0 };
    cli_property made = { 0 };
    const cli_property *property = NULL;
    cli_ticker ticker = { .running = false };
    int rc = cli_ticker_start(&ticker, c, NULL, "replaying");
    if (rc == OM_OK)
        rc = cli_read_run_of(c, &set->model, c->set.positionals[0], frontend, model,
            (cli_run_file){ path, set->trail != NULL }, &lasso, &recorded);
    bool judged = rc == OM_EINPUT; /* from here on, errors are errors of the lasso */

    if (rc == OM_OK)
        rc = cli_property_of(c, &set->properties, recorded, &set->plan, &made, &property);
    cli_forget_mark(property, &made, &lasso);
    if (rc == OM_OK)
        rc = cli_new_plan(c, &set->plan, frontend, *model, &plan);
    if (rc == OM_OK && property != NULL) {
        rc = om_plan_replay(plan, property->kind, property->text, &lasso);
        judged = rc == OM_OK || rc == OM_EINPUT;
    }
    cli_ticker_stop(&ticker);
    if (c->set.json && judged) {
        int put = put_replay(c, path, property, &lasso, rc == OM_OK);
        rc = put == OM_OK ? rc : put;
    } else if (rc == OM_OK) {
        if (set->trail != NULL && !c->set.quiet)
            (void) om_lasso_write(&lasso, *model, "txt", NULL, &c->out);
        if (property != NULL && property->kind == OM_PROPERTY_FAULT)
            rc = put_fault(c, *model, &lasso);
        put_accepted(c, &lasso);
    }
    om_plan_free(plan);
    om_lasso_free(&lasso);
    om_free(c->heap, recorded);
    return rc;
}

static int run(cli *c, void *settings)
{
    replay_settings *set = settings;
    const om_frontend *frontend = NULL;
    om_model *model = NULL;
    int rc = cli_complete_properties(c, &set->properties, &set->plan);
    if (rc == OM_OK && set->trail == NULL && c->set.positional_count < 2)
        rc = om_fail(c->ctx, OM_EUSAGE, NULL,
            "usage: omen replay MODEL LASSO.json [PROPERTY], or --trail FILE MODEL");
    else if (rc == OM_OK && set->trail != NULL && c->set.positional_count > 1)
        rc = om_fail(c->ctx, OM_EUSAGE, NULL, "give only one run: '%s' or --trail '%s'",
            c->set.positionals[1], set->trail);
    if (rc == OM_OK)
        rc = cli_load_model(c, &set->model, c->set.positionals[0], &frontend, &model, NULL);
    if (rc == OM_OK)
        rc = replay(c, set, frontend, &model);
    om_model_free(model);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}

static const cli_option options[] = {
    CLI_PROPERTY_OPTIONS(replay_settings),
    CLI_FINITE_RUNS_OPTION(replay_settings),
    CLI_FAIRNESS_OPTIONS(replay_settings),
    CLI_MODEL_OPTIONS(replay_settings),
    CLI_BOUND_OPTIONS,
    { "trail", 0, CLI_RUN, "FILE", "replay and show this trail, for example of SPIN", cli_set_text,
        CLI_AT(replay_settings, trail) },
    CLI_JSON_OPTION,
    CLI_PROGRESS_OPTION,
    CLI_COMMON_OPTIONS,
};

const cli_command cli_replay_command = { "replay", "MODEL LASSO.json [PROPERTY]",
    "replays a counterexample", 1, 2, options, sizeof(replay_settings), run, NULL,
    { "omen replay starvation.dve run.json",
        "omen replay starvation.dve run.json --ltl 'GF Client_0.served'",
        "omen replay starvation.dve run.json --json" } };
