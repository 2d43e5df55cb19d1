/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bad prefix of a counterexample. The states after which every continuation violates the
 * property are found (core/lasso/referee/prefix.c), and the states after them are cut off if the
 * options ask for that. The referee replays the rest; if it does not accept the rest alone, the
 * whole run stays. The whole run also stays under fairness, or if runs that end do not count: then
 * its remainder shows that such a run exists.
 */
#include "verdict.h"

#include "referee/prefix.h"
#include "supervise.h"

/* Time limit of the search for a bad prefix, in ns; after that, none is reported. */
static const uint64_t PREFIX_NS = 2000000000;

/* Cuts off the states after the bad prefix, if the referee accepts the rest. */
static void cut(om_plan *p, om_context *ctx, const om_obligation *o, om_lasso *l)
{
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

void om_check__show_prefix(om_check *c, om_prefix prefix)
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
