/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a simulation, and the steps that extend it. */
#include "history.h"

#include "model.h"

#include <assert.h>
#include <string.h>

enum { ASK_EVERY = 256 };

int om_simulation__ready(om_simulation *s)
{
    if (s->x != NULL)
        return OM_OK;
    return om_executor_open(&s->x, s->model, OM_EXEC_VM, s->condition, s->breakpoints);
}

void om_simulation__drop(om_simulation *s, om_history *h)
{
    OM_FREE_ALL(s->heap, h->states, h->taken, h->run.step);
    *h = (om_history){ 0 };
}

/* Makes space for `length` states. */
static int reserve(om_simulation *s, size_t length)
{
    om_history *h = &s->h;
    const size_t size = s->words * sizeof *h->states;
    return om_grow_array(s->heap, (void *) &h->states, &h->state_capacity, length, size) &&
                   OM_ROOM(s->heap, h->taken, &h->taken_capacity, length)
               ? OM_OK
               : om_fail_memory(s->ctx);
}

int om_simulation__begin(om_simulation *s)
{
    int rc = reserve(s, 1);
    if (rc != OM_OK)
        return rc;
    memcpy(s->h.states, om_model_initial(s->model), s->words * sizeof *s->h.states);
    s->h.taken[0] = OM_NONE;
    s->h.length = 1;
    s->h.position = 0;
    s->fresh = false;
    return OM_OK;
}

int om_simulation_new(
    om_simulation **out, om_context *ctx, const om_frontend *frontend, om_model *model)
{
    const om_heap *heap = om_context_heap(ctx);
    om_simulation *s = om_alloc(heap, 1, sizeof *s);
    if (s == NULL)
        return om_fail_memory(ctx);
    s->ctx = ctx;
    s->heap = heap;
    s->frontend = frontend;
    s->model = model;
    s->words = om_model_words(model);
    s->next.heap = heap;
    int rc = om_simulation__ready(s);
    if (rc == OM_OK)
        rc = om_simulation__begin(s);
    if (rc != OM_OK) {
        om_simulation_free(s);
        return rc;
    }
    *out = s;
    return OM_OK;
}

void om_simulation_free(om_simulation *s)
{
    if (s == NULL)
        return;
    om_executor_close(s->x);
    om_successors_free(&s->next);
    om_simulation__drop(s, &s->h);
    for (uint32_t i = 0; i < s->breakpoints; i++)
        om_free(s->heap, s->text[i]);
    om_free(s->heap, s);
}

/* ---- the history ---- */

size_t om_simulation_length(const om_simulation *s)
{
    return s->h.length;
}

size_t om_simulation_position(const om_simulation *s)
{
    return s->h.position;
}

const uint32_t *om_simulation_state(const om_simulation *s, size_t i)
{
    return i < s->h.length ? om_simulation__at(s, i) : NULL;
}

uint32_t om_simulation_taken(const om_simulation *s, size_t i)
{
    return i < s->h.length ? s->h.taken[i] : OM_NONE;
}

int om_simulation_trace(const om_simulation *s, om_lasso *out)
{
    const size_t count = s->h.position + 1, size = s->words * sizeof *s->h.states;
    assert(count <= s->h.length); /* I1 */
    om_lasso l = { .heap = s->heap, .words = s->words, .count = count, .loop = OM_NO_LOOP };
    l.form = om_model__form_of(s->model);
    l.vectors = om_alloc(s->heap, count, size);
    l.transitions = om_alloc(s->heap, count, sizeof *l.transitions);
    if (l.vectors == NULL || l.transitions == NULL) {
        om_lasso_free(&l);
        return om_fail_memory(s->ctx);
    }
    memcpy(l.vectors, s->h.states, count * size);
    memcpy(l.transitions, s->h.taken, count * sizeof *l.transitions);
    l.transitions[count - 1] = OM_NONE;
    *out = l;
    return OM_OK;
}

bool om_simulation_goto(om_simulation *s, size_t i)
{
    if (i >= s->h.length)
        return false;
    s->fresh = s->fresh && i == s->h.position;
    s->h.position = i;
    return true;
}

/* ---- the current state ---- */

static int look(om_simulation *s)
{
    assert(s->h.position < s->h.length); /* I1 */
    int rc = s->fresh ? OM_OK : om_simulation__ready(s);
    if (rc != OM_OK || s->fresh)
        return rc;
    if (om_executor_successors(s->x, om_simulation__at(s, s->h.position), &s->next) != OM_OK)
        return om_fail_memory(s->ctx);
    s->fresh = true;
    return OM_OK;
}

int om_simulation_enabled(om_simulation *s, const uint32_t **transitions, size_t *count)
{
    *transitions = NULL;
    *count = 0;
    int rc = look(s);
    if (rc == OM_OK && s->next.fault != 0)
        rc = om_model_fault_in(s->model, s->next.fault, om_simulation__at(s, s->h.position));
    if (rc != OM_OK)
        return rc;
    *transitions = s->next.count == 0 ? NULL : s->next.transition;
    *count = s->next.count;
    return OM_OK;
}

const uint32_t *om_simulation_target(const om_simulation *s, size_t k)
{
    bool there = s->fresh && s->next.fault == 0 && k < s->next.count;
    return there ? s->next.words + k * s->words : NULL;
}

/* ---- moving ---- */

uint32_t om_simulation__step(const om_known_run *run, size_t i)
{
    if (run->step == NULL)
        return OM_NONE;
    if (i < run->count)
        return run->step[i];
    assert(run->loop == OM_NO_LOOP || run->loop < run->count);
    return run->loop == OM_NO_LOOP
               ? OM_NONE
               : run->step[run->loop + (i - run->loop) % (run->count - run->loop)];
}

/* Adds a state after the current one, reached by t; `state` is NULL if it is the same state. */
static int add(om_simulation *s, uint32_t t, const uint32_t *state)
{
    om_history *h = &s->h;
    const size_t at = h->position;
    assert(at < h->length && h->taken[h->length - 1] == OM_NONE); /* I1 */
    int rc = reserve(s, at + 2);
    if (rc != OM_OK)
        return rc;
    memcpy(om_simulation__at(s, at + 1), state == NULL ? om_simulation__at(s, at) : state,
        s->words * sizeof *state);
    if (h->followed > at)
        h->followed = at;
    if (h->followed == at && om_simulation__step(&h->run, at) == t)
        h->followed = at + 1;
    h->taken[at] = t;
    h->taken[at + 1] = OM_NONE;
    h->length = at + 2;
    h->position = at + 1;
    assert(h->followed < h->length); /* I3 */
    s->fresh = false;
    return OM_OK;
}

int om_simulation_take(om_simulation *s, size_t k)
{
    const uint32_t *transitions;
    size_t count;
    int rc = om_simulation_enabled(s, &transitions, &count);
    if (rc == OM_OK && k >= count)
        rc = om_fail(s->ctx, OM_EINVAL, NULL, "no such transition is enabled");
    if (rc != OM_OK)
        return rc;
    const uint32_t t = s->next.transition[k];
    if (s->h.taken[s->h.position] != t)
        return add(s, t, s->next.words + k * s->words);
    (void) om_simulation_goto(s, s->h.position + 1);
    return OM_OK;
}

uint32_t om_simulation_ahead(const om_simulation *s)
{
    const om_history *h = &s->h;
    if (h->position + 1 < h->length)
        return h->taken[h->position];
    return h->followed == h->position ? om_simulation__step(&h->run, h->position) : OM_NONE;
}

int om_simulation_forward(om_simulation *s)
{
    const uint32_t *transitions;
    size_t count, k = 0;
    if (s->h.position + 1 < s->h.length) {
        (void) om_simulation_goto(s, s->h.position + 1);
        return OM_OK;
    }
    const uint32_t t = om_simulation_ahead(s);
    if (t == OM_NONE)
        return om_fail(s->ctx, OM_EINVAL, NULL, "the next step is not known");
    int rc = om_simulation_enabled(s, &transitions, &count);
    if (rc != OM_OK)
        return rc;
    if (t == OM_STUTTER && count == 0)
        return add(s, t, NULL);
    while (k < count && transitions[k] != t)
        k++;
    if (k == count)
        return om_fail(s->ctx, OM_EINPUT, NULL,
            "state %zu: the model does not have the next step of the run", s->h.position);
    return add(s, t, s->next.words + k * s->words);
}

void om_simulation_seed(om_simulation *s, uint64_t seed)
{
    s->random.state = seed;
}

/* Takes one step of a run. If there is none, sets *ends and *end, and changes nothing. */
static int step(om_simulation *s, bool follow, bool *ends, om_simulation_end *end)
{
    const uint32_t *transitions;
    size_t count;
    *ends = false;
    if (follow && om_simulation_ahead(s) != OM_NONE)
        return om_simulation_forward(s);
    int rc = om_simulation_enabled(s, &transitions, &count);
    *ends = rc == OM_EMODEL || (rc == OM_OK && count == 0);
    if (*ends)
        *end = rc == OM_EMODEL ? OM_SIMULATION_FAULT : OM_SIMULATION_DEADLOCK;
    if (*ends || rc != OM_OK)
        return *ends ? OM_OK : rc;
    return om_simulation_take(s, (size_t) om_random_below(&s->random, count));
}

int om_simulation_run(
    om_simulation *s, uint64_t steps, bool follow, uint64_t *taken, om_simulation_end *end)
{
    uint64_t now = 0, became = 0;
    bool ends = false;
    int rc = OM_OK;
    *end = OM_SIMULATION_STEPS;
    for (*taken = 0; rc == OM_OK && *taken < steps; ++*taken) {
        if (*taken % ASK_EVERY == 0 && om_context_stopped(s->ctx) != OM_OK) {
            *end = OM_SIMULATION_STOPPED;
            return OM_OK;
        }
        rc = step(s, follow, &ends, end);
        if (rc != OM_OK || ends)
            return rc;
        if (s->breakpoints > 0)
            rc = om_simulation_breaking(s, &now, &became);
        if (became != 0)
            *end = OM_SIMULATION_BREAKPOINT;
        if (became != 0 && rc == OM_OK) {
            ++*taken;
            return OM_OK;
        }
    }
    return rc;
}
