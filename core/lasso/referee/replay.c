/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The referee. A verdict is as good as its certificate, so this file uses the vm alone and none of
 * the code that made the lasso: no store, product, generated code, decomposition or conversion.
 *
 *   the run          state by state from the initial one: the transition that the lasso names is
 *                    enabled and leads to the next state, and the last one back to the start of
 *                    the cycle;
 *   fairness         if assumed: of processes, from the processes that can move in the states of
 *                    the cycle (fair.c); of formulas, like that of a property (eval.c);
 *   the obligation   for a property, twice if possible: the automaton of forbidden runs, as the
 *                    user's words gave it, accepts the labels of the states (membership.c of
 *                    core/automaton), and the formula is false on them (eval.c of core/ltl). This
 *                    exposes errors of a translator.
 *
 * A finite run is judged as a counterexample to a formula by the same two checks, with its last
 * state repeated; besides, it must be a bad prefix (prefix.c).
 *
 * The replay keeps three states in memory, and the labels of all. The message is about the first
 * error; states count from 0, as in the files of the lasso.
 */
#include "progress.h"
#include "fair.h"
#include "labels.h"
#include "model.h"
#include "prefix.h"

#include <inttypes.h>
#include <string.h>

typedef struct referee {
    om_context *ctx;
    const om_lasso *l;
    const om_obligation *obligation;
    om_executor *x;
    om_successors next;
    uint32_t *now, *then, *entry; /* the current state, the next one, that of the loop */
} referee;

static bool same(const om_lasso *l, const uint32_t *a, const uint32_t *b)
{
    return memcmp(a, b, l->words * sizeof *a) == 0;
}

static int check_shape(const referee *r)
{
    const om_lasso *l = r->l;
    const om_model_form form = om_model__form_of(r->obligation->model);
    if (l->form.overflow != form.overflow)
        return om_fail(r->ctx, OM_EINPUT, NULL, "the lasso is of the model in which overflows %s",
            l->form.overflow == OM_OVERFLOW_WRAP ? "wrap" : "are errors");
    if (l->form.reset_dead != form.reset_dead)
        return om_fail(r->ctx, OM_EINPUT, NULL,
            l->form.reset_dead
                ? "the lasso has dead variables reset, but this property may use their values"
                : "the lasso is of the model in which dead variables are not reset");
    if (l->form.ignore_assertions != form.ignore_assertions)
        return om_fail(r->ctx, OM_EINPUT, NULL, "the lasso is of the model in which %s",
            l->form.ignore_assertions ? "runs continue after an assertion fails"
                                      : "a run ends when an assertion fails");
    if (l->words != om_model_words(r->obligation->model))
        return om_fail(r->ctx, OM_EINPUT, NULL, "the lasso's states are not states of this model");
    if (l->count == 0)
        return om_fail(r->ctx, OM_EINPUT, NULL, "the lasso has no state");
    if (l->loop != OM_NO_LOOP && l->loop >= l->count)
        return om_fail(r->ctx, OM_EINPUT, NULL,
            "the cycle starts at state %zu, but there are only %zu states", l->loop, l->count);
    if (l->loop == OM_NO_LOOP && l->transitions[l->count - 1] != OM_NONE)
        return om_fail(
            r->ctx, OM_EINPUT, NULL, "a finite trace has a transition from its last state");
    return OM_OK;
}

/* The states that a lasso contains must be the states that it runs through. */
static bool as_written(const referee *r, size_t i, const uint32_t *state)
{
    const om_lasso *l = r->l;
    return l->vectors == NULL || same(l, l->vectors + i * l->words, state);
}

static int check_initial(referee *r)
{
    memcpy(r->now, om_model_initial(r->obligation->model), r->l->words * sizeof *r->now);
    if (!as_written(r, 0, r->now))
        return om_fail(r->ctx, OM_EINPUT, NULL, "state 0 is not the initial state of the model");
    return OM_OK;
}

static int check_stutter(referee *r, size_t i)
{
    if (!r->obligation->stutter)
        return om_fail(r->ctx, OM_EINPUT, NULL, "state %zu: a stuttering step is not allowed", i);
    if (r->next.count != 0)
        return om_fail(r->ctx, OM_EINPUT, NULL,
            "state %zu: a stuttering step, but the model has a successor", i);
    memcpy(r->then, r->now, r->l->words * sizeof *r->then);
    return OM_OK;
}

/* Takes step i, from r->now to r->then, which is state `to`. */
static int take_step(referee *r, size_t i, size_t to)
{
    uint32_t t = r->l->transitions[i];

    if (om_executor_successors(r->x, r->now, &r->next) != OM_OK)
        return om_fail_memory(r->ctx);
    if (r->next.fault != 0)
        return om_fail(
            r->ctx, OM_EINPUT, NULL, "state %zu: an error in the model ends the run there", i);
    if (t == OM_STUTTER)
        return check_stutter(r, i);
    for (size_t k = 0; k < r->next.count; k++)
        if (r->next.transition[k] == t) {
            memcpy(r->then, r->next.words + k * r->l->words, r->l->words * sizeof *r->then);
            return OM_OK;
        }
    if (t >= om_model_transition_count(r->obligation->model))
        return om_fail(r->ctx, OM_EINPUT, NULL, "state %zu: there is no transition %" PRIu32, i, t);
    const om_transition *transition = om_model_transition(r->obligation->model, t);
    return om_fail(r->ctx, OM_EINPUT, NULL,
        "state %zu: transition %" PRIu32 " (%s) is not enabled, so state %zu does not follow", i, t,
        transition->label == NULL ? "" : transition->label, to);
}

static int leads_elsewhere(const referee *r, size_t i, size_t to)
{
    uint32_t t = r->l->transitions[i];
    if (t == OM_STUTTER)
        return om_fail(
            r->ctx, OM_EINPUT, NULL, "state %zu: a stuttering step changes the state", i);
    const om_transition *transition = om_model_transition(r->obligation->model, t);
    return om_fail(r->ctx, OM_EINPUT, NULL,
        "state %zu: transition %" PRIu32 " (%s) does not lead to state %zu", i, t,
        transition->label == NULL ? "" : transition->label, to);
}

static int check_run(referee *r)
{
    enum { ASK_EVERY = 4096 };
    const om_lasso *l = r->l;
    int rc = check_shape(r);
    if (rc == OM_OK)
        rc = check_initial(r);
    for (size_t i = 0; rc == OM_OK && i < l->count; i++) {
        bool last = i + 1 == l->count;
        if (i == l->loop)
            memcpy(r->entry, r->now, l->words * sizeof *r->entry);
        if (last && l->loop == OM_NO_LOOP)
            break;
        size_t to = last ? l->loop : i + 1;
        rc = i % ASK_EVERY == 0 ? om_context_stopped(r->ctx) : OM_OK;
        if (i % ASK_EVERY == 0)
            om_stage__at(r->ctx, i);
        if (rc == OM_OK)
            rc = take_step(r, i, to);
        if (rc == OM_OK && !(last ? same(l, r->then, r->entry) : as_written(r, to, r->then)))
            rc = leads_elsewhere(r, i, to);
        uint32_t *swap = r->now;
        r->now = r->then;
        r->then = swap;
    }
    return rc;
}

/* The first state of the cycle. A finite run is continued by repeating its last state, one of many
 * continuations. */
static size_t loop_of(const om_lasso *l)
{
    return l->loop == OM_NO_LOOP ? l->count - 1 : l->loop;
}

/* The label of each state under these propositions; the caller frees *out. */
static int labels_of(const referee *r, const om_expr *aps, uint32_t count, om_label **out)
{
    return om_lasso__labels(r->ctx, r->l, r->obligation->model, aps, count, out);
}

static int check_automaton(const referee *r)
{
    const om_obligation *o = r->obligation;
    om_label *labels = NULL;
    bool accepted = false;
    int rc = labels_of(r, o->aps, o->ap_count, &labels);
    if (rc == OM_OK)
        rc = om_automaton_accepts_lasso(
            o->forbidden, r->ctx, labels, r->l->count, loop_of(r->l), &accepted);
    om_free(om_context_heap(r->ctx), labels);
    if (rc == OM_OK && !accepted)
        rc = om_fail(r->ctx, OM_EINPUT, NULL,
            "the model has this run, but the automaton of forbidden runs does not accept it");
    return rc;
}

static int evaluate(
    const referee *r, const om_ltl *ltl, om_ltl_ref f, const om_expr *aps, bool *holds)
{
    om_label *labels = NULL;
    int rc = labels_of(r, aps, om_ltl_ap_count(ltl), &labels);
    if (rc == OM_OK)
        rc = om_ltl_holds_on_lasso(ltl, f, labels, r->l->count, loop_of(r->l), holds);
    om_free(om_context_heap(r->ctx), labels);
    return rc;
}

static int check_fairness(const referee *r)
{
    const om_obligation *o = r->obligation;
    bool fair = true;
    int rc = o->fairness == OM_FAIRNESS_NONE
                 ? OM_OK
                 : om_lasso__check_fairness(r->ctx, r->l, o->model, o->fairness);
    if (rc == OM_OK && o->fair_ltl != NULL)
        rc = evaluate(r, o->fair_ltl, o->fair, o->fair_aps, &fair);
    if (rc == OM_OK && !fair)
        rc = om_fail(r->ctx, OM_EINPUT, NULL,
            "the model has this run, but the assumption does not hold on it");
    return rc;
}

static int check_formula(const referee *r)
{
    const om_obligation *o = r->obligation;
    bool holds = true;
    int rc = evaluate(r, o->ltl, o->formula, o->ltl_aps, &holds);
    if (rc == OM_OK && holds)
        rc =
            om_fail(r->ctx, OM_EINPUT, NULL, "the model has this run, but the formula holds on it");
    return rc;
}

static int check_invariant(const referee *r)
{
    om_label *labels = NULL;
    int rc = labels_of(r, &r->obligation->invariant, 1, &labels);
    if (rc == OM_OK && (labels[r->l->count - 1] & 1u) != 0)
        rc = om_fail(r->ctx, OM_EINPUT, NULL,
            "the model has this run, but the invariant holds in its last state");
    om_free(om_context_heap(r->ctx), labels);
    return rc;
}

static int check_deadlock(referee *r)
{
    if (om_executor_successors(r->x, r->now, &r->next) != OM_OK)
        return om_fail_memory(r->ctx);
    if (r->next.fault != 0 || r->next.count != 0)
        return om_fail(r->ctx, OM_EINPUT, NULL,
            "the model has this run, but its last state is not a deadlock");
    return OM_OK;
}

/* Returns true if the obligation asks for this fault. */
static bool is_expected_fault(const om_obligation *o, om_fault fault)
{
    const bool assertion = OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION;
    return o->assertion                            ? assertion
           : o->fault == OM_FAULT(OM_FAULT_ANY, 0) ? fault != 0 && !assertion
                                                   : fault == o->fault;
}

static int check_fault(referee *r)
{
    if (om_executor_successors(r->x, r->now, &r->next) != OM_OK)
        return om_fail_memory(r->ctx);
    if (!is_expected_fault(r->obligation, r->next.fault))
        return om_fail(r->ctx, OM_EINPUT, NULL,
            "the model has this run, but not this error in its last state");
    return OM_OK;
}

/* Fails if a finite run cannot violate this property of infinite runs. */
static int check_may_end(referee *r)
{
    const om_obligation *o = r->obligation;
    if (o->ltl != NULL && o->allowed == NULL)
        return om_fail(
            r->ctx, OM_EINPUT, NULL, "the run ends, but the property is about endless ones");
    if (o->fairness != OM_FAIRNESS_NONE || o->fair_ltl != NULL)
        return om_fail(
            r->ctx, OM_EINPUT, NULL, "the run ends, but the assumption is about infinite runs");
    if (!o->stutter)
        return om_fail(r->ctx, OM_EINPUT, NULL, "the run ends, but finite runs are ignored");
    if (om_executor_successors(r->x, r->now, &r->next) != OM_OK)
        return om_fail_memory(r->ctx);
    if (r->next.fault != 0)
        return om_fail(r->ctx, OM_EINPUT, NULL,
            "the run ends with an error in the model, so it has no continuation");
    return OM_OK;
}

/* Checks the bad prefix that the lasso states. A finite run must be a bad prefix. */
static int check_prefix(referee *r)
{
    const om_lasso *l = r->l;
    size_t states = 0;
    if (l->loop != OM_NO_LOOP && l->bad_prefix == 0)
        return OM_OK;
    int rc = om_lasso__bad_prefix(r->ctx, l, r->obligation, &states);
    if (rc != OM_OK)
        return rc;
    if (l->loop == OM_NO_LOOP && states == 0)
        return om_fail(r->ctx, OM_EINPUT, NULL,
            "the run ends, but the property is about infinite runs, and it is not known that every "
            "continuation violates it");
    if (l->bad_prefix != 0 && states == 0)
        return om_fail(r->ctx, OM_EINPUT, NULL,
            "it is not known that every continuation of states 0 to %zu violates the property",
            l->bad_prefix - 1);
    if (l->bad_prefix != 0 && states != l->bad_prefix)
        return om_fail(r->ctx, OM_EINPUT, NULL,
            "the lasso says that every continuation violates the property from state %zu on, but "
            "this holds from state %zu on",
            l->bad_prefix - 1, states - 1);
    return OM_OK;
}

static int check_endless(referee *r)
{
    const om_obligation *o = r->obligation;
    int rc = r->l->loop == OM_NO_LOOP ? check_may_end(r) : check_fairness(r);
    if (rc == OM_OK)
        rc = check_prefix(r);
    if (rc == OM_OK && o->forbidden != NULL)
        rc = check_automaton(r);
    if (rc == OM_OK && o->ltl != NULL)
        rc = check_formula(r);
    return rc;
}

static int check_obligation(referee *r)
{
    const om_obligation *o = r->obligation;
    bool endless = o->forbidden != NULL || o->ltl != NULL;
    int rc = OM_OK;

    if (!endless && r->l->loop != OM_NO_LOOP)
        return om_fail(
            r->ctx, OM_EINPUT, NULL, "the run is infinite, but the property is about a last state");
    if (endless)
        rc = check_endless(r);
    if (rc == OM_OK && o->invariant != 0)
        rc = check_invariant(r);
    if (rc == OM_OK && o->deadlock)
        rc = check_deadlock(r);
    if (rc == OM_OK && (o->assertion || o->fault != 0) &&
        OM_FAULT_KIND(o->fault) != OM_FAULT_IN_LABEL)
        rc = check_fault(r);
    return rc;
}

int om_lasso_replay(om_context *ctx, const om_lasso *l, const om_obligation *obligation)
{
    referee r = {
        .ctx = ctx, .l = l, .obligation = obligation, .next = { .heap = om_context_heap(ctx) }
    };
    uint32_t *vectors = om_alloc(om_context_heap(ctx), l->words, 3 * sizeof *vectors);
    int rc = vectors == NULL ? om_fail_memory(ctx)
                             : om_executor_open(&r.x, obligation->model, OM_EXEC_VM, NULL, 0);
    if (rc == OM_OK) {
        r.now = vectors;
        r.then = vectors + l->words;
        r.entry = vectors + 2 * (size_t) l->words;
        om_stage__begin(ctx, "states replayed", l->count);
        rc = check_run(&r);
        om_stage__end(ctx);
    }
    if (rc == OM_OK)
        rc = check_obligation(&r);
    om_successors_free(&r.next);
    om_free(om_context_heap(ctx), vectors);
    om_executor_close(r.x);
    return rc;
}
