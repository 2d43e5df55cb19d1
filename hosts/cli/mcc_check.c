/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deciding the properties of an examination: in the initial marking and by bounds, then what is
 * about single markings by one exploration, and formulas about runs one after the other, the small
 * ones first, in rounds that give each more time than the one before.
 */
#include "mcc.h"

#include <stdlib.h>
#include <string.h>

/* ---- answers ---- */

uint64_t mcc_left_ns(const mcc *m)
{
    const uint64_t now = om_clock_ns();
    return now < m->until_ns ? m->until_ns - now : 1;
}

void mcc_answer(mcc *m, mcc_property *p, om_wide value, const char *techniques)
{
    p->known = true;
    p->value = value;
    p->techniques = techniques;
    p->seconds = (double) (om_clock_ns() - m->c->started_ns) / 1e9;
    if (m->c->set.json)
        return;
    cli_clear_progress(m->c, true);
    om_text_printf(
        &m->c->out, "%s %s ", p->question == MCC_COUNT ? "STATE_SPACE" : "FORMULA", p->id);
    if (p->question == MCC_BOUND || p->question == MCC_COUNT)
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
        p->formula = mcc_formula_bounded(&m->region, p->formula, m->net);
        if (p->formula != NULL && p->formula->kind == MCC_ATOM)
            mcc_answer(m, p, om_predicate_holds(p->formula->atom, initial), MCC_INITIAL);
        return p->formula == NULL ? om_fail_memory(m->c->ctx) : OM_OK;
    }
    const bool some = p->question == MCC_POSSIBLE;
    p->predicate = om_predicate_bounded(&m->region, p->predicate, m->net);
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
        if (!m->properties[i].known)
            rc = decide(m, &m->properties[i], initial);
    return rc;
}

/* ---- plans ---- */

int mcc_alternate(mcc *m, void *self, mcc_step *walk, mcc_step *explore)
{
    enum { PART = 8 };
    const uint64_t short_walk_ns = 30000000, short_ns = 2000000000, walk_ns = 5000000000;
    uint64_t part = mcc_left_ns(m) / PART;
    int rc = walk(m, self, part < short_walk_ns ? part : short_walk_ns);
    if (rc == OM_OK)
        rc = explore(m, self, part < short_ns ? part : short_ns);
    part = mcc_left_ns(m) / PART;
    if (rc == OM_OK)
        rc = walk(m, self, part < walk_ns ? part : walk_ns);
    return rc == OM_OK ? explore(m, self, UINT64_MAX) : rc;
}

int mcc_make_model(mcc *m)
{
    om_model_free(m->model);
    m->model = NULL;
    return om_net_model_new(&m->model, m->net, m->net->name, m->predicates, m->predicate_count);
}

int mcc_plan(mcc *m, uint64_t timeout_ns, om_plan **out)
{
    om_plan_options options = m->c->set.plan;
    const uint64_t left = mcc_left_ns(m);
    options.limits.timeout_ns = timeout_ns < left ? timeout_ns : left;
    options.no_overflow_trace = true;
    return om_plan_new(out, m->c->ctx, m->c->registry, om_net_model_frontend(), m->model, &options);
}

/* Was the user tired of it? */
static bool is_interrupted(om_plan *plan)
{
    return om_control_stopped(om_plan_control(plan)) == OM_STOP_INTERRUPT;
}

/* ---- single markings ---- */

/* What is looked for, as an expression of the model. */
static int ask_for(mcc *m, const mcc_property *p, om_query *q)
{
    if (p->question == MCC_BOUND) {
        q->terms = p->terms;
        q->term_count = p->term_count;
        q->enough = mcc_most(m->net, p->terms, p->term_count);
        return OM_OK;
    }
    om_text name = { .heap = m->c->heap };
    const mcc_formula wanted = { .kind = MCC_ATOM, .atom = p->wanted };
    int rc = mcc_formula_put(m, &wanted, &name);
    if (rc == OM_OK)
        rc = om_net_model_frontend()->expression(m->model, "AP", name.text, &q->expression);
    om_text_free(&name);
    return rc;
}

static void take_answer(mcc *m, mcc_property *p, const om_query *q)
{
    if (!q->decided)
        return;
    mcc_answer(m, p, p->question == MCC_ALWAYS ? q->value == 0 : q->value, MCC_EXPLICIT);
}

typedef struct asking {
    mcc_property **properties; /* one a query */
    om_query *queries;
    size_t count;
} asking;

static int explore(mcc *m, asking *a, uint64_t ns)
{
    om_plan *plan = NULL;
    om_exploration e = { 0 };
    cli_ticker ticker = { 0 };
    om_survey survey = { .queries = a->queries, .query_count = a->count };
    int rc = mcc_plan(m, ns, &plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, m->c, plan, "exploring");
    if (rc == OM_OK)
        rc = om_plan_ask(plan, &survey, &e);
    cli_ticker_stop(&ticker);
    om_free(m->c->heap, e.fault_vector);
    const bool stopped = plan != NULL && is_interrupted(plan);
    om_plan_free(plan);
    return stopped ? OM_ESTOP : rc;
}

/* The predicates of open properties are those of the model; what some marking is to have. */
static int collect(mcc *m, asking *a)
{
    om_text name = { .heap = m->c->heap };
    int rc = OM_OK;
    for (size_t i = 0; i < m->count && rc == OM_OK; i++) {
        mcc_property *p = &m->properties[i];
        if (p->known || p->question == MCC_RUNS)
            continue;
        const mcc_formula wanted = { .kind = MCC_ATOM, .atom = p->wanted };
        if (p->question != MCC_BOUND)
            rc = mcc_formula_put(m, &wanted, &name);
        a->properties[a->count++] = p;
    }
    om_text_free(&name);
    return rc;
}

static int make_queries(mcc *m, asking *a)
{
    size_t kept = 0;
    int rc = OM_OK;
    for (size_t i = 0; i < a->count && rc == OM_OK; i++) {
        rc = ask_for(m, a->properties[i], &a->queries[kept]);
        if (rc == OM_OK)
            a->properties[kept++] = a->properties[i];
        else if (mcc_leaves_unknown(m, rc, &a->properties[i]->why_not))
            rc = OM_OK;
    }
    a->count = kept;
    return rc;
}

static int ask_all(mcc *m, asking *a, uint64_t ns)
{
    const char *why = NULL;
    int rc = mcc_make_model(m);
    if (rc == OM_OK)
        rc = make_queries(m, a);
    if (rc != OM_OK || a->count == 0)
        return rc;
    rc = explore(m, a, ns);
    if (mcc_leaves_unknown(m, rc, &why))
        rc = OM_OK;
    for (size_t i = 0; i < a->count && rc == OM_OK; i++) {
        a->properties[i]->why_not = why;
        take_answer(m, a->properties[i], &a->queries[i]);
    }
    for (size_t i = 0; i < a->count; i++)
        om_free(m->c->heap, a->queries[i].transitions);
    return rc;
}

static int walk_states(mcc *m, void *self, uint64_t ns)
{
    (void) self;
    return mcc_walk_states(m, ns);
}

static int explore_states(mcc *m, void *self, uint64_t ns)
{
    asking a = { .properties = om_region_take(&m->region, m->count + 1, sizeof(mcc_property *)),
        .queries = om_region_take(&m->region, m->count + 1, sizeof *a.queries) };
    (void) self;
    if (a.properties == NULL || a.queries == NULL)
        return om_fail_memory(m->c->ctx);
    int rc = collect(m, &a);
    return rc == OM_OK && a.count != 0 ? ask_all(m, &a, ns) : rc;
}

int mcc_check_states(mcc *m)
{
    return mcc_alternate(m, NULL, walk_states, explore_states);
}

/* ---- runs ---- */

static int compare_sizes(const void *a, const void *b)
{
    const mcc_property *const *x = a, *const *y = b;
    const size_t m = mcc_formula_size((*x)->formula), n = mcc_formula_size((*y)->formula);
    return m < n ? -1 : m > n ? 1 : strcmp((*x)->id, (*y)->id);
}

/* One formula, for a while. */
static int check_runs(mcc *m, mcc_property *p, uint64_t slice_ns)
{
    om_text formula = { .heap = m->c->heap };
    om_plan *plan = NULL;
    om_check_result r = { 0 };
    cli_ticker ticker = { 0 };
    int rc = mcc_formula_put(m, p->formula, &formula);
    if (rc == OM_OK)
        rc = mcc_plan(m, slice_ns, &plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, m->c, plan, "checking");
    if (rc == OM_OK)
        rc = om_plan_check(plan, OM_PROPERTY_LTL, formula.text, &r);
    cli_ticker_stop(&ticker);
    if (rc == OM_OK && r.verdict == OM_UNKNOWN && is_interrupted(plan))
        rc = OM_ESTOP;
    if (rc == OM_OK && r.verdict == OM_UNKNOWN && r.reason != NULL)
        p->why_not = om_region_copy(&m->region, r.reason, strlen(r.reason));
    else if (rc == OM_OK && r.verdict != OM_UNKNOWN)
        mcc_answer(m, p, r.verdict == OM_HOLDS, MCC_EXPLICIT);
    else if (mcc_leaves_unknown(m, rc, &p->why_not))
        rc = OM_OK;
    om_check_result_free(&r);
    om_plan_free(plan);
    om_text_free(&formula);
    return rc;
}

/* How long each of n formulas may take in a round, of those that there are. */
static uint64_t slice(const mcc *m, unsigned round, size_t n)
{
    static const unsigned parts[] = { 32, 6, 2, 1 };
    return mcc_left_ns(m) / parts[round] / n + 1;
}

int mcc_check_runs(mcc *m)
{
    enum { ROUNDS = 4 };
    const uint64_t least_ns = 20000000; /* left, to begin with anything */
    om_text text = { .heap = m->c->heap };
    mcc_property **open = om_region_take(&m->region, m->count + 1, sizeof(mcc_property *));
    size_t count = 0;
    int rc = open == NULL ? om_fail_memory(m->c->ctx) : OM_OK;
    for (size_t i = 0; i < m->count && rc == OM_OK; i++)
        if (!m->properties[i].known && m->properties[i].question == MCC_RUNS) {
            open[count++] = &m->properties[i];
            rc = mcc_formula_put(m, m->properties[i].formula, &text);
        }
    om_text_free(&text);
    if (rc != OM_OK || count == 0)
        return rc;
    qsort(open, count, sizeof(mcc_property *), compare_sizes);
    rc = mcc_make_model(m);
    for (unsigned round = 0; round < ROUNDS && rc == OM_OK; round++) {
        size_t left = count;
        count = 0;
        for (size_t i = 0; i < left && rc == OM_OK; i++) {
            const uint64_t each = slice(m, round, round + 1 < ROUNDS ? left : left - i);
            if (mcc_left_ns(m) > least_ns)
                rc = check_runs(m, open[i], each);
            if (!open[i]->known)
                open[count++] = open[i];
        }
    }
    return rc;
}
