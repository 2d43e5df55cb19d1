/* SPDX-License-Identifier: Apache-2.0 */
/* omen explain: why a run violates its property. explanation_text.c prints the explanation. */
#include "runs/explanation.h"

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
static int explain_run(cli *c, om_plan *plan, om_model *model, const cli_property *property,
    const om_lasso *run, int *status)
{
    om_explanation e = { 0 };
    cli_ticker ticker = { 0 };
    int rc = cli_ticker_start(&ticker, c, plan, "explaining");
    if (c->set.each_ns == 0)
        c->set.each_ns = EACH_NS;
    if (rc == OM_OK)
        rc = om_explain(plan, property->kind, property->text, run, &e);
    if (rc == OM_OK && !c->set.no_transitions)
        rc = om_explain_without(plan, property->kind, property->text, run, c->set.each_ns, &e);
    cli_ticker_stop(&ticker);
    if (rc == OM_OK)
        rc = c->set.json ? cli_put_explanation_json(c, model, &e)
                         : cli_put_explanation(c, model, &e);
    *status = rc == OM_OK && some_unknown(&e) ? om_exit_status(OM_ELIMIT) : 0;
    om_explanation_free(&e);
    return rc;
}

static int explain(cli *c, const om_frontend *frontend, om_model **model, int *status)
{
    char *recorded = NULL;
    om_plan *plan = NULL;
    om_lasso run = { 0 };
    cli_property made = { 0 };
    const cli_property *property = NULL;
    int rc = cli_read_run_of(
        c, c->set.positionals[0], frontend, model, c->set.positionals[1], &run, &recorded);
    if (rc == OM_OK)
        rc = cli_property_of(c, recorded, &made, &property);
    cli_forget_mark(property, &made, &run);
    if (rc == OM_OK)
        rc = cli_new_plan(c, frontend, *model, &plan);
    if (rc == OM_OK)
        rc = explain_run(c, plan, *model, property, &run, status);
    om_plan_free(plan);
    om_lasso_free(&run);
    om_free(c->heap, made.text);
    om_free(c->heap, recorded);
    return rc;
}

int cli_run_explain(cli *c)
{
    const om_frontend *frontend = NULL;
    om_model *model = NULL;
    int status = 0, rc = cli_load_model(c, &frontend, &model);
    if (rc == OM_OK)
        rc = explain(c, frontend, &model, &status);
    om_model_free(model);
    return rc == OM_OK ? status : cli_failed(c, rc);
}
