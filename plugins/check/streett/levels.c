/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level 0 decomposes the product into components, as ufscc does, without the edges that every
 * accepting cycle avoids: those with the mark of a clause that has no Inf. A component that has
 * been explored and whose marks do not satisfy all clauses may still have an accepting cycle in it
 * that avoids the marks of Fin whose Inf is missing (Duret-Lutz, Poitrenaud, Couvreur 2009, section
 * 4). Level k + 1 decomposes such components of level k without these edges, and so on. Each avoids
 * one more mark than the component that contains it, so the number of levels is at most the number
 * of clauses with Fin, plus one.
 *
 * Workers pass only states to each other (common/decomposition/fstates.h), in one list for each
 * level: a state of each component that is to be searched again, and the targets of avoided edges
 * inside such a component. A worker with nothing to do takes a state that no worker has taken, of
 * any level, and searches from it until it is dead. If all are taken, it joins a search that is not
 * finished, and shares its exploration as in any search of this kind: so one large component keeps
 * all workers busy, at every level. A worker that finds a component to be searched again does so
 * itself, before it continues, unless another worker was faster: so a violation hidden in the
 * component is found about when Figure 3 would find it.
 *
 * Everything else is derived from the classes: a state's component in the level before, which
 * bounds its search (is_inside()), and, from the marks of its components in all levels before, the
 * marks to avoid. Each state is in at most one component of a level. So a level needs one node per
 * state, and nothing is ever undone.
 *
 * Invariants:
 *  L1  A component of level k is explored, and its marks are complete, when a state of it is added
 *      to the list of level k + 1 (C7 in scc_sets.c). It need not be dead yet.
 *  L2  That state is in the list before the component is dead: explored() is called before.
 *  L3  All states of a component that is searched again are dead in the end. The component is
 *      strongly connected by edges that its own level did not avoid. Each of these is followed by
 *      the worker that is at its source, or leads to a state that is in the list before that source
 *      is done (S2 in fstates.h). The same holds for an edge that was avoided before: it may lead
 *      to a state of the component.
 *
 * Why an empty round means that all searches are over: fstates.h proves it for one list. States are
 * added to the list of level k + 1 by searches in that level, and by those of level k that begin at
 * a state of level k's list (or at an initial state) that is not dead: by L2 none is added once
 * that state is dead. So suppose that a worker sees the lengths of all lists, then that all states
 * in them are dead, then the same lengths again. A state that is added after that was being added
 * both times, and is dead.
 *
 * Bytes for each state of the product: 16 (32 if the automaton has more than 16 sets), again for
 * each level that it reaches; there 1 bit, and 8 if it is in the list.
 */
#include "levels.h"

#include "decomposition.h"
#include "fstates.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { MOST_LEVELS = 64 + 1 }; /* one mark for each, plus one without */

typedef struct level {
    om_scc_sets *classes;
    fstates *starts;
} level;

struct levels {
    om_task *task;
    const om_heap *heap;
    const clauses *clauses;
    om_marks seen; /* all marks of the clauses */
    level at[MOST_LEVELS];
    _Atomic unsigned count; /* levels below it exist and do not change */
    pthread_mutex_t lock;   /* held while a level is added */
    bool locks;
};

/* ---- levels ---- */

static unsigned count_levels(const levels *l)
{
    /* acquire: the levels; pairs with add_level(). */
    return atomic_load_explicit(&l->count, memory_order_acquire);
}

static void free_level(level *l)
{
    om_scc_sets_free(l->classes);
    fstates_free(l->starts);
    *l = (level){ NULL, NULL };
}

static int add_level(levels *l)
{
    const unsigned k = atomic_load_explicit(&l->count, memory_order_relaxed); /* under the lock */
    level *made = &l->at[k];
    assert(k < MOST_LEVELS);
    int rc = om_scc_sets_new(&made->classes, om_task_product(l->task));
    if (rc == OM_OK)
        rc = fstates_new(&made->starts, l->task, om_task_workers(l->task));
    if (rc == OM_OK)
        /* release: pairs with count_levels(). */
        atomic_store_explicit(&l->count, k + 1, memory_order_release);
    else
        free_level(made);
    return rc;
}

/* Makes sure that the level of this number exists. */
static int need_level(levels *l, unsigned k)
{
    int rc = OM_OK;
    if (k < count_levels(l))
        return OM_OK;
    pthread_mutex_lock(&l->lock);
    if (k >= count_levels(l))
        rc = add_level(l);
    pthread_mutex_unlock(&l->lock);
    return rc;
}

/* ---- a worker ---- */

typedef struct helper helper;

/* A worker's search in a level, for one component of the level before after the other */
typedef struct search {
    helper *w;
    unsigned level;
    decomposition_worker *does;
    decomposition d;
    om_id in;       /* a state of the component that is searched; unused in level 0 */
    bool announced; /* a component that it has just left is to be searched again */
} search;

struct helper {
    levels *l;
    unsigned worker;
    search at[MOST_LEVELS];
};

static bool accepts(const void *self, om_marks marks, om_marks *see, om_marks *avoid)
{
    const search *s = self;
    if (!clauses_hold(s->w->l->clauses, marks))
        return false;
    clauses_prove(s->w->l->clauses, marks, see, avoid);
    return true;
}

static int is_inside(void *self, om_id to, bool *inside)
{
    const search *s = self;
    assert(s->level > 0);
    return om_scc_sets_same(s->w->l->at[s->level - 1].classes, s->in, to, inside);
}

static int avoided(void *self, om_id to)
{
    const search *s = self;
    return fstates_add(s->w->l->at[s->level].starts, s->w->worker, to);
}

static int explored(void *self, om_id id, om_marks marks)
{
    search *s = self;
    levels *l = s->w->l;
    bool hopeless = false;
    const om_marks unmet = clauses_unmet(l->clauses, marks, &hopeless);
    if (unmet == 0 || hopeless)
        return OM_OK;
    assert((unmet & s->d.avoid) == 0); /* no edge within has such a mark */
    int rc = need_level(l, s->level + 1);
    if (rc == OM_OK)
        rc = fstates_add(l->at[s->level + 1].starts, s->w->worker, id);
    s->announced = true;
    return rc;
}

static int dead_in(const helper *w, unsigned k, om_id id, bool *dead)
{
    om_scc_status is = OM_SCC_NEW;
    om_id representative;
    int rc = om_scc_sets_lookup(w->l->at[k].classes, w->worker, id, &is, &representative);
    *dead = is == OM_SCC_DEAD;
    return rc;
}

static int is_dead(void *self, om_id id, bool *dead)
{
    const search *s = self;
    return dead_in(s->w, s->level, id, dead);
}

/* Gets the marks that a search from this state must avoid: no accepting cycle in the components of
 * the state has such marks. */
static int avoid_from(const levels *l, unsigned k, om_id id, om_marks *avoid)
{
    int rc = OM_OK;
    *avoid = clauses_forbidden(l->clauses);
    for (unsigned i = 0; i < k && rc == OM_OK; i++) {
        om_marks marks = 0;
        bool hopeless;
        rc = om_scc_sets_add(l->at[i].classes, id, 0, &marks);
        *avoid |= clauses_unmet(l->clauses, marks, &hopeless);
    }
    return rc;
}

static int left(void *self);

/* Prepares a worker's search in this level, for the component of a state (level 0: for the
 * product). */
static int open_search(helper *w, unsigned k, om_id in, search **out)
{
    static const decomposition_exact everywhere = {
        .accepts = accepts, .explored = explored, .left = left
    };
    static const decomposition_exact within = {
        .accepts = accepts, .is_inside = is_inside, .explored = explored, .left = left
    };
    search *s = *out = &w->at[k];
    levels *l = w->l;
    assert(k < count_levels(l) && (k == 0 || in != OM_NO_ID));
    s->w = w;
    s->level = k;
    s->in = in;
    s->d = (decomposition){ .task = l->task,
        .classes = l->at[k].classes,
        .seen = l->seen,
        .exact = k == 0 ? &everywhere : &within,
        .again = k > 0 };
    int rc = avoid_from(l, k, in, &s->d.avoid);
    if (rc == OM_OK && s->does == NULL)
        rc = decomposition_new(&s->does, l->task, w->worker);
    if (rc == OM_OK)
        decomposition_join(s->does, &s->d, avoided, s);
    return rc;
}

/* Searches from a state of a level's list, until it is dead there. */
static int search_from(helper *w, unsigned k, om_id id)
{
    search *s = NULL;
    int rc = open_search(w, k, id, &s);
    return rc == OM_OK ? decomposition_search_from(s->does, id) : rc;
}

/* Takes a state from the lists that no worker has taken, of the deepest level from `least` on that
 * has one. */
static int take(helper *w, unsigned least, bool any, unsigned *k, om_id *out)
{
    int rc = OM_OK;
    *out = OM_NO_ID;
    for (*k = count_levels(w->l); rc == OM_OK && *out == OM_NO_ID && *k > least;) {
        search at = { .w = w, .level = --*k };
        rc = fstates_take(w->l->at[*k].starts, w->worker, any, is_dead, &at, out);
    }
    return rc;
}

/* Searches again the components that the worker has found itself, and those found by that. */
static int left(void *self)
{
    search *s = self;
    om_id id = OM_NO_ID;
    int rc = OM_OK;
    unsigned k;
    if (!s->announced)
        return OM_OK;
    s->announced = false;
    do {
        rc = take(s->w, s->level + 1, false, &k, &id);
        if (rc == OM_OK && id != OM_NO_ID)
            rc = search_from(s->w, k, id);
    } while (rc == OM_OK && id != OM_NO_ID);
    return rc;
}

/* ---- the whole search ---- */

/* Picks a state whose search is not over, of the first level that has one: its component is
 * larger. */
static int take_part(helper *w, unsigned *k, om_id *out)
{
    int rc = OM_OK;
    *out = OM_NO_ID;
    for (unsigned i = 0; rc == OM_OK && *out == OM_NO_ID && i < count_levels(w->l); i++) {
        search at = { .w = w, .level = *k = i };
        rc = fstates_live(w->l->at[i].starts, w->worker, is_dead, &at, out);
    }
    return rc;
}

static uint64_t length_of_all(const levels *l)
{
    uint64_t n = 0;
    for (unsigned i = count_levels(l); i-- > 0;)
        n += fstates_length(l->at[i].starts);
    return n;
}

/* Gets the state to search from next; OM_NO_ID if every state is dead. */
static int next(helper *w, unsigned *k, om_id *out)
{
    uint64_t before;
    int rc;
    do {
        before = length_of_all(w->l);
        rc = take(w, 0, true, k, out);
        if (rc == OM_OK && *out == OM_NO_ID)
            rc = take_part(w, k, out);
    } while (rc == OM_OK && *out == OM_NO_ID && length_of_all(w->l) != before);
    return rc;
}

static int search_all(helper *w)
{
    search *s = NULL;
    unsigned k;
    om_id id = OM_NO_ID;
    int rc = open_search(w, 0, OM_NO_ID, &s);
    if (rc == OM_OK)
        rc = decomposition_search(s->does);
    do {
        if (rc == OM_OK)
            rc = next(w, &k, &id);
        if (rc == OM_OK && id != OM_NO_ID)
            rc = search_from(w, k, id);
    } while (rc == OM_OK && id != OM_NO_ID);
    return rc;
}

int levels_work(levels *l, unsigned worker)
{
    helper *w = om_alloc(l->heap, 1, sizeof *w);
    if (w == NULL)
        return om_fail_memory(om_task_context(l->task));
    w->l = l;
    w->worker = worker;
    int rc = search_all(w);
    if (rc == OM_OK)
        om_task_complete(l->task);
    for (unsigned k = 0; k < MOST_LEVELS; k++)
        decomposition_free(w->at[k].does);
    om_free(l->heap, w);
    return rc;
}

int levels_new(levels **out, om_task *task, const clauses *c)
{
    const om_heap *heap = om_task_heap(task);
    levels *l = om_alloc(heap, 1, sizeof *l);
    if (l == NULL)
        return om_fail_memory(om_task_context(task));
    l->task = task;
    l->heap = heap;
    l->clauses = c;
    for (size_t i = 0; i < c->count; i++)
        l->seen |= c->at[i].fin | c->at[i].inf;
    atomic_init(&l->count, 0);
    l->locks = pthread_mutex_init(&l->lock, NULL) == 0;
    int rc = l->locks ? need_level(l, 0) : om_fail_memory(om_task_context(task));
    if (rc == OM_OK)
        *out = l;
    else
        levels_free(l);
    return rc;
}

void levels_free(levels *l)
{
    if (l == NULL)
        return;
    for (unsigned k = 0; k < count_levels(l); k++) {
        om_task_add_counts(
            l->task, 0, 0, om_scc_sets_bytes(l->at[k].classes) + fstates_bytes(l->at[k].starts));
        om_task_count(l->task, OM_COUNT_RETRIES, fstates_retries(l->at[k].starts));
        free_level(&l->at[k]);
    }
    if (l->locks)
        (void) pthread_mutex_destroy(&l->lock);
    om_free(l->heap, l);
}
