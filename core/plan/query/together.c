/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks several properties of states by one exploration: assertions, deadlocks, invariants.
 *
 * The exploration ends as soon as an assertion fails. That answers the target about assertions. For
 * the targets that are undecided then, the exploration is repeated on the runs without assertions.
 *
 * G1  Each target has at most one query, and none once it has a result.
 * G2  An exploration has a trace only to an assertion that fails.
 */
#include "query.h"

#include "control/control.h"
#include "model.h"
#include "plan_devices.h"
#include "transform/reset.h"
#include "supervise.h"
#include "verdict/verdict.h"

#include <assert.h>
#include <string.h>

/* A violation that is found among the first EARLY states ends the exploration, which then starts
 * again for the other targets: the answer does not wait for all states. */
enum { MOST = 64, EARLY = 200000 };

typedef struct sharing {
    om_plan *p;
    om_target *const *targets;
    size_t count;
    bool one;
    om_check_result *results;
    om_query queries[MOST]; /* of targets without a result */
    size_t of[MOST];        /* the target of each query */
    om_survey survey;
    om_exploration e;
    om_overflows overflows; /* of all explorations */
    om_lasso trace;         /* to an assertion that fails */
} sharing;

bool om_plan_may_share(const om_plan *p, const om_target *t)
{
    const om_plan_options *o = &p->options;
    const bool states = t->obligation.assertion || t->obligation.deadlock || t->bad != 0;
    return t->trace && states && o->checker == NULL && o->terminal == NULL &&
           !om_plan__device_named(p, o) && o->shortest_ns == 0;
}

/* Sets *out to the least merging that some target allows. */
static int merging_of(const sharing *s, om_merging *out)
{
    *out = OM_MERGE_ALL;
    for (size_t i = 0; i < s->count; i++) {
        om_merging one = OM_MERGE_NOTHING;
        const int rc = om_plan__merging(s->p, s->targets[i], &one);
        if (rc != OM_OK)
            return rc;
        *out = one < *out ? one : *out;
    }
    return OM_OK;
}

/* Sets *out to a reduction that is sound for all targets. */
static int reduction_of(const sharing *s, om_reduction *out)
{
    *out = OM_REDUCE_TO_DEADLOCKS;
    for (size_t i = 0; i < s->count && *out != OM_REDUCE_NOTHING; i++) {
        om_reduction one = OM_REDUCE_NOTHING;
        const int rc = om_plan__reducing(s->p, s->targets[i], &one);
        if (rc != OM_OK)
            return rc;
        *out = one == OM_REDUCE_TO_DEADLOCKS ? *out : one;
    }
    return OM_OK;
}

/* Starts a result with the figures of the exploration. */
static int begin_result(const sharing *s, size_t i, om_verdict verdict)
{
    om_plan *p = s->p;
    om_check_result *r = &s->results[i];
    *r = (om_check_result){ .heap = p->heap,
        .verdict = verdict,
        .states = s->e.states,
        .transitions = s->e.transitions,
        .memory_bytes = om_resident__peak_bytes(),
        .threads = p->threads,
        .seconds = om_plan__seconds(p),
        .fairness = om_plan__fairness(s->targets[i]),
        .together = (unsigned) s->count };
    r->property = om_strdup(p->heap, s->targets[i]->name);
    return r->property == NULL ? om_fail_memory(p->ctx) : OM_OK;
}

/* Returns the check of target i. */
static om_check check_of(const sharing *s, size_t i)
{
    return (om_check){ .plan = s->p,
        .target = s->targets[i],
        .options = &s->p->options,
        .result = &s->results[i],
        .fault = s->e.fault };
}

/* Prepares the run of a result for the user. */
static int show_run(om_check *c)
{
    const int rc = om_check__show(c, OM_OK, c->options->bad_prefix);
    return rc == OM_OK ? om_check__keep_states(c) : rc;
}

/* Builds the run from the query's transitions and replays it. Takes ownership of the
 * transitions. */
static int take_run(const sharing *s, size_t i, om_query *q)
{
    om_plan *p = s->p;
    om_lasso *l = &s->results[i].lasso;
    uint32_t *transitions =
        om_resize(p->heap, q->transitions, q->transition_count + 1, sizeof *transitions);
    if (transitions == NULL)
        return om_fail_memory(p->ctx);
    q->transitions = NULL;
    transitions[q->transition_count] = OM_NONE;
    *l = (om_lasso){ .heap = p->heap,
        .words = om_model_words(p->model),
        .transitions = transitions,
        .count = q->transition_count + 1,
        .loop = OM_NO_LOOP,
        .form = om_model__form_of(p->model) };
    s->results[i].has_lasso = true;
    return om_plan__referee(p, l, &s->targets[i]->obligation, "the exploration");
}

/* Takes the answers of the exploration. Assertions are decided when it has ended. If runs continued
 * past a failed assertion (`went_on`), a violated property is left to a check of its own. */
static int take_answers(sharing *s, bool went_on, bool *violated)
{
    int rc = OM_OK;
    for (size_t k = 0; k < s->survey.query_count && rc == OM_OK; k++) {
        om_query *q = &s->queries[k];
        const size_t i = s->of[k];
        const bool bad = q->decided && q->value != 0;
        if (s->targets[i]->obligation.assertion || !q->decided || (bad && went_on))
            continue;
        assert(s->results[i].heap == NULL); /* G1 */
        *violated = *violated || bad;
        om_check c = check_of(s, i);
        rc = begin_result(s, i, bad ? OM_VIOLATED : OM_HOLDS);
        if (rc == OM_OK && bad)
            rc = om_check__unless_refereed(&c, take_run(s, i, q), s->p->ctx);
        if (rc == OM_OK && bad)
            rc = show_run(&c);
        if (rc == OM_OK && bad)
            s->results[i].minimality = q->shortest ? OM_MINIMAL : OM_NOT_PROVEN;
    }
    return rc;
}

/* Makes the result of a failed assertion. It is the result of the target about assertions; if there
 * is none, *beside, which is reported with the first target. */
static int take_assertion(sharing *s, om_check_result **beside)
{
    om_plan *p = s->p;
    const om_obligation shows = { .model = p->model, .fault = s->e.fault };
    size_t i = 0;
    assert(s->trace.count != 0 && OM_FAULT_KIND(s->e.fault) == OM_FAULT_ASSERTION); /* G2 */
    while (i < s->count && !s->targets[i]->obligation.assertion)
        i++;
    const size_t at = i < s->count ? i : 0;
    om_check_result *keep = i < s->count ? NULL : om_alloc(p->heap, 1, sizeof *keep);
    if (i == s->count && keep == NULL)
        return om_fail_memory(p->ctx);
    om_check c = check_of(s, at);
    const om_check_result before = s->results[at];
    int rc = begin_result(s, at, OM_VIOLATED);
    if (rc == OM_OK)
        rc = om_check__name_assertion(&c, OM_FAULT_SUBJECT(s->e.fault));
    if (rc == OM_OK) {
        om_lasso *l = &s->results[at].lasso;
        *l = s->trace;
        l->form = om_model__form_of(p->model); /* om_check__show() may have removed resets */
        s->results[at].has_lasso = true;
        s->trace = (om_lasso){ 0 };
        rc = om_check__unless_refereed(
            &c, om_plan__referee(p, l, &shows, "the exploration"), p->ctx);
    }
    if (rc == OM_OK)
        rc = show_run(&c);
    if (keep == NULL)
        return rc;
    *keep = s->results[at];
    s->results[at] = before;
    *beside = keep;
    return rc;
}

/* Returns true if the target is decided but has no result (take_answers()). */
static bool is_left(const sharing *s, size_t target)
{
    for (size_t k = 0; k < s->survey.query_count; k++)
        if (s->of[k] == target)
            return s->queries[k].decided && s->queries[k].value > 0 &&
                   !s->targets[target]->obligation.assertion;
    return false;
}

/* Completes the other targets: proved; unknown because of a limit; or left to a check of their
 * own. */
static int conclude(sharing *s, int status, const char *why)
{
    int rc = OM_OK;
    for (size_t i = 0; i < s->count && rc == OM_OK; i++) {
        if (s->results[i].heap != NULL || status == OM_EMODEL || is_left(s, i))
            continue;
        rc = begin_result(s, i, status == OM_OK ? OM_HOLDS : OM_UNKNOWN);
        if (rc == OM_OK && status != OM_OK) {
            s->results[i].reason = om_strdup(s->p->heap, why);
            rc = s->results[i].reason == NULL ? om_fail_memory(s->p->ctx) : OM_OK;
        }
    }
    return rc;
}

static void forget(sharing *s)
{
    for (size_t i = 0; i < MOST; i++)
        om_free(s->p->heap, s->queries[i].transitions);
    OM_FREE_ALL(s->p->heap, s->e.fault_vector, s->e.overflow_vector);
    om_lasso_free(&s->trace);
    s->e = (om_exploration){ 0 };
}

/* Makes queries of the targets without a result. For assertions, the query is one that is decided
 * only when the exploration has ended. */
static void make_queries(sharing *s, bool *assertions)
{
    size_t n = 0;
    *assertions = false;
    memset(s->queries, 0, sizeof s->queries);
    for (size_t i = 0; i < s->count; i++) {
        const om_target *t = s->targets[i];
        if (s->results[i].heap != NULL)
            continue;
        *assertions = *assertions || t->obligation.assertion;
        s->of[n] = i;
        s->queries[n++] = (om_query){ .expression = t->obligation.assertion ? 0 : t->bad,
            .deadlock = t->obligation.deadlock,
            .enough = INT64_MAX };
    }
    assert(n <= s->count && s->count <= MOST); /* G1 */
    s->survey = (om_survey){ .queries = s->queries, .query_count = n };
}

/* Returns true if a violation has ended the exploration early: some target is not decided. */
static bool is_cut(const sharing *s, int status)
{
    size_t k = 0;
    while (k < s->survey.query_count && s->queries[k].decided)
        k++;
    return status == OM_OK && k < s->survey.query_count;
}

static int after_exploration(
    sharing *s, int status, const char *why, om_check_result **beside, bool *again)
{
    om_plan *p = s->p;
    const bool went_on =
        !p->options.ignore_assertions && om_model__form_of(p->model).ignore_assertions;
    bool violated = false;
    int rc = take_answers(s, went_on, &violated);
    if (rc != OM_OK || (violated && s->one) || is_cut(s, status))
        return rc;
    if (status != OM_EMODEL || s->trace.count == 0)
        return conclude(s, status, why);
    *again = !s->one && !om_model__is_final(p->model, OM_FAULT_SUBJECT(s->e.fault));
    p->memory.knows_assertions = true;
    return take_assertion(s, beside);
}

/* Runs one exploration. *again is set if an assertion failed and the rest is to be explored without
 * assertions. */
static int explore(sharing *s, om_check_result **beside, bool *again)
{
    om_plan *p = s->p;
    bool assertions = false;
    om_text why = { .heap = p->heap };
    *again = false;
    make_queries(s, &assertions);
    om_asking how = { .reset_dead = p->options.reset_dead != OM_SWITCH_OFF,
        .ignore_assertions =
            (p->options.ignore_assertions || p->memory.knows_assertions) && !assertions,
        .one = s->one,
        .one_within = EARLY,
        .fault_trace = &s->trace,
        .overflows = &s->overflows };
    int rc = merging_of(s, &how.merging);
    how.leap = how.merging == OM_MERGE_ALL;
    if (rc == OM_OK)
        rc = reduction_of(s, &how.reduction);
    if (rc != OM_OK)
        return rc;
    const int status = om_plan__ask_so(p, &how, &s->survey, &s->e);
    if (status != OM_OK && status != OM_ELIMIT && status != OM_EMODEL && status != OM_ESTOP &&
        status != OM_ENOMEM)
        return status;
    if (status == OM_OK || status == OM_ELIMIT || status == OM_EMODEL)
        om_plan__report_overflows(p, &s->overflows, p->options.no_overflow_trace);
    om_text_add(&why, status == OM_ENOMEM ? om_stop_reason_name(OM_STOP_MEMORY) : om_plan__why(p));
    om_context_clear(p->ctx);
    rc = why.failed ? om_fail_memory(p->ctx)
                    : after_exploration(s, status, why.text == NULL ? "" : why.text, beside, again);
    om_text_free(&why);
    return rc;
}

static bool all_answered(const sharing *s)
{
    size_t i = 0;
    while (i < s->count && s->results[i].heap != NULL)
        i++;
    return i == s->count;
}

static int check_all(sharing *s)
{
    om_check_result *beside = NULL;
    bool again = false;
    int rc = OM_OK;
    for (size_t i = 0; i < s->count && rc == OM_OK; i++)
        rc = om_plan__translate(s->p, s->targets[i]);
    if (rc == OM_ELIMIT) {
        rc = conclude(s, rc, om_plan__why(s->p));
        om_context_clear(s->p->ctx);
        return rc;
    }
    do {
        if (rc == OM_OK)
            rc = explore(s, &beside, &again);
        forget(s);
    } while (rc == OM_OK && again && !all_answered(s));
    if (beside != NULL && rc == OM_OK && s->results[0].heap != NULL)
        s->results[0].assertion = beside;
    else if (beside != NULL) {
        s->p->memory.knows_assertions =
            false; /* the check of the first target reports the assertion */
        om_check_result_free(beside);
        om_free(s->p->heap, beside);
    }
    return rc;
}

int om_plan_check_together(
    om_plan *p, om_target *const *targets, size_t count, bool one, om_check_result *results)
{
    sharing s = { .p = p, .targets = targets, .count = count, .one = one, .results = results };
    memset(results, 0, count * sizeof *results);
    for (size_t i = 0; i < count; i++)
        if (count > MOST || !om_plan_may_share(p, targets[i]))
            return om_fail(p->ctx, OM_EINVAL, NULL, "these properties cannot be checked together");
    int rc = om_plan__begin(p, &p->options, true);
    if (rc != OM_OK)
        return rc;
    rc = check_all(&s);
    om_overflows__free(&s.overflows, p->heap);
    om_plan__show_traces(p, NULL);
    om_model__keep_dead(p->model); /* that trace has the real values of variables */
    om_plan__end(p);
    for (size_t i = 0; i < count && rc != OM_OK; i++)
        om_check_result_free(&results[i]);
    return rc;
}
