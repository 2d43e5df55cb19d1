/* SPDX-License-Identifier: Apache-2.0 */
/* Several queries about all states, answered by one exploration (observe.c). */
#include "observe.h"

#include "execute/executor.h"
#include "explore.h"
#include "model.h"
#include "product.h"
#include "form/proved.h"
#include "supervise.h"
#include "finite_trace.h"
#include "schedule/going.h"
#include "verdict/verdict.h"

#include <assert.h>

/* Builds the trace to each state that answers a query. */
static int ended(void *self, om_bfs *b, om_cursor *c, int rc)
{
    om_surveying *v = self;
    om_context *ctx = v->p->ctx;
    const bool cut = atomic_load_explicit(&v->cut, memory_order_relaxed);
    const bool complete = rc == OM_OK && !cut &&
                          atomic_load_explicit(&v->fault, memory_order_relaxed) == 0 &&
                          atomic_load_explicit(&v->rc, memory_order_relaxed) == OM_OK;
    om_surveying__answer(v, complete);
    if (rc == OM_ELIMIT) {
        /* om_plan__after() clears the reason of the stop, so the message is saved. */
        (void) om_fail(ctx, rc, NULL, "%s", om_plan__why(v->p));
        om_plan__after(v->p);
    }
    rc = OM_OK;
    for (size_t i = 0; i < v->survey->query_count && rc == OM_OK; i++) {
        om_id *path = NULL;
        size_t n = 0;
        if (om_surveying__at(v, i) == OM_NO_ID)
            continue;
        rc = om_bfs_path(b, c, om_surveying__at(v, i), &path, &n);
        if (rc == OM_OK)
            rc = om_lasso__from_path(&v->traces[i], ctx, v->product, c, path, n, OM_NO_LOOP);
        om_free(v->p->heap, path);
        v->survey->queries[i].shortest = !om_surveying__is_far(v, i) &&
                                         v->searched->merged == NULL &&
                                         om_executor__below(v->x) == NULL;
    }
    return rc;
}

/* Builds the trace to the fault, along the path of the exploration. */
static int trace_fault(om_surveying *v, const om_exploration *e)
{
    om_plan *p = v->p;
    om_cursor *c = NULL;
    om_context_clear(p->ctx);
    int rc = om_cursor__open(&c, v->product, 0);
    if (rc == OM_OK)
        rc = om_lasso__from_path(v->how->fault_trace, p->ctx, v->product, c, e->fault_path,
            e->fault_path_length, OM_NO_LOOP);
    om_cursor__close(c);
    return rc == OM_OK ? om_searched__take_run(v->searched, v->how->fault_trace, OM_RUN_TO_FAULT)
                       : rc;
}

/* ---- the referee ---- */

static om_wide sum_in(const om_model *m, const om_query *q, const uint32_t *vector)
{
    om_wide sum = 0;
    for (uint32_t i = 0; i < q->term_count; i++)
        sum += q->terms[i].factor * om_slot_get(om_model_slot(m, q->terms[i].place), vector, 0);
    return sum;
}

/* Checks that the last state of the trace answers the query. */
static int referee(om_surveying *v, om_query *q, const om_lasso *trace)
{
    om_plan *p = v->p;
    uint32_t *last = NULL;
    int rc = OM_OK;
    if (!om_surveying__is_sum(q)) {
        const om_obligation shows = { .model = p->model,
            .deadlock = q->deadlock,
            .invariant = q->deadlock ? 0 : om_expr_unary(p->model, OM_OP_NOT, q->expression) };
        return shows.invariant == 0 && !q->deadlock
                   ? om_fail_memory(p->ctx)
                   : om_plan__referee(p, trace, &shows, "the exploration");
    }
    last = om_alloc(p->heap, om_model_words(v->model), sizeof *last);
    if (last == NULL)
        return om_fail_memory(p->ctx);
    rc = om_lasso__end(trace, p->model, last);
    if (rc == OM_EINPUT || (rc == OM_OK && sum_in(v->model, q, last) != q->value))
        rc = om_fail(p->ctx, OM_EINTERNAL, NULL,
            "the exploration reports a largest sum that its trace does not reach");
    om_free(p->heap, last);
    return rc;
}

static int take_trace(om_surveying *v, om_query *q, om_lasso *trace)
{
    int rc = om_searched__take_run(v->searched, trace, q->deadlock ? OM_RUN_ANY : OM_RUN_TO_STATE);
    if (rc == OM_OK)
        rc = referee(v, q, trace);
    if (rc == OM_OK && v->beyond != NULL) {
        v->beyond->traces[q - v->survey->queries] = *trace;
        *trace = (om_lasso){ 0 };
        return OM_OK;
    }
    if (rc != OM_OK || trace->count < 2)
        return rc;
    q->transitions = trace->transitions;
    q->transition_count = trace->count - 1;
    trace->transitions = NULL;
    return OM_OK;
}

/* An answer counts only if a trace shows it; a limit may have ended the search before the trace was
 * built. */
static int show(om_surveying *v, size_t query)
{
    om_query *q = &v->survey->queries[query];
    if (v->at == NULL || v->traces == NULL || om_surveying__at(v, query) == OM_NO_ID)
        return OM_OK;
    int rc = v->traces[query].count == 0 ? OM_OK : take_trace(v, q, &v->traces[query]);
    if (rc != OM_OK || v->traces[query].count == 0) {
        q->decided = false;
        q->value = om_surveying__is_sum(q) ? INT64_MIN : 0;
    }
    return rc;
}

/* ---- the exploration ---- */

/* Allocates the workers' buffers for states that may be deadlocks. */
static int make_vectors(const om_surveying *v)
{
    for (unsigned i = 0; i < v->p->threads && v->stuck != SIZE_MAX; i++) {
        v->workers[i].vector = om_alloc(v->p->heap, v->x->words, sizeof(uint32_t));
        if (v->workers[i].vector == NULL)
            return om_fail_memory(v->p->ctx);
    }
    return OM_OK;
}

static void begun(void *self, om_bfs *b)
{
    om_surveying *v = self;
    v->search = b;
}

/* Returns the number of APs that the queries have; they come first. */
static uint32_t asked(const om_surveying *v)
{
    return v->seen_ap == OM_NONE ? v->ap_count : v->ap_count - 1;
}

/* Returns what the queries look for, for guides. The caller frees *out. */
static int goals_of(const om_surveying *v, om_goal **out)
{
    const om_expr *aps = om_searched__aps(v->searched, v->aps);
    if (!OM_NEW(v->p->heap, *out, (size_t) v->ap_count + 1))
        return om_fail_memory(v->p->ctx);
    for (uint32_t i = 0; i < v->ap_count; i++)
        (*out)[i] = (om_goal){ aps[i], true };
    return OM_OK;
}

/* Chooses how the exploration goes: level by level if all states count. */
static int go(const om_surveying *v, om_plan_going *out)
{
    om_goal *goals = NULL;
    if (v->to_the_end || v->survey->query_count == 0 || v->survey->fired != NULL)
        return OM_OK;
    int rc = goals_of(v, &goals);
    if (rc == OM_OK)
        rc = om_plan__go(v->searched, &v->p->options,
            (om_guide_spec){ .ctx = v->p->ctx,
                .deadlock_ap = OM_NONE,
                .deadlocks = v->stuck != SIZE_MAX,
                .goals = goals,
                .goal_count = asked(v) },
            out);
    om_free(v->p->heap, goals);
    return rc;
}

/* Returns true if the fault that ends the exploration is a failed assertion of the model's text. */
static bool is_assertion(const om_plan *p, om_fault fault)
{
    return OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION &&
           om_model__open_of(p->model, OM_FAULT_SUBJECT(fault)) == OM_NONE;
}

static int explore(om_surveying *v, om_exploration *out)
{
    om_plan *p = v->p;
    om_product_spec spec = {
        .deadlock_ap = OM_NONE, .workers = p->threads, .store = p->options.store
    };
    om_plan_going going = { 0 };
    om_code_use use = { 0 };
    const uint64_t since_ns = om_clock_ns();
    int rc = om_executor_open(&v->x, om_searched__model(v->searched), p->options.exec,
        om_searched__aps(v->searched, v->aps), v->ap_count);
    /* Which states are hidden counts for figures alone: the reduction may change their number. */
    if (rc == OM_OK)
        rc = om_searched__reduce(
            v->searched, &v->x, v->how->reduction, p->options.por, v->aps, asked(v));
    if (rc == OM_OK && v->how->leap)
        rc = om_searched__leap(v->searched, &v->x);
    spec.executor = v->x;
    if (rc == OM_OK)
        rc = make_vectors(v);
    if (rc == OM_OK)
        rc = om_product__new(&v->product, p->ctx, &spec);
    if (rc == OM_OK)
        rc = go(v, &going);
    if (rc == OM_OK) {
        const om_bfs_spec search = { OM_BFS_SPEC(v->product), .self = v,
            .wanted = om_surveying__take_state,
            .paths = v->survey->query_count != 0 || v->how->fault_trace != NULL,
            .expanded = v->stuck == SIZE_MAX ? NULL : om_surveying__take_expanded,
            .faults_end = true, .going = going.going.orders == 0 ? NULL : &going.going,
            .reached = om_surveying__take_reached };
        om_plan__show_product(p, v->product);
        rc = om_explore__with(p->ctx, &search, begun, ended, out);
        om_plan__hide(p);
        out->executor = om_executor__who(v->x);
        for (unsigned i = 0; i < p->threads; i++)
            p->last.hidden += v->workers[i].hidden;
    }
    const om_fault fault = atomic_load_explicit(&v->fault, memory_order_relaxed);
    if (rc == OM_OK && fault != 0) {
        assert(OM_FAULT_SUBJECT(fault) < v->ap_count); /* Q1 */
        if (v->beyond != NULL)
            v->beyond->wrong = v->query_of[OM_FAULT_SUBJECT(fault)];
        rc = om_model_fault(v->model, fault);
    }
    if (rc == OM_EMODEL && v->how->fault_trace != NULL && is_assertion(p, out->fault)) {
        const int traced = trace_fault(v, out);
        rc = traced == OM_OK ? om_model_fault(om_searched__model(v->searched), out->fault) : traced;
    }
    if (rc == OM_OK && atomic_load_explicit(&v->rc, memory_order_relaxed) != OM_OK)
        rc = om_fail_memory(p->ctx);
    om_plan__stop_going(&going);
    if (v->product != NULL)
        om_product__add_use(v->product, &use);
    om_product__free(v->product);
    om_plan__close_executor(p, v->x, since_ns, &use);
    return rc;
}

static int survey_all(om_surveying *v, om_exploration *out)
{
    int rc = om_surveying__make(v);
    if (rc == OM_OK)
        rc = om_searched__make(v->searched, v->aps, v->ap_count, v->how->merging);
    if (rc == OM_OK)
        rc = explore(v, out);
    for (size_t i = 0; i < v->survey->query_count; i++) {
        int shown = show(v, i);
        rc = shown == OM_OK ? rc : shown;
    }
    om_free(v->p->heap, out->fault_path);
    out->fault_path = NULL;
    return rc;
}

/* Runs one exploration, and makes the form that it explores. */
static int ask_once(
    om_plan *p, const om_asking *how, om_survey *survey, om_searched *searched, om_exploration *out)
{
    om_surveying v = { .p = p,
        .how = how,
        .survey = survey,
        .beyond = how->beyond,
        .model = p->model,
        .searched = searched,
        .seen_ap = OM_NONE,
        .stuck = SIZE_MAX };
    v.to_the_end = how->beyond != NULL || survey->most != NULL || survey->largest_sum != NULL;
    atomic_init(&v.left, survey->query_count);
    (void) pthread_mutex_init(&v.lock, NULL);
    int rc = survey_all(&v, out);
    om_surveying__free(&v);
    (void) pthread_mutex_destroy(&v.lock);
    return rc;
}

static bool all_decided(const om_survey *survey)
{
    size_t i = 0;
    while (i < survey->query_count && survey->queries[i].decided)
        i++;
    return i == survey->query_count && survey->fired == NULL && survey->most == NULL &&
           survey->largest_sum == NULL;
}

/* Restores answers that an earlier exploration has decided and this one has not. `kept`: copy of
 * the queries. */
static void keep_decided(const om_plan *p, om_survey *survey, om_query *kept)
{
    for (size_t i = 0; i < survey->query_count; i++) {
        om_query *q = &survey->queries[i];
        if (kept[i].decided && !q->decided) {
            om_free(p->heap, q->transitions);
            *q = kept[i];
        } else {
            om_free(p->heap, kept[i].transitions);
        }
        kept[i] = (om_query){ 0 };
    }
}

static void set_aside(om_survey *survey, om_query *kept)
{
    for (size_t i = 0; i < survey->query_count; i++) {
        kept[i] = survey->queries[i];
        survey->queries[i].transitions = NULL;
        survey->queries[i].transition_count = 0;
    }
}

/* Converts the results of the last exploration to those of the model itself. */
static void take_results(
    const om_asking *how, const om_searched *searched, int rc, om_exploration *out)
{
    if (rc == OM_EMODEL)
        out->fault = om_searched__take_fault(searched, out->fault);
    if (how->overflows != NULL)
        om_overflows__add(how->overflows, searched, out->overflows, out->overflow_vector);
    else
        om_free(searched->plan->heap, out->overflow_vector);
    out->overflow_vector = NULL;
}

/* Repeats the exploration each time a variable needs more bits. */
static int ask_all(om_plan *p, const om_asking *how, om_survey *survey, om_exploration *out)
{
    om_query *kept = om_alloc(p->heap, survey->query_count + 1, sizeof *kept);
    om_searched searched = om_searched__model_itself(p);
    int rc = kept == NULL ? om_fail_memory(p->ctx) : OM_OK;
    for (bool again = rc == OM_OK; again;) {
        rc = ask_once(p, how, survey, &searched, out);
        keep_decided(p, survey, kept);
        again = rc == OM_EMODEL && om_searched__overfull(&searched, out->fault) &&
                !all_decided(survey) && om_searched__widen(&searched);
        if (!again)
            break;
        set_aside(survey, kept);
        om_searched__free(&searched);
        om_plan__forget_exploration(p, out);
    }
    om_free(p->heap, kept);
    if (rc == OM_EMODEL)
        rc = om_searched__unless_overfull(&searched, rc);
    take_results(how, &searched, rc, out);
    om_searched__free(&searched);
    return rc;
}

/* Gives the model its form. Variables that the queries' expressions read stay live. */
static int shape(om_plan *p, const om_asking *how, const om_survey *survey)
{
    const om_model_form form = { how->reset_dead, p->options.overflow, how->ignore_assertions };
    om_expr *aps = om_alloc(p->heap, survey->query_count + 1, sizeof *aps);
    uint32_t count = 0;
    if (aps == NULL)
        return om_fail_memory(p->ctx);
    for (size_t i = 0; i < survey->query_count; i++)
        if (survey->queries[i].expression != 0)
            aps[count++] = survey->queries[i].expression;
    const int rc = om_plan__shape(p, form, aps, count);
    om_free(p->heap, aps);
    if (how->unasserted)
        om_model__set_asserted(p->model, OM_UNASSERTED);
    return rc;
}

int om_plan__ask_so(om_plan *p, const om_asking *how, om_survey *survey, om_exploration *out)
{
    *out = (om_exploration){ 0 };
    survey->endless = false;
    p->last.hidden = 0;
    if (how->beyond != NULL)
        how->beyond->wrong = survey->query_count;
    int rc = shape(p, how, survey);
    if (rc == OM_OK && (survey->most != NULL || survey->largest_sum != NULL) &&
        om_plan__endless(p) != NULL) {
        survey->endless = true;
        rc = om_fail(p->ctx, OM_ELIMIT, NULL, "%s", om_plan__endless(p));
    }
    if (rc == OM_OK)
        rc = ask_all(p, how, survey, out);
    p->last.fault = rc == OM_EMODEL ? out->fault : 0;
    if (rc == OM_ELIMIT && *om_context_error(p->ctx) == '\0')
        (void) om_fail(p->ctx, rc, NULL, "%s", om_plan__why(p));
    return rc;
}

int om_plan_ask(om_plan *p, om_survey *survey, om_exploration *out)
{
    return om_plan__ask(p, survey, NULL, out);
}

int om_plan__ask(om_plan *p, om_survey *survey, om_beyond *beyond, om_exploration *out)
{
    /* An exploration past failed assertions has the states of om_plan_explore(). */
    const om_asking how = { .reset_dead = beyond != NULL && p->options.reset_dead == OM_SWITCH_ON,
        .unasserted = beyond != NULL || p->memory.ignores_assertions,
        .merging = beyond != NULL ? om_plan__merging_all(&p->options) : OM_MERGE_NOTHING,
        .beyond = beyond };
    *out = (om_exploration){ 0 };
    int rc = om_plan__begin(p, &p->options, survey->query_count != 0);
    if (rc != OM_OK)
        return rc;
    rc = om_plan__ask_so(p, &how, survey, out);
    om_model__set_asserted(p->model, OM_ASSERTED);
    om_plan__end(p);
    return rc;
}
