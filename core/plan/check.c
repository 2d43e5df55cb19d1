/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <string.h>

static const char FAULT_REASON[] = "error in the model";

void om_check_result_free(om_check_result *r)
{
    if (r == NULL || r->heap == NULL)
        return;
    for (size_t i = 0; i < r->part_count; i++) {
        om_free(r->heap, r->parts[i].device);
        om_free(r->heap, r->parts[i].gave_up);
    }
    om_free(r->heap, r->parts);
    om_free(r->heap, r->property);
    om_free(r->heap, r->reason);
    om_free(r->heap, r->fault);
    om_lasso_free(&r->lasso);
    *r = (om_check_result){ 0 };
}

/* ---- what came of the jobs ---- */

static int take_part(const om_plan *p, om_job *job, om_check_result *out)
{
    om_part_result *part = &out->parts[out->part_count];
    *part = (om_part_result){ .strength = job->strength,
        .automaton_states = om_automaton_state_count(job->automaton),
        .checker = job->checker->head.name };
    if (job->device != NULL) {
        part->device = om_strdup(p->heap, om_device_info_of(job->device)->name);
        if (part->device == NULL)
            return om_fail_memory(p->ctx);
    }
    part->gave_up = job->gave_up;
    job->gave_up = NULL;
    part->task = job->result;
    job->result = (om_task_result){ 0 };
    /* Nothing is known of a part that never ran, or whose checker failed. */
    if (!job->started || job->rc != OM_OK)
        part->task.verdict = OM_UNKNOWN;
    if (!job->started)
        part->task.sccs = UINT64_MAX;
    out->part_count++;
    out->states += part->task.states;
    out->transitions += part->task.transitions;
    return OM_OK;
}

/* The message that stands for a job. */
static const char *said_by(const om_job *job)
{
    return om_context_error(job->attempt != NULL ? job->attempt : job->ctx);
}

/* The failure that counts: a job that stopped because of another's has only followed. */
static int first_failure(om_plan *p, const om_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (jobs[i].rc != OM_OK && jobs[i].rc != OM_EMODEL && jobs[i].rc != OM_ESTOP)
            return om_fail(p->ctx, jobs[i].rc, NULL, "%s", said_by(&jobs[i]));
    return OM_OK;
}

static int set_reason(const om_plan *p, const char *reason, om_check_result *out)
{
    out->verdict = OM_UNKNOWN;
    out->reason = om_strdup(p->heap, reason);
    return out->reason == NULL ? om_fail_memory(p->ctx) : OM_OK;
}

int om_plan__unknown(const om_plan *p, const char *why, om_check_result *out)
{
    int rc = set_reason(p, why, out);
    om_context_clear(p->ctx);
    return rc;
}

/* Why the check as a whole has no answer: the first limit that a part hit, with its own words where
 * it is none of the check's. */
static const char *limit_of(const om_plan *p, const om_job *jobs, size_t count)
{
    om_stop_reason reason = om_control_stopped(om_context_control(p->ctx));
    const char *said = "";
    for (size_t i = 0; i < count && reason == OM_STOP_NONE && *said == '\0'; i++) {
        const om_job *job = &jobs[i];
        if (!job->started)
            reason = om_control_stopped(om_context_control(job->ctx));
        else if (job->result.verdict == OM_UNKNOWN) {
            reason = job->result.reason;
            said = said_by(job);
        }
    }
    return reason != OM_STOP_NONE || *said == '\0' ? om_stop_reason_name(reason) : said;
}

int om_plan__sum(om_plan *p, om_job *jobs, size_t count, om_check_result *out, om_job **violated,
    om_job **faulty)
{
    bool all = true;
    int rc = OM_OK;
    *violated = *faulty = NULL;
    for (size_t i = 0; i < count; i++) {
        bool ran = jobs[i].started && jobs[i].rc == OM_OK;
        if (ran && jobs[i].result.verdict == OM_VIOLATED && *violated == NULL)
            *violated = &jobs[i];
        if (jobs[i].started && *faulty == NULL &&
            (jobs[i].rc == OM_EMODEL || (ran && jobs[i].result.fault != 0)))
            *faulty = &jobs[i];
        all = all && ran && jobs[i].result.verdict == OM_HOLDS;
    }
    out->memory_bytes = om_resident_peak_bytes();
    out->threads = p->threads;
    if (*violated != NULL)
        out->verdict = OM_VIOLATED;
    else if ((rc = first_failure(p, jobs, count)) != OM_OK)
        return rc;
    else if (all)
        out->verdict = OM_HOLDS;
    else
        rc = set_reason(p, *faulty != NULL ? FAULT_REASON : limit_of(p, jobs, count), out);
    return rc;
}

int om_plan__take_parts(const om_plan *p, om_job *jobs, size_t count, om_check_result *out)
{
    int rc = OM_OK;
    out->parts = om_alloc(p->heap, count, sizeof *out->parts);
    if (out->parts == NULL)
        return om_fail_memory(p->ctx);
    for (size_t i = 0; rc == OM_OK && i < count; i++)
        rc = take_part(p, &jobs[i], out);
    return rc;
}

/* ---- counterexamples ---- */

/* The fault with its place in the model, or with the name of the proposition that it is in. */
static int say_fault(om_plan *p, const om_target *t, om_fault fault)
{
    uint32_t ap = OM_FAULT_SUBJECT(fault);
    om_context_clear(p->ctx);
    if (OM_FAULT_KIND(fault) != OM_FAULT_IN_LABEL || ap >= t->ap_count)
        return om_model_fault(p->model, fault);
    return om_fail(p->ctx, OM_EMODEL, NULL,
        "division by zero or index outside an array in the proposition '%s'",
        t->trace ? t->name : om_automaton_ap(t->automaton, ap));
}

/* The same at the end of a trace, where a value that does not fit can be told. */
static int say_fault_after(om_plan *p, const om_target *t, om_fault fault, const om_lasso *trace)
{
    uint32_t *end = NULL;
    if (OM_FAULT_KIND(fault) != OM_FAULT_OVERFLOW || trace->count == 0)
        return say_fault(p, t, fault);
    end = om_alloc(p->heap, trace->words, sizeof *end);
    bool known = end != NULL && om_lasso_end(trace, p->model, end) == OM_OK;
    om_context_clear(p->ctx);
    int rc = known ? om_model_fault_in(p->model, fault, end) : say_fault(p, t, fault);
    om_free(p->heap, end);
    return rc;
}

/* As a text of the result; a fault is no failure then. */
static void keep_fault(om_plan *p, const om_target *t, om_fault fault, om_check_result *out)
{
    (void) say_fault(p, t, fault);
    om_free(p->heap, out->fault);
    out->fault = om_strdup(p->heap, om_context_error(p->ctx)); /* NULL: it is in the notes, too */
    om_note(p->ctx, OM_NOTE_WARNING, NULL, "%s", om_context_error(p->ctx));
    om_context_clear(p->ctx);
}

int om_plan__unless_refereed(om_plan *p, int rc, om_context *ctx, om_check_result *out)
{
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

/* What an extraction under the job's last try came to, for the plan. */
static int take_lasso(om_plan *p, const om_job *job, int rc, om_check_result *out)
{
    if (rc == OM_OK)
        out->lasso.heap = p->heap; /* it outlives that context */
    else if (om_context_error(job->attempt)[0] != '\0')
        (void) om_fail(p->ctx, rc, NULL, "%s", om_context_error(job->attempt));
    return rc;
}

/* The referee's word on the lasso. What the search took is given back first. */
static int referee(om_plan *p, om_job *job, const om_obligation *obligation, om_check_result *out)
{
    om_plan__drop_task(job);
    out->has_lasso = true;
    int rc = om_lasso_replay(p->ctx, &out->lasso, obligation);
    if (rc == OM_EINPUT) {
        om_text said = { .heap = p->heap };
        om_text_add(&said, om_context_error(p->ctx));
        om_context_clear(p->ctx);
        rc = om_fail(p->ctx, OM_EINTERNAL, NULL,
            "checker %s reports a violation, but the referee rejects its lasso: %s",
            job->checker->head.name, said.text == NULL ? "" : said.text);
        om_text_free(&said);
    }
    return rc;
}

/* The trace to a fault of the model, or to what stands between the evidence and every accepting
 * cycle (a checker that looks at the automaton alone there, as reach, could not know). OM_EMODEL
 * with the place; a failed assertion is a violation of the model's own. */
static int explain_fault(om_plan *p, const om_target *t, om_job *job, om_check_result *out)
{
    om_fault fault = job->result.fault;
    om_obligation obligation = { .model = p->model };
    om_context_clear(job->attempt);
    int rc = take_lasso(
        p, job, om_lasso_extract_fault(&out->lasso, job->attempt, job->found, &fault), out);
    bool assertion = OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION;
    obligation.fault = fault;
    if (rc == OM_OK)
        rc = referee(p, job, &obligation, out);
    rc = om_plan__unless_refereed(p, rc, job->attempt, out); /* the fault stands */
    if (rc != OM_OK)
        return rc;
    out->verdict = assertion ? OM_VIOLATED : OM_UNKNOWN;
    out->assertion = assertion;
    if (assertion) {
        keep_fault(p, t, fault, out);
        return OM_OK;
    }
    om_free(p->heap, out->reason);
    out->reason = NULL;
    rc = set_reason(p, FAULT_REASON, out);
    return rc == OM_OK ? say_fault_after(p, t, fault, &out->lasso) : rc;
}

/* Finds the lasso and lets the referee judge it. */
static int certify(om_plan *p, const om_target *t, om_job *job, om_check_result *out)
{
    enum { BAD = 1 }; /* the state of target.c's automaton that waits for nothing any more */
    int rc = take_lasso(p, job,
        t->trace ? om_lasso_extract_trace(&out->lasso, job->attempt, job->found, BAD)
                 : om_lasso_extract(&out->lasso, job->attempt, job->found),
        out);
    if (rc == OM_EMODEL)
        return explain_fault(p, t, job, out);
    if (rc == OM_OK)
        rc = referee(p, job, &t->obligation, out);
    return om_plan__unless_refereed(p, rc, job->attempt, out);
}

/* What follows the jobs: the counterexample, with what is left of the limits. A violation with its
 * lasso counts more than a fault, which is told beside it. */
static int conclude(om_plan *p, const om_target *t, om_job *jobs, size_t count, om_job *violated,
    om_job *faulty, om_check_result *out)
{
    om_job *job = violated != NULL ? violated : faulty;
    om_plan__after(p);
    for (size_t i = 0; i < count; i++)
        if (&jobs[i] != job)
            om_plan__drop_task(&jobs[i]);
    if (violated == NULL || (om_task_evidence_of(job->found) == NULL && job->result.fault != 0))
        return explain_fault(p, t, job, out);
    om_fault beside = job->result.fault != 0 ? job->result.fault
                      : faulty != NULL       ? faulty->result.fault
                                             : 0;
    int rc = certify(p, t, job, out);
    if (rc == OM_OK && beside != 0)
        keep_fault(p, t, beside, out);
    return rc;
}

/* ---- a check ---- */

/* The executor and the jobs, which take their time: a compiler runs, devices are tried. */
static int get_ready(om_plan *p, const om_target *t, om_task_spec *spec, om_executor **x,
    om_job *jobs, size_t *count)
{
    const om_model_form form = { p->options.reset_dead != OM_SWITCH_OFF, p->options.overflow };
    int rc = om_plan__shape(p, form, t->aps, t->ap_count);
    if (rc == OM_OK)
        rc = om_executor_open(x, p->model, p->options.exec, t->aps, t->ap_count);
    *spec = (om_task_spec){ .model = p->model, .aps = t->aps, .ap_count = t->ap_count };
    spec->product = (om_product_spec){ .executor = *x,
        .stutter = t->obligation.stutter,
        .faults_repeat = t->trace,
        .deadlock_ap = t->deadlock_ap,
        .seed = p->options.seed };
    return rc == OM_OK ? om_plan__jobs(p, t->automaton, jobs, count) : rc;
}

/* *again: what was found is a run that ends, for the model goes wrong; others may not. */
static int try_target(om_plan *p, const om_target *t, om_check_result *out, bool *again)
{
    om_job jobs[OM_PLAN_JOBS] = { 0 }, *violated = NULL, *faulty = NULL;
    om_executor *x = NULL;
    om_task_spec spec;
    size_t count = 0;
    int rc;

    p->stutter = t->obligation.stutter;
    rc = get_ready(p, t, &spec, &x, jobs, &count);
    if (rc == OM_ELIMIT || rc == OM_ESTOP) {
        /* No part ran, and some may lack their checker. */
        rc = om_plan__unknown(p, om_plan__why(p), out);
        goto done;
    }
    if (rc == OM_EMODEL) /* it cannot even begin */
        rc = set_reason(p, FAULT_REASON, out) == OM_OK ? rc : OM_ENOMEM;
    if (rc == OM_OK) {
        om_plan__run(p, jobs, count, &spec);
        rc = om_plan__sum(p, jobs, count, out, &violated, &faulty);
    }
    if (rc == OM_OK && (violated != NULL || faulty != NULL))
        rc = conclude(p, t, jobs, count, violated, faulty, out);
    if (rc == OM_EMODEL && violated != NULL) {
        *again = violated->claimed == OM_TERMINAL && !t->trace;
        violated->result.verdict = OM_UNKNOWN;
    }
    if (rc == OM_OK || rc == OM_EMODEL) {
        int took = om_plan__take_parts(p, jobs, count, out);
        if (took != OM_OK && out->verdict == OM_VIOLATED)
            om_context_clear(p->ctx); /* figures may be missing; the violation stands */
        else
            rc = took == OM_OK ? rc : took;
    }
done:
    for (size_t i = 0; i < OM_PLAN_JOBS; i++) {
        om_plan__met_overflows(p, jobs[i].overflows, jobs[i].overflow_vector);
        jobs[i].overflow_vector = NULL;
        om_plan__job_free(&jobs[i]);
    }
    if (x != NULL)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "successors on the CPU by: %s", om_executor_who(x));
    om_executor_close(x);
    return rc;
}

/* A checker that looks at the automaton alone, as reach, takes any state in a terminal component
 * for a violation. Where the model goes wrong on each way from there it is none, and the search for
 * another begins anew with checkers that look for cycles, whichever were named. */
static int check_target(om_plan *p, const om_target *t, om_check_result *out)
{
    bool again = false;
    int rc = try_target(p, t, out, &again);
    if (!again)
        return rc;
    const om_plan_options asked = p->options;
    om_check_result_free(out);
    *out = (om_check_result){ .heap = p->heap, .verdict = OM_UNKNOWN };
    om_context_clear(p->ctx);
    om_plan__forget_overflows(p);
    pthread_mutex_lock(&p->lock);
    p->done_states = p->done_transitions = 0;
    pthread_mutex_unlock(&p->lock);
    p->options.checker = p->options.terminal = NULL;
    p->runs_end = true;
    rc = try_target(p, t, out, &again);
    p->runs_end = false;
    p->options = asked;
    return rc;
}

/* What comes of a property that was read, or (`rc`) was not. */
static int check_read(om_plan *p, int rc, om_target *t, om_check_result *out)
{
    om_check_result r = { .heap = p->heap, .verdict = OM_UNKNOWN };

    if (rc == OM_OK)
        rc = om_plan__translate(p, t);
    if (rc == OM_OK)
        rc = check_target(p, t, &r);
    else if (rc == OM_ELIMIT) {
        /* Limits ended the translation of the formula: that is an answer, too. */
        r.threads = p->threads;
        r.memory_bytes = om_resident_peak_bytes();
        rc = om_plan__unknown(p, om_plan__why(p), &r);
    }
    r.seconds = (double) (om_clock_ns() - p->started_ns) / 1e9;
    if (rc == OM_OK || rc == OM_EMODEL)
        om_plan__report_overflows(p);
    r.property = t->name;
    t->name = NULL;
    p->options.since_ns = 0; /* the next property has all the time */
    if (rc == OM_OK || rc == OM_EMODEL)
        *out = r;
    else
        om_check_result_free(&r);
    return rc;
}

int om_plan_check(om_plan *p, om_property_kind kind, const char *text, om_check_result *out)
{
    om_target t = { 0 };
    int rc;

    *out = (om_check_result){ 0 };
    if (kind == OM_PROPERTY_ASSERTION)
        return om_fail(p->ctx, OM_EINVAL, NULL, "assertions are looked at by every check");
    rc = om_plan__begin(p, true);
    if (rc != OM_OK)
        return rc;
    rc = check_read(p, om_plan__read(p, kind, text, &t), &t, out);
    om_plan__target_free(p, &t);
    om_plan__end(p);
    return rc;
}

int om_plan_check_target(om_plan *p, om_target *t, om_check_result *out)
{
    *out = (om_check_result){ 0 };
    int rc = om_plan__begin(p, true);
    if (rc != OM_OK)
        return rc;
    rc = check_read(p, OM_OK, t, out);
    om_plan__end(p);
    return rc;
}
