/* SPDX-License-Identifier: Apache-2.0 */
#include "stubborn.h"

#include "choices.h"
#include "depend.h"

#include "analysis/moves.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Of the sets of a state, the smallest is used: at most MOST_TRIES are made, and no more after
 * MOST_WORK members of lists. Before a search, a walk of at most SAMPLE states and SAMPLE_WORDS
 * words finds out whether the reduction leaves out at least one successor in WORTH; and one in
 * WORTH_MAKING, if most sets have to be made: of MANY states, less than half were met again. */
enum { MOST_TRIES = 64, MOST_WORK = 1 << 13 };
enum { SAMPLE = 512, SAMPLE_WORDS = 1 << 20, WORTH = 32, WORTH_MAKING = 7, MANY = 100 };

/* The sets of one state. Transitions are marked with stamps, so that nothing has to be cleared. */
typedef struct scratch {
    struct scratch *next; /* that no thread uses */
    uint32_t *enabled;    /* by transition: state_stamp */
    uint32_t *member;     /* by transition: set_stamp */
    uint32_t *list;       /* the members that are enabled, ... */
    uint32_t *others;     /* ... and the others */
    uint32_t *best;       /* the enabled members of the best set, then their rows */
    uint32_t *answered;   /* by question: state_stamp, if it was asked, ... */
    uint32_t *answers;    /* ... and its answer */
    uint32_t *tried;      /* by process: state_stamp, if a set with its enabled ones was made */
    om_answer *asked;     /* the questions, in their order */
    uint32_t state_stamp, set_stamp;
    size_t count, other_count, asked_count;
    size_t work;
    om_choices choices;
} scratch;

typedef struct reducing {
    om_executor executor;
    om_executor *below;
    const om_heap *heap;
    om_depend depend;
    bool *loud;      /* by transition: S4, S5 */
    uint32_t *mover; /* by transition: a process that it moves to another location; OM_NONE */
    om_tests tests;
    uint32_t transitions;
    pthread_mutex_t lock; /* protects `free` */
    scratch *free;
} reducing;

/* ---- scratch ---- */

static void free_scratch(const reducing *r, scratch *s)
{
    OM_FREE_ALL(r->heap, s->enabled, s->member, s->list, s->others, s->best, s->answered,
        s->answers, s->tried, s->asked);
    om_choices__close(&s->choices);
    om_free(r->heap, s);
}

static scratch *new_scratch(const reducing *r)
{
    const size_t n = r->depend.footprint.all + (size_t) 1;
    scratch *s = NULL;
    if (!OM_NEW(r->heap, s, 1))
        return NULL;
    om_choices__init(&s->choices, r->heap);
    if (OM_NEW(r->heap, s->enabled, n) && OM_NEW(r->heap, s->member, n) &&
        OM_NEW(r->heap, s->list, n) && OM_NEW(r->heap, s->others, n) &&
        OM_NEW(r->heap, s->best, n) &&
        OM_NEW(r->heap, s->answered, r->tests.question_count + (size_t) 1) &&
        OM_NEW(r->heap, s->answers, r->tests.question_count + (size_t) 1) &&
        OM_NEW(r->heap, s->asked, r->tests.question_count + (size_t) 1) &&
        OM_NEW(r->heap, s->tried, om_model_process_count(r->depend.m) + (size_t) 1))
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

/* Begins a new marking of members. */
static void renew_set(const reducing *r, scratch *s)
{
    if (++s->set_stamp != 0)
        return;
    memset(s->member, 0, r->depend.footprint.all * sizeof *s->member);
    s->set_stamp = 1;
}

static void renew_state(const reducing *r, scratch *s)
{
    if (++s->state_stamp != 0)
        return;
    memset(s->enabled, 0, r->transitions * sizeof *s->enabled);
    memset(s->answered, 0, r->tests.question_count * sizeof *s->answered);
    memset(s->tried, 0, om_model_process_count(r->depend.m) * sizeof *s->tried);
    s->state_stamp = 1;
}

/* ---- the closure ---- */

static void include(scratch *s, uint32_t t)
{
    if (s->member[t] == s->set_stamp)
        return;
    s->member[t] = s->set_stamp;
    if (s->enabled[t] == s->state_stamp)
        s->list[s->count++] = t;
    else
        s->others[s->other_count++] = t;
}

static void include_list(scratch *s, const om_lists *l, uint32_t list)
{
    for (uint32_t i = l->first[list]; i < l->first[list + 1]; i++)
        include(s, l->at[i]);
    s->work += om_lists__length(l, list);
}

/* Returns true if a conjunct is a test that the state does not pass. */
static bool fails(const reducing *r, scratch *s, uint32_t conjunct, const uint32_t *vector)
{
    const uint32_t test = r->tests.of[conjunct];
    if (test == OM_NONE)
        return false;
    const uint32_t question = r->tests.tests[test].question;
    if (s->answered[question] != s->state_stamp) {
        s->answered[question] = s->state_stamp;
        s->answers[question] = om_tests__answer(&r->tests, question, vector);
        s->asked[s->asked_count++] = (om_answer){ question, s->answers[question] };
    }
    return !om_tests__passes(&r->tests, test, s->answers[question]);
}

/* Returns the members that a list would add, at most `most`. */
static uint32_t fresh_of(const scratch *s, const om_lists *l, uint32_t list, uint32_t most)
{
    uint32_t fresh = 0;
    for (uint32_t i = l->first[list]; i < l->first[list + 1] && fresh < most; i++)
        fresh += s->member[l->at[i]] != s->set_stamp;
    return fresh;
}

/* S3. Of the tests that fail, the one with the fewest enablers that are new. If none fails, some
 * other conjunct is false: it may be any. */
static void follow_disabled(const reducing *r, scratch *s, uint32_t t, const uint32_t *vector)
{
    const om_depend *d = &r->depend;
    const om_footprint *f = &d->footprint;
    const uint32_t first = f->first_conjunct[t], end = f->first_conjunct[t + 1];
    uint32_t best = OM_NONE, least = UINT32_MAX;
    for (uint32_t i = first; i < end && least > 0; i++) {
        const uint32_t behind = f->conjuncts[i].behind;
        if (!fails(r, s, i, vector) || (behind != OM_NONE && fails(r, s, behind, vector))) /* F6 */
            continue;
        const uint32_t fresh = fresh_of(s, &d->enablers, d->enabler_of[i], least);
        if (fresh < least) {
            least = fresh;
            best = i;
        }
    }
    if (best != OM_NONE) {
        include_list(s, &d->enablers, d->enabler_of[best]);
        return;
    }
    for (uint32_t i = first; i < end; i++)
        if (r->tests.of[i] == OM_NONE)
            include_list(s, &d->enablers, d->enabler_of[i]);
}

/* Returns true if a transition stays disabled while the enabled one is not taken. */
static bool waits(const reducing *r, uint32_t t, uint32_t enabled)
{
    const om_model *m = r->depend.m;
    return t < r->transitions && om_model__is_last_resort(m, t) &&
           !om_model__is_last_resort(m, enabled);
}

/* Makes the smallest set with a transition that is enabled. Returns false if the set has a loud
 * transition that is enabled, or as many enabled ones as the best set. All enabled members come
 * first, because they may show that. */
static bool complete(
    const reducing *r, scratch *s, uint32_t seed, size_t best, const uint32_t *vector)
{
    size_t done = 0, others_done = 0;
    renew_set(r, s);
    s->count = s->other_count = 0;
    include(s, seed);
    while (s->count < best) {
        if (done < s->count) {
            const uint32_t t = s->list[done++];
            if (r->loud[t])
                return false;
            include_list(s, &r->depend.rivals, t);
        } else if (others_done < s->other_count) {
            const uint32_t t = s->others[others_done++];
            if (!waits(r, t, seed))
                follow_disabled(r, s, t, vector);
        } else
            return true;
    }
    return false;
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

/* Replaces the transitions of the best set by the numbers of their rows. */
static void find_rows(
    const reducing *r, scratch *s, const uint32_t *enabled, size_t all, size_t best)
{
    size_t found = 0;
    renew_set(r, s);
    for (size_t i = 0; i < best; i++)
        s->member[s->best[i]] = s->set_stamp;
    for (size_t i = 0; i < all; i++)
        if (s->member[enabled[i]] == s->set_stamp)
            s->best[found++] = (uint32_t) i;
    assert(found == best); /* S1 */
}

/* Makes the best set of a state; returns the number of its enabled transitions, and sets s->best to
 * their rows unless it has all. */
static size_t make_sets(
    const reducing *r, scratch *s, const uint32_t *vector, const uint32_t *enabled, size_t all)
{
    size_t best = all;
    unsigned tries = 0;
    s->work = s->asked_count = 0;
    renew_state(r, s);
    for (size_t i = 0; i < all; i++)
        s->enabled[enabled[i]] = s->state_stamp;
    for (size_t i = 0; i < all && best > 1 && tries < MOST_TRIES && s->work < MOST_WORK; i++) {
        const uint32_t t = enabled[i], mover = r->mover[t];
        if (r->loud[t] || (mover != OM_NONE && s->tried[mover] == s->state_stamp))
            continue;
        tries++;
        if (mover != OM_NONE)
            s->tried[mover] = s->state_stamp;
        if (!complete(r, s, t, best, vector))
            continue;
        best = s->count;
        memcpy(s->best, s->list, best * sizeof *s->best);
    }
    if (best < all)
        find_rows(r, s, enabled, all, best);
    return best;
}

/* Chooses among the rows from the first one on. */
static void choose(
    const reducing *r, scratch *s, const uint32_t *vector, om_successors *out, size_t first)
{
    const uint32_t *enabled = out->transition + first;
    const size_t all = out->count - first;
    if (!om_footprint__has_choice(&r->depend.footprint, vector, enabled, all))
        return;
    om_leaf leaf;
    if (!om_choices__find(&s->choices, &r->tests, enabled, all, vector, &leaf)) {
        const size_t best = make_sets(r, s, vector, enabled, all);
        leaf = (om_leaf){ .kept = s->best, .count = best < all ? best : 0 };
        om_choices__add(&s->choices, enabled, all, s->asked, s->asked_count, &leaf);
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
    om_tests__close(&r->tests);
    OM_FREE_ALL(r->heap, r->loud, r->mover);
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

static void find_loud(reducing *r, om_reduction kept, om_reduced_figures *figures)
{
    const om_depend *d = &r->depend;
    const bool all = kept == OM_REDUCE_TO_RUNS || d->faults;
    *figures = (om_reduced_figures){ .transitions = r->transitions };
    for (uint32_t t = 0; t < r->transitions; t++) {
        r->loud[t] = all && (d->seen[t] || d->sticky[t]);
        figures->seen += d->seen[t];
        figures->sticky += d->sticky[t];
    }
}

/* Finds the process that each transition moves from one location to another. The enabled ones of a
 * process are rivals: one set has all of them. */
static int find_movers(reducing *r)
{
    const om_model *m = r->depend.m;
    om_moves moves;
    int rc = om_moves__open(&moves, m);
    for (uint32_t t = 0; t < r->transitions; t++)
        r->mover[t] = OM_NONE;
    for (uint32_t p = 0; p < om_model_process_count(m) && rc == OM_OK; p++)
        for (uint32_t i = moves.first[p]; i < moves.first[p + 1] && moves.readable[p]; i++) {
            const om_move *v = &moves.at[i];
            if (v->from != OM_NONE && v->to < OM_MOVE_ANYWHERE && v->to != v->from &&
                om_model_transition(m, v->transition)->process == p)
                r->mover[v->transition] = p;
        }
    om_moves__close(&moves);
    return rc;
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

/* Walks through the reduced graph; counts the successors that there are, and those that are kept.
 */
static int walk(const om_executor *x, om_successors *out, uint64_t *all, uint64_t *kept)
{
    const reducing *r = x->self;
    om_random random = { .state = 1 };
    uint32_t *vector = NULL;
    int rc = OM_NEW(r->heap, vector, x->words) ? OM_OK : OM_ENOMEM;
    uint32_t left = SAMPLE_WORDS / (x->words + 1);
    left = left < SAMPLE ? left : SAMPLE;
    for (out->count = 0; left > 0 && rc == OM_OK; left--) {
        if (out->count == 0 || out->fault != 0)
            x->initial(x, vector);
        else
            memcpy(vector, out->words + om_random_below(&random, out->count) * out->stride,
                x->words * sizeof *vector);
        rc = om_executor_successors(r->below, vector, out);
        if (rc != OM_OK || out->fault != 0)
            continue;
        *all += out->count;
        rc = om_executor_successors(x, vector, out);
        *kept += out->count;
    }
    om_free(r->heap, vector);
    return rc;
}

/* Returns true if enough of the successors are left out. */
static bool is_worth_it(const reducing *r, uint64_t all, uint64_t kept)
{
    const om_choices *c = r->free == NULL ? NULL : &r->free->choices;
    const bool makes = c != NULL && c->added >= MANY && c->found < c->added;
    return kept < all && (all - kept) * (makes ? WORTH_MAKING : WORTH) >= all;
}

static int sample(const om_executor *x, om_reduced_figures *figures)
{
    const reducing *r = x->self;
    om_successors out = { .heap = r->heap };
    uint64_t all = 0, kept = 0;
    const int rc = walk(x, &out, &all, &kept);
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
    if (rc == OM_OK && (!OM_NEW(m->heap, r->loud, r->transitions + (size_t) 1) ||
                           !OM_NEW(m->heap, r->mover, r->transitions + (size_t) 1)))
        rc = OM_ENOMEM;
    if (rc == OM_OK)
        rc = om_tests__open(&r->tests, &r->depend.footprint, compact);
    if (rc == OM_OK)
        rc = find_movers(r);
    if (rc == OM_OK) {
        find_loud(r, kept, figures);
        describe(r);
        figures->worth = always;
        rc = always ? OM_OK : sample(&r->executor, figures);
    }
    if (rc != OM_OK || !figures->worth) {
        drop(r);
        return rc == OM_EUNSUPPORTED ? OM_OK : rc == OM_ENOMEM ? om_fail_memory(m->ctx) : rc;
    }
    *x = &r->executor;
    return OM_OK;
}
