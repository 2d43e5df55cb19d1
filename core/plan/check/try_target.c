/* SPDX-License-Identifier: Apache-2.0 */
/* One try of a check: from the form of the model to the evidence of the parts. */
#include "check.h"

#include "execute/executor.h"
#include "supervise.h"

/* Lets the executor reduce by partial orders if that is sound and the options allow it. */
static int reduce(om_try *try)
{
    const om_target *t = try->target;
    om_reduction kept = OM_REDUCE_NOTHING;
    const int rc = om_plan__reducing(try->plan, t, &kept);
    return rc == OM_OK ? om_searched__reduce(&try->searched, &try->executor, kept, t->options->por,
                             t->aps, t->all_aps)
                       : rc;
}

/* Opens the executor and makes the parts. May take long: a compiler runs and devices are opened. */
static int get_ready(const om_check *c, om_try *try)
{
    om_plan *p = c->plan;
    const om_target *t = c->target;
    const bool ends = try->ends_at_assertions;
    const bool ignores = c->options->ignore_assertions || p->memory.knows_assertions;
    const om_model_form form = { .reset_dead = c->options->reset_dead != OM_SWITCH_OFF,
        .overflow = c->options->overflow,
        .ignore_assertions = ignores && !ends && !t->obligation.assertion };
    int rc = ends ? om_plan__shape_as(p, form, OM_ASSERTED_AS_ENDS, t->aps, t->all_aps)
                  : om_plan__shape(p, form, t->aps, t->all_aps);
    if (rc == OM_OK)
        rc = om_try__search_model(try, t->all_aps);
    try->executor_ns = om_clock_ns();
    if (rc == OM_OK)
        rc = om_executor_open(
            &try->executor, try->spec.model, try->options.exec, try->spec.aps, t->all_aps);
    if (rc == OM_OK && !ends)
        rc = reduce(try);
    if (rc == OM_OK && !ends && try->merging == OM_MERGE_ALL)
        rc = om_searched__leap(&try->searched, &try->executor);
    try->spec.product.executor = try->executor;
    return rc == OM_OK ? om_try__make_parts(try, t->automaton) : rc;
}

/* Makes the verdict from the outcomes of the parts, and determines whether the check is to be
 * repeated. */
static int conclude(om_check *c, om_try *try, om_retry *again)
{
    om_attempt *violated = NULL, *faulty = NULL;
    int rc = om_check__sum(c, try, &violated, &faulty);
    om_attempt *told = violated != NULL ? violated : faulty;
    if (rc == OM_OK && told != NULL)
        rc = om_check__certify(c, try, violated, faulty);
    if (rc == OM_EINTERNAL && told != NULL && told->device != NULL &&
        told->part->cpu.checker != NULL)
        *again = (om_retry){ .distrusted = true,
            .strength = told->part->strength,
            .gave_up = om_attempt__give_up(told, om_context_error(c->plan->ctx)) };
    const bool overfull = rc == OM_OK && try->searched.overfull != OM_NONE;
    if ((rc == OM_EMODEL || overfull) && violated != NULL) {
        again->runs_end = violated->part->claimed == OM_TERMINAL && !c->target->trace;
        violated->out.result.verdict = OM_UNKNOWN;
    }
    return rc == OM_OK && violated != NULL && !overfull ? om_check__shortest(c, try) : rc;
}

/* Keeps the overflows that the answers of the parts have met. */
static void take_overflows(om_check *c, om_try *try)
{
    for (size_t i = 0; i < try->part_count; i++) {
        om_outcome *out = &try->parts[i].answer->out;
        om_overflows__add(&c->overflows, &try->searched, out->overflows, out->overflow_vector);
        out->overflow_vector = NULL;
    }
}

/* Runs the parts if they are ready, and takes their outcomes into the result. */
static int answer(om_check *c, om_try *try, int ready, om_retry *again)
{
    int rc = ready;
    if (rc == OM_EMODEL) /* the model has a fault at the start */
        rc = om_check__set_reason(c, om_check__fault_reason) == OM_OK ? rc : OM_ENOMEM;
    if (rc == OM_OK) {
        om_try__run(try);
        take_overflows(c, try);
        rc = conclude(c, try, again);
    }
    if (rc != OM_OK && rc != OM_EMODEL)
        return rc;
    const int took = om_check__take_parts(c, try);
    if (took == OM_OK || c->result->verdict != OM_VIOLATED)
        return took == OM_OK ? rc : took;
    om_context_clear(c->plan->ctx); /* figures may be missing; the violation stands */
    return rc;
}

int om_check__try_target(om_check *c, om_try *try, om_retry *again)
{
    const int ready = get_ready(c, try);
    const int rc = ready == OM_ELIMIT || ready == OM_ESTOP
                       /* No part ran, and some may lack their checker. */
                       ? om_check__unknown(c, om_plan__why(c->plan))
                       : answer(c, try, ready, again);
    if (try->executor != NULL)
        om_note(c->plan->ctx, OM_NOTE_VERBOSE, NULL, "successors on the CPU computed by: %s",
            om_executor__who(try->executor));
    return rc;
}
