/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepares a refereed counterexample for the user: its bad prefix (prefix.c), and real values. The
 * search forgets the values of dead variables (core/model/reset.h). The models with and
 * without resets have the same runs, transition by transition; so the run is transferred to the
 * model without resets, and refereed there.
 */
#include "verdict.h"

#include "model.h"
#include "referee/real.h"
#include "reset.h"
#include "supervise.h"

#include <string.h>

static int copy_of(const om_plan *p, const om_lasso *l, om_lasso *out)
{
    *out = *l;
    out->heap = p->heap;
    out->vectors = NULL;
    out->fair = NULL;
    out->printed = NULL;
    out->transitions = om_alloc(p->heap, l->count, sizeof *out->transitions);
    if (out->transitions == NULL) {
        *out = (om_lasso){ 0 };
        return om_fail_memory(p->ctx);
    }
    memcpy(out->transitions, l->transitions, l->count * sizeof *out->transitions);
    if (l->fair == NULL || (out->fair = om_strdup(p->heap, l->fair)) != NULL)
        return OM_OK;
    om_lasso_free(out);
    return om_fail_memory(p->ctx);
}

/* Transfers the run to the model without resets, if possible. */
static int take_real(om_check *c, const om_obligation *obligation)
{
    om_plan *p = c->plan;
    om_check_result *out = c->result;
    const om_lasso *l = &out->lasso;
    om_lasso real = { 0 };
    bool done = false;
    int rc = copy_of(p, l, &real);
    if (rc == OM_OK)
        rc = om_lasso__make_real(&real, p->ctx, p->model, &done);
    if (rc == OM_EINPUT || (rc == OM_OK && !done))
        rc = om_fail(p->ctx, OM_EINTERNAL, NULL,
            "a run of the model with resets of dead variables is not a run without them");
    if (rc == OM_OK)
        rc = om_plan__referee(p, &real, obligation, "the model without resets of dead variables");
    if (rc != OM_OK) {
        om_lasso_free(&real);
        return rc;
    }
    if (real.count != l->count && out->minimality == OM_MINIMAL)
        out->minimality = OM_NOT_PROVEN;
    om_lasso_free(&out->lasso);
    out->lasso = real;
    return OM_OK;
}

/* Restores the model's resets if the lasso is unchanged. */
static int show_values(om_check *c)
{
    om_plan *p = c->plan;
    const om_target *t = c->target;
    om_check_result *out = c->result;
    const om_obligation goes_wrong = { .model = p->model, .fault = c->fault };
    const bool violated = out->verdict == OM_VIOLATED && out->about == OM_ABOUT_PROPERTY;
    if (!out->has_lasso || !out->lasso.form.reset_dead)
        return OM_OK;
    om_model__keep_dead(p->model);
    int rc = take_real(c, violated ? &t->obligation : &goes_wrong);
    if (rc == OM_OK || rc == OM_EINTERNAL)
        return rc;
    om_context_clear(p->ctx);
    om_plan__after(p);
    rc = om_model__reset_dead(p->model, t->aps, t->all_aps, NULL);
    if (rc == OM_OK || out->verdict == OM_VIOLATED)
        return om_check__unless_refereed(c, rc, p->ctx);
    om_context_clear(p->ctx); /* the fault stands, without a trace */
    om_lasso_free(&out->lasso);
    out->has_lasso = false;
    return OM_OK;
}

int om_check__keep_states(om_check *c)
{
    const om_plan *p = c->plan;
    om_check_result *out = c->result;
    if (!out->has_lasso)
        return OM_OK;
    const int rc = om_lasso_vectors(&out->lasso, p->model);
    if (rc == OM_EINPUT)
        return om_fail(
            p->ctx, OM_EINTERNAL, NULL, "a run that the referee accepted cannot be followed");
    return om_check__unless_refereed(c, rc, p->ctx);
}

static void show_trace(om_plan *p, om_lasso *trace)
{
    if (trace->count == 0 || !trace->form.reset_dead)
        return;
    om_model__keep_dead(p->model);
    om_free(trace->heap, trace->vectors);
    trace->vectors = NULL;
    trace->form.reset_dead = false;
}

void om_plan__show_traces(om_plan *p, om_lasso *trace)
{
    if (trace != NULL)
        show_trace(p, trace);
    show_trace(p, &p->last.overflows.trace);
}

int om_check__show(om_check *c, int checked, om_prefix prefix)
{
    om_plan *p = c->plan;
    const om_check_result *out = c->result;
    char *said = NULL;
    if (checked != OM_OK) {
        said = om_strdup(p->heap, om_context_error(p->ctx));
        if (said == NULL)
            return checked;
        om_context_clear(p->ctx);
    }
    int rc = show_values(c);
    if (rc == OM_OK && !(out->has_lasso && out->lasso.form.reset_dead))
        om_plan__show_traces(p, NULL);
    if (rc == OM_OK && checked == OM_OK)
        om_check__show_prefix(c, prefix);
    if (rc == OM_OK && checked != OM_OK)
        rc = om_fail(p->ctx, checked, NULL, "%s", said);
    om_free(p->heap, said);
    return rc;
}
