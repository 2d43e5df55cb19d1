/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepares a refereed counterexample for the user.
 *
 * Values. The search forgets the values of dead variables (core/model/transform/reset.h). The
 * models with and without resets have the same runs, transition by transition; so the run is
 * transferred to the model without resets, and refereed there.
 *
 * The bad prefix of a counterexample. The states after which every continuation violates the
 * property are found (core/lasso/referee/prefix.c), and the states after them are cut off if the
 * options ask for that. The referee replays the rest; if it does not accept the rest alone, the
 * whole run stays. The whole run also stays under fairness, or if runs that end do not count: then
 * its remainder shows that such a run exists.
 */
#include "verdict.h"

#include "model.h"
#include "referee/prefix.h"
#include "referee/real.h"
#include "transform/reset.h"
#include "supervise.h"

#include <assert.h>
#include <string.h>

/* ---- real values ---- */

static int copy_of(const om_plan *p, const om_lasso *l, om_lasso *out)
{
    *out = *l;
    out->heap = p->heap;
    out->vectors = NULL;
    out->fair = NULL;
    out->printed = NULL;
    if (!OM_NEW(p->heap, out->transitions, l->count)) {
        *out = (om_lasso){ 0 };
        return om_fail_memory(p->ctx);
    }
    memcpy(out->transitions, l->transitions, l->count * sizeof *out->transitions);
    if (l->fair == NULL || (out->fair = om_strdup(p->heap, l->fair)) != NULL)
        return OM_OK;
    om_lasso_free(out);
    return om_fail_memory(p->ctx);
}

/* Transfers the run to the model without resets, if possible. OM_EUNSUPPORTED, with no message: its
 * cycle is none there, because of variables that nothing reads. */
static int take_real(om_check *c, const om_obligation *obligation)
{
    om_plan *p = c->plan;
    om_check_result *out = c->result;
    const om_lasso *l = &out->lasso;
    om_lasso real = { 0 };
    om_reality reality = OM_NOT_REAL;
    int rc = copy_of(p, l, &real);
    if (rc == OM_OK)
        rc = om_lasso__make_real(&real, p->ctx, p->model, &reality);
    if (rc == OM_OK && reality == OM_REAL_BUT_UNREAD) {
        om_lasso_free(&real);
        return OM_EUNSUPPORTED;
    }
    if (rc == OM_EINPUT || (rc == OM_OK && reality == OM_NOT_REAL))
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

/* ---- the bad prefix ---- */

/* Time limit of the search for a bad prefix, in ns; after that, none is reported. */
static const uint64_t PREFIX_NS = 2000000000;

/* Cuts off the states after the bad prefix, if the referee accepts the rest. */
static void cut(om_plan *p, om_context *ctx, const om_obligation *o, om_lasso *l)
{
    assert(l->bad_prefix != 0 && l->bad_prefix <= l->count); /* V3 */
    const size_t count = l->count, loop = l->loop;
    const uint32_t last = l->transitions[l->bad_prefix - 1];
    l->count = l->bad_prefix;
    l->loop = OM_NO_LOOP;
    l->transitions[l->count - 1] = OM_NONE;
    if (om_lasso_replay(ctx, l, o) == OM_OK)
        return;
    l->transitions[l->count - 1] = last;
    l->count = count;
    l->loop = loop;
    om_context_clear(p->ctx);
}

/* Runs in a context of its own, which has its own limits. */
static void look_for_prefix(om_check *c, om_context *ctx, om_prefix prefix)
{
    om_plan *p = c->plan;
    const om_target *t = c->target;
    om_lasso *l = &c->result->lasso;
    const bool may_cut = prefix == OM_PREFIX_ALONE && c->options->shortest_ns == 0 && !t->is_fair &&
                         t->obligation.stutter;
    om_obligation o = t->obligation;
    om_automaton *allowed = NULL;
    om_expr *aps = NULL;
    size_t states = 0;
    int rc = t->ltl == NULL ? OM_OK : om_plan__allowed(p, ctx, t, &allowed, &aps);
    o.allowed = allowed;
    o.allowed_aps = aps;
    if (rc == OM_OK)
        rc = om_lasso__bad_prefix(ctx, l, &o, &states);
    if (rc == OM_OK)
        l->bad_prefix = states;
    if (rc == OM_OK && may_cut && states != 0 && states <= l->count)
        cut(p, ctx, &o, l);
    om_automaton_free(allowed);
    om_free(p->heap, aps);
}

static void show_prefix(om_check *c, om_prefix prefix)
{
    om_plan *p = c->plan;
    const om_target *t = c->target;
    const om_check_result *out = c->result;
    om_limits limits = p->supervisor.limits;
    om_context *ctx = NULL;
    om_watcher *watcher = NULL;
    const uint64_t left = om_control_left_ns(om_context_control(p->ctx));
    if (prefix == OM_PREFIX_NOT_SOUGHT || out->verdict != OM_VIOLATED ||
        out->about == OM_ABOUT_ASSERTION || !out->has_lasso || out->lasso.loop == OM_NO_LOOP ||
        t->trace || t->ends_apart || om_context_stopped(p->ctx) != OM_OK)
        return;
    limits.timeout_ns = left < PREFIX_NS ? left : PREFIX_NS;
    limits.max_states = 0;
    if (limits.timeout_ns == 0 || om_context_new_below(&ctx, p->ctx) != OM_OK)
        return;
    om_control_start(om_context_control(ctx), &limits);
    if (om_watcher_start(&watcher, ctx, NULL, NULL) == OM_OK)
        look_for_prefix(c, ctx, prefix);
    om_watcher_stop(watcher);
    om_context_clear(p->ctx);
    om_context_free(ctx);
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
        show_prefix(c, prefix);
    if (rc == OM_OK && checked != OM_OK)
        rc = om_fail(p->ctx, checked, NULL, "%s", said);
    om_free(p->heap, said);
    return rc;
}
