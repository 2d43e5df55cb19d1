/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tries of a check.
 *
 * A checker that looks only at the automaton, such as reach, reports any state in a terminal
 * component as a violation. If every path from there leads to a fault of the model, that is not a
 * violation. The search is then repeated with checkers that look for cycles, even if others were
 * named. It is also repeated on the CPU alone if the violation reported by a device is rejected,
 * and with the same checkers if a variable needs more bits.
 */
#include "check.h"

#include "control/control.h"
#include "form/proved.h"
#include "supervise.h"

#include <assert.h>

/* If more time than this is left, whether the search can end is determined first. Afterwards the
 * time may be too short for it. */
static const uint64_t ENOUGH_NS = 2000000000;

/* Returns the options of the next try: those of the last one, minus the checkers and the device
 * that failed. */
static om_plan_options without_failed(const om_plan_options *last, const om_retry *r)
{
    om_plan_options o = *last;
    if (r->wider)
        return o;
    o.checker = NULL;
    if (r->distrusted) {
        o.device = "none";
        *(r->strength == OM_TERMINAL ? &o.terminal
            : r->strength == OM_WEAK ? &o.weak
                                     : &o.strong) = NULL;
    }
    if (r->runs_end)
        o.terminal = NULL;
    return o;
}

/* Records in the result of the part that its device gave up. Takes ownership of the text. */
static void note_device(om_check_result *out, const om_retry *r)
{
    char *text = r->gave_up;
    for (size_t i = 0; i < out->part_count && text != NULL; i++)
        if (out->parts[i].strength == r->strength && out->parts[i].gave_up == NULL) {
            out->parts[i].gave_up = text;
            text = NULL;
        }
    om_free(out->heap, text);
}

/* Completes the reason of UNKNOWN: the limit of the searched form, or the proof that the search
 * cannot end. */
static int say_why_not(om_check *c, const om_searched *searched)
{
    om_plan *p = c->plan;
    om_check_result *out = c->result;
    om_text why = { .heap = p->heap };
    if (out->verdict != OM_UNKNOWN || p->model == NULL || om_model__open_count(p->model) == 0 ||
        om_control_stopped(om_context_control(p->ctx)) == OM_STOP_INTERRUPT)
        return OM_OK;
    om_plan__after(p);
    if (searched->overfull != OM_NONE)
        om_searched__say_overfull(searched, &why);
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

/* Makes one try and determines the reasons for another one. */
static int try_once(om_check *c, om_try *try, om_retry *again)
{
    *again = (om_retry){ 0 };
    om_overflows__free(&c->overflows, c->plan->heap);
    om_plan__clear_figures(c->plan);
    int rc = om_check__try_target(c, try, again);
    again->wider = rc == OM_OK && om_searched__widen(&try->searched);
    again->runs_end = again->runs_end && !again->wider && !try->runs_end;
    return rc;
}

/* Begins the next try. Discards the results of the last one. */
static void begin_again(om_check *c, om_try *try, const om_retry *r)
{
    const om_plan_options options = without_failed(&try->options, r);
    const bool runs_end = try->runs_end || r->runs_end, ends = try->ends_at_assertions;
    om_try__free(try);
    om_check__forget_result(c);
    om_context_clear(c->plan->ctx);
    om_try__init(try, c->plan, &options, c->target);
    try->runs_end = runs_end;
    try->ends_at_assertions = ends;
}

int om_check__search(om_check *c, bool ends_at_assertions)
{
    om_try try;
    om_retry again, device = { 0 };
    if (om_control_left_ns(om_context_control(c->plan->ctx)) > ENOUGH_NS)
        (void) om_plan__endless(c->plan);
    om_try__init(&try, c->plan, c->options, c->target);
    try.ends_at_assertions = ends_at_assertions;
    int rc = try_once(c, &try, &again);
    while (again.runs_end || again.distrusted || again.wider) {
        if (again.distrusted) {
            assert(device.gave_up == NULL); /* it had the last device */
            device = again;
        }
        begin_again(c, &try, &again);
        rc = try_once(c, &try, &again);
    }
    note_device(c->result, &device);
    if (rc == OM_OK)
        rc = say_why_not(c, &try.searched);
    om_try__free(&try);
    return rc;
}
