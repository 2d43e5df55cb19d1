/* SPDX-License-Identifier: Apache-2.0 */
#include "compact.h"
#include "control/control.h"
#include "executor.h"
#include "model.h"
#include "model/model_form.h"
#include "property/property.h"
#include "schedule/attempt.h"
#include "schedule/supervise.h"
#include "verdict/verdict.h"
#include "finite_trace.h"

#include <inttypes.h>
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
    if (r->assertion != NULL)
        om_check_result_free(r->assertion);
    om_free(r->heap, r->assertion);
    *r = (om_check_result){ 0 };
}

/* ---- outcome of the parts ---- */

static int take_part(const om_plan *p, om_part *part, om_check_result *out)
{
    om_part_result *to = &out->parts[out->part_count];
    om_attempt *t = part->answer;
    uint32_t states = 0, edges = 0;
    om_plan__automaton_size(t->automaton, &states, &edges);
    *to = (om_part_result){ .strength = part->strength,
        .automaton_states = states,
        .automaton_edges = edges,
        .conversion = t->conversion,
        .states_before = om_automaton_state_count(part->automaton),
        .checker = t->checker->head.name,
        .shares = part->shares && t == &part->cpu };
    if (t->device != NULL) {
        to->device = om_strdup(p->heap, om_device_info_of(t->device)->name);
        if (to->device == NULL)
            return om_fail_memory(p->ctx);
    }
    to->gave_up = part->gave_up;
    part->gave_up = NULL;
    to->task = t->out.result;
    t->out.result = (om_task_result){ 0 };
    /* Nothing is known of a part that did not run or whose checker failed. */
    if (!part->started || t->out.rc != OM_OK)
        to->task.verdict = OM_UNKNOWN;
    if (!part->started)
        to->task.sccs = UINT64_MAX;
    out->part_count++;
    out->states += to->task.states;
    out->transitions += to->task.transitions;
    return OM_OK;
}

/* Reports the first real failure. OM_ESTOP does not count: such a part stopped because another
 * failed. */
static int first_failure(om_plan *p, const om_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const om_attempt *t = parts[i].answer;
        if (t->out.rc != OM_OK && t->out.rc != OM_EMODEL && t->out.rc != OM_ESTOP)
            return om_fail(p->ctx, t->out.rc, NULL, "%s", om_context_error(t->ctx));
    }
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

/* Returns why the check as a whole has no answer: the first limit that a part hit. If no limit of
 * the check was hit, it is the part's own message. */
static const char *limit_of(const om_plan *p, const om_part *parts, size_t count)
{
    om_stop_reason reason = om_control_stopped(om_context_control(p->ctx));
    const char *said = "";
    for (size_t i = 0; i < count && reason == OM_STOP_NONE && *said == '\0'; i++) {
        const om_attempt *t = parts[i].answer;
        if (!parts[i].started)
            reason = om_control_stopped(om_context_control(parts[i].ctx));
        else if (t->out.result.verdict == OM_UNKNOWN) {
            reason = t->out.result.reason;
            said = om_context_error(t->ctx);
        }
    }
    return reason != OM_STOP_NONE || *said == '\0' ? om_stop_reason_name(reason) : said;
}

int om_plan__sum(om_plan *p, om_part *parts, size_t count, om_check_result *out,
    om_attempt **violated, om_attempt **faulty)
{
    bool all = true;
    int rc = OM_OK;
    *violated = *faulty = NULL;
    for (size_t i = 0; i < count; i++) {
        om_attempt *t = parts[i].answer;
        bool ran = parts[i].started && t->out.rc == OM_OK;
        if (ran && t->out.result.verdict == OM_VIOLATED && *violated == NULL)
            *violated = t;
        if (parts[i].started && *faulty == NULL &&
            (t->out.rc == OM_EMODEL || (ran && t->out.result.fault != 0)))
            *faulty = t;
        all = all && ran && t->out.result.verdict == OM_HOLDS;
    }
    out->memory_bytes = om_resident__peak_bytes();
    out->threads = p->threads;
    if (*violated != NULL)
        out->verdict = OM_VIOLATED;
    else if ((rc = first_failure(p, parts, count)) != OM_OK)
        return rc;
    else if (all)
        out->verdict = OM_HOLDS;
    else
        rc = set_reason(p, *faulty != NULL ? FAULT_REASON : limit_of(p, parts, count), out);
    return rc;
}

int om_plan__take_parts(const om_plan *p, om_part *parts, size_t count, om_check_result *out)
{
    int rc = OM_OK;
    out->parts = om_alloc(p->heap, count, sizeof *out->parts);
    if (out->parts == NULL)
        return om_fail_memory(p->ctx);
    for (size_t i = 0; rc == OM_OK && i < count; i++)
        rc = take_part(p, &parts[i], out);
    return rc;
}

/* ---- counterexamples ---- */

/* Reports the fault with its place in the model, or with the name of the proposition it occurs
 * in. */
static int say_fault(om_plan *p, const om_target *t, om_fault fault)
{
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
static int say_fault_after(om_plan *p, const om_target *t, om_fault fault, const om_lasso *trace)
{
    uint32_t *end = NULL;
    if (OM_FAULT_KIND(fault) != OM_FAULT_OVERFLOW || trace->count == 0)
        return say_fault(p, t, fault);
    end = om_alloc(p->heap, trace->words, sizeof *end);
    bool known = end != NULL && om_lasso__end(trace, p->model, end) == OM_OK;
    om_context_clear(p->ctx);
    int rc = known ? om_model_fault_in(p->model, fault, end) : say_fault(p, t, fault);
    om_free(p->heap, end);
    return rc;
}

/* Moves the context's error to the result. */
static void take_failure(om_plan *p, om_check_result *out)
{
    om_free(p->heap, out->fault);
    out->fault =
        om_strdup(p->heap, om_context_error(p->ctx)); /* may be NULL: the note has the text, too */
    om_note(p->ctx, OM_NOTE_WARNING, NULL, "%s", om_context_error(p->ctx));
    om_context_clear(p->ctx);
}

/* Writes a fault to the result; the check does not fail because of it. */
static void keep_fault(om_plan *p, const om_target *t, om_fault fault, om_check_result *out)
{
    (void) say_fault(p, t, fault);
    take_failure(p, out);
}

int om_plan__name_assertion(om_plan *p, uint32_t number, om_check_result *out)
{
    const om_assertion *a = om_model_assertion(p->model, number);
    om_text place = { .heap = p->heap };
    om_text_printf(
        &place, "%s:%" PRIu32 ":%" PRIu32, a->place.file, a->place.line, a->place.column);
    out->about = OM_ABOUT_ASSERTION;
    om_free(p->heap, out->property);
    out->property = place.failed ? NULL : place.text;
    om_free(p->heap, out->fault);
    out->fault = om_strdup(p->heap, a->text);
    return out->property == NULL || out->fault == NULL ? om_fail_memory(p->ctx) : OM_OK;
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

/* Takes status `rc` and message of an extraction under the attempt over to the plan, and converts
 * the run to one of the model. */
static int take_lasso(
    om_plan *p, const om_attempt *a, int rc, om_run_kind kind, om_check_result *out)
{
    if (rc == OM_OK) {
        out->lasso.heap = p->heap; /* it outlives the attempt's context */
        return om_plan__take_run(p, &out->lasso, kind);
    }
    if (om_context_error(a->ctx)[0] != '\0')
        (void) om_fail(p->ctx, rc, NULL, "%s", om_context_error(a->ctx));
    return rc;
}

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

/* Replays the lasso that an attempt found. Frees the memory of the search first. */
static int referee(om_plan *p, om_attempt *a, const om_obligation *obligation, om_check_result *out)
{
    om_text who = { .heap = p->heap };
    om_plan__drop_task(a);
    out->has_lasso = true;
    om_text_printf(&who, "checker %s", a->checker->head.name);
    int rc =
        om_plan__referee(p, &out->lasso, obligation, who.failed ? a->checker->head.name : who.text);
    om_text_free(&who);
    return rc;
}

/* Records that the fault is not the model's: the searched form has too few bits
 * (om_plan__widen()). */
static int note_overfull(om_plan *p, om_attempt *a, om_check_result *out)
{
    om_lasso_free(&out->lasso);
    out->has_lasso = false;
    om_free(p->heap, out->reason);
    out->reason = NULL;
    a->out.result.verdict = OM_UNKNOWN;
    return set_reason(p, FAULT_REASON, out);
}

/* Extracts the trace to a fault of the model, or to a fault that lies on every path from the
 * evidence to an accepting cycle (a checker that looks only at the automaton there, such as reach,
 * cannot detect that). Returns OM_EMODEL with the place; a failed assertion is a violation of its
 * own. */
static int explain_fault(om_plan *p, const om_target *t, om_attempt *a, om_check_result *out)
{
    om_fault fault = a->out.result.fault; /* of the searched form */
    om_obligation obligation = { .model = p->model };
    om_context_clear(a->ctx);
    if (om_plan__overfull(p, fault))
        return note_overfull(p, a, out);
    int rc = take_lasso(p, a, om_lasso__extract_fault(&out->lasso, a->ctx, a->out.task, &fault),
        OM_RUN_TO_FAULT, out);
    fault = om_plan__take_fault(p, fault);
    bool assertion = OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION;
    obligation.fault = fault;
    if (rc == OM_OK && om_plan__overfull(p, fault))
        return note_overfull(p, a, out);
    if (rc == OM_OK)
        rc = referee(p, a, &obligation, out);
    rc = om_plan__unless_refereed(p, rc, a->ctx, out); /* the fault stands */
    if (rc != OM_OK)
        return rc;
    p->fault = fault;
    out->verdict = assertion ? OM_VIOLATED : OM_UNKNOWN;
    if (assertion)
        return om_plan__name_assertion(p, OM_FAULT_SUBJECT(fault), out);
    om_free(p->heap, out->reason);
    out->reason = NULL;
    rc = set_reason(p, FAULT_REASON, out);
    return rc == OM_OK ? say_fault_after(p, t, fault, &out->lasso) : rc;
}

/* Stores in the lasso which fairness it shows. */
static int say_fairness(const om_plan *p, const om_target *t, om_lasso *l)
{
    om_text text = { .heap = p->heap };
    if (t->trace)
        return OM_OK;
    l->fairness = p->options.fairness;
    for (size_t i = 0; i < p->options.fair_count; i++)
        om_text_printf(&text, "%s(%s)", i == 0 ? "" : " & ", p->options.fair[i]);
    if (text.failed) {
        om_text_free(&text);
        return om_fail_memory(p->ctx);
    }
    l->fair = text.text;
    return OM_OK;
}

/* Extracts the lasso and lets the referee replay it. */
static int certify(om_plan *p, const om_target *t, om_attempt *a, om_check_result *out)
{
    enum { BAD = 1 }; /* the final state of the automaton of om_plan__forbid_ever() */
    int rc = take_lasso(p, a,
        t->trace ? om_lasso__extract_trace(&out->lasso, a->ctx, a->out.task, BAD)
                 : om_lasso_extract(&out->lasso, a->ctx, a->out.task),
        t->bad != 0 ? OM_RUN_TO_STATE : OM_RUN_ANY, out);
    if (rc == OM_EMODEL)
        return explain_fault(p, t, a, out);
    if (rc == OM_OK && t->trace && om_plan__wrapped(p, &out->lasso))
        return note_overfull(p, a, out);
    if (rc == OM_OK)
        rc = say_fairness(p, t, &out->lasso);
    if (rc == OM_OK)
        rc = referee(p, a, &t->obligation, out);
    return om_plan__unless_refereed(p, rc, a->ctx, out);
}

/* Makes the counterexample after the parts have run, within the rest of the limits. A violation
 * with a lasso takes precedence over a fault, which is reported in addition. */
static int conclude(om_plan *p, const om_target *t, om_part *parts, size_t count,
    om_attempt *violated, om_attempt *faulty, om_check_result *out)
{
    om_attempt *a = violated != NULL ? violated : faulty;
    om_plan__after(p);
    for (size_t i = 0; i < count; i++) {
        if (&parts[i].cpu != a)
            om_plan__drop_task(&parts[i].cpu);
        if (&parts[i].device != a)
            om_plan__drop_task(&parts[i].device);
    }
    if (violated == NULL || (om_task_evidence_of(a->out.task) == NULL && a->out.result.fault != 0))
        return explain_fault(p, t, a, out);
    om_fault beside = a->out.result.fault != 0 ? a->out.result.fault
                      : faulty != NULL         ? faulty->out.result.fault
                                               : 0;
    int rc = certify(p, t, a, out);
    beside = om_plan__take_fault(p, beside);
    if (rc != OM_OK || out->verdict != OM_VIOLATED)
        return rc;
    if (om_plan__overfull(p, beside))
        p->searched.overfull = OM_NONE; /* the violation stands */
    else if (beside != 0)
        keep_fault(p, t, beside, out);
    return OM_OK;
}

/* ---- a check ---- */

bool om_plan__ignores_assertions(const om_plan *p, const om_target *t)
{
    return (p->options.ignore_assertions || p->knows_assertions) && !p->ends_at_assertions &&
           !t->obligation.assertion;
}

/* Opens the executor and makes the parts. May take long: a compiler runs and devices are opened. */
static int get_ready(om_plan *p, const om_target *t, om_task_spec *spec, om_executor **x,
    om_part *parts, size_t *count)
{
    const om_model_form form = { .reset_dead = p->options.reset_dead != OM_SWITCH_OFF,
        .overflow = p->options.overflow,
        .ignore_assertions = om_plan__ignores_assertions(p, t) };
    om_merging merging = OM_MERGE_NOTHING;
    int rc = om_plan__shape(p, form, t->aps, t->all_aps);
    if (rc == OM_OK)
        rc = om_plan__merging(p, t, &merging);
    if (rc == OM_OK)
        rc = om_plan__make_searched(p, t->aps, t->all_aps, merging);
    om_model *model = om_plan__searched(p);
    const om_expr *aps = om_plan__searched_aps(p, t->aps);
    if (rc == OM_OK)
        rc = om_executor_open(x, model, p->options.exec, aps, t->all_aps);
    *spec = (om_task_spec){ .model = model, .aps = aps, .ap_count = t->ap_count };
    spec->product = (om_product_spec){ .executor = *x,
        .stutter = t->obligation.stutter,
        .faults_repeat = t->trace,
        .deadlock_ap = t->deadlock_ap,
        .seed = p->options.seed };
    p->target = t;
    return rc == OM_OK ? om_plan__parts(p, t->automaton, parts, count) : rc;
}

/* Reasons to repeat a check, and data from its parts */
typedef struct retry {
    bool runs_end;        /* the run found ends at a fault of the model; others may not */
    bool wider;           /* some variable needed more bits, which it has now */
    bool distrusted;      /* the violation that a device reported was rejected */
    om_strength strength; /* of that part */
    char *gave_up;        /* as in om_part_result; NULL if memory ran out */
} retry;

/* Handles rejected evidence of a device: issues a notice and fills *r. */
static void distrust(om_plan *p, const om_attempt *a, retry *r)
{
    const char *name = a->checker->head.name, *device = om_device_info_of(a->device)->name,
               *said = om_context_error(p->ctx);
    om_text why = { .heap = p->heap };
    om_note(p->ctx, OM_NOTE_NOTICE, NULL, "%s on %s gave up (%s): continuing with %s on the CPU",
        name, device, said, a->part->cpu.checker->head.name);
    om_text_printf(&why, "%s on %s: %s", name, device, said);
    r->distrusted = true;
    r->strength = a->part->strength;
    r->gave_up = why.failed ? NULL : why.text;
    if (why.failed)
        om_text_free(&why);
}

static int try_target(om_plan *p, const om_target *t, om_check_result *out, retry *again)
{
    om_part parts[OM_PLAN_PARTS] = { 0 };
    om_attempt *violated = NULL, *faulty = NULL;
    om_executor *x = NULL;
    om_task_spec spec;
    size_t count = 0;
    int rc;

    p->stutter = t->obligation.stutter;
    p->fair = t->is_fair ? &t->fair : NULL;
    rc = get_ready(p, t, &spec, &x, parts, &count);
    if (rc == OM_ELIMIT || rc == OM_ESTOP) {
        /* No part ran, and some may lack their checker. */
        rc = om_plan__unknown(p, om_plan__why(p), out);
        goto done;
    }
    if (rc == OM_EMODEL) /* the model has a fault at the start */
        rc = set_reason(p, FAULT_REASON, out) == OM_OK ? rc : OM_ENOMEM;
    if (rc == OM_OK) {
        om_plan__run(p, parts, count, &spec);
        rc = om_plan__sum(p, parts, count, out, &violated, &faulty);
    }
    if (rc == OM_OK && (violated != NULL || faulty != NULL))
        rc = conclude(p, t, parts, count, violated, faulty, out);
    om_attempt *told = violated != NULL ? violated : faulty;
    if (rc == OM_EINTERNAL && told != NULL && told->device != NULL &&
        told->part->cpu.checker != NULL)
        distrust(p, told, again);
    const bool overfull = rc == OM_OK && p->searched.overfull != OM_NONE;
    if ((rc == OM_EMODEL || overfull) && violated != NULL) {
        again->runs_end = violated->part->claimed == OM_TERMINAL && !t->trace;
        violated->out.result.verdict = OM_UNKNOWN;
    }
    if (rc == OM_OK && violated != NULL && !overfull)
        rc = om_plan__shortest(p, t, &spec.product, out);
    if (rc == OM_OK || rc == OM_EMODEL) {
        int took = om_plan__take_parts(p, parts, count, out);
        if (took != OM_OK && out->verdict == OM_VIOLATED)
            om_context_clear(p->ctx); /* figures may be missing; the violation stands */
        else
            rc = took == OM_OK ? rc : took;
    }
done:
    for (size_t i = 0; i < OM_PLAN_PARTS; i++)
        if (parts[i].plan != NULL) {
            om_outcome *o = &parts[i].answer->out;
            om_plan__met_overflows(p, o->overflows, o->overflow_vector);
            o->overflow_vector = NULL;
        }
    om_plan__parts_free(p, parts);
    if (x != NULL)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "successors on the CPU computed by: %s",
            om_executor__who(x));
    om_executor_close(x);
    return rc;
}

/* Sets the options for the next attempt: those of the plan, minus the checkers and devices that
 * failed. */
static void change_options(om_plan *p, const retry *r)
{
    const char **of_part = r->strength == OM_TERMINAL ? &p->options.terminal
                           : r->strength == OM_WEAK   ? &p->options.weak
                                                      : &p->options.strong;
    if (r->wider)
        return;
    p->options.checker = NULL;
    if (r->distrusted) {
        p->options.device = "none";
        *of_part = NULL;
    }
    if (r->runs_end)
        p->options.terminal = NULL;
    p->runs_end = p->runs_end || r->runs_end;
}

/* Restores only the options that were changed: the watcher and the opener read others
 * concurrently. */
static void restore_options(om_plan *p, const om_plan_options *asked)
{
    p->options.checker = asked->checker;
    p->options.device = asked->device;
    p->options.terminal = asked->terminal;
    p->options.weak = asked->weak;
    p->options.strong = asked->strong;
    p->runs_end = false;
}

/* Records in the result of the part that its device gave up. Takes ownership of the text. */
static void note_device(om_check_result *out, const retry *r)
{
    char *text = r->gave_up;
    for (size_t i = 0; i < out->part_count && text != NULL; i++)
        if (out->parts[i].strength == r->strength && out->parts[i].gave_up == NULL) {
            out->parts[i].gave_up = text;
            text = NULL;
        }
    om_free(out->heap, text);
}

/* If more time than this is left, whether the search can end is determined first. Afterwards the
 * time may be too short for it. */
static const uint64_t ENOUGH_NS = 2000000000;

/* Requests another attempt with more bits, if more are available. */
static void consider_widening(om_plan *p, int rc, retry *r)
{
    r->wider = rc == OM_OK && om_plan__widen(p);
    if (r->wider)
        r->runs_end = false;
}

/* Completes the reason of UNKNOWN: the limit of the searched form, or the proof that the search
 * cannot end. */
static int say_why_not(om_plan *p, om_check_result *out)
{
    om_text why = { .heap = p->heap };
    if (out->verdict != OM_UNKNOWN || p->model == NULL || om_model__open_count(p->model) == 0 ||
        om_control_stopped(om_context_control(p->ctx)) == OM_STOP_INTERRUPT)
        return OM_OK;
    om_plan__after(p);
    if (p->searched.overfull != OM_NONE)
        om_plan__say_overfull(p, &why);
    else if (om_plan__endless(p) != NULL)
        om_text_printf(&why, "%s; %s", out->reason, om_plan__endless(p));
    else
        return OM_OK;
    om_free(p->heap, out->reason);
    out->reason = why.failed ? NULL : why.text;
    if (why.failed)
        om_text_free(&why);
    return out->reason == NULL ? om_fail_memory(p->ctx) : OM_OK;
}

/*
 * A checker that looks only at the automaton, such as reach, reports any state in a terminal
 * component as a violation. If every path from there leads to a fault of the model, that is not a
 * violation. The search is then repeated with checkers that look for cycles, even if others were
 * named. It is also repeated on the CPU alone if the violation reported by a device is rejected,
 * and with the same checkers if a variable needs more bits.
 */
static int check_target(om_plan *p, const om_target *t, om_check_result *out)
{
    static const om_levels none = { 0 };
    const om_plan_options asked = p->options;
    retry now = { 0 }, device = { 0 };
    if (om_control_left_ns(om_context_control(p->ctx)) > ENOUGH_NS)
        (void) om_plan__endless(p);
    int rc = try_target(p, t, out, &now);
    consider_widening(p, rc, &now);
    if (!now.runs_end && !now.distrusted && !now.wider)
        return rc == OM_OK ? say_why_not(p, out) : rc;
    while (now.runs_end || now.distrusted || now.wider) {
        if (now.distrusted)
            device = now;
        om_check_result_free(out);
        *out = (om_check_result){ .heap = p->heap, .verdict = OM_UNKNOWN };
        om_context_clear(p->ctx);
        om_plan__forget_overflows(p);
        om_plan__show_figures(p, 0, 0, &none);
        change_options(p, &now);
        now = (retry){ 0 };
        rc = try_target(p, t, out, &now);
        consider_widening(p, rc, &now);
        now.runs_end = now.runs_end && !p->runs_end;
    }
    note_device(out, &device);
    restore_options(p, &asked);
    return rc == OM_OK ? say_why_not(p, out) : rc;
}

/*
 * ---- property and failed assertion ----
 *
 * A failed assertion is a verdict of its own. The property gets a second verdict, on the runs of
 * the model as defined by its language: they continue after a failed assertion, unless it is final.
 * If the property holds on all of these runs, it holds. If not, the violation counts only if some
 * run shows it on which no assertion fails. Otherwise the verdict on the property is UNKNOWN,
 * because the violating runs, cut at the failed assertion, do not violate it.
 */

static const char ONLY_AFTER[] = "violated only by runs that continue after an assertion fails";

static void forget_result(const om_plan *p, om_check_result *out)
{
    om_check_result_free(out);
    *out = (om_check_result){ .heap = p->heap, .verdict = OM_UNKNOWN };
}

static void begin_anew(om_plan *p)
{
    static const om_levels none = { 0 };
    om_plan__forget_overflows(p);
    om_plan__show_figures(p, 0, 0, &none);
}

/* Sets UNKNOWN: a final assertion fails on the way, so nothing is known of what follows it. */
static int stop_at_final(om_plan *p, om_check_result *out)
{
    om_text why = { .heap = p->heap };
    om_text_printf(&why, "a run ends when %s fails: %s", out->property, out->fault);
    forget_result(p, out);
    int rc = why.failed ? om_fail_memory(p->ctx) : set_reason(p, why.text, out);
    om_text_free(&why);
    return rc;
}

/* Returns OM_OK if the run also shows the violation when it ends at failed assertions, else
 * OM_EINPUT. */
static int replay_with_assertions(om_plan *p, const om_target *t, om_lasso *l)
{
    const om_model_form form = { .reset_dead = l->form.reset_dead, .overflow = l->form.overflow };
    om_obligation o = t->obligation;
    om_automaton *allowed = NULL;
    om_expr *aps = NULL;
    int rc = OM_OK;
    if (l->loop == OM_NO_LOOP && t->ltl != NULL)
        rc = om_plan__allowed(p, p->ctx, t, &allowed, &aps);
    o.allowed = allowed;
    o.allowed_aps = aps;
    if (rc == OM_OK)
        rc = om_plan__shape(p, form, t->aps, t->all_aps);
    l->form.ignore_assertions = false;
    if (rc == OM_OK)
        rc = om_lasso_replay(p->ctx, l, &o);
    om_automaton_free(allowed);
    om_free(p->heap, aps);
    if (rc == OM_EINPUT)
        om_context_clear(p->ctx);
    return rc;
}

/* replay_with_assertions() for a result. First cuts off what follows the bad prefix, if it is
 * known. */
static int vet_lasso(om_plan *p, const om_target *t, om_check_result *out)
{
    const om_prefix asked = p->options.bad_prefix;
    if (!out->has_lasso)
        return OM_EINPUT;
    p->options.bad_prefix = OM_PREFIX_ALONE;
    int rc = om_plan__show(p, t, OM_OK, out);
    p->options.bad_prefix = asked;
    return rc != OM_OK       ? rc
           : !out->has_lasso ? OM_EINPUT
                             : replay_with_assertions(p, t, &out->lasso);
}

/* Searches for a violating run on which no assertion fails: runs end where an assertion fails. */
static int search_up_to(om_plan *p, const om_target *t, om_check_result *out)
{
    forget_result(p, out);
    begin_anew(p);
    p->ends_at_assertions = true;
    int rc = check_target(p, t, out);
    p->ends_at_assertions = false;
    const bool ended = out->reason != NULL && strcmp(out->reason, FAULT_REASON) == 0;
    const bool none = rc == OM_EMODEL || (rc == OM_OK && (ended || out->verdict == OM_HOLDS));
    if (!none)
        return rc;
    const uint64_t states = out->states, transitions = out->transitions;
    om_context_clear(p->ctx);
    p->fault = 0;
    forget_result(p, out);
    out->states = states;
    out->transitions = transitions;
    return set_reason(p, ONLY_AFTER, out);
}

/* Takes the verdict of the search past failed assertions for the property's, if no assertion fails
 * on the run that it found. */
static int vet_run(om_plan *p, const om_target *t, om_check_result *out)
{
    if (out->verdict != OM_VIOLATED)
        return OM_OK;
    int rc = vet_lasso(p, t, out);
    if (rc == OM_EINPUT)
        return search_up_to(p, t, out);
    if (rc != OM_ELIMIT && rc != OM_ESTOP && rc != OM_ENOMEM)
        return rc;
    om_text why = { .heap = p->heap };
    om_text_add(&why, om_plan__why(p));
    forget_result(p, out);
    rc = om_plan__unknown(p, why.text == NULL ? "" : why.text, out);
    om_text_free(&why);
    return rc;
}

/* Searches runs that continue after failed assertions. A fault of the model there does not fail the
 * check, because the assertion failed before it. */
static int search_past(om_plan *p, const om_target *t, om_check_result *out)
{
    int rc = check_target(p, t, out);
    if (rc == OM_EMODEL) {
        take_failure(p, out);
        rc = OM_OK;
    }
    if (rc == OM_OK && out->about == OM_ABOUT_ASSERTION)
        return stop_at_final(p, out);
    return rc == OM_OK ? vet_run(p, t, out) : rc;
}

/* Replaces *out, which is about the assertion, by a result about the property. */
static int judge_apart(om_plan *p, const om_target *t, om_check_result *out)
{
    const bool final = om_model__is_final(p->model, OM_FAULT_SUBJECT(p->fault));
    int rc = om_plan__show(p, t, OM_OK, out);
    if (rc == OM_OK)
        rc = om_plan__keep_states(p, out);
    if (rc != OM_OK)
        return rc;
    om_check_result *failed = om_alloc(p->heap, 1, sizeof *failed);
    if (failed == NULL)
        return om_fail_memory(p->ctx);
    *failed = *out;
    failed->seconds = om_plan__seconds(p);
    *out = (om_check_result){ .heap = p->heap, .verdict = OM_UNKNOWN };
    p->knows_assertions = true;
    p->fault = 0;
    if (final) {
        out->property = om_strdup(p->heap, failed->property);
        out->fault = om_strdup(p->heap, failed->fault);
        rc = out->property == NULL || out->fault == NULL ? om_fail_memory(p->ctx)
                                                         : stop_at_final(p, out);
    } else {
        begin_anew(p);
        rc = search_past(p, t, out);
    }
    out->assertion = failed;
    return rc;
}

/* Checks one property; a failed assertion met on the way becomes an additional result. */
static int check_property(om_plan *p, const om_target *t, om_check_result *out)
{
    if (t->obligation.assertion || p->options.ignore_assertions)
        return check_target(p, t, out);
    if (p->knows_assertions)
        return search_past(p, t, out);
    const int rc = check_target(p, t, out);
    return rc == OM_OK && out->about == OM_ABOUT_ASSERTION ? judge_apart(p, t, out) : rc;
}

/* Translates and checks a property that was read; `rc` is the status of reading it. */
static int check_read(om_plan *p, int rc, om_target *t, om_check_result *out)
{
    om_check_result r = { .heap = p->heap, .verdict = OM_UNKNOWN };

    if (rc == OM_OK)
        rc = om_plan__translate(p, t);
    if (rc == OM_OK) {
        rc = check_property(p, t, &r);
    } else if (rc == OM_ELIMIT) {
        /* A limit ended the translation of the formula: the answer is UNKNOWN. */
        rc = om_plan__unknown(p, om_plan__why(p), &r);
    }
    r.seconds = om_plan__seconds(p);
    r.threads = p->threads;
    if (r.memory_bytes == 0)
        r.memory_bytes = om_resident__peak_bytes();
    if (rc == OM_OK || rc == OM_EMODEL)
        om_plan__report_overflows(p);
    if (rc == OM_OK || rc == OM_EMODEL)
        rc = om_plan__show(p, t, rc, &r);
    if (r.property == NULL) {
        r.property = t->name;
        t->name = NULL;
    }
    r.fairness = om_plan__fairness(p, t);
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
    if (kind == OM_PROPERTY_FAULT)
        return om_fail(p->ctx, OM_EINVAL, NULL, "every check looks for faults");
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
