/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lowe: components by searches that share all states, each of which is expanded once; Lowe,
 * "Concurrent depth-first search algorithms based on Tarjan's algorithm", STTT 2016, with the marks
 * of generalized Buchi acceptance on components. Components are kept as in Dijkstra's search,
 * because the paper's low-links would not tell the marks of a component before its end.
 *
 * A search has a path, potential roots on it, and the live states that it has met (its live stack).
 * A state belongs to the search that entered it first. An edge to a state of the search itself
 * closes a cycle and merges components; an edge to a dead state needs no action. If an edge leads
 * to a live state of another search, the search is blocked until that state is dead, and its worker
 * takes another search: one that can continue, or a new one that begins at a state which a running
 * search offers (the lowest edge on its path that was not followed and leads to a new state). So
 * there are more searches than workers. A search ends when it has no states.
 *
 * If searches are blocked in a cycle, each waits for a component of the next. All of these are one
 * component. The search that has the most of its states gets all of it, follows the edge that
 * closes the cycle, and thereby merges the parts. Each other search keeps its lower states and is
 * blocked at the first state that it gave away. The largest share stays where it is, so a state is
 * given away log(n) times at most.
 *
 * Invariants, of all searches:
 *  L1  A live state belongs to one search and is on its live stack, as the word of the state
 *      records. Any worker may change the word from 0, by compare-and-swap; after that, only the
 *      worker that runs the search or, while the search is blocked, the worker that gives the state
 *      to another search under the lock.
 *  L2  The roots partition the live stack of a search into intervals, each of which is in one
 *      component; from each interval there is an edge into the next, with the marks of the next
 *      root's entry.
 *  L3  A state is dead when each edge from it leads to its own component or to a dead state: a
 *      component is popped when its states have no edges left to follow, and an edge to another
 *      search's state is followed when that state is dead or belongs to this search. So a component
 *      is popped once, as a whole, by one search, which had all of it.
 *  L4  There is no cycle of blocked searches. A search becomes blocked under the lock, and under
 *      the same lock the chain of blocked searches that it waits for is followed. States of blocked
 *      searches do not move meanwhile, so the worker that closes a cycle sees all of it, and breaks
 *      it before it releases the lock. Each search that gave states away then waits for one that is
 *      not blocked.
 *  L5  The entry of the first root of a share gets the marks of the edge at which the preceding
 *      search in the cycle was blocked: that edge leads into the root's component, if not to the
 *      root.
 *
 * Why some search always continues. A blocked search waits for a live state. The search that owns
 * this state is running, can continue, or is blocked; by L4 the chain ends at one of the first two.
 * If there is no search left, all states that were met are dead, including the initial ones unless
 * these are still on offer. A worker with nothing to do looks again after at most a millisecond: no
 * wake-up can be lost, and a stop is seen. The task is over when all initial states are dead.
 *
 * Why no accepting component is missed. By L2 and L3 all marks of a component are at one root
 * before the component is popped, and they are checked whenever they grow: the first cycle with all
 * marks ends the search.
 *
 * The evidence is the path of the search. It has gaps at shares that were taken over; both ends of
 * a gap are in one component. If the search did not begin at an initial state, the evidence is its
 * component alone.
 *
 * Bytes for each state of the product: 8; 8 while it is live; while it is on a path, 16, and 16 for
 * each edge from it to a state that was not dead (and 24 if it is a root).
 */
#include "lowe.h"

#include "pause.h"

#include <assert.h>

typedef struct worker {
    om_run *run;
    om_cursor *cursor;
    lowe_search *s; /* the search that it runs */
    om_dfs_edge edge;
    bool follow, blocked; /* the edge is to be followed next; the worker no longer owns s */
    uint64_t blocked_ns;
} worker;

static int fail_memory(const worker *w)
{
    return om_fail_memory(om_task_context(w->run->task));
}

/* ---- a search ---- */

/* Processes an edge with these marks from the last state of the path to a state of this search. */
static int update(worker *w, uint64_t place, om_marks marks)
{
    lowe_search *s = w->s;
    lowe_root *top = &s->roots[s->root_count - 1];
    marks |= top->marks;
    while (place < top->place) {
        assert(s->root_count > 1); /* L2: the first root has the lowest place */
        marks |= s->entries[top->entry].marks;
        top = &s->roots[--s->root_count - 1];
        marks |= top->marks;
    }
    top->marks = marks;
    return marks == w->run->all ? lowe_found(s) : OM_OK;
}

/* Looks at one edge that leaves the last state of the path. Edges to states of other searches go
 * lowest. */
static int look(worker *w, const om_step *step, size_t *low)
{
    lowe_search *s = w->s;
    uint64_t word = 0;
    if (!step->fresh) {
        const lowe_word *at = lowe_at(w->run, step->to);
        if (at == NULL)
            return fail_memory(w);
        /* acquire: pairs with the release in pop(): the successors of a dead state are dead. */
        word = atomic_load_explicit(at, memory_order_acquire);
    }
    if ((word & LOWE_DEAD) != 0)
        return OM_OK;
    if (word != 0 && lowe_search_of(word) == s->number)
        return update(w, lowe_place_of(word), step->marks);
    size_t to = s->entry_count++;
    if (word != 0) {
        s->entries[to] = s->entries[*low];
        to = (*low)++;
    }
    s->entries[to] = (lowe_entry){ step->to, step->marks };
    return OM_OK;
}

/* Makes room for a state with `edges` edges. */
static int grow(const worker *w, size_t edges)
{
    lowe_search *s = w->s;
    const om_heap *heap = w->run->heap;
    lowe_entry *e =
        om_grow(heap, s->entries, &s->entry_room, s->entry_count + edges + 1, sizeof *e);
    s->entries = e == NULL ? s->entries : e;
    lowe_root *r = om_grow(heap, s->roots, &s->root_room, s->root_count + 1, sizeof *r);
    s->roots = r == NULL ? s->roots : r;
    om_id *live = om_grow(heap, s->live, &s->live_room, s->live_count + 1, sizeof *live);
    s->live = live == NULL ? s->live : live;
    return e == NULL || r == NULL || live == NULL ? fail_memory(w) : OM_OK;
}

/* Pushes a state that this search has just claimed. */
static int push(worker *w, om_dfs_edge by)
{
    lowe_search *s = w->s;
    const om_step *steps;
    size_t n;
    if (om_task_stopped(w->run->task))
        return OM_ESTOP;
    int rc = om_cursor_successors(w->cursor, by.to, &steps, &n);
    if (rc == OM_OK)
        rc = grow(w, n);
    if (rc != OM_OK)
        return rc;
    assert(s->live_count < (UINT64_C(1) << LOWE_PLACE_BITS));
    s->roots[s->root_count++] = (lowe_root){ .entry = s->entry_count, .place = s->live_count };
    s->entries[s->entry_count++] = (lowe_entry){ by.to | LOWE_ON_PATH, by.marks };
    s->live[s->live_count++] = by.to;
    if (om_cursor_fault(w->cursor, NULL, NULL) != 0)
        rc = lowe_fault(s, w->cursor, by.to);
    for (size_t i = 0; i < n; i++)
        if (!steps[i].fresh)
            om_side_fetch(w->run->words, steps[i].to);
    /* Edges are followed in reverse order of adding, so add them backwards to keep the cursor's
     * order. */
    size_t low = s->entry_count;
    while (n-- > 0 && rc == OM_OK)
        rc = look(w, &steps[n], &low);
    if (s->entry_count > s->most_entries)
        s->most_entries = s->entry_count;
    if (rc == OM_OK && atomic_load_explicit(&w->run->idle, memory_order_relaxed) > 0)
        rc = lowe_offer(w->run, s);
    return rc;
}

static int follow(worker *w, om_dfs_edge e)
{
    lowe_search *s = w->s;
    lowe_word *at = lowe_at(w->run, e.to);
    uint64_t word = 0;
    assert(s->state == LOWE_RUNNING);
    if (at == NULL)
        return fail_memory(w);
    /* acquire: as in look(). release: no other data depends on it; a worker that sees a live word
     * of another search reads the search under the lock. */
    if (atomic_compare_exchange_strong_explicit(at, &word, lowe_live(s->number, s->live_count),
            memory_order_acq_rel, memory_order_acquire))
        return push(w, e);
    if ((word & LOWE_DEAD) != 0 || s->entry_count == 0) /* another search began there */
        return OM_OK;
    if (lowe_search_of(word) == s->number)
        return update(w, lowe_place_of(word), e.marks);
    return lowe_block(w->run, s, e, &w->blocked, &w->follow);
}

/* Called after all edges of the last state of the path have been followed. */
static void pop(const worker *w)
{
    lowe_search *s = w->s;
    lowe_root top = s->roots[s->root_count - 1];
    s->entry_count--;
    assert((s->entries[s->entry_count].to & LOWE_ON_PATH) != 0 &&
           top.entry <= s->entry_count); /* L2 */
    s->offered = s->offered < s->entry_count ? s->offered : s->entry_count;
    if (top.entry != s->entry_count)
        return;
    s->root_count--;
    s->components++;
    while (s->live_count > top.place)
        /* release: pairs with look() and word_of(). The word is not NULL: it was used before. */
        atomic_store_explicit(
            lowe_at(w->run, s->live[--s->live_count]), LOWE_DEAD, memory_order_release);
}

/* Takes the next edge of the last state of the path. Returns false if there is none. */
static bool next(lowe_search *s, om_dfs_edge *e)
{
    if (s->entry_count == 0 || (s->entries[s->entry_count - 1].to & LOWE_ON_PATH) != 0)
        return false;
    s->entry_count--;
    *e = (om_dfs_edge){ s->entries[s->entry_count].to, s->entries[s->entry_count].marks };
    return true;
}

/* Runs the search until it is blocked or over. */
static int run_search(worker *w)
{
    lowe_search *s = w->s;
    int rc = OM_OK;
    om_dfs_edge e;
    w->blocked = false;
    while (rc == OM_OK && !w->blocked) {
        if (w->follow)
            e = s->edge;
        if (w->follow || next(s, &e)) {
            w->follow = false;
            rc = follow(w, e);
        } else if (s->entry_count > 0) {
            pop(w);
        } else {
            lowe_end(w->run, s);
            break;
        }
    }
    return rc;
}

/* ---- functions of the checker ---- */

/* The caller holds the lock. */
static int add_initial(worker *w)
{
    om_run *run = w->run;
    const om_step *steps;
    size_t n = 0;
    assert(!run->begun);
    int rc = om_cursor_initial(w->cursor, &steps, &n);
    if (rc != OM_OK)
        return rc;
    run->begun = true; /* if this fails now, the task fails */
    run->initial_count = run->start_room = n;
    if (!OM_NEW(run->heap, run->initial, n) || !OM_NEW(run->heap, run->starts, n))
        rc = fail_memory(w);
    for (size_t i = 0; rc == OM_OK && i < n; i++) {
        run->initial[i] = run->starts[n - i - 1] = steps[i].to;
        if (lowe_at(run, steps[i].to) == NULL)
            rc = fail_memory(w);
    }
    run->failed = rc != OM_OK;
    run->start_count = n;
    return rc;
}

/* Adds the initial states, once. */
static int begin(worker *w)
{
    om_run *run = w->run;
    pthread_mutex_lock(&run->lock);
    int rc = run->begun ? OM_OK : add_initial(w);
    if (rc == OM_OK && run->failed)
        rc = OM_ESTOP;
    pthread_mutex_unlock(&run->lock);
    return rc;
}

/* Waits until there is a search to run, or all searches are over. */
static int take(worker *w, bool *over)
{
    om_pause pause = { 0 };
    om_run *run = w->run;
    int rc = OM_OK;
    lowe_take(run, &w->s, &w->follow, over);
    if (*over || w->s != NULL)
        return OM_OK;
    atomic_fetch_add_explicit(&run->idle, 1, memory_order_relaxed);
    while (rc == OM_OK && !*over && w->s == NULL) {
        om_pause_once(&pause);
        rc = om_task_stopped(run->task) ? OM_ESTOP : OM_OK;
        if (rc == OM_OK)
            lowe_take(run, &w->s, &w->follow, over);
    }
    atomic_fetch_sub_explicit(&run->idle, 1, memory_order_relaxed);
    w->blocked_ns += om_pause_length(&pause);
    return rc;
}

static int work(om_run *run, unsigned number)
{
    worker w = { .run = run };
    bool over = false;
    int rc = om_task_cursor(run->task, number, &w.cursor);
    if (rc == OM_OK)
        rc = begin(&w);
    while (rc == OM_OK && !over) {
        rc = take(&w, &over);
        if (rc == OM_OK && !over)
            rc = run_search(&w);
    }
    if (rc == OM_OK)
        om_task_complete(run->task);
    om_task_count(run->task, OM_COUNT_BLOCKED_NS, w.blocked_ns);
    return rc;
}

static void destroy(om_run *run)
{
    uint64_t bytes = run->words == NULL ? 0 : om_side_bytes(run->words), components = 0, most = 0;
    for (unsigned i = 0; run->searches != NULL && i < run->search_count; i++) {
        lowe_search *s = &run->searches[i];
        components += s->components;
        most += s->most_entries;
        bytes += s->entry_room * sizeof *s->entries + s->root_room * sizeof *s->roots +
                 s->live_room * sizeof *s->live;
        OM_FREE_ALL(run->heap, s->entries, s->roots, s->live);
    }
    om_task_add_counts(run->task, 0, 0, bytes);
    om_task_count(run->task, OM_COUNT_PEAK_STACK, most);
    if (run->over)
        om_task_add_sccs(run->task, components);
    om_side_free(run->words);
    OM_FREE_ALL(run->heap, run->searches, run->initial, run->starts);
    (void) pthread_mutex_destroy(&run->lock);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    (void) pthread_mutex_init(&run->lock, NULL);
    run->heap = om_task_heap(task);
    run->task = task;
    run->all = om_task_all_marks(task);
    run->workers = om_task_workers(task);
    run->search_count = run->workers == 1 ? 1 : run->workers * LOWE_SEARCHES_EACH;
    if (!OM_NEW(run->heap, run->searches, run->search_count))
        return om_fail_memory(om_task_context(task));
    for (uint32_t i = 0; i < run->search_count; i++) {
        run->searches[i].run = run;
        run->searches[i].number = i;
    }
    return om_side_new(&run->words, om_task_product(task), sizeof(lowe_word));
}

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "lowe",
        "components by searches that wait for each other: each state is expanded once",
        "Lowe, STTT 2016", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES | OM_CHECKER_LATE_WORKERS,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = destroy,
};
