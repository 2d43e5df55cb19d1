/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the workers of an exploration observe in the states.
 *
 * Expressions of queries are the APs of the executor, so that one call evaluates all of them. A
 * query is settled once, by the first worker that finds its answer. Maxima and counts are kept per
 * worker and joined after the search.
 */
#include "observe.h"

#include "bfs.h"
#include "transform/compact.h"
#include "explore.h"
#include "model.h"
#include "product.h"

#include <assert.h>

bool om_surveying__is_sum(const om_query *q)
{
    return q->expression == 0 && !q->deadlock;
}

/* ---- states ---- */

static bool settle(om_surveying *v, size_t query)
{
    if (atomic_exchange_explicit(&v->settled[query], true, memory_order_relaxed))
        return false;
    atomic_fetch_sub_explicit(&v->left, 1, memory_order_relaxed);
    if (atomic_load_explicit(&v->first, memory_order_relaxed) == 0)
        atomic_store_explicit(&v->first, om_product_state_count(v->product), memory_order_relaxed);
    return true;
}

static bool is_settled(const om_surveying *v, size_t query)
{
    return atomic_load_explicit(&v->settled[query], memory_order_relaxed);
}

/* Increments the count of each query whose AP is in `labels`. */
static void count_labels(om_surveying *v, const om_seen *s, uint64_t labels)
{
    uint64_t found = 0;
    assert(v->ap_count == OM_SURVEY_APS || labels >> v->ap_count == 0); /* Q1 */
    for (; labels != 0; labels &= labels - 1, found++)
        s->states[v->query_of[__builtin_ctzll(labels)]]++;
    if (found != 0)
        atomic_fetch_add_explicit(&v->counted, found, memory_order_relaxed);
}

/* relaxed, for all of `at`: one of the workers that change an answer wins by `settled`, `far` or
 * `far_stuck`, and the others only compare ids. */
static void set_at(const om_surveying *v, size_t query, om_id id)
{
    atomic_store_explicit(&v->at[query], id, memory_order_relaxed);
}

/* Settles the query of an AP, or finds a nearer state for it. */
static void answer_ap(om_surveying *v, unsigned ap, om_id id)
{
    const uint64_t bit = UINT64_C(1) << ap;
    const uint32_t query = v->query_of[ap];
    assert(ap < v->ap_count && ap != v->seen_ap); /* Q1 */
    (void) atomic_fetch_and_explicit(&v->open, ~bit, memory_order_relaxed);
    if (settle(v, query)) {
        set_at(v, query, id);
        if (om_bfs__is_deep(v->search))
            (void) atomic_fetch_or_explicit(&v->far, bit, memory_order_relaxed);
    } else if (!om_bfs__is_deep(v->search) &&
               (atomic_fetch_and_explicit(&v->far, ~bit, memory_order_relaxed) & bit) != 0)
        set_at(v, query, id); /* Q5 */
}

static void take_labels(om_surveying *v, om_seen *s, om_id id, const uint32_t *vector)
{
    uint64_t open = atomic_load_explicit(&v->open, memory_order_relaxed) |
                    atomic_load_explicit(&v->far, memory_order_relaxed),
             labels;
    om_fault fault = 0;
    if (open == 0 && v->beyond == NULL && v->seen_ap == OM_NONE)
        return;
    labels = v->x->labels(v->x, vector, &fault);
    if (fault != 0) {
        atomic_store_explicit(&v->fault, fault, memory_order_relaxed);
        return;
    }
    if (v->seen_ap != OM_NONE) {
        const uint64_t bit = UINT64_C(1) << v->seen_ap;
        s->hidden += (labels & bit) == 0;
        labels &= ~bit;
    }
    if (v->beyond != NULL)
        count_labels(v, s, labels);
    open &= labels;
    for (; open != 0; open &= open - 1)
        answer_ap(v, (unsigned) __builtin_ctzll(open), id);
}

/* Returns a slot's value in a state of the searched model, which may be the compact form. */
static om_value value_in(const om_surveying *v, uint32_t slot, const uint32_t *vector)
{
    return v->searched->compact != NULL ? om_compact__get(v->searched->compact, vector, slot)
                                        : om_slot_get(om_model_slot(v->model, slot), vector, 0);
}

static om_wide searched_sum(const om_surveying *v, const om_query *q, const uint32_t *vector)
{
    om_wide sum = 0;
    for (uint32_t i = 0; i < q->term_count; i++)
        sum += q->terms[i].factor * value_in(v, q->terms[i].place, vector);
    return sum;
}

static void take_sums(om_surveying *v, om_seen *s, om_id id, const uint32_t *vector)
{
    for (size_t i = 0; i < v->survey->query_count; i++) {
        const om_query *q = &v->survey->queries[i];
        if (!om_surveying__is_sum(q))
            continue;
        om_wide sum = searched_sum(v, q, vector);
        if (sum <= s->best[i])
            continue;
        s->best[i] = sum;
        s->best_at[i] = id;
        if (sum >= q->enough)
            (void) settle(v, i);
    }
}

static void take_slots(const om_surveying *v, om_seen *s, const uint32_t *vector)
{
    om_wide sum = 0;
    const uint32_t slots = om_model_shown_slots(v->model);
    if (s->most == NULL && v->survey->largest_sum == NULL)
        return;
    for (uint32_t i = 0; i < slots; i++) {
        om_value value = value_in(v, i, vector);
        if (s->most != NULL && value > s->most[i])
            s->most[i] = value;
        sum += value;
    }
    if (sum > s->largest_sum)
        s->largest_sum = sum;
}

/* Counts a transition that is seen for the first time. */
static void take_transition(om_surveying *v, uint32_t transition)
{
    bool enough = atomic_fetch_sub_explicit(&v->unfired, 1, memory_order_relaxed) == 1;
    if (v->survey->enough != NULL) {
        pthread_mutex_lock(&v->lock);
        enough = v->survey->enough(v->survey->self, transition) || enough;
        pthread_mutex_unlock(&v->lock);
    }
    if (enough)
        atomic_store_explicit(&v->seen_enough, true, memory_order_relaxed);
}

/* The search keeps one transition for each edge, but several may lead to the same state. So this
 * function expands states a second time, as long as some transitions are unseen. */
static void take_transitions(om_surveying *v, om_seen *s, const uint32_t *vector)
{
    if (atomic_load_explicit(&v->seen_enough, memory_order_relaxed))
        return;
    int rc = om_executor_successors(v->x, vector, &s->next);
    if (rc != OM_OK)
        atomic_store_explicit(&v->rc, rc, memory_order_relaxed);
    for (size_t i = 0; rc == OM_OK && s->next.fault == 0 && i < s->next.count; i++) {
        assert(s->next.transition[i] < om_model_transition_count(v->model)); /* Q4 */
        atomic_bool *fired = &v->fired[s->next.transition[i]];
        if (!atomic_load_explicit(fired, memory_order_relaxed) &&
            !atomic_exchange_explicit(fired, true, memory_order_relaxed))
            take_transition(v, s->next.transition[i]);
    }
}

/* Returns true if a level may still find a nearer state for a query that is settled. */
static bool looks_nearer(const om_surveying *v)
{
    return !om_bfs__is_deep(v->search) &&
           (atomic_load_explicit(&v->far, memory_order_relaxed) != 0 ||
               atomic_load_explicit(&v->far_stuck, memory_order_relaxed));
}

/* Returns true if an answer is not to wait for the others (om_asking). */
static bool is_waited_for(const om_surveying *v)
{
    return v->how->one ||
           (om_product_state_count(v->product) >= OM_SURVEY_PATIENCE &&
               atomic_load_explicit(&v->first, memory_order_relaxed) <= v->how->one_within);
}

/* Returns true if all queries are settled, or some, and that ends the exploration. */
static bool is_answered(om_surveying *v)
{
    const size_t left = atomic_load_explicit(&v->left, memory_order_relaxed);
    if ((left > 0 && left == v->survey->query_count) || looks_nearer(v) || v->to_the_end ||
        !atomic_load_explicit(&v->seen_enough, memory_order_relaxed) ||
        (left > 0 && !is_waited_for(v)))
        return false;
    if (left > 0)
        atomic_store_explicit(&v->cut, true, memory_order_relaxed);
    return true;
}

static bool is_over(om_surveying *v)
{
    return is_answered(v) ||
           (v->beyond != NULL && v->beyond->enough_states != 0 &&
               atomic_load_explicit(&v->counted, memory_order_relaxed) >=
                   v->beyond->enough_states) ||
           atomic_load_explicit(&v->fault, memory_order_relaxed) != 0 ||
           atomic_load_explicit(&v->rc, memory_order_relaxed) != OM_OK;
}

bool om_surveying__take_state(void *self, unsigned worker, om_id id, const uint32_t *vector)
{
    om_surveying *v = self;
    om_seen *s = &v->workers[worker];
    take_labels(v, s, id, vector);
    take_sums(v, s, id, vector);
    take_slots(v, s, vector);
    take_transitions(v, s, vector);
    return is_over(v);
}

bool om_surveying__take_reached(void *self, unsigned worker, om_id id)
{
    om_surveying *v = self;
    uint64_t far = atomic_load_explicit(&v->far, memory_order_relaxed);
    (void) worker;
    for (; far != 0; far &= far - 1) {
        const unsigned ap = (unsigned) __builtin_ctzll(far);
        if (om_surveying__at(v, v->query_of[ap]) == id)
            answer_ap(v, ap, id);
    }
    if (atomic_load_explicit(&v->far_stuck, memory_order_relaxed) &&
        om_surveying__at(v, v->stuck) == id)
        atomic_store_explicit(&v->far_stuck, false, memory_order_relaxed);
    return is_over(v);
}

/* Settles the query about deadlocks, or finds a nearer state for it. */
static void answer_stuck(om_surveying *v, om_id id)
{
    const bool deep = om_bfs__is_deep(v->search);
    if (settle(v, v->stuck)) {
        set_at(v, v->stuck, id);
        atomic_store_explicit(&v->far_stuck, deep, memory_order_relaxed);
    } else if (!deep && atomic_exchange_explicit(&v->far_stuck, false, memory_order_relaxed))
        set_at(v, v->stuck, id); /* Q5 */
}

bool om_surveying__take_expanded(void *self, unsigned worker, om_cursor *c, om_id id)
{
    om_surveying *v = self;
    om_seen *s = &v->workers[worker];
    const uint64_t deadlocks = om_cursor__deadlocks_met(c);
    assert(v->stuck < v->survey->query_count); /* Q3 */
    if (deadlocks == s->deadlocks ||
        (is_settled(v, v->stuck) && !atomic_load_explicit(&v->far_stuck, memory_order_relaxed)))
        return !is_over(v);
    om_cursor_vector(c, id, s->vector);
    const int rc = om_executor_successors(v->x, s->vector, &s->next);
    if (rc != OM_OK)
        atomic_store_explicit(&v->rc, rc, memory_order_relaxed);
    else if (s->next.fault == 0 && s->next.count == 0) {
        s->deadlocks = deadlocks;
        answer_stuck(v, id);
    }
    return !is_over(v);
}

/* ---- before and after the search ---- */

/* Sets up the APs and clears the answers. */
static int ask_queries(om_surveying *v)
{
    for (size_t i = 0; i < v->survey->query_count; i++) {
        const om_query *q = &v->survey->queries[i];
        set_at(v, i, OM_NO_ID);
        v->stuck = q->deadlock ? i : v->stuck;
        if (q->expression == 0)
            continue;
        if (v->ap_count == OM_SURVEY_APS)
            return om_fail(
                v->p->ctx, OM_EUSAGE, NULL, "more than %d queries at once", OM_SURVEY_APS);
        v->query_of[v->ap_count] = (uint32_t) i;
        v->aps[v->ap_count++] = q->expression;
    }
    atomic_init(
        &v->open, v->ap_count == OM_SURVEY_APS ? UINT64_MAX : (UINT64_C(1) << v->ap_count) - 1);
    if (v->ap_count < OM_SURVEY_APS && om_plan__seen(v->p, &v->aps[v->ap_count]) != 0)
        v->seen_ap = v->ap_count++;
    assert(v->seen_ap == OM_NONE || v->seen_ap + 1 == v->ap_count); /* Q1 */
    return OM_OK;
}

static bool make_worker(const om_surveying *v, om_seen *s)
{
    const om_heap *heap = v->p->heap;
    const size_t queries = v->survey->query_count;
    s->best = om_alloc(heap, queries + 1, sizeof *s->best);
    s->best_at = om_alloc(heap, queries + 1, sizeof *s->best_at);
    s->states = om_alloc(heap, queries + 1, sizeof *s->states);
    if (v->survey->most != NULL)
        s->most = om_alloc(heap, om_model_shown_slots(v->model) + 1, sizeof *s->most);
    s->next.heap = heap;
    if (s->best == NULL || s->best_at == NULL || s->states == NULL ||
        (v->survey->most != NULL && s->most == NULL))
        return false;
    for (size_t i = 0; i < queries; i++) {
        s->best[i] = INT64_MIN;
        s->best_at[i] = OM_NO_ID;
    }
    return true;
}

int om_surveying__make(om_surveying *v)
{
    const om_heap *heap = v->p->heap;
    const size_t queries = v->survey->query_count;
    const uint32_t transitions = om_model_transition_count(v->model);
    v->settled = om_alloc(heap, queries + 1, sizeof *v->settled);
    v->at = om_alloc(heap, queries + 1, sizeof *v->at);
    v->traces = om_alloc(heap, queries + 1, sizeof *v->traces);
    v->workers = om_alloc(heap, v->p->threads, sizeof *v->workers);
    v->fired = om_alloc(heap, transitions + 1, sizeof *v->fired);
    atomic_init(&v->unfired, transitions);
    atomic_init(&v->seen_enough, v->survey->fired == NULL || transitions == 0);
    bool made = v->settled != NULL && v->at != NULL && v->traces != NULL && v->workers != NULL &&
                v->fired != NULL;
    for (unsigned i = 0; i < v->p->threads && made; i++)
        made = make_worker(v, &v->workers[i]);
    return made ? ask_queries(v) : om_fail_memory(v->p->ctx);
}

void om_surveying__free(om_surveying *v)
{
    const om_heap *heap = v->p->heap;
    for (unsigned i = 0; v->workers != NULL && i < v->p->threads; i++) {
        OM_FREE_ALL(heap, v->workers[i].best, v->workers[i].best_at, v->workers[i].states,
            v->workers[i].most, v->workers[i].vector);
        om_successors_free(&v->workers[i].next);
    }
    for (size_t i = 0; v->traces != NULL && i < v->survey->query_count; i++)
        om_lasso_free(&v->traces[i]);
    OM_FREE_ALL(heap, v->fired, v->workers, v->traces, v->at, v->settled);
}

bool om_surveying__is_far(const om_surveying *v, size_t query)
{
    uint64_t far = atomic_load_explicit(&v->far, memory_order_relaxed);
    if (query == v->stuck)
        return atomic_load_explicit(&v->far_stuck, memory_order_relaxed);
    for (; far != 0; far &= far - 1)
        if (v->query_of[__builtin_ctzll(far)] == query)
            return true;
    return false;
}

static void join_worker(const om_surveying *v, const om_seen *s)
{
    om_survey *out = v->survey;
    for (size_t i = 0; i < out->query_count; i++) {
        om_query *q = &out->queries[i];
        if (v->beyond != NULL)
            v->beyond->states[i] += s->states[i];
        if (!om_surveying__is_sum(q) || s->best[i] <= q->value)
            continue;
        q->value = s->best[i];
        set_at(v, i, s->best_at[i]);
    }
    for (uint32_t i = 0; out->most != NULL && i < om_model_shown_slots(v->model); i++)
        if (s->most[i] > out->most[i])
            out->most[i] = s->most[i];
    if (out->largest_sum != NULL && s->largest_sum > *out->largest_sum)
        *out->largest_sum = s->largest_sum;
}

void om_surveying__answer(const om_surveying *v, bool complete)
{
    for (size_t i = 0; i < v->survey->query_count; i++) {
        om_query *q = &v->survey->queries[i];
        bool settled = atomic_load_explicit(&v->settled[i], memory_order_relaxed);
        q->value = om_surveying__is_sum(q) ? INT64_MIN : settled;
        q->decided = complete || settled;
    }
    for (unsigned i = 0; i < v->p->threads; i++)
        join_worker(v, &v->workers[i]);
    for (uint32_t i = 0; v->survey->fired != NULL && i < om_model_transition_count(v->model); i++)
        v->survey->fired[i] = atomic_load_explicit(&v->fired[i], memory_order_relaxed);
}
