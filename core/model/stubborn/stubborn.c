/* SPDX-License-Identifier: Apache-2.0 */
#include "stubborn.h"

#include "execute/over.h"
#include "sets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Before a search, a walk of at most SAMPLE states, and SAMPLE_WORK words and guards, finds out
 * whether the reduction is worth its time. A state that has successors has to keep one. Of the
 * others, one in WORTH has to be left out; one in WORTH_MAKING, if most sets have to be made: of
 * MANY states, less than two in three were met before. */
enum { MAKING = 1 << 20 }; /* parts of rows: sets that cost more are not worth it */
enum { SAMPLE = 1024, SAMPLE_WORK = 1 << 20, WORTH = 16, WORTH_MAKING = 6, MANY = 100 };

/* What a thread works with */
typedef struct work {
    om_scratch unused; /* first */
    om_maker *maker;
    om_choices choices;
} work;

typedef struct reducing {
    om_over over; /* first */
    om_depend depend;
    om_sets sets;
    uint32_t transitions;
} reducing;

static void free_work(const om_over *o, om_scratch *s)
{
    work *w = (work *) s;
    om_maker__free(w->maker);
    om_choices__close(&w->choices);
    om_free(o->heap, w);
}

static om_scratch *new_work(const om_over *o)
{
    const reducing *r = (const reducing *) o;
    work *w = NULL;
    if (!OM_NEW(o->heap, w, 1))
        return NULL;
    om_choices__init(&w->choices, o->heap);
    w->maker = om_maker__new(&r->sets);
    if (w->maker != NULL)
        return &w->unused;
    free_work(o, &w->unused);
    return NULL;
}

/* ---- the successors of a state ---- */

/* Keeps these of the rows from the first one on. */
static void keep_rows(om_successors *out, size_t first, const uint32_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t from = first + rows[i], to = first + i;
        assert(from >= to && from < out->count);
        out->transition[to] = out->transition[from];
        if (from != to)
            memcpy(out->words + to * out->stride, out->words + from * out->stride,
                out->stride * sizeof *out->words);
    }
    out->count = first + count;
}

/* Chooses among the rows from the first one on. */
static void choose(
    const reducing *r, work *s, const uint32_t *vector, om_successors *out, size_t first)
{
    const uint32_t *enabled = out->transition + first;
    const size_t all = out->count - first;
    if (!om_sets__may_choose(&r->sets, enabled, all) ||
        !om_footprint__has_choice(&r->depend.footprint, vector, enabled, all))
        return;
    om_leaf leaf;
    if (!om_choices__find(&s->choices, &r->sets.tests, enabled, all, vector, &leaf)) {
        om_maker *k = s->maker;
        const size_t best = om_maker__make(k, vector, enabled, all);
        leaf = (om_leaf){ .kept = k->kept, .count = best < all ? best : 0 };
        om_choices__add(&s->choices, enabled, all, k->asked, k->asked_count, &leaf);
    }
    if (leaf.count > 0)
        keep_rows(out, first, leaf.kept, leaf.count);
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    reducing *r = x->self;
    const size_t first = out->count;
    const int rc = r->over.below->append(r->over.below, vector, out);
    if (rc != OM_OK || out->fault != 0 || out->count - first < 2)
        return rc;
    work *s = (work *) om_over__take(&r->over);
    if (s == NULL)
        return OM_ENOMEM;
    choose(r, s, vector, out, first);
    om_over__give_back(&r->over, &s->unused);
    return OM_OK;
}

static void free_reducing(om_over *o)
{
    reducing *r = (reducing *) o;
    if (r->depend.m != NULL)
        om_depend__close(&r->depend);
    om_sets__close(&r->sets);
    om_free(o->heap, r);
}

static const om_over_kind reduces = {
    .append = append, .make = new_work, .unmake = free_work, .free = free_reducing
};

static void count_all(const reducing *r, om_reduced_figures *figures)
{
    const om_depend *d = &r->depend;
    *figures = (om_reduced_figures){ .transitions = r->transitions };
    for (uint32_t t = 0; t < r->transitions; t++) {
        figures->seen += d->seen[t];
        figures->sticky += d->sticky[t];
    }
}

/* ---- is it worth it? ---- */

/* Returns what the thread of a sample worked with, or NULL if it has needed none. */
static const work *sampled(const reducing *r)
{
    const om_scratch *s = r->over.unused;
    assert(s == NULL || s->next == NULL);
    return (const work *) s;
}

/* Returns true if a sample has shown that the sets cost too much. */
static bool is_costly(const reducing *r)
{
    const work *s = sampled(r);
    return s != NULL && s->maker->all_work > MAKING;
}

/* Walks through the reduced graph; counts the successors that there are, and those that are kept,
 * beside one of each state. */
static int walk(const om_executor *x, om_successors *out, uint64_t *all, uint64_t *kept)
{
    const reducing *r = x->self;
    om_random random = { .state = 1 };
    uint32_t *vector = NULL;
    int rc = OM_NEW(r->over.heap, vector, x->words) ? OM_OK : OM_ENOMEM;
    uint32_t left = SAMPLE_WORK / (x->words + r->transitions + 1);
    left = left < SAMPLE ? left : SAMPLE;
    for (out->count = 0; left > 0 && rc == OM_OK && !is_costly(r); left--) {
        if (out->count == 0 || out->fault != 0)
            x->initial(x, vector);
        else
            memcpy(vector, out->words + om_random_below(&random, out->count) * out->stride,
                x->words * sizeof *vector);
        rc = om_executor_successors(r->over.below, vector, out);
        if (rc != OM_OK || out->fault != 0)
            continue;
        *all += out->count == 0 ? 0 : out->count - 1;
        rc = om_executor_successors(x, vector, out);
        *kept += out->count == 0 ? 0 : out->count - 1;
    }
    om_free(r->over.heap, vector);
    return rc;
}

/* Returns true if enough of the successors are left out. */
static bool is_worth_it(const reducing *r, uint64_t all, uint64_t kept)
{
    const work *s = sampled(r);
    const bool makes =
        s != NULL && s->choices.added >= MANY && s->choices.found < 2 * s->choices.added;
    return kept < all && !is_costly(r) && (all - kept) * (makes ? WORTH_MAKING : WORTH) >= all;
}

/* Drops futile seeds; forgets all that was chosen with them, so that all threads choose alike. */
static void learn(reducing *r)
{
    const work *s = sampled(r);
    if (s == NULL)
        return;
    om_sets__learn(&r->sets, s->maker);
    om_over__forget(&r->over);
}

/* Walks once to learn, then again to measure. */
static int sample(reducing *r, om_reduced_figures *figures)
{
    om_successors out = { .heap = r->over.heap };
    uint64_t all = 0, kept = 0;
    int rc = walk(&r->over.executor, &out, &all, &kept);
    learn(r);
    all = kept = 0;
    if (rc == OM_OK)
        rc = walk(&r->over.executor, &out, &all, &kept);
    om_successors_free(&out);
    figures->worth = is_worth_it(r, all, kept);
    return rc;
}

int om_stubborn__reduce(om_executor **x, const om_model *m, const om_compact *compact,
    om_reduction kept, bool always, const om_expr *aps, uint32_t ap_count,
    om_reduced_figures *figures)
{
    reducing *r = NULL;
    *figures = (om_reduced_figures){ .transitions = 0 };
    if (kept == OM_REDUCE_NOTHING || !OM_NEW(m->heap, r, 1))
        return kept == OM_REDUCE_NOTHING ? OM_OK : om_fail_memory(m->ctx);
    om_over__init(&r->over, *x, &reduces, m->heap);
    r->transitions = om_model_transition_count(m);
    int rc = om_depend__open(&r->depend, m, compact == NULL ? *x : NULL, aps, ap_count);
    if (rc == OM_OK)
        rc = om_sets__open(
            &r->sets, &r->depend, compact, kept == OM_REDUCE_TO_RUNS || r->depend.faults);
    if (rc == OM_OK) {
        count_all(r, figures);
        rc = sample(r, figures);
        figures->worth = figures->worth || always;
    }
    if (rc != OM_OK || !figures->worth) {
        om_over__drop(&r->over);
        return rc == OM_EUNSUPPORTED ? OM_OK : rc == OM_ENOMEM ? om_fail_memory(m->ctx) : rc;
    }
    *x = &r->over.executor;
    return OM_OK;
}
