/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict on a property if one transition can never be taken: repeats the check in that model.
 *
 * Most of these checks are quick, because a run that is not the only counterexample has others near
 * it. A run that was found without one transition is also a run without another if it takes
 * neither, does not end where the other would continue, and stays as fair: the referee checks this.
 */
#include "parts.h"

#include "model.h"
#include "verdict/verdict.h"

#include <string.h>

typedef struct asker {
    om_plan *p;
    om_property_kind kind;
    const char *text;
    const om_lasso *run;
    uint64_t each_ns, until_ns; /* 0: no limit */
    om_lasso *found;            /* other counterexamples */
    size_t found_count, found_capacity;
} asker;

/* ---- answers ---- */

static int unknown(const asker *a, const char *why, om_without *w)
{
    w->verdict = OM_UNKNOWN;
    w->reason = om_strdup(a->p->heap, why);
    return w->reason == NULL ? om_fail_memory(a->p->ctx) : OM_OK;
}

static void show(const om_lasso *l, om_without *w)
{
    w->verdict = OM_VIOLATED;
    w->states = l->count;
    w->loop = l->loop;
    w->ends = l->count > 0 && l->transitions[l->count - 1] == OM_STUTTER;
}

static bool takes(const om_lasso *l, uint32_t transition)
{
    size_t i = 0;
    while (i < l->count && l->transitions[i] != transition)
        i++;
    return i < l->count;
}

/* ---- counterexamples found before ---- */

/* Tries the newest first; *seen: one of them is a counterexample here, too. */
static int ask_known(const asker *a, om_without *w, bool *seen)
{
    *seen = false;
    for (size_t i = a->found_count; i-- > 0 && !*seen;) {
        if (takes(&a->found[i], w->transition))
            continue;
        int rc = om_plan_replay(a->p, a->kind, a->text, &a->found[i]);
        *seen = rc == OM_OK;
        if (*seen)
            show(&a->found[i], w);
        om_context_clear(a->p->ctx);
        if (rc != OM_OK && rc != OM_EINPUT)
            return OM_OK; /* a limit: the check will report it */
    }
    return OM_OK;
}

/* Takes ownership of the run. */
static int keep(asker *a, om_lasso *l)
{
    om_lasso *found =
        om_grow(a->p->heap, a->found, &a->found_capacity, a->found_count + 1, sizeof *found);
    if (found == NULL)
        return om_fail_memory(a->p->ctx);
    a->found = found;
    found[a->found_count++] = *l;
    *l = (om_lasso){ 0 };
    return OM_OK;
}

/* ---- the check ---- */

/* The answer is unknown because of the context's error message, which is cleared, or the reason of
 * the stop. */
static int unknown_by_context(const asker *a, om_without *w)
{
    om_context *ctx = a->p->ctx;
    const om_stop_reason reason = om_control_stopped(om_context_control(ctx));
    const char *message = om_context_error(ctx);
    int rc = unknown(a, *message != '\0' ? message : om_stop_reason_name(reason), w);
    om_context_clear(ctx);
    return rc;
}

/* Every exploration checks assertions. */
static int check_assertions(asker *a, om_without *w)
{
    om_exploration e = { 0 };
    om_lasso trace = { 0 };
    int rc = om_plan_explore(a->p, &e, &trace);
    w->verdict = OM_HOLDS;
    if (rc == OM_EMODEL && OM_FAULT_KIND(e.fault) == OM_FAULT_ASSERTION) {
        om_context_clear(a->p->ctx);
        show(&trace, w);
        rc = trace.count == 0 ? OM_OK : keep(a, &trace);
    } else if (rc == OM_EMODEL || rc == OM_ELIMIT)
        rc = unknown_by_context(a, w);
    om_free(a->p->heap, e.fault_vector);
    om_lasso_free(&trace);
    return rc;
}

static int check_property(asker *a, om_without *w)
{
    om_check_result r = { 0 };
    int rc = om_plan_check(a->p, a->kind, a->text, &r);
    w->verdict = r.verdict;
    if (rc == OM_EMODEL || rc == OM_ELIMIT)
        rc = unknown_by_context(a, w);
    else if (rc == OM_OK && r.verdict == OM_UNKNOWN)
        rc = unknown(a, r.reason == NULL ? "no reason given" : r.reason, w);
    else if (rc == OM_OK && r.has_lasso) {
        show(&r.lasso, w);
        rc = keep(a, &r.lasso);
    }
    om_check_result_free(&r);
    return rc;
}

/* Sets the time limit; returns false if no time is left. */
static bool set_limits(const asker *a)
{
    om_limits *limits = &a->p->options.limits;
    uint64_t now = om_clock_ns(), left = a->until_ns <= now ? 0 : a->until_ns - now;
    if (a->until_ns != 0 && left == 0)
        return false;
    limits->timeout_ns = a->until_ns == 0                       ? a->each_ns
                         : a->each_ns != 0 && a->each_ns < left ? a->each_ns
                                                                : left;
    a->p->options.since_ns = 0;
    return true;
}

static int ask(asker *a, om_without *w)
{
    bool seen = false;
    if (!set_limits(a))
        return unknown(a, om_stop_reason_name(OM_STOP_TIMEOUT), w);
    int rc = om_model__disable(a->p->model, w->transition);
    if (rc == OM_OK)
        rc = ask_known(a, w, &seen);
    if (rc == OM_OK && !seen && set_limits(a))
        rc = a->kind == OM_PROPERTY_ASSERTION ? check_assertions(a, w) : check_property(a, w);
    else if (rc == OM_OK && !seen)
        rc = unknown(a, om_stop_reason_name(OM_STOP_TIMEOUT), w);
    om_model__enable(a->p->model);
    return rc;
}

/* ---- all transitions ---- */

/* Lists the transitions of the run, in the order of their first use. */
static int list(const asker *a, om_explanation *e)
{
    const om_lasso *l = a->run;
    const uint32_t transitions = om_model_transition_count(a->p->model);
    uint32_t *number = om_alloc(a->p->heap, transitions, sizeof *number); /* plus 1; 0: none */
    e->without =
        om_alloc(a->p->heap, l->count < transitions ? l->count : transitions, sizeof *e->without);
    if (number == NULL || e->without == NULL) {
        om_free(a->p->heap, number);
        return om_fail_memory(a->p->ctx);
    }
    for (size_t i = 0; i < l->count; i++) {
        const uint32_t t = l->transitions[i];
        if (t >= transitions)
            continue;
        if (number[t] == 0) {
            e->without[e->without_count++] = (om_without){
                .transition = t, .first = i, .verdict = OM_UNKNOWN, .loop = OM_NO_LOOP
            };
            number[t] = (uint32_t) e->without_count;
        }
        e->without[number[t] - 1].times++;
    }
    om_free(a->p->heap, number);
    return OM_OK;
}

/* Without messages, on the vm, under the assumptions of the run. */
static void set_options(const asker *a)
{
    om_plan_options *o = &a->p->options;
    om_plan__take_fairness(a->p, a->run);
    o->overflow = a->run->form.overflow;
    o->ignore_assertions = a->kind != OM_PROPERTY_ASSERTION;
    o->exec = OM_EXEC_VM;
    o->device = "none";
    o->shortest_ns = 0;
    o->no_overflow_trace = true;
}

int om_explain_without(om_plan *p, om_property_kind kind, const char *text, const om_lasso *run,
    uint64_t each_ns, om_explanation *e)
{
    const om_plan_options saved = p->options;
    asker a = { .p = p, .kind = kind, .text = text, .run = run, .each_ns = each_ns };
    om_limits left = saved.limits;
    if (saved.limits.timeout_ns != 0)
        a.until_ns =
            (saved.since_ns == 0 ? om_clock_ns() : saved.since_ns) + saved.limits.timeout_ns;
    set_options(&a);
    int rc = list(&a, e);
    for (size_t i = 0; rc == OM_OK && i < e->without_count; i++)
        rc = ask(&a, &e->without[i]);
    for (size_t i = 0; i < a.found_count; i++)
        om_lasso_free(&a.found[i]);
    om_free(p->heap, a.found);
    p->options = saved;
    /* Results are written within the rest of the limits. */
    uint64_t now = om_clock_ns();
    left.timeout_ns = a.until_ns == 0                       ? 0
                      : a.until_ns > now + OM_PLAN_AFTER_NS ? a.until_ns - now
                                                            : OM_PLAN_AFTER_NS;
    om_control_start(om_context_control(p->ctx), &left);
    return rc;
}
