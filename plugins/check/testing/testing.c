/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testing: emptiness of products with testing automata; Ben Salem, Duret-Lutz, Kordon, "Generalized
 * Buchi automata versus testing automata for model checking", SUMo 2011, section 2.3, after
 * Geldenhuys, Hansen, "Larger automata and less work for LTL model checking", SPIN 2006.
 *
 * A step that changes a proposition is marked BUSY, and also BUCHI if it leaves a state of F;
 * stuttering steps are BUSY if the automaton is not in G (for the details see
 * automaton/convert/to_testing.h of the core). A component accepts if it has a BUCHI step or a
 * livelock, which is a cycle without any BUSY step.
 *
 * The first pass is ascc: components by a roots stack, and a cycle is seen when it closes. As a
 * heuristic, it also sees livelocks along its path: an edge that is not BUSY leads to a state of
 * the path, after which no edge of the path is BUSY. A livelock that it enters by two paths may be
 * missed. So a second pass follows only edges that are not BUSY, through the states stored by the
 * first pass where the automaton is in G, and looks for any cycle.
 *
 * That is the paper's second pass over a smaller part of the product. It is skipped if the first
 * pass met no edge that is not BUSY to an active state (T1): in a depth-first search, every cycle
 * has an edge from a state to one that was met before it and whose component has not been left. So
 * every livelock has such an edge.
 *
 * With passes=1 the automaton has an artificial livelock state (Ben Salem, Duret-Lutz, Kordon,
 * "Model checking using generalized testing automata", ToPNoC VI, 2012, section 5): livelocks are
 * BUCHI cycles there, and the first pass finds all.
 *
 * Bytes for each state of the product: 4 of the live stack, 8 of its label, a quarter in the second
 * pass; 4 more while it is live; while it is on the path, 24, and 8 for each edge from it to a
 * state not met yet (and 32 if it is a root).
 */
#include "colours.h"
#include "live_run.h"
#include "scc_roots.h"
#include "scc_search.h"

#include <assert.h>

static const om_marks BUCHI = 1, BUSY = 2;

/* A state of the path */
typedef struct path_place {
    uint64_t number; /* on the live stack; ascending */
    size_t idle;     /* the first place such that no edge of the path from there to here is BUSY */
} path_place;

struct searcher {
    om_run *run;
    om_dfs *dfs;
    bool single; /* true if there is one pass */
    scc_roots roots;
    path_place *path;
    size_t depth, room;
    bool suspect; /* true if a second pass is needed (T1) */
    uint64_t components, peak;
    /* for the second pass */
    om_side *colours;
    bool *livelock; /* by automaton state: true if in G */
    uint64_t entered;
};

/* ---- the first pass ---- */

static void fetch(const searcher *s, om_id id)
{
    om_live_stack_fetch(s->run->live, id);
}

/* Returns true if the live state of this number is on the path, at `first` or later. */
static bool on_path(const searcher *s, size_t first, uint64_t number)
{
    size_t end = s->depth;
    assert(first <= end);
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (s->path[middle].number == number)
            return true;
        if (s->path[middle].number < number)
            first = middle + 1;
        else
            end = middle;
    }
    return false;
}

static int found_livelock(const searcher *s, om_id entry)
{
    om_evidence e = OM_EVIDENCE(NULL, 0);
    e.avoid = BUSY;
    return om_dfs_found(s->dfs, entry, &e);
}

static int look(searcher *s, om_dfs_edge e, bool *fresh)
{
    const uint64_t number = om_live_stack_find(s->run->live, e.to);

    *fresh = number == OM_NO_ID;
    if (*fresh || number == OM_LIVE_STACK_GONE)
        return OM_OK;
    om_marks see = 0;
    if (scc_roots_merge(&s->roots, number, e.marks & BUCHI, &s->run->accepts, &see))
        return live_run_found(s->run, s->dfs, scc_roots_of(&s->roots, number)->number, see);
    if (s->single || (e.marks & BUSY) != 0)
        return OM_OK;
    s->suspect = true;
    return on_path(s, s->path[s->depth - 1].idle, number) ? found_livelock(s, e.to) : OM_OK;
}

static int push_place(searcher *s, uint64_t number, om_dfs_edge by)
{
    om_run *run = s->run;
    if (!OM_ROOM(om_task_heap(run->task), s->path, &s->room, s->depth + 1))
        return om_fail_memory(om_task_context(run->task));
    assert(s->depth == 0 || s->path[s->depth - 1].number < number);
    const bool idle = s->depth > 0 && (by.marks & BUSY) == 0;
    s->path[s->depth] = (path_place){ number, idle ? s->path[s->depth - 1].idle : s->depth };
    s->depth++;
    return OM_OK;
}

static int push(searcher *s, om_dfs_edge by)
{
    const uint64_t number = om_live_stack_size(s->run->live);
    int rc = om_live_stack_push(s->run->live, by.to);
    by.marks &= BUSY | BUCHI;
    if (rc == OM_OK)
        rc = push_place(s, number, by);
    by.marks &= BUCHI;
    if (rc == OM_OK)
        rc = scc_roots_push(&s->roots, s->run->task, number, by);
    if (rc == OM_OK && s->peak < number + 1 + s->roots.count)
        s->peak = number + 1 + s->roots.count;
    return rc;
}

static int pop(searcher *s)
{
    const uint64_t place = om_dfs_top(s->dfs);
    const om_id id = om_dfs_at(s->dfs, place).to;
    const scc_root *root = &s->roots.stack[s->roots.count - 1];

    assert(s->depth > 0 && s->roots.count > 0 && root->number <= s->path[s->depth - 1].number);
    om_dfs_cut(s->dfs, place);
    s->depth--;
    if (root->state == id) {
        s->roots.count--;
        s->components++;
        om_live_stack_cut(s->run->live, root->number);
    }
    return OM_OK;
}

static const scc_algorithm first_pass = { .fetch = fetch, .look = look, .push = push, .pop = pop };

/* ---- the second pass ---- */

static int find_livelock_states(searcher *s)
{
    om_task *task = s->run->task;
    const om_automaton *a = om_task_automaton(task);
    const uint32_t states = om_automaton_state_count(a);
    if (!OM_NEW(om_task_heap(task), s->livelock, states))
        return om_fail_memory(om_task_context(task));
    for (uint32_t q = 0; q < states; q++) {
        uint32_t count = 0;
        const om_edge *edges = om_automaton_edges(a, q, &count);
        for (uint32_t i = 0; i < count && !s->livelock[q]; i++)
            s->livelock[q] = (edges[i].marks & BUSY) == 0;
    }
    return OM_OK;
}

/* The automaton may have been in any state on the way there: the evidence is the state alone. */
static int found_alone(const searcher *s, om_id id)
{
    om_evidence e = OM_EVIDENCE(&id, 1);
    e.avoid = BUSY;
    e.entry = 0;
    return om_task_evidence(s->run->task, &e);
}

static int enter(searcher *s, om_dfs_edge by)
{
    om_task *task = s->run->task;
    const om_step *steps;
    size_t n = 0;
    colour c = WHITE;
    int rc = om_dfs_enter(s->dfs, by, &steps, &n);
    s->entered++;
    if (rc == OM_OK)
        rc = colour_set(s->colours, task, by.to, CYAN);
    while (rc == OM_OK && n-- > 0) {
        if ((steps[n].marks & BUSY) != 0)
            continue;
        rc = colour_of(s->colours, task, steps[n].to, &c);
        if (rc == OM_OK && c == CYAN)
            return found_alone(s, steps[n].to);
        if (rc == OM_OK && c == WHITE)
            om_dfs_add(s->dfs, &steps[n]);
    }
    return rc;
}

/* Searches from a state through edges that are not BUSY. */
static int search_from(searcher *s, om_id id)
{
    om_task *task = s->run->task;
    om_dfs_edge e = { id, 0 };
    colour c = WHITE;
    int rc = colour_of(s->colours, task, id, &c);
    if (rc != OM_OK || c != WHITE)
        return rc;
    rc = enter(s, e);
    while (rc == OM_OK && om_dfs_depth(s->dfs) > 0) {
        if (om_dfs_next(s->dfs, &e)) {
            rc = colour_of(s->colours, task, e.to, &c);
            if (rc == OM_OK && c == WHITE)
                rc = enter(s, e);
            else if (rc == OM_OK && c == CYAN)
                return found_alone(s, e.to);
        } else {
            const uint64_t place = om_dfs_top(s->dfs);
            rc = colour_set(s->colours, task, om_dfs_at(s->dfs, place).to, BLUE);
            om_dfs_cut(s->dfs, place);
        }
    }
    return rc;
}

static int second_pass(searcher *s)
{
    om_task *task = s->run->task;
    const om_product *p = om_task_product(task);
    const om_id bound = om_product_id_bound(p);
    const om_cursor *c = om_dfs_cursor(s->dfs);
    int rc = find_livelock_states(s);
    if (rc == OM_OK)
        rc = colours_new(&s->colours, task);
    for (om_id id = 0; rc == OM_OK && id < bound; id++) {
        if (om_task_stopped(task))
            rc = OM_ESTOP;
        else if (om_product_has(p, id) && s->livelock[om_cursor_automaton_state(c, id)])
            rc = search_from(s, id);
    }
    return rc;
}

/* ---- functions of the checker ---- */

static void tell(const searcher *s)
{
    om_task *task = s->run->task;
    uint64_t bytes = s->roots.room * sizeof *s->roots.stack + s->room * sizeof *s->path;
    bytes += s->dfs == NULL ? 0 : om_dfs_bytes(s->dfs);
    bytes += s->colours == NULL ? 0 : om_side_bytes(s->colours);
    om_task_add_counts(task, 0, 0, bytes);
    om_task_count(task, OM_COUNT_PEAK_STACK, s->peak);
    om_task_count(task, OM_COUNT_RED, s->entered);
}

static int work(om_run *run, unsigned worker)
{
    /* The number of sets tells the passes: the automaton has livelocks of its own (2 sets), or the
     * artificial livelock state (1). */
    const bool single = om_automaton_set_count(om_task_automaton(run->task)) == 1;
    searcher s = { .run = run, .single = single };
    const om_heap *heap = om_task_heap(run->task);
    int rc = om_dfs_new(&s.dfs, run->task, worker);
    if (rc == OM_OK)
        rc = scc_search(s.dfs, &first_pass, &s);
    assert(rc != OM_OK || (s.depth == 0 && s.roots.count == 0));
    if (rc == OM_OK)
        om_task_add_sccs(run->task, s.components);
    if (rc == OM_OK && s.suspect)
        rc = second_pass(&s);
    if (rc == OM_OK)
        om_task_complete(run->task);
    tell(&s);
    om_dfs_free(s.dfs);
    om_side_free(s.colours);
    OM_FREE_ALL(heap, s.roots.stack, s.path, s.livelock);
    return rc;
}

/* Creates the run. Components accept by BUCHI alone. */
static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->task = task;
    run->accepts = inf_clauses_of(&BUCHI, 1);
    return om_live_stack_new(&run->live, om_task_product(task));
}

static bool single_pass(const int64_t *options)
{
    return options[0] == 1;
}

static const om_option options[] = {
    { "passes", 2, 1, 2, "1: a single pass, with an artificial livelock state" },
    { NULL, 0, 0, 0, NULL },
};

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "testing",
        "testing automata, for stutter-invariant properties; one worker",
        "Ben Salem, Duret-Lutz, Kordon 2011, section 2.3", options),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI | OM_ACCEPT_STREETT,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = live_run_destroy,
    .product = OM_PRODUCT_TESTING,
    .single_pass = single_pass,
};
