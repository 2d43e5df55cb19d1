/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a check, and the outcomes of a try's parts in it. */
#include "verdict.h"

#include "control/control.h"
#include "model.h"

#include <assert.h>
#include <inttypes.h>

const char om_check__fault_reason[] = "error in the model";

void om_check_result_free(om_check_result *r)
{
    if (r == NULL || r->heap == NULL)
        return;
    for (size_t i = 0; i < r->part_count; i++) {
        OM_FREE_ALL(r->heap, r->parts[i].device, r->parts[i].gave_up);
    }
    OM_FREE_ALL(r->heap, r->parts, r->property, r->reason, r->fault);
    om_lasso_free(&r->lasso);
    if (r->assertion != NULL)
        om_check_result_free(r->assertion);
    om_free(r->heap, r->assertion);
    *r = (om_check_result){ 0 };
}

void om_check__forget_result(om_check *c)
{
    om_check_result_free(c->result);
    *c->result = (om_check_result){ .heap = c->plan->heap, .verdict = OM_UNKNOWN };
}

int om_check__set_reason(om_check *c, const char *why)
{
    om_check_result *out = c->result;
    om_free(out->heap, out->reason);
    out->verdict = OM_UNKNOWN;
    out->reason = om_strdup(out->heap, why);
    return out->reason == NULL ? om_fail_memory(c->plan->ctx) : OM_OK;
}

int om_check__unknown(om_check *c, const char *why)
{
    int rc = om_check__set_reason(c, why);
    om_context_clear(c->plan->ctx);
    return rc;
}

void om_check__take_failure(om_check *c)
{
    om_context *ctx = c->plan->ctx;
    om_free(c->plan->heap, c->result->fault);
    /* may be NULL: the note has the text, too */
    c->result->fault = om_strdup(c->plan->heap, om_context_error(ctx));
    om_note(ctx, OM_NOTE_WARNING, NULL, "%s", om_context_error(ctx));
    om_context_clear(ctx);
}

int om_check__name_assertion(om_check *c, uint32_t number)
{
    const om_plan *p = c->plan;
    om_check_result *out = c->result;
    const om_assertion *a = om_model_assertion(p->model, number);
    om_text place = { .heap = p->heap };
    assert(number < om_model_assertion_count(p->model) && out->verdict == OM_VIOLATED); /* V4 */
    om_text_printf(
        &place, "%s:%" PRIu32 ":%" PRIu32, a->place.file, a->place.line, a->place.column);
    out->about = OM_ABOUT_ASSERTION;
    om_free(p->heap, out->property);
    out->property = place.failed ? NULL : place.text;
    om_free(p->heap, out->fault);
    out->fault = om_strdup(p->heap, a->text);
    return out->property == NULL || out->fault == NULL ? om_fail_memory(p->ctx) : OM_OK;
}

/* ---- outcomes of the parts ---- */

static int take_part(om_part *part, om_check_result *out)
{
    om_part_result *to = &out->parts[out->part_count];
    om_attempt *t = part->answer;
    assert(t == &part->cpu || t == &part->device);   /* P8 */
    assert(out->part_count < part->try->part_count); /* V1 */
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
        to->device = om_strdup(out->heap, om_device_info_of(t->device)->name);
        if (to->device == NULL)
            return om_fail_memory(part->try->plan->ctx);
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
static int first_failure(const om_try *try)
{
    for (size_t i = 0; i < try->part_count; i++) {
        const om_attempt *t = try->parts[i].answer;
        if (t->out.rc != OM_OK && t->out.rc != OM_EMODEL && t->out.rc != OM_ESTOP)
            return om_fail(try->plan->ctx, t->out.rc, NULL, "%s", om_context_error(t->ctx));
    }
    return OM_OK;
}

/* Returns why the check as a whole has no answer: the first limit that a part hit. If no limit of
 * the check was hit, it is the part's own message. */
static const char *limit_of(const om_try *try)
{
    const om_part *parts = try->parts;
    om_stop_reason reason = om_control_stopped(om_context_control(try->plan->ctx));
    const char *said = "";
    for (size_t i = 0; i < try->part_count && reason == OM_STOP_NONE && *said == '\0'; i++) {
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

int om_check__sum(om_check *c, om_try *try, om_attempt **violated, om_attempt **faulty)
{
    om_check_result *out = c->result;
    bool all = true;
    int rc = OM_OK;
    *violated = *faulty = NULL;
    for (size_t i = 0; i < try->part_count; i++) {
        const om_part *part = &try->parts[i];
        om_attempt *t = part->answer;
        bool ran = part->started && t->out.rc == OM_OK;
        if (ran && t->out.result.verdict == OM_VIOLATED && *violated == NULL)
            *violated = t;
        if (part->started && *faulty == NULL &&
            (t->out.rc == OM_EMODEL || (ran && t->out.result.fault != 0)))
            *faulty = t;
        all = all && ran && t->out.result.verdict == OM_HOLDS;
    }
    out->memory_bytes = om_resident__peak_bytes();
    out->threads = c->plan->threads;
    if (*violated != NULL)
        out->verdict = OM_VIOLATED;
    else if ((rc = first_failure(try)) != OM_OK)
        return rc;
    else if (all)
        out->verdict = OM_HOLDS;
    else
        rc = om_check__set_reason(c, *faulty != NULL ? om_check__fault_reason : limit_of(try));
    return rc;
}

int om_check__take_parts(om_check *c, om_try *try)
{
    om_check_result *out = c->result;
    int rc = OM_OK;
    assert(out->parts == NULL && out->part_count == 0); /* V1 */
    if (!OM_NEW(out->heap, out->parts, try->part_count))
        return om_fail_memory(c->plan->ctx);
    for (size_t i = 0; rc == OM_OK && i < try->part_count; i++)
        rc = take_part(&try->parts[i], out);
    return rc;
}
