/* SPDX-License-Identifier: Apache-2.0 */
#include "stubborn.h"

#include "sets.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Before a search, a walk of at most SAMPLE states, and SAMPLE_WORK words and guards, finds out
 * whether the reduction is worth its time. A state that has successors has to keep one. Of the
 * others, one in WORTH has to be left out; one in WORTH_MAKING, if most sets have to be made: of
 * MANY states, less than two in three were met before. */
enum { MAKING = 1 << 20 }; /* parts of rows: sets that cost more are not worth it */
enum { SAMPLE = 1024, SAMPLE_WORK = 1 << 20, WORTH = 16, WORTH_MAKING = 6, MANY = 100 };

/* What a thread works with */
typedef struct scratch {
    struct scratch *next; /* that no thread uses */
    om_maker *maker;
    om_choices choices;
} scratch;

typedef struct reducing {
    om_executor executor;
    om_executor *below;
    const om_heap *heap;
    om_depend depend;
    om_sets sets;
    uint32_t transitions;
    pthread_mutex_t lock; /* protects `free` */
    scratch *free;
} reducing;

/* ---- scratch ---- */

static void free_scratch(const reducing *r, scratch *s)
{
    om_maker__free(s->maker);
    om_choices__close(&s->choices);
    om_free(r->heap, s);
}

static scratch *new_scratch(const reducing *r)
{
    scratch *s = NULL;
    if (!OM_NEW(r->heap, s, 1))
        return NULL;
    om_choices__init(&s->choices, r->heap);
    s->maker = om_maker__new(&r->sets);
    if (s->maker != NULL)
        return s;
    free_scratch(r, s);
    return NULL;
}

/* Returns scratch for the calling thread, or NULL if memory runs out. */
static scratch *take_scratch(reducing *r)
{
    pthread_mutex_lock(&r->lock);
    scratch *s = r->free;
    if (s != NULL)
        r->free = s->next;
    pthread_mutex_unlock(&r->lock);
    return s != NULL ? s : new_scratch(r);
}

static void give_back(reducing *r, scratch *s)
{
    pthread_mutex_lock(&r->lock);
    s->next = r->free;
    r->free = s;
    pthread_mutex_unlock(&r->lock);
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
    const reducing *r, scratch *s, const uint32_t *vector, om_successors *out, size_t first)
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
    const int rc = r->below->append(r->below, vector, out);
    if (rc != OM_OK || out->fault != 0 || out->count - first < 2)
        return rc;
    scratch *s = take_scratch(r);
    if (s == NULL)
        return OM_ENOMEM;
    choose(r, s, vector, out, first);
    give_back(r, s);
    return OM_OK;
}

static uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    const reducing *r = x->self;
    return r->below->labels(r->below, vector, fault);
}

static void initial(const om_executor *x, uint32_t *vector)
{
    const reducing *r = x->self;
    r->below->initial(r->below, vector);
}

static const char *who(const om_executor *x)
{
    const reducing *r = x->self;
    return r->below->who != NULL ? r->below->who(r->below) : r->below->name;
}

/* ---- opening and closing ---- */

/* Frees all but the executor below. */
static void drop(reducing *r)
{
    while (r->free != NULL) {
        scratch *s = r->free;
        r->free = s->next;
        free_scratch(r, s);
    }
    if (r->depend.m != NULL)
        om_depend__close(&r->depend);
    om_sets__close(&r->sets);
    pthread_mutex_destroy(&r->lock);
    om_free(r->heap, r);
}

static void reducing_close(om_executor *x)
{
    reducing *r = x->self;
    om_executor *below = r->below;
    drop(r);
    om_executor_close(below);
}

om_executor *om_stubborn__below(const om_executor *x)
{
    const reducing *r = x->close == reducing_close ? x->self : NULL;
    return r != NULL ? r->below : NULL;
}

static void count_all(const reducing *r, om_reduced_figures *figures)
{
    const om_depend *d = &r->depend;
    *figures = (om_reduced_figures){ .transitions = r->transitions };
    for (uint32_t t = 0; t < r->transitions; t++) {
        figures->seen += d->seen[t];
        figures->sticky += d->sticky[t];
    }
}

/* Fills in the functions of the executor. */
static void describe(reducing *r)
{
    r->executor = *r->below;
    r->executor.self = r;
    r->executor.initial = initial;
    r->executor.append = append;
    r->executor.labels = labels;
    r->executor.close = reducing_close;
    r->executor.who = who;
}

/* ---- is it worth it? ---- */

/* Returns true if a sample has shown that the sets cost too much. */
static bool is_costly(const reducing *r)
{
    return r->free != NULL && r->free->maker->all_work > MAKING;
}

/* Walks through the reduced graph; counts the successors that there are, and those that are kept,
 * beside one of each state. */
static int walk(const om_executor *x, om_successors *out, uint64_t *all, uint64_t *kept)
{
    const reducing *r = x->self;
    om_random random = { .state = 1 };
    uint32_t *vector = NULL;
    int rc = OM_NEW(r->heap, vector, x->words) ? OM_OK : OM_ENOMEM;
    uint32_t left = SAMPLE_WORK / (x->words + r->transitions + 1);
    left = left < SAMPLE ? left : SAMPLE;
    for (out->count = 0; left > 0 && rc == OM_OK && !is_costly(r); left--) {
        if (out->count == 0 || out->fault != 0)
            x->initial(x, vector);
        else
            memcpy(vector, out->words + om_random_below(&random, out->count) * out->stride,
                x->words * sizeof *vector);
        rc = om_executor_successors(r->below, vector, out);
        if (rc != OM_OK || out->fault != 0)
            continue;
        *all += out->count == 0 ? 0 : out->count - 1;
        rc = om_executor_successors(x, vector, out);
        *kept += out->count == 0 ? 0 : out->count - 1;
    }
    om_free(r->heap, vector);
    return rc;
}

/* Returns true if enough of the successors are left out. */
static bool is_worth_it(const reducing *r, uint64_t all, uint64_t kept)
{
    const om_choices *c = r->free == NULL ? NULL : &r->free->choices;
    const bool makes = c != NULL && c->added >= MANY && c->found < 2 * c->added;
    return kept < all && !is_costly(r) && (all - kept) * (makes ? WORTH_MAKING : WORTH) >= all;
}

/* Drops futile seeds; forgets all that was chosen with them, so that all threads choose alike. */
static void learn(reducing *r)
{
    scratch *s = r->free; /* a sample is one thread's */
    if (s == NULL)
        return;
    assert(s->next == NULL);
    om_sets__learn(&r->sets, s->maker);
    r->free = NULL;
    free_scratch(r, s);
}

/* Walks once to learn, then again to measure. */
static int sample(reducing *r, om_reduced_figures *figures)
{
    om_successors out = { .heap = r->heap };
    uint64_t all = 0, kept = 0;
    int rc = walk(&r->executor, &out, &all, &kept);
    learn(r);
    all = kept = 0;
    if (rc == OM_OK)
        rc = walk(&r->executor, &out, &all, &kept);
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
    r->heap = m->heap;
    r->below = *x;
    r->transitions = om_model_transition_count(m);
    pthread_mutex_init(&r->lock, NULL);
    int rc = om_depend__open(&r->depend, m, compact == NULL ? r->below : NULL, aps, ap_count);
    if (rc == OM_OK)
        rc = om_sets__open(
            &r->sets, &r->depend, compact, kept == OM_REDUCE_TO_RUNS || r->depend.faults);
    if (rc == OM_OK) {
        count_all(r, figures);
        describe(r);
        rc = sample(r, figures);
        figures->worth = figures->worth || always;
    }
    if (rc != OM_OK || !figures->worth) {
        drop(r);
        return rc == OM_EUNSUPPORTED ? OM_OK : rc == OM_ENOMEM ? om_fail_memory(m->ctx) : rc;
    }
    *x = &r->executor;
    return OM_OK;
}
