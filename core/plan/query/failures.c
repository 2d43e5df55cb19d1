/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds all assertions of a model that fail, and where. The model is explored as if it had no
 * assertions, and their expressions are queried in each state. Assertions at one place of the text,
 * such as those of several processes of one type, are one query.
 */
#include "query.h"

#include "execute/executor.h"
#include "model.h"
#include "finite_trace.h"
#include "verdict/verdict.h"

#include <omen/host/failures.h>

#include <string.h>

/* om_plan_ask() takes 64 expressions; the states that properties see may need one of them. */
enum { MOST_QUERIES = 63 };

typedef struct collecting {
    om_plan *p;
    om_failures *out;
    om_query *queries; /* one for each place */
    uint32_t *first;   /* [query]: the first assertion at the place */
    uint64_t *states;  /* [query] */
    om_lasso *traces;
    size_t count;
    uint8_t *fired;
} collecting;

static bool same_place(const om_place *a, const om_place *b)
{
    return a->line != 0 && a->line == b->line && a->column == b->column &&
           strcmp(a->file == NULL ? "" : a->file, b->file == NULL ? "" : b->file) == 0;
}

/* Returns the query of the place; `count` if there is none. */
static size_t find_place(const collecting *x, const om_place *place)
{
    size_t i = 0;
    while (i < x->count && !same_place(&om_model_assertion(x->p->model, x->first[i])->place, place))
        i++;
    return i;
}

static int make_queries(collecting *x)
{
    om_model *m = x->p->model;
    const uint32_t count = om_model_assertion_count(m);
    if (!OM_NEW(x->p->heap, x->queries, (size_t) count + 1) ||
        !OM_NEW(x->p->heap, x->first, (size_t) count + 1) ||
        !OM_NEW(x->p->heap, x->states, (size_t) count + 1) ||
        !OM_NEW(x->p->heap, x->traces, (size_t) count + 1))
        return om_fail_memory(x->p->ctx);
    for (uint32_t i = 0; i < count; i++) {
        if (!om_model__checks(m, i))
            continue;
        const om_assertion *a = om_model_assertion(m, i);
        const size_t at = find_place(x, &a->place);
        om_query *q = &x->queries[at];
        om_expr fails = om_expr_unary(m, OM_OP_NOT, a->condition);
        if (at == x->count)
            x->first[x->count++] = i;
        q->expression =
            q->expression == 0 ? fails : om_expr_binary(m, OM_OP_OR, q->expression, fails);
        int rc = om_model_expr_check(m, &a->place);
        if (rc != OM_OK)
            return rc;
    }
    return OM_OK;
}

/* Reports that an assertion could not be evaluated; the message names the assertion, not the
 * query. */
static int blame(const collecting *x, size_t query)
{
    const uint32_t assertion = x->first[query];
    om_context_clear(x->p->ctx);
    return om_model_fault(x->p->model, OM_FAULT(OM_FAULT_IN_ASSERTION, assertion));
}

static void forget(const om_plan *p, om_exploration *e)
{
    om_free(p->heap, e->fault_vector);
    *e = (om_exploration){ 0 };
}

/* Asks queries begin .. end - 1. */
static int ask(collecting *x, size_t begin, size_t end, uint64_t most, om_exploration *e)
{
    om_failures *out = x->out;
    om_survey survey = {
        .queries = x->queries + begin, .query_count = end - begin, .fired = x->fired
    };
    om_beyond beyond = { .states = x->states + begin,
        .traces = x->traces + begin,
        .enough_states = most == 0 ? 0 : most - out->states };
    forget(x->p, e);
    int rc = om_plan__ask(x->p, &survey, &beyond, e);
    if (rc == OM_EMODEL && beyond.wrong < survey.query_count)
        rc = blame(x, begin + beyond.wrong);
    for (size_t i = begin; i < end; i++)
        out->states += x->states[i];
    out->ended = most != 0 && out->states >= most;
    return rc;
}

/* Orders places by file, line and column. */
static int compare_places(const om_place *a, const om_place *b)
{
    int files = strcmp(a->file == NULL ? "" : a->file, b->file == NULL ? "" : b->file);
    return files != 0           ? files
           : a->line != b->line ? (a->line < b->line ? -1 : 1)
                                : (a->column > b->column) - (a->column < b->column);
}

static bool goes_before(const om_model *m, const om_failure *a, const om_failure *b)
{
    return compare_places(&om_model_assertion(m, a->assertion)->place,
               &om_model_assertion(m, b->assertion)->place) < 0;
}

/* Stores the states of the run, with real values, in the trace. The run may pass states in which
 * other assertions fail, which the model with assertions does not permit. */
static int take_states(om_plan *p, om_lasso *trace)
{
    om_plan__show_traces(p, trace);
    om_model__set_asserted(p->model, OM_UNASSERTED);
    int rc = om_lasso_vectors(trace, p->model);
    om_model__set_asserted(p->model, OM_ASSERTED);
    return rc == OM_ENOMEM ? om_fail_memory(p->ctx) : rc;
}

/* Finds the first assertion, among those at the failure's place, that fails at the end of the
 * run. */
static int find_culprit(const om_plan *p, om_failure *f)
{
    om_model *m = p->model;
    const om_place *place = &om_model_assertion(m, f->assertion)->place;
    const uint32_t count = om_model_assertion_count(m);
    const uint32_t *end = f->trace.vectors + (f->trace.count - 1) * f->trace.words;
    om_executor *vm = NULL;
    bool found = false;
    int rc = OM_OK;
    for (uint32_t i = f->assertion; i < count && rc == OM_OK && !found; i++) {
        om_fault fault = 0;
        const om_assertion *a = om_model_assertion(m, i);
        if (i != f->assertion && !same_place(&a->place, place))
            continue;
        rc = om_executor_open(&vm, m, OM_EXEC_VM, &a->condition, 1);
        found = rc == OM_OK && (vm->labels(vm, end, &fault) & 1) == 0;
        if (found)
            f->assertion = i;
        om_executor_close(vm);
        vm = NULL;
    }
    return rc;
}

/* Makes the list of failures from the queries, in the order of the text. */
static int collect(collecting *x)
{
    om_failures *out = x->out;
    if (!OM_NEW(x->p->heap, out->at, x->count + 1))
        return om_fail_memory(x->p->ctx);
    int rc = OM_OK;
    for (size_t i = 0; i < x->count && rc == OM_OK; i++) {
        om_failure made = { x->first[i], x->states[i], x->traces[i] };
        size_t at = out->count;
        if (made.states == 0)
            continue;
        x->traces[i] = (om_lasso){ 0 };
        for (; at > 0 && goes_before(x->p->model, &made, &out->at[at - 1]); at--)
            out->at[at] = out->at[at - 1];
        out->at[at] = made;
        out->count++;
        if (made.trace.count != 0)
            rc = take_states(x->p, &out->at[at].trace);
        if (made.trace.count != 0 && rc == OM_OK)
            rc = find_culprit(x->p, &out->at[at]);
    }
    return rc;
}

int om_plan_failures(om_plan *p, uint64_t most, uint8_t *fired, om_failures *out, om_exploration *e)
{
    collecting x = { .p = p, .out = out };
    x.fired = fired;
    *out = (om_failures){ 0 };
    *e = (om_exploration){ 0 };
    int rc = make_queries(&x);
    for (size_t begin = 0; rc == OM_OK && !out->ended; begin += MOST_QUERIES) {
        const size_t left = x.count - begin, more = left < MOST_QUERIES ? left : MOST_QUERIES;
        rc = ask(&x, begin, begin + more, most, e);
        if (more == left)
            break;
    }
    int collected = x.traces == NULL ? OM_OK : collect(&x);
    for (size_t i = 0; i < x.count; i++) {
        om_lasso_free(&x.traces[i]);
    }
    OM_FREE_ALL(p->heap, x.traces, x.states, x.first, x.queries);
    return rc == OM_OK ? collected : rc;
}

void om_failures_free(const om_heap *heap, om_failures *f)
{
    for (size_t i = 0; i < f->count; i++)
        om_lasso_free(&f->at[i].trace);
    om_free(heap, f->at);
    *f = (om_failures){ 0 };
}
