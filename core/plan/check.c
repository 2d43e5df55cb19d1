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
        om_task_result_free(&r->parts[i].task, r->heap);
    }
    om_free(r->heap, r->parts);
    om_free(r->heap, r->property);
    om_free(r->heap, r->reason);
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
        if (jobs[i].started && jobs[i].rc == OM_EMODEL && *faulty == NULL)
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

/* The lasso behind the evidence of a job. */
static int extract(om_plan *p, const om_target *t, const om_job *job, om_check_result *out)
{
    om_product_spec spec = job->spec.product;
    if (t->trace)
        return om_lasso_trace(&out->lasso, p->ctx, p->model, NULL, t->bad);
    spec.automaton = job->automaton;
    spec.workers = 1;
    return om_lasso_extract(&out->lasso, p->ctx, &spec, job->result.path, job->result.path_length);
}

/* Between the evidence and every accepting cycle the model goes wrong: a checker that looks at the
 * automaton alone there (reach) could not know. The lasso is the trace to the fault. */
static int explain_obstacle(om_plan *p, om_check_result *out)
{
    const om_claim run = { .model = p->model };
    int rc = set_reason(p, FAULT_REASON, out);
    out->has_lasso = true;
    if (rc == OM_OK)
        rc = om_lasso_replay(p->ctx, &out->lasso, &run);
    return rc == OM_OK ? OM_EMODEL : rc;
}

/* Finds the lasso and lets the referee judge it. */
static int certify(om_plan *p, const om_target *t, const om_job *job, om_check_result *out)
{
    int rc = extract(p, t, job, out);
    if (rc == OM_ELIMIT)
        return om_plan__unknown(p, om_plan__why(p), out);
    if (rc == OM_EMODEL)
        return explain_obstacle(p, out);
    if (rc != OM_OK)
        return rc;
    out->has_lasso = true;
    rc = om_lasso_replay(p->ctx, &out->lasso, &t->claim);
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

/* The fault with its place in the model, or with the name of the proposition that it is in. */
static int say_fault(om_plan *p, const om_target *t, om_fault fault)
{
    uint32_t ap = OM_FAULT_SUBJECT(fault);
    if (OM_FAULT_KIND(fault) != OM_FAULT_IN_LABEL || ap >= t->ap_count)
        return om_model_fault(p->model, fault);
    return om_fail(p->ctx, OM_EMODEL, NULL,
        "division by zero or index outside an array in the proposition '%s'",
        t->trace ? t->name : om_automaton_ap(t->automaton, ap));
}

/* The trace to a fault of the model. Returns OM_EMODEL with the place, or another failure. */
static int explain_fault(om_plan *p, const om_target *t, const om_job *job, om_check_result *out)
{
    const om_task_result *r = &job->result;
    const om_claim run = { .model = p->model };
    int rc = OM_OK;
    if (r->path_length != 0) {
        const uint32_t *at = r->path + (r->path_length - 1) * om_model_words(p->model);
        rc = om_lasso_trace(&out->lasso, p->ctx, p->model, at, 0);
        out->has_lasso = rc == OM_OK;
        if (rc == OM_OK)
            rc = om_lasso_replay(p->ctx, &out->lasso, &run);
    }
    if (rc == OM_ELIMIT) {
        /* No trace within the limits; the fault stands. */
        om_context_clear(p->ctx);
        rc = OM_OK;
    }
    if (rc == OM_OK) {
        om_context_clear(p->ctx);
        rc = say_fault(p, t, r->fault);
    }
    return rc;
}

/* What follows the jobs: the counterexample, with what is left of the limits. */
static int conclude(om_plan *p, const om_target *t, const om_job *violated, const om_job *faulty,
    om_check_result *out)
{
    om_plan__after(p);
    return violated != NULL ? certify(p, t, violated, out) : explain_fault(p, t, faulty, out);
}

/* ---- a check ---- */

/* The executor and the jobs, which take their time: a compiler runs, devices are tried. */
static int get_ready(om_plan *p, const om_target *t, om_task_spec *spec, om_executor **x,
    om_job *jobs, size_t *count)
{
    int rc = om_plan__reset(p, t->aps, t->ap_count);
    if (rc == OM_OK)
        rc = om_executor_open(x, p->model, p->options.exec, t->aps, t->ap_count);
    *spec = (om_task_spec){ .model = p->model, .aps = t->aps, .ap_count = t->ap_count };
    spec->product = (om_product_spec){ .executor = *x,
        .stutter = t->claim.stutter,
        .deadlock_ap = t->deadlock_ap,
        .seed = p->options.seed };
    return rc == OM_OK ? om_plan__jobs(p, t->automaton, jobs, count) : rc;
}

static int check_target(om_plan *p, const om_target *t, om_check_result *out)
{
    om_job jobs[OM_PLAN_JOBS] = { 0 }, *violated = NULL, *faulty = NULL;
    om_executor *x = NULL;
    om_task_spec spec;
    size_t count = 0;
    int rc;

    p->stutter = t->claim.stutter;
    rc = get_ready(p, t, &spec, &x, jobs, &count);
    if (rc == OM_ELIMIT || rc == OM_ESTOP) {
        /* No part ran, and some may lack their checker. */
        rc = om_plan__unknown(p, om_plan__why(p), out);
        goto done;
    }
    if (rc == OM_OK) {
        om_plan__run(p, jobs, count, &spec);
        rc = om_plan__sum(p, jobs, count, out, &violated, &faulty);
    }
    if (rc == OM_OK && (violated != NULL || faulty != NULL))
        rc = conclude(p, t, violated, faulty, out);
    if (rc == OM_EMODEL && violated != NULL)
        violated->result.verdict = OM_UNKNOWN;
    if (rc == OM_OK || rc == OM_EMODEL) {
        int took = om_plan__take_parts(p, jobs, count, out);
        rc = took == OM_OK ? rc : took;
    }
done:
    for (size_t i = 0; i < OM_PLAN_JOBS; i++)
        om_plan__job_free(&jobs[i]);
    if (x != NULL)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "successors on the CPU by: %s", om_executor_who(x));
    om_executor_close(x);
    return rc;
}

/* What comes of a property that was read, or (`rc`) was not. */
static int check_read(om_plan *p, int rc, om_target *t, om_check_result *out)
{
    om_check_result r = { .heap = p->heap };

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
    r.property = t->name;
    t->name = NULL;
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
    rc = om_plan__begin(p);
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
    int rc = om_plan__begin(p);
    if (rc != OM_OK)
        return rc;
    rc = check_read(p, OM_OK, t, out);
    om_plan__end(p);
    return rc;
}
