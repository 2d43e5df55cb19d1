/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weak-hybrid: breadth-first outside the accepting part of the product, depth-first inside it, for
 * weak automata; after Cerna, Pelanek, "Relating hierarchy of temporal properties to model
 * checking", MFCS 2003 (only there are cycles to be looked for, and one search finds them), with
 * the searches inside as in Renault et al. 2017, section 4.2, and Bloemen et al. 2016.
 *
 * In a weak automaton a cycle accepts exactly if the automaton's part of it lies in an accepting
 * component. The accepting part is all states (s, q) with q in such a component.
 *
 *  - Outside, all that matters is what can be reached: a breadth-first search by all workers, which
 *    expands each state once. States of the accepting part that it comes upon are its ends.
 *  - Inside, cycles do: between two levels the workers search depth-first from these ends. An edge
 *    back to a worker's own path closes a cycle, which is a violation; so as long as there is none
 *    what was searched has no cycles, and components, the union-find of ufscc, or the waiting of
 *    CNDFS for others would have nothing to hold together. A state that is left is dead for
 *    everybody. An edge that leaves the part gives its target, if it is new, back to the first
 *    search.
 *
 * Workers take different ends. Who finds none left joins those that are still searched, in an order
 * of his own, states that nobody has entered first: only what is on somebody else's path is
 * expanded twice.
 *
 * What a state of the accepting part is: NEW; OPEN, on the path of at least one worker; DEAD.
 *
 * Why nothing is missed:
 *  H1  Before a worker marks x dead it has, for each edge x -> y inside the part, marked y dead
 *      itself, or seen y dead (acquire, so that marking happened before), or found y on its own
 * path and reported it. Without a report the third never was. If all states of a cycle inside the
 *      part were dead, each marking on it would have had one of the next state before it, round the
 *      cycle for ever; but there are finitely many. So a cycle of which all states are dead was
 *      reported.
 *  H2  Each stored state was stored first by one call of one worker. If that was the breadth-first
 *      search, it is on a level of it or, inside the part, kept as an end; if a search inside, it
 * is on that worker's stack or, outside, added to the next level. H3  The breadth-first search is
 * complete when no level is left and no end was kept since the last round inside, and then each
 * worker has come to the end of that round. By then each end is dead, as some worker searched from
 * it to the end, and, by H1 and H2, so is each state of the part that was stored; and each state
 * outside has been expanded. So all reachable states have been, and all those of the part are dead.
 *
 * Evidence: the shortest way to the end, which the breadth-first search knows, and the path. Where
 * that goes through what a search inside gave back, nobody knows the way, and the engine finds one.
 *
 * Bytes for each state of the product, whatever the number of workers: 1, and 8 for each end that
 * was kept since the last round; and 24 to 40 while it is on a path.
 */
#include "path_set.h"

#include <omen/bfs.h>
#include <omen/dfs.h>

#include <stdatomic.h>

enum { NEW, OPEN, DEAD };

/* One worker, and the ends that it came upon. The padding keeps what it writes away from others. */
typedef struct searcher {
    om_run *run;
    unsigned worker;
    om_dfs *dfs;
    path_set path;        /* of several workers: the states that are on this one's */
    unsigned char *leads; /* scratch: what each edge of a state leads to */
    size_t leads_capacity;
    om_id root; /* the end that the path begins with */
    om_id *ends;
    size_t count, capacity;
    bool searched; /* all of them */
    unsigned char before[64];
    _Atomic size_t taken;  /* of the ends; may run past their number; relaxed: a ticket */
    _Atomic om_id current; /* = root, OM_NO_ID: none; relaxed: it was stored before the round */
    unsigned char behind[64];
} searcher;

struct om_run {
    const om_heap *heap;
    om_task *task;
    unsigned workers;
    om_bfs *bfs;
    om_side *colours; /* atomic_uchar per state: the enumeration above; 0 outside */
    bool *accepting;  /* per automaton state: it is in an accepting component */
    uint32_t last;    /* the word of a product vector that is the automaton's */
    searcher *searchers;
};

static int fail_memory(const searcher *s)
{
    return om_fail_memory(om_task_context(s->run->task));
}

/* ---- inside ---- */

/* The way to the root, and the path from there. */
static int report(searcher *s, om_id closes)
{
    om_id *way = NULL;
    size_t n = 0;
    int rc = om_bfs_path(s->run->bfs, om_dfs_cursor(s->dfs), s->root, &way, &n);
    if (rc == OM_OK || rc == OM_ENOMEM || rc == OM_ELIMIT) { /* without the way, then */
        const om_evidence e = OM_EVIDENCE(n == 0 ? NULL : way, n);
        rc = om_dfs_found(s->dfs, closes, &e);
    }
    om_free(s->run->heap, way);
    return rc;
}

static int colour_of(searcher *s, om_id id, unsigned char *out)
{
    const atomic_uchar *at = om_side_at(s->run->colours, id);
    if (at == NULL)
        return fail_memory(s);
    /* acquire: pairs with the release in leave() (H1). */
    *out = atomic_load_explicit(at, memory_order_acquire);
    return OM_OK;
}

static bool on_own_path(const searcher *s, om_id id)
{
    return s->run->workers == 1 || path_set_has(&s->path, id);
}

static void fetch(const searcher *s, const om_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!steps[i].fresh && s->run->accepting[steps[i].automaton_state])
            om_side_fetch(s->run->colours, steps[i].to);
}

/* What an edge of the last state of the path leads to. */
enum { NOWHERE, TO_OWN_PATH, TO_OTHERS, TO_NEW };

static int look(searcher *s, const om_step *step, unsigned char *leads)
{
    unsigned char colour = NEW;
    int rc = OM_OK;
    *leads = NOWHERE;
    if (!s->run->accepting[step->automaton_state])
        return step->fresh ? om_bfs_add(s->run->bfs, s->worker, step->to) : OM_OK; /* H2 */
    if (!step->fresh)
        rc = colour_of(s, step->to, &colour);
    if (colour == NEW)
        *leads = TO_NEW;
    else if (colour == OPEN)
        *leads = on_own_path(s, step->to) ? TO_OWN_PATH : TO_OTHERS;
    return rc;
}

/* The edges to be followed of one kind. The last one is followed first: the cursor's order,
 * backwards. */
static void add_all(searcher *s, const om_step *steps, size_t n, unsigned char kind)
{
    while (n-- > 0)
        if (s->leads[n] == kind)
            om_dfs_add(s->dfs, &steps[n]);
}

/* All edges of the last state of the path. */
static int add(searcher *s, const om_step *steps, size_t n)
{
    om_id closes = OM_NO_ID;
    int rc = OM_OK;
    unsigned char *leads = om_grow(s->run->heap, s->leads, &s->leads_capacity, n + 1, sizeof *leads);
    if (leads == NULL)
        return fail_memory(s);
    s->leads = leads;
    fetch(s, steps, n);
    for (size_t i = 0; i < n && rc == OM_OK; i++) {
        rc = look(s, &steps[i], &leads[i]);
        if (leads[i] == TO_OWN_PATH)
            closes = steps[i].to;
    }
    if (rc != OM_OK)
        return rc;
    if (closes != OM_NO_ID)
        return report(s, closes);
    if (s->run->workers > 1)
        add_all(s, steps, n, TO_OTHERS); /* when it is their turn they may be dead */
    add_all(s, steps, n, TO_NEW);
    return OM_OK;
}

/* The state has become the last one of the path. */
static int enter(searcher *s, om_id id, const om_step *steps, size_t n)
{
    unsigned char expected = NEW;
    atomic_uchar *at = om_side_at(s->run->colours, id);
    if (at == NULL || (s->run->workers > 1 && !path_set_add(&s->path, s->run->heap, id)))
        return fail_memory(s);
    /* relaxed: who sees it open looks for it on its own path alone. It may have died meanwhile, and
     * then stays so. */
    (void) atomic_compare_exchange_strong_explicit(
        at, &expected, OPEN, memory_order_relaxed, memory_order_relaxed);
    return add(s, steps, n);
}

/* An edge to a state that was not on the path, and so is not: it would have been entered above the
 * state that the edge leaves. */
static int follow(searcher *s, om_dfs_edge e)
{
    const om_step *steps;
    size_t n;
    unsigned char colour = NEW;
    int rc = colour_of(s, e.to, &colour);
    if (rc != OM_OK || colour == DEAD)
        return rc;
    rc = om_dfs_enter(s->dfs, e, &steps, &n);
    return rc == OM_OK ? enter(s, e.to, steps, n) : rc;
}

/* All edges of the last state of the path have been followed. */
static void leave(searcher *s)
{
    uint64_t place = om_dfs_top(s->dfs);
    om_id id = om_dfs_at(s->dfs, place).to;
    atomic_uchar *at = om_side_at(s->run->colours, id); /* enter() saw to it that it is there */
    om_dfs_cut(s->dfs, place);
    if (s->run->workers > 1)
        path_set_remove(&s->path, id);
    /* release: pairs with the acquire in colour_of() (H1). */
    atomic_store_explicit(at, DEAD, memory_order_release);
}

/* From an end on, until it is dead. */
static int search_from(searcher *s, om_id end)
{
    const om_step *steps;
    size_t n;
    om_dfs_edge e;
    unsigned char colour = NEW;
    int rc = colour_of(s, end, &colour);
    if (rc != OM_OK || colour == DEAD)
        return rc;
    s->root = end;
    atomic_store_explicit(&s->current, end, memory_order_relaxed);
    rc = om_dfs_enter_at(s->dfs, end, &steps, &n);
    if (rc == OM_OK)
        rc = enter(s, end, steps, n);
    while (rc == OM_OK && om_dfs_depth(s->dfs) > 0)
        if (om_dfs_next(s->dfs, &e))
            rc = follow(s, e);
        else
            leave(s);
    atomic_store_explicit(&s->current, OM_NO_ID, memory_order_relaxed);
    return rc;
}

static int search_ends_of(searcher *s, searcher *of)
{
    int rc = OM_OK;
    while (rc == OM_OK) {
        size_t i = atomic_load_explicit(&of->taken, memory_order_relaxed);
        if (i < of->count)
            i = atomic_fetch_add_explicit(&of->taken, 1, memory_order_relaxed);
        if (i >= of->count)
            break;
        rc = search_from(s, of->ends[i]);
    }
    return rc;
}

/* Joins the others until none of them is searching. */
static int join_others(searcher *s)
{
    int rc = OM_OK;
    for (bool busy = true; busy && rc == OM_OK;) {
        busy = false;
        for (unsigned i = 1; i < s->run->workers && rc == OM_OK; i++) {
            const searcher *other = &s->run->searchers[(s->worker + i) % s->run->workers];
            om_id end = atomic_load_explicit(&other->current, memory_order_relaxed);
            unsigned char colour = DEAD;
            if (end != OM_NO_ID)
                rc = colour_of(s, end, &colour);
            if (rc == OM_OK && colour != DEAD) {
                rc = search_from(s, end);
                busy = true;
            }
        }
    }
    return rc;
}

/* A round inside: all ends that were kept. */
static int between(void *self, unsigned worker, om_cursor *c)
{
    om_run *run = self;
    searcher *s = &run->searchers[worker];
    int rc = OM_OK;
    (void) c;
    for (unsigned i = 0; i < run->workers && rc == OM_OK; i++)
        rc = search_ends_of(s, &run->searchers[(worker + i) % run->workers]);
    s->searched = true;
    return rc == OM_OK ? join_others(s) : rc;
}

/* ---- outside ---- */

static int keep(void *self, unsigned worker, om_id id, const uint32_t *vector, bool *kept)
{
    const om_run *run = self;
    searcher *s = &run->searchers[worker];
    *kept = run->accepting[vector[run->last]];
    if (!*kept)
        return OM_OK;
    if (s->searched) { /* in a round that is over */
        s->count = 0;
        atomic_store_explicit(&s->taken, 0, memory_order_relaxed);
        s->searched = false;
    }
    om_id *ends = om_grow(run->heap, s->ends, &s->capacity, s->count + 1, sizeof *ends);
    if (ends == NULL)
        return fail_memory(s);
    s->ends = ends;
    ends[s->count++] = id;
    return OM_OK;
}

static int work(om_run *run, unsigned worker)
{
    om_cursor *cursor = om_dfs_cursor(run->searchers[worker].dfs);
    int rc = om_bfs_work(run->bfs, worker, cursor);
    if (worker != 0)
        return rc;
    int told = om_task_bfs_fault(run->task, run->bfs, cursor);
    if (rc == OM_OK && told == OM_OK)
        om_task_complete(run->task); /* H3 */
    return rc == OM_OK ? told : rc;
}

/* ---- as a whole ---- */

static void free_searcher(searcher *s)
{
    const om_heap *heap = s->run->heap;
    om_task_add_counts(s->run->task, 0, 0,
        (s->dfs == NULL ? 0 : om_dfs_bytes(s->dfs)) +
            (s->capacity + s->path.capacity) * sizeof(om_id) + s->leads_capacity);
    om_dfs_free(s->dfs);
    path_set_free(&s->path, heap);
    om_free(heap, s->leads);
    om_free(heap, s->ends);
}

static void destroy(om_run *run)
{
    if (run == NULL)
        return;
    for (unsigned i = 0; run->searchers != NULL && i < run->workers; i++)
        if (run->searchers[i].run != NULL)
            free_searcher(&run->searchers[i]);
    om_task_add_counts(run->task, 0, 0,
        (run->bfs == NULL ? 0 : om_bfs_bytes(run->bfs)) +
            (run->colours == NULL ? 0 : om_side_bytes(run->colours)));
    om_bfs_free(run->bfs);
    om_side_free(run->colours);
    om_free(run->heap, run->searchers);
    om_free(run->heap, run->accepting);
    om_free(run->heap, run);
}

static int prepare(om_run *run)
{
    om_product *product = om_task_product(run->task);
    const om_automaton *a = om_product_spec_of(product)->automaton;
    uint32_t states = om_automaton_state_count(a);
    const om_bfs_spec spec = {
        .product = product, .self = run, .keep = keep, .between = between, .paths = true
    };

    run->last = om_product_words(product) - 1;
    run->accepting = om_alloc(run->heap, states, sizeof *run->accepting);
    run->searchers = om_alloc(run->heap, run->workers, sizeof *run->searchers);
    if (run->accepting == NULL || run->searchers == NULL)
        return om_fail_memory(om_task_context(run->task));
    for (uint32_t q = 0; q < states; q++)
        run->accepting[q] = om_task_accepting(run->task, q, OM_WEAK);
    int rc = om_side_new(&run->colours, product, sizeof(atomic_uchar));
    /* All of them now: a worker that has no cursor would keep the others waiting. */
    for (unsigned i = 0; i < run->workers && rc == OM_OK; i++) {
        searcher *s = &run->searchers[i];
        s->run = run;
        s->worker = i;
        atomic_init(&s->current, OM_NO_ID);
        rc = om_dfs_new(&s->dfs, run->task, i);
    }
    return rc == OM_OK ? om_bfs_new(&run->bfs, &spec) : rc;
}

static int create(om_run **out, om_task *task, const int64_t *options)
{
    (void) options;
    om_run *run = om_alloc(om_task_heap(task), 1, sizeof *run);
    if (run == NULL)
        return om_fail_memory(om_task_context(task));
    run->heap = om_task_heap(task);
    run->task = task;
    run->workers = om_task_workers(task);
    int rc = prepare(run);
    if (rc != OM_OK) {
        destroy(run);
        return rc;
    }
    *out = run;
    return OM_OK;
}

static const om_option options[] = { { NULL, 0, 0, 0, NULL } };

static const om_rank ranks[] = { { OM_FOR_WEAK, 1, 0, 70 }, { OM_FOR_TERMINAL, 1, 0, 50 },
    { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "weak-hybrid",
        "breadth-first outside the accepting part, depth-first inside it",
        "Cerna, Pelanek 2003; Renault, Duret-Lutz, Kordon, Poitrenaud 2017, section 4.2", options),
    .strengths = OM_FOR_TERMINAL | OM_FOR_WEAK,
    .acceptance = OM_ACCEPT_ANY,
    .flags = OM_CHECKER_PARALLEL,
    .create = create,
    .work = work,
    .ranks = ranks,
    .destroy = destroy,
};
