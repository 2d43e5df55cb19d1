/* SPDX-License-Identifier: Apache-2.0 */
/* Replays runs: of a check, and those that a host has read. */
#include "verdict.h"

#include "control/control.h"
#include "supervise.h"

int om_plan__referee(
    om_plan *p, const om_lasso *l, const om_obligation *obligation, const char *who)
{
    int rc = om_lasso_replay(p->ctx, l, obligation);
    if (rc == OM_EINPUT) {
        om_text said = { .heap = p->heap };
        om_text_add(&said, om_context_error(p->ctx));
        om_context_clear(p->ctx);
        rc = om_fail(p->ctx, OM_EINTERNAL, NULL,
            "%s reports a violation, but the referee rejects its lasso: %s", who,
            said.text == NULL ? "" : said.text);
        om_text_free(&said);
    }
    return rc;
}

int om_check__unless_refereed(om_check *c, int rc, om_context *ctx)
{
    const om_plan *p = c->plan;
    om_check_result *out = c->result;
    om_stop_reason reason = om_control_stopped(om_context_control(ctx));
    const char *why = reason != OM_STOP_NONE ? om_stop_reason_name(reason) : om_plan__why(p);
    if (rc != OM_ELIMIT && rc != OM_ENOMEM && rc != OM_ESTOP)
        return rc;
    om_lasso_free(&out->lasso);
    out->has_lasso = false;
    out->verdict = OM_VIOLATED;
    om_free(p->heap, out->reason);
    out->reason = om_strdup(p->heap, why);
    om_context_clear(p->ctx);
    return OM_OK;
}

om_plan_options om_plan__options_for(const om_plan_options *options, const om_lasso *lasso)
{
    om_plan_options o = *options;
    if (om_fair__asked(options))
        return o;
    o.fairness = lasso->fairness;
    o.fair = (const char *const *) &lasso->fair;
    o.fair_count = lasso->fair != NULL;
    return o;
}

int om_plan__read_allowed(om_plan *p, const om_lasso *lasso, om_target *t)
{
    if (t->ltl == NULL || t->allowed != NULL ||
        (lasso->loop != OM_NO_LOOP && lasso->bad_prefix == 0))
        return OM_OK;
    int rc = om_plan__allowed(p, p->ctx, t, &t->allowed, &t->allowed_aps);
    t->obligation.allowed = t->allowed;
    t->obligation.allowed_aps = t->allowed_aps;
    return rc;
}

int om_plan__referee_target(om_plan *p, const om_plan_options *options, om_property_kind kind,
    const char *text, const om_lasso *lasso, om_target *t)
{
    int rc = om_plan__read_and_translate(p, options, kind, text, t);
    if (rc == OM_OK)
        rc = om_plan__read_allowed(p, lasso, t);
    if (rc == OM_OK)
        rc = om_plan__shape(p, lasso->form, t->aps, t->all_aps);
    return rc == OM_OK ? om_lasso_replay(p->ctx, lasso, &t->obligation) : rc;
}

int om_plan__replay(om_plan *p, const om_plan_options *options, om_property_kind kind,
    const char *text, const om_lasso *lasso)
{
    const om_plan_options o = om_plan__options_for(options, lasso);
    om_target t = { 0 };
    int rc = om_plan__begin(p, &o, false);
    if (rc != OM_OK)
        return rc;
    rc = om_plan__referee_target(p, &o, kind, text, lasso, &t);
    om_plan__target_free(p, &t);
    om_plan__end(p);
    return rc;
}

int om_plan_replay(om_plan *p, om_property_kind kind, const char *text, const om_lasso *lasso)
{
    return om_plan__replay(p, &p->options, kind, text, lasso);
}
