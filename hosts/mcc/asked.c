/* SPDX-License-Identifier: Apache-2.0 */
#include "asked.h"

#include "equation/state_equation.h"

#include <assert.h>

bool mcc_asked_is_open(const mcc_asked *a)
{
    return !a->property->known && !a->unusable;
}

int mcc_asked_show(mcc *m, mcc_asked *a, const om_firings *found, om_wide value, bool walked)
{
    mcc_property *p = a->property;
    om_firings run = { 0 };
    int rc = mcc_target_run(m, a->target, found, &run);
    if (rc == OM_OK)
        rc = mcc_judge(m, p, &run, value);
    om_free(m->c->heap, run.transitions);
    if (rc != OM_OK)
        return mcc_leaves_unknown(m, rc, &p->why_not) ? OM_OK : rc;
    const om_wide answer = p->question == MCC_BOUND ? value : p->question == MCC_POSSIBLE;
    if (walked)
        mcc_target_walked(m, a->target, p, answer);
    else
        mcc_target_answer(m, a->target, p, answer);
    return OM_OK;
}

/* ---- the question on the target ---- */

/* Converts the sum. One that is constant on the target is answered. */
static int convert_sum(mcc *m, mcc_asked *a)
{
    om_net_sum sum = { .heap = m->c->heap };
    int rc = mcc_target_sum(m, a->target, a->property, &sum);
    /* This puts the terms in order. */
    const om_predicate *ordered =
        rc == OM_OK ? om_predicate_linear(&m->region, &sum, OM_VALUE_MAX) : NULL;
    om_net_term *terms =
        ordered == NULL ? NULL : om_region_take(&m->region, sum.count + 1, sizeof *terms);
    if (rc == OM_OK && sum.too_large)
        rc = om_fail(m->c->ctx, OM_ELIMIT, NULL, "a sum of tokens is too large");
    else if (rc == OM_OK && terms == NULL)
        rc = om_fail_memory(m->c->ctx);
    for (size_t i = 0; rc == OM_OK && terms != NULL && i < sum.count; i++)
        terms[i] = sum.terms[i];
    a->terms = terms;
    a->term_count = (uint32_t) sum.count;
    a->constant = sum.constant;
    om_free(sum.heap, sum.terms);
    if (rc == OM_OK && a->term_count == 0)
        mcc_target_answer(m, a->target, a->property, a->constant);
    return rc;
}

static int convert_predicate(mcc *m, mcc_asked *a)
{
    mcc_property *p = a->property;
    const om_firings none = { NULL, 0, OM_FIRINGS_END };
    a->wanted = mcc_target_predicate(m, a->target, p->wanted);
    if (a->wanted == NULL)
        return om_fail_memory(m->c->ctx);
    if (a->wanted->kind == OM_PREDICATE_TRUE)
        return mcc_asked_show(m, a, &none, 0, false);
    if (a->wanted->kind == OM_PREDICATE_FALSE)
        mcc_target_answer(m, a->target, p, p->question == MCC_ALWAYS);
    return OM_OK;
}

int mcc_asked_open_on(mcc *m, mcc_asked *a, mcc_target *target)
{
    assert(!a->property->known && a->property->question != MCC_RUNS); /* Q1 */
    a->target = target;
    const int rc = a->property->question == MCC_BOUND ? convert_sum(m, a) : convert_predicate(m, a);
    a->unusable = mcc_leaves_unknown(m, rc, &a->property->why_not);
    return a->unusable ? OM_OK : rc;
}

int mcc_asked_open(mcc *m, mcc_asked *a, uint64_t ns)
{
    const mcc_property *const list[] = { a->property };
    const int rc = mcc_target_open(m, &a->own, OM_REDUCE_REACHABLE, list, 1, ns);
    return rc == OM_OK ? mcc_asked_open_on(m, a, &a->own) : rc;
}

void mcc_asked_close(mcc *m, mcc_asked *a)
{
    mcc_target_close(m, &a->own);
    a->target = NULL;
}

/* ---- the state equation ---- */

/* Makes the predicate that the sum exceeds the largest value seen; NULL if it is too large or
 * memory runs out. */
static const om_predicate *more_than_seen(mcc *m, const mcc_asked *a)
{
    om_net_sum sum = { .heap = m->c->heap, .constant = a->constant };
    for (uint32_t i = 0; i < a->term_count; i++)
        om_net_sum_add(&sum, a->terms[i].place, a->terms[i].factor);
    const om_predicate *more = om_predicate_linear(&m->region, &sum, a->property->seen + 1);
    om_free(sum.heap, sum.terms);
    return more;
}

int mcc_asked_rule_out(mcc *m, mcc_asked *a, uint64_t ns)
{
    mcc_property *p = a->property;
    mcc_equation_figures figures = { .cut = false };
    bool impossible = false;
    if (a->possible || (p->question == MCC_BOUND && p->seen == INT64_MIN))
        return OM_OK;
    const om_predicate *wanted = p->question == MCC_BOUND ? more_than_seen(m, a) : a->wanted;
    if (wanted == NULL)
        return OM_OK;
    const int rc =
        mcc_impossible(a->target->net, wanted, om_clock_ns() + ns, &impossible, &figures);
    a->possible = rc == OM_OK && !impossible && !figures.cut;
    if (rc == OM_OK && impossible)
        mcc_answer(
            m, p, p->question == MCC_BOUND ? p->seen : p->question == MCC_ALWAYS, MCC_EQUATION);
    return rc;
}

/* ---- searches ---- */

static int take_found(mcc *m, mcc_asked *a, const om_seek *s)
{
    mcc_property *p = a->property;
    const om_firings found = { s->transitions, s->transition_count, OM_FIRINGS_END };
    if (p->question != MCC_BOUND && s->proved)
        mcc_target_proved(m, a->target, p, p->question == MCC_ALWAYS);
    if (p->question != MCC_BOUND)
        return s->goal.met ? mcc_asked_show(m, a, &found, 0, true) : OM_OK;
    const om_wide value = s->goal.value + a->constant;
    if (s->goal.met || s->proved)
        return mcc_asked_show(m, a, &found, value, true);
    if (value <= p->seen)
        return OM_OK;
    p->seen = value;
    a->possible = false; /* a larger value may be impossible */
    return OM_OK;
}

int mcc_asked_seek(mcc *m, mcc_asked *a, uint64_t ns)
{
    om_seek s = { .goal = { .predicate = a->wanted,
                      .terms = a->terms,
                      .term_count = a->term_count,
                      .enough = mcc_most(a->target->net, a->terms, a->term_count) },
        .stubborn = a->searches % 2 == 0 };
    if (a->exhausted)
        return OM_OK;
    int rc = mcc_seek(m, a->target->net, &s, ns);
    if (rc == OM_OK)
        rc = take_found(m, a, &s);
    a->searches++;
    a->exhausted = rc == OM_OK && s.exhausted;
    om_free(m->c->heap, s.transitions);
    return mcc_leaves_unknown(m, rc, &a->property->why_not) ? OM_OK : rc;
}
