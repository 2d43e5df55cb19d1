/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several queries about all states, answered by one exploration.
 *
 * Expressions of queries are the APs of the executor, so that one call evaluates all of them. A
 * query is settled once, by the first worker that finds its answer. Maxima and counts are kept per
 * worker and joined after the search.
 */
#include "compact.h"
#include "executor.h"
#include "explore.h"
#include "model.h"
#include "product.h"
#include "model/model_form.h"
#include "property/property.h"
#include "query.h"
#include "schedule/supervise.h"
#include "verdict/verdict.h"
#include "finite_trace.h"

#include <stdatomic.h>
#include <string.h>

enum { MOST_APS = 64 };

/* Observations of one worker; arrays as in om_survey */
typedef struct seen {
    om_wide *best; /* [query], for sums */
    om_id *best_at;
    om_value *most;
    om_wide largest_sum;
    uint64_t *states; /* [query], if states are counted */
    uint64_t hidden;  /* number of states that properties do not see */
    om_successors next;
    uint64_t deadlocks; /* value of the cursor's counter so far */
    uint32_t *vector;   /* buffer for a state that may be a deadlock */
    unsigned char padding[64];
} seen;

typedef struct surveying {
    om_plan *p;
    const om_asking *how;
    om_survey *survey;
    om_beyond *beyond; /* or NULL */
    const om_model *model;
    om_executor *x;
    om_product *product;
    seen *workers;
    bool to_the_end; /* some question is decided only when all states are known */
    om_expr aps[MOST_APS];
    uint32_t query_of[MOST_APS], ap_count;
    uint32_t seen_ap; /* AP of the states that properties see, after those of queries; or OM_NONE */
    size_t stuck;     /* index of the query about deadlocks, or SIZE_MAX */
    atomic_bool *settled; /* [query] */
    om_id *at;            /* [query]: a state that answers it, or OM_NO_ID */
    om_lasso *traces;     /* [query]: trace to that state; count 0: none */
    /* All atomic accesses are relaxed: one worker wins the exchange that settles a query, `at` is
     * read after the workers have ended, and stopping late is harmless. */
    _Atomic uint64_t open;    /* mask of the APs of unsettled queries */
    _Atomic size_t left;      /* number of unsettled queries */
    _Atomic uint64_t counted; /* sum of all counts */
    _Atomic om_fault fault;
    _Atomic int rc; /* of memory allocations */
    atomic_bool *fired;
    _Atomic uint32_t unfired;
    atomic_bool seen_enough; /* no transitions are awaited any more */
    pthread_mutex_t lock;    /* serialises calls of survey->enough() */
} surveying;

static bool is_sum(const om_query *q)
{
    return q->expression == 0 && !q->deadlock;
}

/* ---- states ---- */

static bool settle(surveying *v, size_t query)
{
    if (atomic_exchange_explicit(&v->settled[query], true, memory_order_relaxed))
        return false;
    atomic_fetch_sub_explicit(&v->left, 1, memory_order_relaxed);
    return true;
}

static bool is_settled(const surveying *v, size_t query)
{
    return atomic_load_explicit(&v->settled[query], memory_order_relaxed);
}

/* Increments the count of each query whose AP is in `labels`. */
static void count_labels(surveying *v, const seen *s, uint64_t labels)
{
    uint64_t found = 0;
    for (; labels != 0; labels &= labels - 1, found++)
        s->states[v->query_of[__builtin_ctzll(labels)]]++;
    if (found != 0)
        atomic_fetch_add_explicit(&v->counted, found, memory_order_relaxed);
}

static void take_labels(surveying *v, seen *s, om_id id, const uint32_t *vector)
{
    uint64_t open = atomic_load_explicit(&v->open, memory_order_relaxed), labels;
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
    for (; open != 0; open &= open - 1) {
        const unsigned ap = (unsigned) __builtin_ctzll(open);
        atomic_fetch_and_explicit(&v->open, ~(UINT64_C(1) << ap), memory_order_relaxed);
        if (settle(v, v->query_of[ap]))
            v->at[v->query_of[ap]] = id;
    }
}

static om_wide sum_in(const om_model *m, const om_query *q, const uint32_t *vector)
{
    om_wide sum = 0;
    for (uint32_t i = 0; i < q->term_count; i++)
        sum += q->terms[i].factor * om_slot_get(om_model_slot(m, q->terms[i].place), vector, 0);
    return sum;
}

/* Returns a slot's value in a state of the searched model, which may be the compact form. */
static om_value value_in(const surveying *v, uint32_t slot, const uint32_t *vector)
{
    return v->p->searched.compact != NULL ? om_compact__get(v->p->searched.compact, vector, slot)
                                          : om_slot_get(om_model_slot(v->model, slot), vector, 0);
}

static om_wide searched_sum(const surveying *v, const om_query *q, const uint32_t *vector)
{
    om_wide sum = 0;
    for (uint32_t i = 0; i < q->term_count; i++)
        sum += q->terms[i].factor * value_in(v, q->terms[i].place, vector);
    return sum;
}

static void take_sums(surveying *v, seen *s, om_id id, const uint32_t *vector)
{
    for (size_t i = 0; i < v->survey->query_count; i++) {
        const om_query *q = &v->survey->queries[i];
        if (!is_sum(q))
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

static void take_slots(const surveying *v, seen *s, const uint32_t *vector)
{
    om_wide sum = 0;
    const uint32_t slots = om_model_slot_count(v->model);
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
static void take_transition(surveying *v, uint32_t transition)
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
static void take_transitions(surveying *v, seen *s, const uint32_t *vector)
{
    if (atomic_load_explicit(&v->seen_enough, memory_order_relaxed))
        return;
    int rc = om_executor_successors(v->x, vector, &s->next);
    if (rc != OM_OK)
        atomic_store_explicit(&v->rc, rc, memory_order_relaxed);
    for (size_t i = 0; rc == OM_OK && s->next.fault == 0 && i < s->next.count; i++) {
        atomic_bool *fired = &v->fired[s->next.transition[i]];
        if (!atomic_load_explicit(fired, memory_order_relaxed) &&
            !atomic_exchange_explicit(fired, true, memory_order_relaxed))
            take_transition(v, s->next.transition[i]);
    }
}

static bool is_over(const surveying *v)
{
    const size_t left = atomic_load_explicit(&v->left, memory_order_relaxed);
    bool known = (left == 0 || (v->how->one && left < v->survey->query_count)) &&
                 atomic_load_explicit(&v->seen_enough, memory_order_relaxed);
    return (known && !v->to_the_end) ||
           (v->beyond != NULL && v->beyond->enough_states != 0 &&
               atomic_load_explicit(&v->counted, memory_order_relaxed) >=
                   v->beyond->enough_states) ||
           atomic_load_explicit(&v->fault, memory_order_relaxed) != 0 ||
           atomic_load_explicit(&v->rc, memory_order_relaxed) != OM_OK;
}

/* Called for each state that is stored. */
static bool take_state(void *self, unsigned worker, om_id id, const uint32_t *vector)
{
    surveying *v = self;
    seen *s = &v->workers[worker];
    take_labels(v, s, id, vector);
    take_sums(v, s, id, vector);
    take_slots(v, s, vector);
    take_transitions(v, s, vector);
    return is_over(v);
}

/* Called for each state that is expanded, in a batch: the cursor counts the deadlocks of the
 * batch. */
static bool take_expanded(void *self, unsigned worker, om_cursor *c, om_id id)
{
    surveying *v = self;
    seen *s = &v->workers[worker];
    uint64_t edges = 0, deadlocks = 0;
    om_cursor__counts(c, &edges, &deadlocks);
    if (deadlocks == s->deadlocks || is_settled(v, v->stuck))
        return !is_over(v);
    om_cursor_vector(c, id, s->vector);
    const int rc = om_executor_successors(v->x, s->vector, &s->next);
    if (rc != OM_OK)
        atomic_store_explicit(&v->rc, rc, memory_order_relaxed);
    else if (s->next.fault == 0 && s->next.count == 0) {
        s->deadlocks = deadlocks;
        if (settle(v, v->stuck))
            v->at[v->stuck] = id;
    }
    return !is_over(v);
}

/* ---- before and after the search ---- */

/* Sets up the APs and clears the answers. */
static int ask_queries(surveying *v)
{
    for (size_t i = 0; i < v->survey->query_count; i++) {
        const om_query *q = &v->survey->queries[i];
        v->at[i] = OM_NO_ID;
        v->stuck = q->deadlock ? i : v->stuck;
        if (q->expression == 0)
            continue;
        if (v->ap_count == MOST_APS)
            return om_fail(v->p->ctx, OM_EUSAGE, NULL, "more than %d queries at once", MOST_APS);
        v->query_of[v->ap_count] = (uint32_t) i;
        v->aps[v->ap_count++] = q->expression;
    }
    atomic_init(&v->open, v->ap_count == MOST_APS ? UINT64_MAX : (UINT64_C(1) << v->ap_count) - 1);
    if (v->ap_count < MOST_APS && om_plan__seen(v->p, &v->aps[v->ap_count]) != 0)
        v->seen_ap = v->ap_count++;
    return OM_OK;
}

static bool make_worker(const surveying *v, seen *s)
{
    const om_heap *heap = v->p->heap;
    const size_t queries = v->survey->query_count;
    s->best = om_alloc(heap, queries + 1, sizeof *s->best);
    s->best_at = om_alloc(heap, queries + 1, sizeof *s->best_at);
    s->states = om_alloc(heap, queries + 1, sizeof *s->states);
    if (v->survey->most != NULL)
        s->most = om_alloc(heap, om_model_slot_count(v->model) + 1, sizeof *s->most);
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

static int make(surveying *v)
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

static void drop(surveying *v)
{
    const om_heap *heap = v->p->heap;
    for (unsigned i = 0; v->workers != NULL && i < v->p->threads; i++) {
        om_free(heap, v->workers[i].best);
        om_free(heap, v->workers[i].best_at);
        om_free(heap, v->workers[i].states);
        om_free(heap, v->workers[i].most);
        om_free(heap, v->workers[i].vector);
        om_successors_free(&v->workers[i].next);
    }
    for (size_t i = 0; v->traces != NULL && i < v->survey->query_count; i++)
        om_lasso_free(&v->traces[i]);
    om_free(heap, v->fired);
    om_free(heap, v->workers);
    om_free(heap, v->traces);
    om_free(heap, v->at);
    om_free(heap, v->settled);
}

static void join_worker(const surveying *v, const seen *s)
{
    om_survey *out = v->survey;
    for (size_t i = 0; i < out->query_count; i++) {
        om_query *q = &out->queries[i];
        if (v->beyond != NULL)
            v->beyond->states[i] += s->states[i];
        if (!is_sum(q) || s->best[i] <= q->value)
            continue;
        q->value = s->best[i];
        v->at[i] = s->best_at[i];
    }
    for (uint32_t i = 0; out->most != NULL && i < om_model_slot_count(v->model); i++)
        if (s->most[i] > out->most[i])
            out->most[i] = s->most[i];
    if (out->largest_sum != NULL && s->largest_sum > *out->largest_sum)
        *out->largest_sum = s->largest_sum;
}

/* Fills the answers that the search has found. */
static void answer(const surveying *v, bool complete)
{
    for (size_t i = 0; i < v->survey->query_count; i++) {
        om_query *q = &v->survey->queries[i];
        bool settled = atomic_load_explicit(&v->settled[i], memory_order_relaxed);
        q->value = is_sum(q) ? INT64_MIN : settled;
        q->decided = complete || settled;
    }
    for (unsigned i = 0; i < v->p->threads; i++)
        join_worker(v, &v->workers[i]);
    for (uint32_t i = 0; v->survey->fired != NULL && i < om_model_transition_count(v->model); i++)
        v->survey->fired[i] = atomic_load_explicit(&v->fired[i], memory_order_relaxed);
}

/* Builds the trace to each state that answers a query. */
static int ended(void *self, om_bfs *b, om_cursor *c, int rc)
{
    surveying *v = self;
    om_context *ctx = v->p->ctx;
    const bool cut = v->how->one &&
                     atomic_load_explicit(&v->left, memory_order_relaxed) < v->survey->query_count;
    const bool complete = rc == OM_OK && !cut &&
                          atomic_load_explicit(&v->fault, memory_order_relaxed) == 0 &&
                          atomic_load_explicit(&v->rc, memory_order_relaxed) == OM_OK;
    answer(v, complete);
    if (rc == OM_ELIMIT) {
        /* om_plan__after() clears the reason of the stop, so the message is saved. */
        (void) om_fail(ctx, rc, NULL, "%s", om_plan__why(v->p));
        om_plan__after(v->p);
    }
    rc = OM_OK;
    for (size_t i = 0; i < v->survey->query_count && rc == OM_OK; i++) {
        om_id *path = NULL;
        size_t n = 0;
        if (v->at[i] == OM_NO_ID)
            continue;
        rc = om_bfs_path(b, c, v->at[i], &path, &n);
        if (rc == OM_OK)
            rc = om_lasso__from_path(&v->traces[i], ctx, v->product, c, path, n, OM_NO_LOOP);
        om_free(v->p->heap, path);
    }
    return rc;
}

/* Builds the trace to the fault, along the path of the exploration. */
static int trace_fault(surveying *v, const om_exploration *e)
{
    om_plan *p = v->p;
    om_cursor *c = NULL;
    om_context_clear(p->ctx);
    int rc = om_cursor__open(&c, v->product, 0);
    if (rc == OM_OK)
        rc = om_lasso__from_path(v->how->fault_trace, p->ctx, v->product, c, e->fault_path,
            e->fault_path_length, OM_NO_LOOP);
    om_cursor__close(c);
    return rc == OM_OK ? om_plan__take_run(p, v->how->fault_trace, OM_RUN_TO_FAULT) : rc;
}

/* ---- the referee ---- */

/* Checks that the last state of the trace answers the query. */
static int referee(surveying *v, om_query *q, const om_lasso *trace)
{
    om_plan *p = v->p;
    uint32_t *last = NULL;
    int rc = OM_OK;
    if (!is_sum(q)) {
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

static int take_trace(surveying *v, om_query *q, om_lasso *trace)
{
    int rc = om_plan__take_run(v->p, trace, q->deadlock ? OM_RUN_ANY : OM_RUN_TO_STATE);
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
static int show(surveying *v, size_t query)
{
    om_query *q = &v->survey->queries[query];
    if (v->at == NULL || v->traces == NULL || v->at[query] == OM_NO_ID)
        return OM_OK;
    int rc = v->traces[query].count == 0 ? OM_OK : take_trace(v, q, &v->traces[query]);
    if (rc != OM_OK || v->traces[query].count == 0) {
        q->decided = false;
        q->value = is_sum(q) ? INT64_MIN : 0;
    }
    return rc;
}

/* ---- the exploration ---- */

/* Allocates the workers' buffers for states that may be deadlocks. */
static int make_vectors(const surveying *v)
{
    for (unsigned i = 0; i < v->p->threads && v->stuck != SIZE_MAX; i++) {
        v->workers[i].vector = om_alloc(v->p->heap, v->x->words, sizeof(uint32_t));
        if (v->workers[i].vector == NULL)
            return om_fail_memory(v->p->ctx);
    }
    return OM_OK;
}

/* Returns true if the fault that ends the exploration is a failed assertion of the model's text. */
static bool is_assertion(const om_plan *p, om_fault fault)
{
    return OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION &&
           om_model__open_of(p->model, OM_FAULT_SUBJECT(fault)) == OM_NONE;
}

static int explore(surveying *v, om_exploration *out)
{
    om_plan *p = v->p;
    om_product_spec spec = {
        .deadlock_ap = OM_NONE, .workers = p->threads, .store = p->options.store
    };
    int rc = om_executor_open(&v->x, om_plan__searched(p), p->options.exec,
        om_plan__searched_aps(p, v->aps), v->ap_count);
    spec.executor = v->x;
    if (rc == OM_OK)
        rc = make_vectors(v);
    if (rc == OM_OK)
        rc = om_product__new(&v->product, p->ctx, &spec);
    if (rc == OM_OK) {
        const om_bfs_spec search = { OM_BFS_SPEC(v->product), .self = v, .wanted = take_state,
            .paths = v->survey->query_count != 0 || v->how->fault_trace != NULL,
            .expanded = v->stuck == SIZE_MAX ? NULL : take_expanded, .faults_end = true };
        om_plan__show_product(p, v->product);
        rc = om_explore__with(p->ctx, &search, ended, out);
        om_plan__hide_product(p);
        out->executor = om_executor__who(v->x);
        for (unsigned i = 0; i < p->threads; i++)
            p->hidden += v->workers[i].hidden;
    }
    const om_fault fault = atomic_load_explicit(&v->fault, memory_order_relaxed);
    if (rc == OM_OK && fault != 0) {
        if (v->beyond != NULL)
            v->beyond->wrong = v->query_of[OM_FAULT_SUBJECT(fault)];
        rc = om_model_fault(v->model, fault);
    }
    if (rc == OM_EMODEL && v->how->fault_trace != NULL && is_assertion(p, out->fault)) {
        const int traced = trace_fault(v, out);
        rc = traced == OM_OK ? om_model_fault(om_plan__searched(p), out->fault) : traced;
    }
    if (rc == OM_OK && atomic_load_explicit(&v->rc, memory_order_relaxed) != OM_OK)
        rc = om_fail_memory(p->ctx);
    om_product__free(v->product);
    om_executor_close(v->x);
    return rc;
}

static int survey_all(surveying *v, om_exploration *out)
{
    int rc = make(v);
    if (rc == OM_OK)
        rc = om_plan__make_searched(v->p, v->aps, v->ap_count, v->how->merging);
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

/* Runs one exploration. */
static int ask_once(om_plan *p, const om_asking *how, om_survey *survey, om_exploration *out)
{
    surveying v = { .p = p,
        .how = how,
        .survey = survey,
        .beyond = how->beyond,
        .model = p->model,
        .seen_ap = OM_NONE,
        .stuck = SIZE_MAX };
    v.to_the_end = how->beyond != NULL || survey->most != NULL || survey->largest_sum != NULL;
    atomic_init(&v.left, survey->query_count);
    (void) pthread_mutex_init(&v.lock, NULL);
    int rc = survey_all(&v, out);
    drop(&v);
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

/* Repeats the exploration each time a variable needs more bits. */
static int ask_all(om_plan *p, const om_asking *how, om_survey *survey, om_exploration *out)
{
    om_query *kept = om_alloc(p->heap, survey->query_count + 1, sizeof *kept);
    int rc = kept == NULL ? om_fail_memory(p->ctx) : OM_OK;
    for (bool again = rc == OM_OK; again;) {
        rc = ask_once(p, how, survey, out);
        keep_decided(p, survey, kept);
        again = rc == OM_EMODEL && om_plan__overfull(p, out->fault) && !all_decided(survey) &&
                om_plan__widen(p);
        if (!again)
            break;
        set_aside(survey, kept);
        om_context_clear(p->ctx);
        om_free(p->heap, out->fault_vector);
        om_free(p->heap, out->overflow_vector);
        *out = (om_exploration){ 0 };
        p->hidden = 0;
    }
    om_free(p->heap, kept);
    return rc == OM_EMODEL ? om_plan__unless_overfull(p, rc) : rc;
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
    p->hidden = 0;
    if (how->beyond != NULL)
        how->beyond->wrong = survey->query_count;
    om_plan__forget_searched(p);
    int rc = shape(p, how, survey);
    if (rc == OM_OK && (survey->most != NULL || survey->largest_sum != NULL) &&
        om_plan__endless(p) != NULL) {
        survey->endless = true;
        rc = om_fail(p->ctx, OM_ELIMIT, NULL, "%s", om_plan__endless(p));
    }
    if (rc == OM_OK)
        rc = ask_all(p, how, survey, out);
    om_plan__met_overflows(p, out->overflows, out->overflow_vector);
    out->overflow_vector = NULL;
    if (rc == OM_EMODEL)
        out->fault = om_plan__take_fault(p, out->fault);
    p->fault = rc == OM_EMODEL ? out->fault : 0;
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
        .unasserted = beyond != NULL || p->ignores_assertions,
        .merging = beyond != NULL ? om_plan__merging_all(p) : OM_MERGE_NOTHING,
        .beyond = beyond };
    *out = (om_exploration){ 0 };
    int rc = om_plan__begin(p, survey->query_count != 0);
    if (rc != OM_OK)
        return rc;
    rc = om_plan__ask_so(p, &how, survey, out);
    om_model__set_asserted(p->model, OM_ASSERTED);
    om_plan__end(p);
    return rc;
}
