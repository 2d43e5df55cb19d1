/* SPDX-License-Identifier: Apache-2.0 */
#include "explore.h"
#include "product.h"
#include "task_impl.h"

#include <assert.h>
#include <string.h>

const char *om_verdict_name(om_verdict v)
{
    switch (v) {
    case OM_HOLDS:
        return "holds";
    case OM_VIOLATED:
        return "violated";
    case OM_UNKNOWN:
        return "unknown";
    }
    return "unknown";
}

static void close_cursors(om_task *t)
{
    for (unsigned i = 0; t->cursors != NULL && i < t->spec.product.workers; i++) {
        om_cursor__close(t->cursors[i]);
        t->cursors[i] = NULL;
    }
}

void om_task__reset(om_task *t)
{
    om_task__end_run(t);
    close_cursors(t);
    pthread_mutex_lock(&t->lock); /* om_task_progress() may run concurrently */
    om_product *old = t->product;
    t->product = NULL;
    om_task__forget(t);
    t->states = t->transitions = t->bytes = t->overflows = t->verified = 0;
    memset(t->counts, 0, sizeof t->counts);
    om_free(t->heap, t->overflow_vector);
    t->overflow_vector = NULL;
    t->sccs_counted = UINT64_MAX;
    pthread_mutex_unlock(&t->lock);
    om_product__free(old);
    atomic_store_explicit(&t->stop, false, memory_order_relaxed);
}

int om_task__open_product(om_task *t)
{
    om_product *made = NULL;
    if (t->product != NULL)
        return OM_OK;
    om_product_spec spec = t->spec.product;
    spec.variants |= t->checker == NULL ? 0 : t->checker->product;
    int rc = om_product__new(&made, t->ctx, &spec);
    if (rc == OM_OK && t->spec.fair_processes != NULL)
        rc = om_product__set_fair_processes(made, t->spec.fair_processes);
    if (rc != OM_OK) {
        om_product__free(made);
        made = NULL;
    }
    pthread_mutex_lock(&t->lock); /* likewise */
    t->product = made;
    pthread_mutex_unlock(&t->lock);
    return rc;
}

static bool good_spec(const om_task_spec *s)
{
    return s->product.automaton != NULL && s->product.workers > 0 && s->product.executor != NULL;
}

/*
 * The soundness of a checker depends on the declared strength of the automaton, so it is verified.
 */
static int check_strength(om_task *t)
{
    om_strength actual = om_sccs_strength(&t->sccs);
    if (actual <= t->spec.strength)
        return OM_OK;
    return om_fail(t->ctx, OM_EINVAL, NULL, "the automaton is %s, but the task says %s",
        om_strength_name(actual), om_strength_name(t->spec.strength));
}

int om_task_new(om_task **out, om_context *ctx, const om_task_spec *spec)
{
    om_task *t = NULL;
    int rc;

    if (!good_spec(spec))
        return om_fail(ctx, OM_EINVAL, NULL, "a task needs an automaton, an executor and a worker");
    t = om_alloc(om_context_heap(ctx), 1, sizeof *t);
    if (t == NULL)
        return om_fail_memory(ctx);
    t->ctx = ctx;
    t->heap = om_context_heap(ctx);
    t->spec = *spec;
    t->workers = spec->product.workers;
    t->sccs_counted = UINT64_MAX;
    pthread_mutex_init(&t->lock, NULL);
    om_admission__init(&t->admission);
    t->cursors = om_alloc(t->heap, spec->product.workers, sizeof(om_cursor *));
    if (t->cursors == NULL) {
        rc = om_fail_memory(ctx);
        goto done;
    }
    t->control = om_context_control(ctx);
    uint32_t sets = om_automaton_set_count(spec->product.automaton);
    t->all_marks = sets >= 64 ? UINT64_MAX : (UINT64_C(1) << sets) - 1;
    rc = om_automaton_sccs(spec->product.automaton, ctx, &t->sccs);
    if (rc == OM_OK)
        rc = check_strength(t);
    if (rc == OM_OK)
        rc = om_context_stopped(ctx);
    if (rc != OM_OK)
        goto done;
    *out = t;
    t = NULL;
done:
    om_task_free(t);
    return rc;
}

void om_task_free(om_task *t)
{
    if (t == NULL)
        return;
    om_task__end_run(t);
    close_cursors(t);
    om_free(t->heap, t->cursors);
    om_product__free(t->product);
    om_sccs_free(&t->sccs, t->heap);
    om_task__forget(t);
    om_free(t->heap, t->overflow_vector);
    pthread_mutex_destroy(&t->lock);
    om_admission__destroy(&t->admission);
    om_free(t->heap, t);
}

/* ---- queries of checkers ---- */

om_context *om_task_context(const om_task *t)
{
    return t->ctx;
}

const om_heap *om_task_heap(const om_task *t)
{
    return t->heap;
}

const om_product_spec *om_task_product_spec(const om_task *t)
{
    return &t->spec.product;
}

const om_automaton *om_task_automaton(const om_task *t)
{
    return t->spec.product.automaton;
}

om_product *om_task_product(om_task *t)
{
    return t->product;
}

unsigned om_task_workers(const om_task *t)
{
    return t->workers;
}

uint64_t om_task_seed(const om_task *t)
{
    return t->spec.product.seed;
}

om_strength om_task_strength(const om_task *t)
{
    return t->spec.strength;
}

int om_task_cursor(om_task *t, unsigned worker, om_cursor **out)
{
    int rc = OM_OK;
    if (worker >= t->spec.product.workers)
        return om_fail(t->ctx, OM_EINVAL, NULL, "a task has no worker %u", worker);
    if (t->cursors[worker] == NULL)
        rc = om_task__open_product(t);
    if (rc == OM_OK && t->cursors[worker] == NULL)
        rc = om_cursor__open(&t->cursors[worker], t->product, worker);
    if (rc == OM_OK)
        om_cursor__note_use(t->cursors[worker]);
    *out = t->cursors[worker];
    return rc;
}

void om_task_admit(om_task *t, unsigned workers)
{
    om_admission__raise(&t->admission, workers);
}

om_marks om_task_all_marks(const om_task *t)
{
    return t->all_marks;
}

bool om_task_accepting(const om_task *t, uint32_t automaton_state, om_strength strength)
{
    assert(automaton_state < om_automaton_state_count(t->spec.product.automaton));
    uint32_t component = t->sccs.component[automaton_state];
    if (component == OM_NONE || t->spec.fair_processes != NULL)
        return false;
    om_strength s = t->sccs.strength[component];
    return s != OM_NON_ACCEPTING && s <= strength;
}

bool om_task_same_component(const om_task *t, uint32_t a, uint32_t b)
{
    assert(a < om_automaton_state_count(t->spec.product.automaton));
    assert(b < om_automaton_state_count(t->spec.product.automaton));
    return t->sccs.component[a] != OM_NONE && t->sccs.component[a] == t->sccs.component[b];
}

bool om_task_stopped(const om_task *t)
{
    om_turn__spend(t->turn, 1);
    return om_task__is_stopped(t);
}

bool om_task__is_stopped(const om_task *t)
{
    /* relaxed: only a request to stop; evidence is read under the lock, after the join. */
    return atomic_load_explicit(&t->stop, memory_order_relaxed) ||
           om_control_stopped(t->control) != OM_STOP_NONE;
}

om_control *om_task_control(const om_task *t)
{
    return t->control;
}

const om_going *om_task_going(const om_task *t)
{
    return t->spec.going;
}

struct om_device *om_task_device(const om_task *t)
{
    return t->spec.device;
}

uint64_t om_task_verify(const om_task *t)
{
    return t->spec.verify;
}

om_model *om_task_model(const om_task *t, const om_expr **aps, uint32_t *ap_count)
{
    if (aps != NULL)
        *aps = t->spec.aps;
    if (ap_count != NULL)
        *ap_count = t->spec.ap_count;
    return t->spec.model;
}

/* ---- figures ---- */

void om_task_add_counts(om_task *t, uint64_t states, uint64_t transitions, uint64_t bytes)
{
    pthread_mutex_lock(&t->lock);
    t->states += states;
    t->transitions += transitions;
    t->bytes += bytes;
    pthread_mutex_unlock(&t->lock);
}

void om_task_verified(om_task *t, uint64_t states)
{
    pthread_mutex_lock(&t->lock);
    t->verified += states;
    pthread_mutex_unlock(&t->lock);
}

void om_task_count(om_task *t, om_counter what, uint64_t n)
{
    assert((unsigned) what < OM_COUNTERS);
    pthread_mutex_lock(&t->lock);
    t->counts[what] += n;
    pthread_mutex_unlock(&t->lock);
}

void om_task_add_sccs(om_task *t, uint64_t sccs)
{
    pthread_mutex_lock(&t->lock);
    t->sccs_counted = (t->sccs_counted == UINT64_MAX ? 0 : t->sccs_counted) + sccs;
    pthread_mutex_unlock(&t->lock);
}

int om_task_add_overflows(om_task *t, uint64_t overflows, const uint32_t *vector)
{
    size_t words = t->spec.product.executor->words;
    uint32_t *copy = overflows == 0 ? NULL : om_alloc(t->heap, words, sizeof *copy);
    if (overflows == 0)
        return OM_OK;
    if (copy == NULL)
        return om_fail_memory(t->ctx);
    memcpy(copy, vector, words * sizeof *copy);
    pthread_mutex_lock(&t->lock);
    t->overflows += overflows;
    if (t->overflow_vector == NULL) {
        t->overflow_vector = copy;
        copy = NULL;
    }
    pthread_mutex_unlock(&t->lock);
    om_free(t->heap, copy);
    return OM_OK;
}

uint64_t om_task_overflows_of(const om_task *t, const uint32_t **vector)
{
    if (t->overflow_vector != NULL)
        *vector = t->overflow_vector;
    else if (t->product != NULL)
        (void) om_product__overflows(t->product, vector);
    return t->overflows;
}

void om_task__add_use(const om_task *t, om_code_use *sum)
{
    if (t->product != NULL)
        om_product__add_use(t->product, sum);
}

void om_task__levels(om_task *t, om_levels *out)
{
    *out = (om_levels){ 0 };
    pthread_mutex_lock(&t->lock);
    if (t->product != NULL)
        om_product__levels(t->product, out);
    pthread_mutex_unlock(&t->lock);
}

void om_task_progress(om_task *t, uint64_t *states, uint64_t *transitions)
{
    pthread_mutex_lock(&t->lock);
    *states = t->states;
    *transitions = t->transitions;
    if (t->product != NULL) {
        *states += om_product_state_count(t->product);
        *transitions += om_product__edge_count(t->product);
    }
    pthread_mutex_unlock(&t->lock);
}
