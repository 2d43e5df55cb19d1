/* SPDX-License-Identifier: Apache-2.0 */
/* From the evidence of an attempt to a lasso of the model that the referee accepts. */
#include "verdict.h"

#include "model.h"
#include "supervise.h"
#include "finite_trace.h"

#include <assert.h>

/* Time in which the cycle of a run is searched for although a bad prefix might suffice */
static const uint64_t LASSO_NS = 1000000000;

/* Reports the fault with its place in the model, or with the name of the proposition it occurs
 * in. */
static int say_fault(const om_check *c, om_fault fault)
{
    const om_plan *p = c->plan;
    const om_target *t = c->target;
    uint32_t ap = OM_FAULT_SUBJECT(fault);
    om_context_clear(p->ctx);
    if (OM_FAULT_KIND(fault) == OM_FAULT_IN_LABEL && ap > t->ap_count && ap < t->all_aps)
        return om_fail(p->ctx, OM_EMODEL, NULL,
            "division by zero or index outside an array in a fairness assumption");
    if (OM_FAULT_KIND(fault) != OM_FAULT_IN_LABEL || ap >= t->ap_count)
        return om_model_fault(p->model, fault);
    return om_fail(p->ctx, OM_EMODEL, NULL,
        "division by zero or index outside an array in the proposition '%s'",
        t->trace ? t->name : om_automaton_ap(t->automaton, ap));
}

/* Reports the fault at the end of a trace. The last state tells the value that overflowed. */
static int say_fault_after(const om_check *c, om_fault fault, const om_lasso *trace)
{
    const om_plan *p = c->plan;
    uint32_t *end = NULL;
    if (OM_FAULT_KIND(fault) != OM_FAULT_OVERFLOW || trace->count == 0)
        return say_fault(c, fault);
    end = om_alloc(p->heap, trace->words, sizeof *end);
    bool known = end != NULL && om_lasso__end(trace, p->model, end) == OM_OK;
    om_context_clear(p->ctx);
    int rc = known ? om_model_fault_in(p->model, fault, end) : say_fault(c, fault);
    om_free(p->heap, end);
    return rc;
}

/* Writes a fault to the result; the check does not fail because of it. */
static void keep_fault(om_check *c, om_fault fault)
{
    (void) say_fault(c, fault);
    om_check__take_failure(c);
}

/* Takes status `rc` and message of an extraction under the attempt over to the plan, and converts
 * the run to one of the model. */
static int take_lasso(om_check *c, const om_attempt *a, int rc, om_run_kind kind)
{
    om_lasso *l = &c->result->lasso;
    if (rc == OM_OK) {
        l->heap = c->plan->heap; /* it outlives the attempt's context */
        return om_searched__take_run(&a->part->try->searched, l, kind);
    }
    if (om_context_error(a->ctx)[0] != '\0')
        (void) om_fail(c->plan->ctx, rc, NULL, "%s", om_context_error(a->ctx));
    return rc;
}

/* Replays the lasso that an attempt found. Frees the memory of the search first. */
static int referee(om_check *c, om_attempt *a, const om_obligation *obligation)
{
    om_text who = { .heap = c->plan->heap };
    om_attempt__drop_task(a);
    c->result->has_lasso = true;
    assert(c->result->lasso.count != 0); /* V3 */
    om_text_printf(&who, "checker %s", a->checker->head.name);
    int rc = om_plan__referee(
        c->plan, &c->result->lasso, obligation, who.failed ? a->checker->head.name : who.text);
    om_text_free(&who);
    return rc;
}

/* Records that the fault is not the model's: the searched form has too few bits
 * (om_searched__widen()). */
static int note_overfull(om_check *c, om_attempt *a)
{
    om_lasso_free(&c->result->lasso);
    c->result->has_lasso = false;
    a->out.result.verdict = OM_UNKNOWN;
    return om_check__set_reason(c, om_check__fault_reason);
}

/* Says whether the trace to the evidence is known to be a shortest one: steps that were merged
 * count as several, and a shortest one may have been left out. */
static void say_minimal(const om_check *c, const om_attempt *a, bool shortest)
{
    const om_try *try = a->part->try;
    const bool all = try->searched.merged == NULL && om_executor__below(try->executor) == NULL;
    c->result->minimality = shortest && all ? OM_MINIMAL : OM_NOT_PROVEN;
}

/* Returns true if no shorter trace to the fault of the attempt's task exists. */
static bool is_shortest_fault(const om_attempt *a)
{
    om_id at;
    const om_id *path = NULL;
    size_t length = 0;
    bool shortest = false;
    (void) om_task_fault_of(a->out.task, &at, &path, &length, &shortest);
    return path != NULL && shortest;
}

/* Extracts the trace to a fault of the model, or to a fault that lies on every path from the
 * evidence to an accepting cycle (a checker that looks only at the automaton there, such as reach,
 * cannot detect that). Returns OM_EMODEL with the place; a failed assertion is a violation of its
 * own. */
static int explain_fault(om_check *c, om_attempt *a)
{
    om_check_result *out = c->result;
    om_searched *searched = &a->part->try->searched;
    om_fault fault = a->out.result.fault; /* of the searched form */
    om_obligation obligation = { .model = c->plan->model };
    om_context_clear(a->ctx);
    if (om_searched__overfull(searched, fault))
        return note_overfull(c, a);
    int rc = take_lasso(
        c, a, om_lasso__extract_fault(&out->lasso, a->ctx, a->out.task, &fault), OM_RUN_TO_FAULT);
    fault = om_searched__take_fault(searched, fault);
    bool assertion = OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION;
    obligation.fault = fault;
    say_minimal(c, a, is_shortest_fault(a));
    if (rc == OM_OK && om_searched__overfull(searched, fault))
        return note_overfull(c, a);
    if (rc == OM_OK)
        rc = referee(c, a, &obligation);
    rc = om_check__unless_refereed(c, rc, a->ctx); /* the fault stands */
    if (rc != OM_OK)
        return rc;
    c->fault = fault;
    out->verdict = assertion ? OM_VIOLATED : OM_UNKNOWN;
    if (assertion)
        return om_check__name_assertion(c, OM_FAULT_SUBJECT(fault));
    rc = om_check__set_reason(c, om_check__fault_reason);
    return rc == OM_OK ? say_fault_after(c, fault, &out->lasso) : rc;
}

/* Stores in the lasso which fairness it shows. */
static int say_fairness(const om_check *c, om_lasso *l)
{
    const om_plan *p = c->plan;
    const om_plan_options *o = c->options;
    om_text text = { .heap = p->heap };
    if (c->target->trace)
        return OM_OK;
    l->fairness = o->fairness;
    for (size_t i = 0; i < o->fair_count; i++)
        om_text_printf(&text, "%s(%s)", i == 0 ? "" : " & ", o->fair[i]);
    if (text.failed) {
        om_text_free(&text);
        return om_fail_memory(p->ctx);
    }
    l->fair = text.text;
    return OM_OK;
}

/* Returns true if a bad prefix, without any cycle, can be the counterexample. */
static bool may_be_prefix(const om_check *c, const om_attempt *a)
{
    const om_target *t = c->target;
    return a->part->claimed == OM_TERMINAL && c->options->bad_prefix == OM_PREFIX_ALONE &&
           c->options->shortest_ns == 0 && !t->trace && !t->is_fair && !t->ends_apart &&
           t->ltl != NULL && t->obligation.stutter;
}

/* Extracts the lasso within LASSO_NS, and half of the time that is left. Sets *late if that did not
 * suffice. */
static int extract_soon(om_check *c, om_attempt *a, bool *late)
{
    om_plan *p = c->plan;
    om_limits limits = p->supervisor.limits;
    om_context *ctx = NULL;
    om_watcher *watcher = NULL;
    const uint64_t left = om_control_left_ns(om_context_control(a->ctx));
    int rc = om_context_new_below(&ctx, a->ctx);
    if (rc != OM_OK)
        return rc;
    limits.timeout_ns = left / 2 < LASSO_NS ? left / 2 + 1 : LASSO_NS;
    limits.max_states = 0;
    om_control_start(om_context_control(ctx), &limits);
    rc = om_watcher_start(&watcher, ctx, NULL, NULL);
    if (rc == OM_OK)
        rc = om_lasso_extract(&c->result->lasso, ctx, a->out.task);
    om_watcher_stop(watcher);
    *late = rc != OM_OK && om_context_stopped(ctx) != OM_OK && om_context_stopped(a->ctx) == OM_OK;
    if (!*late && om_context_error(ctx)[0] != '\0')
        (void) om_fail(a->ctx, rc, NULL, "%s", om_context_error(ctx));
    om_context_free(ctx);
    return rc;
}

/* Makes the trace to the end of a bad prefix the counterexample, if the referee accepts it: then
 * *taken is true. */
static int take_prefix(om_check *c, om_attempt *a, bool *taken)
{
    om_plan *p = c->plan;
    om_lasso *l = &c->result->lasso;
    int rc =
        take_lasso(c, a, om_lasso__extract_trace(l, a->ctx, a->out.task, OM_NONE), OM_RUN_TO_STATE);
    if (rc == OM_OK)
        rc = om_plan__read_allowed(p, l, c->target);
    if (rc == OM_OK) {
        l->bad_prefix = l->count;
        rc = om_lasso_replay(p->ctx, l, &c->target->obligation);
    }
    *taken = rc == OM_OK;
    if (rc == OM_OK || om_context_stopped(p->ctx) != OM_OK)
        return rc;
    om_lasso_free(l);
    om_context_clear(p->ctx);
    om_context_clear(a->ctx);
    return OM_OK;
}

/*
 * Extracts the lasso. If its cycle is hard to find (a counter may have to wrap, say) although the
 * states before it violate the property whatever follows, these are the counterexample.
 */
static int extract(om_check *c, om_attempt *a)
{
    om_lasso *l = &c->result->lasso;
    bool late = false, taken = false;
    int rc = OM_OK;
    if (may_be_prefix(c, a)) {
        rc = extract_soon(c, a, &late);
        if (!late)
            return take_lasso(c, a, rc, OM_RUN_ANY);
        rc = take_prefix(c, a, &taken);
    }
    if (rc != OM_OK || taken)
        return rc;
    return take_lasso(c, a, om_lasso_extract(l, a->ctx, a->out.task), OM_RUN_ANY);
}

/* Returns true if no state that answers the target is nearer than that of the evidence: a checker
 * that looks for one on an accepting cycle may have passed others. */
static bool is_nearest(const om_evidence *e)
{
    return e->shortest && e->entry == e->length;
}

/* Extracts the counterexample and lets the referee replay it. */
static int certify(om_check *c, om_attempt *a)
{
    enum { BAD = 1 }; /* the final state of the automaton of om_plan__forbid_ever() */
    const om_target *t = c->target;
    om_check_result *out = c->result;
    int rc = !t->trace
                 ? extract(c, a)
                 : take_lasso(c, a, om_lasso__extract_trace(&out->lasso, a->ctx, a->out.task, BAD),
                       t->bad != 0 ? OM_RUN_TO_STATE : OM_RUN_ANY);
    if (rc == OM_EMODEL)
        return explain_fault(c, a);
    if (rc == OM_OK && t->trace && om_searched__wrapped(&a->part->try->searched, &out->lasso))
        return note_overfull(c, a);
    if (rc == OM_OK)
        rc = say_fairness(c, &out->lasso);
    if (rc == OM_OK && t->trace)
        say_minimal(c, a, is_nearest(om_task_evidence_of(a->out.task)));
    if (rc == OM_OK)
        rc = referee(c, a, &t->obligation);
    return om_check__unless_refereed(c, rc, a->ctx);
}

int om_check__certify(om_check *c, om_try *try, om_attempt *violated, om_attempt *faulty)
{
    om_attempt *a = violated != NULL ? violated : faulty;
    assert(a != NULL && a->part->try == try && a == a->part->answer);  /* P8 */
    assert((violated != NULL) == (c->result->verdict == OM_VIOLATED)); /* V2 */
    om_plan__after(c->plan);
    om_try__drop_tasks(try, a);
    if (violated == NULL || (om_task_evidence_of(a->out.task) == NULL && a->out.result.fault != 0))
        return explain_fault(c, a);
    om_fault beside = a->out.result.fault != 0 ? a->out.result.fault
                      : faulty != NULL         ? faulty->out.result.fault
                                               : 0;
    int rc = certify(c, a);
    beside = om_searched__take_fault(&try->searched, beside);
    if (rc != OM_OK || c->result->verdict != OM_VIOLATED)
        return rc;
    if (om_searched__overfull(&try->searched, beside))
        try->searched.overfull = OM_NONE; /* the violation stands */
    else if (beside != 0)
        keep_fault(c, beside);
    return OM_OK;
}
