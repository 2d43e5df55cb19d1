/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides the properties of an examination: those that need no exploration (by the initial marking
 * and by bounds), and records answers.
 */
#include "base/output.h"
#include "base/progress.h"
#include "formulas.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- answers ---- */

uint64_t mcc_left_ns(const mcc *m)
{
    const uint64_t now = om_clock_ns();
    return now < m->until_ns ? m->until_ns - now : 1;
}

uint64_t mcc_limit_ns(const mcc *m, uint64_t ns)
{
    const uint64_t left = mcc_left_ns(m);
    assert(ns > 0); /* A4 */
    if (m->until_ns == UINT64_MAX && ns >= left)
        return 0;
    return ns < left ? ns : left;
}

void mcc_begin(mcc *m, uint64_t ns)
{
    om_limits limits = m->c->set.limits;
    limits.timeout_ns = mcc_limit_ns(m, ns);
    om_control_start(om_context_control(m->c->ctx), &limits);
}

void mcc_answer(mcc *m, mcc_property *p, om_wide value, const char *techniques)
{
    assert(!p->known); /* A1 */
    assert(
        p->question == MCC_BOUND || p->question == MCC_COUNT || value == 0 || value == 1); /* A2 */
    assert(p->question != MCC_BOUND || value >= p->seen);                                  /* A3 */
    p->known = true;
    p->value = value;
    p->techniques = techniques;
    p->seconds = (double) (om_clock_ns() - m->c->started_ns) / 1e9;
    if (m->silent && value == m->decisive)
        m->until_ns = 0;
    if (m->c->set.json || m->silent)
        return;
    cli_clear_progress(m->c, true);
    om_text_printf(
        &m->c->out, "%s %s ", p->question == MCC_COUNT ? "STATE_SPACE" : "FORMULA", p->id);
    if (p->endless)
        om_text_add(&m->c->out, MCC_ENDLESS);
    else if (p->question == MCC_BOUND || p->question == MCC_COUNT)
        om_text_printf(&m->c->out, "%" PRId64, p->value);
    else
        om_text_add(&m->c->out, value != 0 ? "TRUE" : "FALSE");
    om_text_printf(&m->c->out, " TECHNIQUES %s\n", techniques);
    (void) cli_flush(m->c);
    cli_allow_progress(m->c);
}

bool mcc_leaves_unknown(mcc *m, int rc, const char **why)
{
    om_context *ctx = m->c->ctx;
    if (rc != OM_ELIMIT && rc != OM_EMODEL && rc != OM_EUNSUPPORTED)
        return false;
    *why = om_region_copy(&m->region, om_context_error(ctx), strlen(om_context_error(ctx)));
    om_context_clear(ctx);
    return *why != NULL;
}

/* ---- the initial marking, and bounds ---- */

static void decide_bound(mcc *m, mcc_property *p, const om_value *initial)
{
    om_wide now = 0;
    for (uint32_t i = 0; i < p->term_count; i++)
        now += p->terms[i].factor * initial[p->terms[i].place];
    p->seen = now;
    if (now == mcc_most(m->net, p->terms, p->term_count))
        mcc_answer(m, p, now, MCC_INITIAL);
}

static int decide(mcc *m, mcc_property *p, const om_value *initial)
{
    if (p->question == MCC_BOUND) {
        decide_bound(m, p, initial);
        return OM_OK;
    }
    if (p->question == MCC_RUNS) {
        p->asked = p->formula;
        p->formula = mcc_formula_bounded(m, p->formula);
        if (p->formula != NULL && p->formula->kind == MCC_ATOM)
            mcc_answer(m, p, om_predicate_holds(p->formula->atom, initial), MCC_INITIAL);
        return p->formula == NULL ? om_fail_memory(m->c->ctx) : OM_OK;
    }
    const bool some = p->question == MCC_POSSIBLE;
    p->predicate = om_predicate_within(&m->region, p->predicate, m->net, m->least);
    p->wanted = some ? p->predicate : om_predicate_not(&m->region, p->predicate);
    if (p->wanted == NULL)
        return om_fail_memory(m->c->ctx);
    const om_predicate_kind kind = p->predicate->kind;
    if (kind == OM_PREDICATE_TRUE || kind == OM_PREDICATE_FALSE)
        mcc_answer(m, p, kind == OM_PREDICATE_TRUE, "TOPOLOGICAL");
    else if (om_predicate_holds(p->predicate, initial) == some)
        mcc_answer(m, p, some, MCC_INITIAL);
    return OM_OK;
}

int mcc_decide_initially(mcc *m)
{
    om_value *initial =
        om_region_take(&m->region, (size_t) m->net->place_count + 1, sizeof *initial);
    int rc = initial == NULL ? om_fail_memory(m->c->ctx) : OM_OK;
    for (uint32_t i = 0; i < m->net->place_count && rc == OM_OK; i++)
        initial[i] = m->net->places[i].initial;
    for (size_t i = 0; i < m->count && rc == OM_OK; i++)
        if (!m->properties[i].known && (rc = om_context_stopped(m->c->ctx)) == OM_OK)
            rc = decide(m, &m->properties[i], initial);
    return rc;
}

bool mcc_is_interrupted(om_plan *plan)
{
    return om_control_stopped(om_plan_control(plan)) == OM_STOP_INTERRUPT;
}
