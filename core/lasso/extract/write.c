/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a run as a lasso: transitions of the model, four bytes each. */
#include "extraction.h"
#include "leap/leap.h"
#include "model.h"
#include "finite_trace.h"

#include <assert.h>
#include <string.h>

/* Returns true if two states of the product have the same state of the model. */
static bool same_model(const om_extraction *x, om_id a, om_id b, uint32_t *vectors)
{
    om_product *p = om_task_product(x->task);
    uint32_t words = om_product_words(p), model = om_product_spec_of(p)->executor->words;
    if (a == b)
        return true;
    om_cursor_vector(x->cursor, a, vectors);
    om_cursor_vector(x->cursor, b, vectors + words);
    return memcmp(vectors, vectors + words, model * sizeof *vectors) == 0;
}

static bool repeats(const om_extraction *x, size_t end, size_t period, uint32_t *vectors)
{
    for (size_t i = x->loop; i + period < end; i++)
        if (!same_model(
                x, om_extraction__state(x, i), om_extraction__state(x, i + period), vectors))
            return false;
    return true;
}

/* The product may need several rounds, or a longer path, while the model repeats itself. Neither
 * change alters the endless run: a cycle w..w is w, and u a (v a)... is u (a v)... */
static int fold(om_extraction *x, size_t *end)
{
    uint32_t *vectors = om_alloc(om_context_heap(x->ctx),
        2 * (size_t) om_product_words(om_task_product(x->task)), sizeof *vectors);
    size_t cycle = *end - x->loop;
    assert(x->loop < *end && *end <= om_extraction__length(x));
    if (vectors == NULL)
        return om_fail_memory(x->ctx);
    for (size_t period = 1; period < cycle; period++)
        if (cycle % period == 0 && repeats(x, *end, period, vectors)) {
            *end = x->loop + period;
            break;
        }
    while (x->loop > 0 && same_model(x, om_extraction__state(x, x->loop - 1),
                              om_extraction__state(x, *end - 1), vectors)) {
        x->loop--;
        --*end;
    }
    om_free(om_context_heap(x->ctx), vectors);
    return OM_OK;
}

/* A lasso under construction. */
typedef struct writer {
    om_lasso l;
    size_t capacity;
} writer;

static int put(writer *w, uint32_t transition)
{
    if (!OM_ROOM(w->l.heap, w->l.transitions, &w->capacity, w->l.count + 1))
        return OM_ENOMEM;
    w->l.transitions[w->l.count++] = transition;
    return OM_OK;
}

/* Writes the transitions of a leap of the model between two states. */
static int put_leap(writer *w, om_cursor *c, om_product *p, om_id from, om_id to, uint32_t first)
{
    const uint32_t words = om_product_words(p);
    uint32_t *vectors = om_alloc(w->l.heap, 2 * (size_t) words, sizeof *vectors);
    om_way way = { .heap = w->l.heap };
    int rc = vectors == NULL ? OM_ENOMEM : OM_OK;
    if (rc == OM_OK) {
        om_cursor_vector(c, from, vectors);
        om_cursor_vector(c, to, vectors + words);
        rc = om_leap__way(om_product_spec_of(p)->executor, vectors, first, vectors + words, &way);
    }
    for (size_t i = 0; i < way.count && rc == OM_OK; i++)
        rc = put(w, way.transitions[i]);
    om_free(w->l.heap, way.transitions);
    om_free(w->l.heap, vectors);
    return rc;
}

/* Writes a step of the product. */
static int put_step_of(
    writer *w, om_context *ctx, om_cursor *c, om_product *p, om_id from, const om_step *step)
{
    const bool leaps =
        step->transition != OM_STUTTER && om_leap__is(om_product_spec_of(p)->executor);
    const int rc =
        leaps ? put_leap(w, c, p, from, step->to, step->transition) : put(w, step->transition);
    return rc == OM_ENOMEM      ? om_fail_memory(ctx)
           : rc == OM_EINTERNAL ? om_fail(ctx, rc, NULL, "the steps of a leap were not found")
                                : rc;
}

/* Writes the transition of a step between two states; *found: there is one. */
static int put_step(
    writer *w, om_context *ctx, om_cursor *c, om_product *p, om_id from, om_id to, bool *found)
{
    const om_step *steps;
    size_t n = 0;
    int rc = om_context_stopped(ctx);
    if (rc == OM_OK)
        rc = om_cursor_successors(c, from, &steps, &n);
    *found = false;
    for (size_t i = 0; rc == OM_OK && i < n && !*found; i++)
        if (steps[i].to == to) {
            *found = true;
            rc = put_step_of(w, ctx, c, p, from, &steps[i]);
        }
    return rc;
}

/* Writes the steps from one state to another, across a possible gap. */
static int put_steps(writer *w, om_extraction *x, om_id from, om_id to)
{
    bool found = false;
    om_product *p = om_task_product(x->task);
    int rc = put_step(w, x->ctx, x->cursor, p, from, to, &found);
    if (rc != OM_OK || found)
        return rc;
    om_path path = { .heap = om_context_heap(x->ctx) };
    if (om_gap__possible(x))
        rc = om_gap__fill(x, from, to, &path, &found);
    if (rc == OM_OK && !found)
        rc = om_fail(x->ctx, OM_EINTERNAL, NULL, "a checker's evidence is not a path");
    for (size_t i = 0; rc == OM_OK && i < path.count; i++) {
        rc = put_step(w, x->ctx, x->cursor, p, from, path.ids[i], &found);
        from = path.ids[i];
        assert(rc != OM_OK || found);
    }
    om_path__free(&path);
    return rc;
}

/* What a fair cycle still has to show. */
typedef struct debt {
    om_marks missing;
    om_fair_cycle lacking;
} debt;

static size_t left_of(const debt *d)
{
    return (size_t) __builtin_popcountll(d->missing) + om_fair_cycle__lacks(&d->lacking);
}

/* Of the steps between two states without marks to avoid, writes the one that shows most of it. */
static int put_fair_step(writer *w, om_extraction *x, om_id from, om_id to, debt *d)
{
    const om_step *steps, *best = NULL;
    size_t n = 0, most = 0;
    int rc = om_context_stopped(x->ctx);
    if (rc == OM_OK)
        rc = om_cursor_successors(x->cursor, from, &steps, &n);
    for (size_t i = 0; rc == OM_OK && i < n; i++) {
        size_t has = (size_t) __builtin_popcountll(steps[i].marks & d->missing) +
                     om_fair_cycle__moves(&d->lacking, &steps[i]);
        if (steps[i].to == to && (steps[i].marks & x->avoid) == 0 && (best == NULL || has > most)) {
            best = &steps[i];
            most = has;
        }
    }
    if (rc == OM_OK && best == NULL)
        return om_fail(x->ctx, OM_EINTERNAL, NULL, "a cycle has a step that it must avoid");
    if (rc == OM_OK)
        rc = put_step_of(w, x->ctx, x->cursor, om_task_product(x->task), from, best);
    if (rc == OM_OK) {
        d->missing &= ~best->marks;
        om_fair_cycle__add_step(&d->lacking, best);
    }
    return rc;
}

/* Initialises the debt: the marks, and the processes that must move according to the states. */
static int open_debt(om_extraction *x, debt *d)
{
    int rc = OM_OK;
    d->missing = x->see;
    if (om_fair_cycle__open(
            &d->lacking, om_context_heap(x->ctx), om_extraction__fair_processes(x)) != OM_OK)
        return om_fail_memory(x->ctx);
    for (size_t i = x->loop;
         rc == OM_OK && d->lacking.fair_processes != NULL && i < om_extraction__length(x); i++) {
        const om_step *steps;
        size_t n = 0;
        rc = om_cursor_successors(x->cursor, om_extraction__state(x, i), &steps, &n);
        if (rc != OM_OK)
            break;
        om_fair_cycle__look(&d->lacking, steps, n);
        om_fair_cycle__add_state(&d->lacking);
    }
    return rc;
}

/*
 * Writes the cycle of a run that must be fair. Several transitions may lead from one state to
 * another, each with its own marks (of the moving processes), and one round takes only one of them:
 * rounds are written until all marks are seen. The steps of the cycle together have all of them, so
 * each round sees more.
 */
static int put_fair_cycle(writer *w, om_extraction *x)
{
    const size_t all = om_extraction__length(x);
    debt d = { 0 };
    assert(x->loop < all);
    size_t before;
    int rc = open_debt(x, &d);
    w->l.loop = w->l.count;
    do {
        before = left_of(&d);
        for (size_t i = x->loop; rc == OM_OK && i < all; i++)
            rc = put_fair_step(w, x, om_extraction__state(x, i),
                om_extraction__state(x, i + 1 < all ? i + 1 : x->loop), &d);
    } while (rc == OM_OK && left_of(&d) != 0 && left_of(&d) != before);
    om_fair_cycle__close(&d.lacking);
    return rc;
}

static writer new_writer(om_context *ctx, om_product *p)
{
    const om_executor *x = om_product_spec_of(p)->executor;
    writer w = { .l = { .heap = om_context_heap(ctx), .words = x->words, .loop = OM_NO_LOOP } };
    if (x->model != NULL)
        w.l.form = om_model__form_of(x->model);
    return w;
}

int om_extraction__write(om_extraction *x, size_t end, bool endless, om_lasso *out)
{
    writer w = new_writer(x->ctx, om_task_product(x->task));
    size_t all = om_extraction__length(x), loop = x->loop;
    assert(end <= all);
    om_id back = endless ? om_extraction__state(x, loop) : OM_NO_ID;
    const bool fair = endless && om_product_spec_of(om_task_product(x->task))->fairness != NULL;
    int rc = OM_OK;
    if (endless && end == all && !fair)
        rc = fold(x, &end);
    for (size_t i = 0; rc == OM_OK && i < (fair ? loop : end); i++) {
        if (endless && i == x->loop)
            w.l.loop = w.l.count;
        if (i + 1 < end || endless)
            rc = put_steps(&w, x, om_extraction__state(x, i),
                i + 1 < all ? om_extraction__state(x, i + 1) : back);
        else if (put(&w, OM_NONE) != OM_OK)
            rc = om_fail_memory(x->ctx);
    }
    if (rc == OM_OK && fair)
        rc = put_fair_cycle(&w, x);
    if (rc == OM_OK)
        *out = w.l;
    else
        om_lasso_free(&w.l);
    return rc;
}

int om_lasso__from_path(om_lasso *out, om_context *ctx, om_product *p, om_cursor *c,
    const om_id *path, size_t n, size_t loop)
{
    writer w = new_writer(ctx, p);
    assert(n > 0 && (loop == OM_NO_LOOP || loop < n));
    bool found = true, endless = loop != OM_NO_LOOP;
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i + !endless < n; i++) {
        if (i == loop)
            w.l.loop = w.l.count;
        rc = put_step(&w, ctx, c, p, path[i], path[i + 1 < n ? i + 1 : loop], &found);
        if (rc == OM_OK && !found)
            rc = om_fail(
                ctx, OM_EINTERNAL, NULL, "a search returned states that do not form a path");
    }
    if (rc == OM_OK && !endless && put(&w, OM_NONE) != OM_OK)
        rc = om_fail_memory(ctx);
    if (rc == OM_OK)
        *out = w.l;
    else
        om_lasso_free(&w.l);
    return rc;
}
