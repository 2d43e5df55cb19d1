/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides properties of single markings. Open properties share walks, a reduced net and an
 * exploration; those left over get a net and an exploration each.
 *
 *  Q1  Only open properties of single markings are asked for; a query's property has no answer yet.
 *  Q2  Each list of an `asking` has entries 0 .. count - 1, at most one for each open property.
 */
#include "base/progress.h"
#include "formulas.h"

#include <assert.h>

/* An exploration for some properties */
typedef struct asking {
    mcc_target target;
    mcc_property **properties; /* one for each query */
    om_query *queries;
    om_wide *constant; /* [query]: constant summand of the sum */
    size_t count;
} asking;

/* Answers a property by a run to a marking that decides it. */
static int answer_by_run(
    mcc *m, const asking *a, mcc_property *p, const om_firings *found, om_wide value)
{
    om_firings run = { 0 };
    int rc = mcc_target_run(m, &a->target, found, &run);
    if (rc == OM_OK)
        rc = mcc_judge(m, p, &run, value);
    if (rc == OM_OK)
        mcc_target_answer(
            m, &a->target, p, p->question == MCC_BOUND ? value : p->question == MCC_POSSIBLE);
    om_free(m->c->heap, run.transitions);
    return mcc_leaves_unknown(m, rc, &p->why_not) ? OM_OK : rc;
}

/* ---- queries ---- */

/* Asks for the largest sum. A sum that is constant on the target is answered at once. */
static int ask_largest(mcc *m, asking *a, mcc_property *p)
{
    om_net_sum sum = { .heap = m->c->heap };
    om_query *q = &a->queries[a->count];
    int rc = mcc_target_sum(m, &a->target, p, &sum);
    const om_predicate *in_order =
        rc == OM_OK ? om_predicate_linear(&m->region, &sum, OM_VALUE_MAX) : NULL;
    om_net_term *terms =
        in_order == NULL ? NULL : om_region_take(&m->region, sum.count + 1, sizeof *terms);
    if (rc == OM_OK && sum.too_large)
        rc = om_fail(m->c->ctx, OM_ELIMIT, NULL, "a sum of tokens is too large");
    else if (rc == OM_OK && terms == NULL)
        rc = om_fail_memory(m->c->ctx);
    if (rc == OM_OK && terms != NULL && sum.count == 0) {
        mcc_target_answer(m, &a->target, p, sum.constant);
    } else if (rc == OM_OK && terms != NULL) {
        for (size_t i = 0; i < sum.count; i++)
            terms[i] = sum.terms[i];
        q->terms = terms;
        q->term_count = (uint32_t) sum.count;
        q->enough = mcc_most(a->target.net, terms, q->term_count);
        a->constant[a->count] = sum.constant;
        a->properties[a->count++] = p;
    }
    om_free(sum.heap, sum.terms);
    return rc;
}

static int ask_possible(mcc *m, asking *a, mcc_property *p)
{
    om_text name = { .heap = m->c->heap };
    const om_predicate *wanted = mcc_target_predicate(m, &a->target, p->wanted);
    const mcc_formula formula = { .kind = MCC_ATOM, .atom = p->wanted };
    if (wanted == NULL)
        return om_fail_memory(m->c->ctx);
    const om_firings none = { NULL, 0, OM_FIRINGS_END };
    if (wanted->kind == OM_PREDICATE_TRUE)
        return answer_by_run(m, a, p, &none, 0);
    if (wanted->kind == OM_PREDICATE_FALSE) {
        mcc_target_answer(m, &a->target, p, p->question == MCC_ALWAYS);
        return OM_OK;
    }
    int rc = mcc_formula_put(m, &a->target, &formula, &name);
    om_text_free(&name);
    a->properties[a->count++] = p;
    return rc;
}

static int ask(mcc *m, asking *a, mcc_property *p)
{
    assert(!p->known && p->question != MCC_RUNS); /* Q1 */
    int rc = p->question == MCC_BOUND ? ask_largest(m, a, p) : ask_possible(m, a, p);
    return mcc_leaves_unknown(m, rc, &p->why_not) ? OM_OK : rc;
}

/* Finds the expressions in the model that was made for the queries. */
static int find_expressions(mcc *m, asking *a)
{
    size_t kept = 0;
    int rc = OM_OK;
    for (size_t i = 0; i < a->count && rc == OM_OK; i++) {
        mcc_property *p = a->properties[i];
        om_text name = { .heap = m->c->heap };
        const mcc_formula wanted = { .kind = MCC_ATOM, .atom = p->wanted };
        assert(kept <= i && !p->known); /* Q1, Q2 */
        a->queries[kept] = a->queries[i];
        a->constant[kept] = a->constant[i];
        if (p->question != MCC_BOUND) {
            rc = mcc_formula_put(m, &a->target, &wanted, &name);
            if (rc == OM_OK)
                rc = om_net_model_frontend()->expression(
                    a->target.model, "AP", name.text, &a->queries[kept].expression);
        }
        om_text_free(&name);
        if (rc == OM_OK)
            a->properties[kept++] = p;
        else if (mcc_leaves_unknown(m, rc, &p->why_not))
            rc = OM_OK;
    }
    a->count = kept;
    return rc;
}

/* ---- explorations ---- */

static int explore(mcc *m, asking *a, uint64_t ns)
{
    om_plan *plan = NULL;
    om_exploration e = { 0 };
    cli_ticker ticker = { 0 };
    om_survey survey = { .queries = a->queries, .query_count = a->count };
    int rc = mcc_target_plan(m, &a->target, ns, &plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, m->c, plan, "exploring");
    if (rc == OM_OK)
        rc = om_plan_ask(plan, &survey, &e);
    cli_ticker_stop(&ticker);
    om_free(m->c->heap, e.fault_vector);
    const bool stopped = plan != NULL && mcc_is_interrupted(plan);
    om_plan_free(plan);
    return stopped ? OM_ESTOP : rc;
}

static int take_answer(mcc *m, const asking *a, size_t i)
{
    mcc_property *p = a->properties[i];
    const om_query *q = &a->queries[i];
    assert(!p->known); /* Q1 */
    if (p->question == MCC_BOUND && q->value != INT64_MIN && p->seen < q->value + a->constant[i])
        p->seen = q->value + a->constant[i];
    if (!q->decided)
        return OM_OK;
    const om_firings found = { q->transitions, q->transition_count, OM_FIRINGS_END };
    if (p->question == MCC_BOUND || q->value != 0)
        return answer_by_run(m, a, p, &found, q->value + a->constant[i]);
    mcc_target_answer(m, &a->target, p, p->question == MCC_ALWAYS);
    return OM_OK;
}

static int ask_all(mcc *m, asking *a, uint64_t ns)
{
    const char *why = NULL;
    int rc = mcc_target_make_model(m, &a->target);
    if (rc == OM_OK)
        rc = find_expressions(m, a);
    if (rc == OM_OK && a->count != 0)
        rc = explore(m, a, ns);
    if (mcc_leaves_unknown(m, rc, &why))
        rc = OM_OK;
    for (size_t i = 0; i < a->count && rc == OM_OK; i++) {
        a->properties[i]->why_not = why;
        rc = take_answer(m, a, i);
    }
    for (size_t i = 0; i < a->count; i++)
        om_free(m->c->heap, a->queries[i].transitions);
    return rc;
}

static int explore_for(mcc *m, mcc_property *const *open, size_t count, uint64_t ns)
{
    const uint64_t began = om_clock_ns();
    asking a = { .properties = om_region_take(&m->region, count + 1, sizeof(mcc_property *)),
        .queries = om_region_take(&m->region, count + 1, sizeof *a.queries),
        .constant = om_region_take(&m->region, count + 1, sizeof *a.constant) };
    if (a.properties == NULL || a.queries == NULL || a.constant == NULL)
        return om_fail_memory(m->c->ctx);
    int rc = mcc_target_open(
        m, &a.target, OM_REDUCE_REACHABLE, (const mcc_property *const *) open, count);
    for (size_t i = 0; i < count && rc == OM_OK; i++)
        rc = ask(m, &a, open[i]);
    assert(a.count <= count); /* Q2 */
    const uint64_t spent = om_clock_ns() - began;
    if (rc == OM_OK && a.count != 0)
        rc = ask_all(m, &a, ns > spent ? ns - spent : 1);
    mcc_target_close(m, &a.target);
    return rc;
}

/* ---- sequence ---- */

/* Returns NULL if memory runs out. */
static mcc_property **find_open(mcc *m, size_t *count)
{
    mcc_property **open = om_region_take(&m->region, m->count + 1, sizeof(mcc_property *));
    *count = 0;
    for (size_t i = 0; i < m->count && open != NULL; i++)
        if (!m->properties[i].known && m->properties[i].question != MCC_RUNS)
            open[(*count)++] = &m->properties[i];
    return open;
}

static int walk_states(mcc *m, void *self, uint64_t ns)
{
    (void) self;
    return mcc_walk_states(m, ns);
}

/* Explores for all properties together, then for each alone; the rest of the time is shared
 * evenly. */
static int explore_alone(mcc *m)
{
    enum { PART = 3 };
    const uint64_t least_ns = 20000000; /* minimum time left to start anything */
    size_t count = 0;
    mcc_property **open = find_open(m, &count);
    int rc = open == NULL ? om_fail_memory(m->c->ctx) : OM_OK;
    if (rc == OM_OK && count > 1) {
        rc = explore_for(m, open, count, mcc_left_ns(m) / PART);
        open = rc == OM_OK ? find_open(m, &count) : NULL;
        if (rc == OM_OK && open == NULL)
            rc = om_fail_memory(m->c->ctx);
    }
    for (size_t i = 0; i < count && rc == OM_OK && mcc_left_ns(m) > least_ns; i++)
        rc = explore_for(m, &open[i], 1, mcc_left_ns(m) / (count - i));
    return rc;
}

/* A first attempt that decides small nets; then methods without exploration that cost more. */
static int explore_together(mcc *m, uint64_t ns)
{
    enum { PART = 8 };
    const uint64_t equation_ns = 10000000000, left = mcc_left_ns(m) / PART;
    size_t count = 0;
    mcc_property **open = find_open(m, &count);
    if (open == NULL)
        return om_fail_memory(m->c->ctx);
    int rc = count == 0 ? OM_OK : explore_for(m, open, count, ns);
    if (rc != OM_OK)
        return rc;
    open = find_open(m, &count);
    if (open == NULL)
        return om_fail_memory(m->c->ctx);
    return mcc_rule_out(m, open, count, left < equation_ns ? left : equation_ns);
}

static int explore_states(mcc *m, void *self, uint64_t ns)
{
    (void) self;
    return ns == UINT64_MAX ? explore_alone(m) : explore_together(m, ns);
}

int mcc_check_states(mcc *m)
{
    return mcc_alternate(m, NULL, walk_states, explore_states);
}
