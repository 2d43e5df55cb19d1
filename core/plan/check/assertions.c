/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict on a property of a model with a failed assertion.
 *
 * A failed assertion is a verdict of its own. The property gets a second verdict, on the runs of
 * the model as defined by its language: they continue after a failed assertion, unless it is final.
 * If the property holds on all of these runs, it holds. If not, the violation counts only if some
 * run shows it on which no assertion fails. Otherwise the verdict on the property is UNKNOWN,
 * because the violating runs, cut at the failed assertion, do not violate it.
 */
#include "check.h"

#include "model.h"
#include "supervise.h"

#include <string.h>

static const char ONLY_AFTER[] = "violated only by runs that continue after an assertion fails";

/* Sets UNKNOWN: a final assertion fails on the way (`failed` is about it, and may be the check's
 * own result), so nothing is known of what follows it. */
static int stop_at_final(om_check *c, const om_check_result *failed)
{
    om_text why = { .heap = failed->heap };
    om_text_printf(&why, "a run ends when %s fails: %s", failed->property, failed->fault);
    om_check__forget_result(c);
    int rc = why.failed ? om_fail_memory(c->plan->ctx) : om_check__set_reason(c, why.text);
    om_text_free(&why);
    return rc;
}

/* Returns OM_OK if the run also shows the violation when it ends at failed assertions, else
 * OM_EINPUT. */
static int replay_with_assertions(om_check *c)
{
    om_plan *p = c->plan;
    const om_target *t = c->target;
    om_lasso *l = &c->result->lasso;
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
static int vet_lasso(om_check *c)
{
    if (!c->result->has_lasso)
        return OM_EINPUT;
    int rc = om_check__show(c, OM_OK, OM_PREFIX_ALONE);
    return rc != OM_OK ? rc : !c->result->has_lasso ? OM_EINPUT : replay_with_assertions(c);
}

/* Searches for a violating run on which no assertion fails: runs end where an assertion fails. */
static int search_up_to(om_check *c)
{
    const om_check_result *out = c->result;
    om_check__forget_result(c);
    int rc = om_check__search(c, true);
    const bool ended = out->reason != NULL && strcmp(out->reason, om_check__fault_reason) == 0;
    const bool none = rc == OM_EMODEL || (rc == OM_OK && (ended || out->verdict == OM_HOLDS));
    if (!none)
        return rc;
    const uint64_t states = out->states, transitions = out->transitions;
    om_context_clear(c->plan->ctx);
    c->fault = 0;
    om_check__forget_result(c);
    c->result->states = states;
    c->result->transitions = transitions;
    return om_check__set_reason(c, ONLY_AFTER);
}

/* Takes the verdict of the search past failed assertions for the property's, if no assertion fails
 * on the run that it found. */
static int vet_run(om_check *c)
{
    if (c->result->verdict != OM_VIOLATED)
        return OM_OK;
    int rc = vet_lasso(c);
    if (rc == OM_EINPUT)
        return search_up_to(c);
    if (rc != OM_ELIMIT && rc != OM_ESTOP && rc != OM_ENOMEM)
        return rc;
    om_text why = { .heap = c->plan->heap };
    om_text_add(&why, om_plan__why(c->plan));
    om_check__forget_result(c);
    rc = om_check__unknown(c, why.text == NULL ? "" : why.text);
    om_text_free(&why);
    return rc;
}

/* Searches runs that continue after failed assertions. A fault of the model there does not fail the
 * check, because the assertion failed before it. */
static int search_past(om_check *c)
{
    int rc = om_check__search(c, false);
    if (rc == OM_EMODEL) {
        om_check__take_failure(c);
        rc = OM_OK;
    }
    if (rc == OM_OK && c->result->about == OM_ABOUT_ASSERTION)
        return stop_at_final(c, c->result);
    return rc == OM_OK ? vet_run(c) : rc;
}

/* Replaces the result, which is about the assertion, by one about the property. */
static int judge_apart(om_check *c)
{
    om_plan *p = c->plan;
    om_check_result *out = c->result;
    const bool final = om_model__is_final(p->model, OM_FAULT_SUBJECT(c->fault));
    int rc = om_check__show(c, OM_OK, c->options->bad_prefix);
    if (rc == OM_OK)
        rc = om_check__keep_states(c);
    if (rc != OM_OK)
        return rc;
    om_check_result *failed = om_alloc(p->heap, 1, sizeof *failed);
    if (failed == NULL)
        return om_fail_memory(p->ctx);
    *failed = *out;
    failed->seconds = om_plan__seconds(p);
    *out = (om_check_result){ .heap = p->heap, .verdict = OM_UNKNOWN };
    p->memory.knows_assertions = true;
    c->fault = 0;
    rc = final ? stop_at_final(c, failed) : search_past(c);
    out->assertion = failed;
    return rc;
}

int om_check__property(om_check *c)
{
    if (c->target->obligation.assertion || c->options->ignore_assertions)
        return om_check__search(c, false);
    if (c->plan->memory.knows_assertions)
        return search_past(c);
    const int rc = om_check__search(c, false);
    return rc == OM_OK && c->result->about == OM_ABOUT_ASSERTION ? judge_apart(c) : rc;
}
