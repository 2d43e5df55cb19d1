/* SPDX-License-Identifier: Apache-2.0 */
/*
 * favoid: generalized Rabin acceptance without conversion, one pair at a time; Bloemen, Duret-Lutz,
 * van de Pol, "Explicit state model checking with generalized Buchi and Rabin automata", STTT 2019,
 * section 3.
 *
 * For a pair Fin(F) & Inf(I1) & ... & Inf(Ip), the product is decomposed into components without
 * the edges in F (section 3.2, Algorithm 3): a component accepts if it has an edge of each Ii, and
 * this is noticed as soon as the known part of it has them. An edge in F ends the search there. Its
 * target is kept (fstates.h), unless a worker has entered it. The search begins again from such
 * states until all of them are dead.
 *
 * Workers share the decomposition (section 3.3.2) and the states that searches begin at.
 * common/decomposition/decomposition.c proves that no component is missed, fstates.h that nothing
 * is left to be searched when all start states are dead. A state was entered in a search from a
 * start state or an initial state, and is dead when that state is. So an edge in F to a state that
 * was entered needs no action.
 *
 * If there are several pairs (rabin_pairs.h), each has a search of its own, over the same states:
 *
 *   pairs=sequential  all workers search for one pair, then for the next; the classes and start
 *                     states of a pair are freed before those of the next are allocated
 *   pairs=parallel    a worker joins the search that has the fewest workers (section 3.3.1); if
 *                     there are more pairs than workers, some have none yet
 *
 * The search for a pair is complete when one worker has found every state dead; other workers stop
 * as soon as they notice that on their stacks. No worker waits for another, except for memory
 * between two sequential pairs.
 *
 * The evidence is the component without the edges in F (om_evidence.same, .avoid), with a path to
 * it if it was found from an initial state.
 *
 * Without a Fin set the search is that of ufscc. Bytes for each state of the product, for each pair
 * that is searched for: 16 (32 if the automaton has more than 16 sets), a bit, and 8 if a search
 * begins there.
 */
#include "rabin_pairs.h"

#include "decomposition.h"
#include "fstates.h"

#include "pause.h"

#include <assert.h>
#include <pthread.h>

/* The search for one group of pairs */
typedef struct pair_search {
    decomposition d;
    fstates *starts;
    unsigned users; /* number of workers that take part */
    bool open;      /* its classes are allocated */
    bool over;      /* every state is dead: no component accepts */
    bool kept;      /* a worker found evidence or failed: the classes must be kept */
} pair_search;

struct om_run {
    om_task *task;
    const om_heap *heap;
    pair_groups groups;
    pair_search *searches; /* one per group */
    bool parallel;
    bool locks; /* the lock exists; it protects the searches except their shared data */
    pthread_mutex_t lock;
    uint64_t most_bytes; /* maximum memory of the searches at one time, in bytes */
};

/* ---- searches ---- */

static void free_search(pair_search *s)
{
    om_scc_sets_free(s->d.classes);
    fstates_free(s->starts);
    s->d.classes = NULL;
    s->starts = NULL;
    s->open = false;
}

static int open_search(const om_run *run, pair_search *s)
{
    int rc = om_scc_sets_new(&s->d.classes, om_task_product(run->task));
    if (rc == OM_OK)
        rc = fstates_new(&s->starts, run->task, om_task_workers(run->task));
    s->open = rc == OM_OK;
    if (rc != OM_OK)
        free_search(s);
    return rc;
}

static void note_bytes(om_run *run)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < run->groups.count; i++)
        if (run->searches[i].open)
            bytes += om_scc_sets_bytes(run->searches[i].d.classes) +
                     fstates_bytes(run->searches[i].starts);
    run->most_bytes = bytes > run->most_bytes ? bytes : run->most_bytes;
}

static void close_search(om_run *run, pair_search *s)
{
    if (!s->open)
        return;
    assert(s->users == 0);
    note_bytes(run);
    om_task_count(run->task, OM_COUNT_RETRIES, fstates_retries(s->starts));
    free_search(s);
}

/* Returns the next search: the first that is not over or, if parallel, the one with the fewest
 * workers. NULL if all are over. */
static pair_search *next_search(const om_run *run)
{
    pair_search *next = NULL;
    for (size_t i = 0; i < run->groups.count; i++) {
        pair_search *s = &run->searches[i];
        if (!s->over && (next == NULL || (run->parallel && s->users < next->users)))
            next = s;
    }
    return next;
}

/* Returns true if the memory of another search must be freed first (sequential only). */
static bool must_wait(const om_run *run, const pair_search *next)
{
    for (size_t i = 0; i < run->groups.count && !run->parallel; i++)
        if (run->searches[i].open && &run->searches[i] != next)
            return true;
    return false;
}

/* Assigns a search to a worker; *out is NULL if all are over. */
static int join(om_run *run, pair_search **out)
{
    om_pause pause = { 0 };
    bool wait = true;
    int rc = OM_OK;
    while (wait && rc == OM_OK) {
        pthread_mutex_lock(&run->lock);
        pair_search *s = next_search(run);
        wait = s != NULL && must_wait(run, s);
        if (s != NULL && !wait) {
            if (!s->open)
                rc = open_search(run, s);
            s->users += rc == OM_OK;
        }
        pthread_mutex_unlock(&run->lock);
        *out = s;
        if (wait && om_task_stopped(run->task))
            rc = OM_ESTOP;
        else if (wait)
            om_pause_once(&pause);
    }
    om_task_count(run->task, OM_COUNT_BLOCKED_NS, om_pause_length(&pause));
    return rc;
}

static void leave(om_run *run, pair_search *s, int rc)
{
    pthread_mutex_lock(&run->lock);
    assert(s->users > 0 && s->open);
    s->users--;
    s->over = s->over || rc == OM_OK;
    s->kept = s->kept || rc != OM_OK;
    if (s->over && !s->kept && s->users == 0)
        close_search(run, s);
    pthread_mutex_unlock(&run->lock);
}

/* ---- a worker in a search ---- */

typedef struct place {
    pair_search *search;
    unsigned worker;
} place;

static int avoided(void *self, om_id to)
{
    const place *p = self;
    return fstates_add(p->search->starts, p->worker, to);
}

static int is_dead(void *self, om_id id, bool *dead)
{
    const place *p = self;
    om_scc_status is = OM_SCC_NEW;
    om_id representative;
    int rc = om_scc_sets_lookup(p->search->d.classes, p->worker, id, &is, &representative);
    *dead = is == OM_SCC_DEAD;
    return rc;
}

/* Takes part in a search. Returns OM_OK if every reachable state is dead. */
static int take_part(place *p, decomposition_worker *w)
{
    om_id id = OM_NO_ID;
    decomposition_join(w, &p->search->d, avoided, p);
    int rc = decomposition_search(w);
    do {
        if (rc == OM_OK)
            rc = fstates_pick(p->search->starts, p->worker, is_dead, p, &id);
        if (rc == OM_OK && id != OM_NO_ID)
            rc = decomposition_search_from(w, id);
    } while (rc == OM_OK && id != OM_NO_ID);
    return rc;
}

static int work(om_run *run, unsigned worker)
{
    decomposition_worker *w = NULL;
    place p = { NULL, worker };
    int rc = decomposition_new(&w, run->task, worker);
    if (rc == OM_OK)
        rc = join(run, &p.search);
    while (rc == OM_OK && p.search != NULL) {
        rc = take_part(&p, w);
        leave(run, p.search, rc);
        if (rc == OM_OK)
            rc = join(run, &p.search);
    }
    if (rc == OM_OK)
        om_task_complete(run->task);
    decomposition_free(w);
    return rc;
}

/* ---- the run ---- */

static void destroy(om_run *run)
{
    for (size_t i = 0; run->searches != NULL && i < run->groups.count; i++)
        close_search(run, &run->searches[i]);
    om_task_add_counts(run->task, 0, 0, run->most_bytes);
    om_free(run->heap, run->searches);
    pair_groups_free(&run->groups, run->heap);
    if (run->locks)
        (void) pthread_mutex_destroy(&run->lock);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    om_context *ctx = om_task_context(task);
    run->task = task;
    run->heap = om_task_heap(task);
    run->parallel = options[0] != 0;
    int rc = pair_groups_read(&run->groups, ctx, om_task_automaton(task));
    if (rc != OM_OK)
        return rc;
    run->searches = om_alloc(run->heap, run->groups.count, sizeof *run->searches);
    run->locks = run->searches != NULL && pthread_mutex_init(&run->lock, NULL) == 0;
    if (!run->locks)
        return om_fail_memory(ctx);
    for (size_t i = 0; i < run->groups.count; i++) {
        const pair_group *g = &run->groups.at[i];
        run->searches[i].d = (decomposition){ .task = task,
            .avoid = g->avoid,
            .see = g->see,
            .see_count = g->see_count,
            .seen = g->seen,
            .useful = g->useful };
    }
    return OM_OK;
}

static const om_option options[] = { { "pairs", 0, 0, 1, "order in which the pairs are searched" },
    { NULL, 0, 0, 0, NULL } };
static const om_option_names names[] = {
    { "pairs", (const char *const[]){ "sequential", "parallel", NULL } }, { NULL, NULL }
};

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD_NAMED(om_checker, OM_PLUGIN_CHECKER, "favoid",
        "generalized Rabin acceptance: components without the edges of a pair's Fin set",
        "Bloemen, Duret-Lutz, van de Pol 2019, section 3", options, names),
    .strengths = OM_FOR_ALL,
    .acceptance = PAIR_GROUPS_ACCEPTANCE,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES | OM_CHECKER_LATE_WORKERS,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .most_workers = OM_SCC_SETS_WORKERS,
    .destroy = destroy,
};
