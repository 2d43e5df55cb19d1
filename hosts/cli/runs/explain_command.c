/* SPDX-License-Identifier: Apache-2.0 */
/* omen explain: why a run violates its property. explanation_text.c prints the explanation. */
#include "base/plan_options.h"
#include "base/progress.h"
#include "commands.h"
#include "runs/explanation.h"
#include "runs/recorded.h"

/* Default time limit of a check without one transition, in ns; --each changes it. */
#define EACH_NS (UINT64_C(10) * 1000000000)

static bool some_unknown(const om_explanation *e)
{
    for (size_t i = 0; i < e->without_count; i++)
        if (e->without[i].verdict == OM_UNKNOWN)
            return true;
    return false;
}

/* Explains the run with the plan, under a ticker, because the checks may take long. */
static int explain_run(cli *c, explain_settings *set, om_plan *plan, om_model *model,
    const cli_property *property, const om_lasso *run, int *status)
{
    om_explanation e = { 0 };
    cli_ticker ticker = { 0 };
    int rc = cli_ticker_start(&ticker, c, plan, "explaining");
    if (set->each_ns == 0)
        set->each_ns = EACH_NS;
    if (rc == OM_OK)
        rc = om_explain(plan, property->kind, property->text, run, &e);
    if (rc == OM_OK && set->transitions != OM_SWITCH_OFF)
        rc = om_explain_without(plan, property->kind, property->text, run, set->each_ns, &e);
    cli_ticker_stop(&ticker);
    if (rc == OM_OK)
        rc = c->set.json ? cli_put_explanation_json(c, set, model, &e)
                         : cli_put_explanation(c, set, model, &e);
    *status = rc == OM_OK && some_unknown(&e) ? om_exit_status(OM_ELIMIT) : 0;
    om_explanation_free(&e);
    return rc;
}

static int explain(
    cli *c, explain_settings *set, const om_frontend *frontend, om_model **model, int *status)
{
    char *recorded = NULL;
    om_plan *plan = NULL;
    om_lasso run = { 0 };
    cli_property made = { 0 };
    const cli_property *property = NULL;
    int rc = cli_read_run_of(c, &set->model, c->set.positionals[0], frontend, model,
        (cli_run_file){ c->set.positionals[1], false }, &run, &recorded);
    if (rc == OM_OK)
        rc = cli_property_of(c, &set->properties, recorded, &set->plan, &made, &property);
    cli_forget_mark(property, &made, &run);
    if (rc == OM_OK)
        rc = cli_new_plan(c, &set->plan, frontend, *model, &plan);
    if (rc == OM_OK)
        rc = explain_run(c, set, plan, *model, property, &run, status);
    om_plan_free(plan);
    om_lasso_free(&run);
    om_free(c->heap, recorded);
    return rc;
}

static int run_explain(cli *c, void *settings)
{
    explain_settings *set = settings;
    const om_frontend *frontend = NULL;
    om_model *model = NULL;
    int status = 0, rc = cli_complete_properties(c, &set->properties, &set->plan);
    if (rc == OM_OK)
        rc = cli_load_model(c, &set->model, c->set.positionals[0], &frontend, &model, NULL);
    if (rc == OM_OK)
        rc = explain(c, set, frontend, &model, &status);
    om_model_free(model);
    return rc == OM_OK ? status : cli_failed(c, rc);
}

static const cli_option options[] = {
    CLI_PROPERTY_OPTIONS(explain_settings),
    CLI_FINITE_RUNS_OPTION(explain_settings),
    CLI_FAIRNESS_OPTIONS(explain_settings),
    CLI_TRANSLATOR_OPTION(CLI_PROPERTY, explain_settings, plan.translator),
    CLI_MODEL_OPTIONS(explain_settings),
    CLI_RESET_OPTION("on", explain_settings),
    CLI_LIMIT_OPTIONS(explain_settings),
    { "each", 0, CLI_LIMITS, "TIME", "time for each check of --transitions (default: 10s)",
        cli_set_time, CLI_AT(explain_settings, each_ns) },
    { "transitions", 0, CLI_RUN, "on|off", "check without each transition of the run (default: on)",
        cli_set_switch, CLI_AT(explain_settings, transitions) },
    { "all", 0, CLI_OUTPUT, NULL, "print also parts that are no reason for the violation",
        cli_set_flag, CLI_AT(explain_settings, all) },
    CLI_JSON_OPTION,
    CLI_PROGRESS_OPTION,
    CLI_COMMON_OPTIONS,
};

const cli_command cli_explain_command = { "explain", "MODEL LASSO.json [PROPERTY]",
    "explains a counterexample", 2, 2, options, sizeof(explain_settings), run_explain, NULL,
    { "omen explain starvation.dve run.json",
        "omen explain starvation.dve run.json --transitions off",
        "omen explain starvation.dve run.json --ltl 'GF Client_0.served'" } };
