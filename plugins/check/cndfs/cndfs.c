/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cndfs: nested depth-first searches of several workers that share blue and red states;
 * Evangelista, Laarman, Petrucci, van de Pol, "Improved multi-core nested depth-first search", ATVA
 * 2012, with early detection of cycles and the all-red extension.
 *
 * In the paper, states accept; here edges do. A state s with accepting edges stands for two of the
 * paper's states: s itself, with the other edges and one to s', and s', which accepts and has the
 * accepting edges. Only one bit (RED_TOO) is stored for s'. Both are left at once and are blue from
 * then on (the order in which the edges of both are followed does not matter below). But they
 * become red separately: a red search begins at s' and may reach s without its s' or, if s' is
 * already red, s alone.
 *
 * Each worker has its own blue search, in its own order, whose path is cyan for that worker. When
 * the worker has left all edges of s, it makes s (and s') blue, which stops other workers from
 * entering them. Then, if s' is not red, it searches from s' for states that are not red. If that
 * search reaches the worker's path, there is an accepting cycle. Otherwise all states that it met
 * (R) become red, as soon as the virtual states in R have become red on their own: each of them is
 * the seed of a search of some worker, and that search must end first. All-red: a state whose
 * successors are all red when it is left becomes red without a search (its loops do not count). An
 * edge to a blue or red state need not be followed.
 *
 * Why no cycle is missed. All changes of the shared bits are in one order (seq_cst). Below, "red"
 * also applies to the states in R of a worker whose wait is over.
 *  N1  A red state has red successors only: when the search that made R is over, the edges from R
 *      lead to R and to red states alone (an edge to the path would have ended the search). For
 *      all-red, this is the condition itself.
 *  N2  When s' becomes red for the first time, it is the seed of a search that is over, or all-red
 *      applies: every worker that has s' in R waits for this, unless s' is its seed.
 *  N3  No s' on a cycle becomes red. Take the first one that does. If by all-red: its successor on
 *      the cycle was red before, and by N1 so was s'. If as the seed of a search that found
 *      nothing: follow the cycle from s', whose state s is on the path of that worker. The search
 *      did not complete the cycle, so it skipped a state because it was red, and by N1 s' was red
 *      at that time. By N2, s' was not in R of another worker, and it was not red itself; so it was
 *      the seed of another worker's search that had ended before. Take the first of these searches.
 *  N4  Each successor of a blue state is blue, red, or cyan for some worker; and a blue s whose s'
 *      is not red is the seed of a worker. So when all workers have finished, each reachable state
 *      is blue or red, each s' is red, and by N3 none of them is on a cycle.
 *
 * Why no worker waits for ever. Suppose that all workers that have not finished wait. Worker i with
 * seed s' waits for some t' in R. No state on the way from s' to t' is red (by N1, t' would be), so
 * by N4 either all of it is blue, and t' is the seed of another worker j, or one of its states is
 * cyan for another worker j and leads to the seed of j along j's path. (If it were cyan for i, the
 * cycle would have been found.) So from the seed of each such worker there is a way to the seed of
 * another, and finally back to that of one of them, say of i: s' is on a cycle, and t' is on it or
 * reachable from it. The search of i did not complete that cycle, so, as in N3, a state on the
 * cycle is red, and t' with it: i does not wait.
 *
 * Repeated work. A state that is on several paths is expanded once for each. In a large component,
 * paths are long: on products of elevator.4, eight workers of the paper's algorithm expand 2.2
 * times as many states as one worker, sixteen 3 times. So only two workers may have a path of any
 * length (DEEP); the path of each other worker is limited to a small part of the known states
 * (SHALLOW, SHARE). A worker whose path would become longer waits until the limit has grown enough,
 * the state is coloured, one of the two has finished, or another worker waits for a red search,
 * because that worker may be waiting for this one. So here, too, no worker waits for ever: some
 * worker that may have a long path always makes progress. If paths are short, all workers do.
 *
 * A worker has finished when its blue search is over. The last of the workers that have begun knows
 * that there is no accepting cycle; further workers may begin late or never.
 *
 * The evidence is the blue path followed by the red one.
 *
 * Bytes for each state of the product: 1, and with several workers 1 more for each; while it is on
 * a blue path, 9, and 8 for each edge from it to a state not met yet; 8 while it is in R, 16 while
 * it is on the red path.
 */
#include "cndfs.h"

#include "pause.h"

#include <assert.h>

/* On a product of elevator2.2 that is one component, 8 and 16 workers follow 1.4 to 1.5 times as
 * many edges as one worker (1.4 to 1.6 with 1000 and 128). */
enum { SHALLOW = 100, SHARE = 1024, DEEP = 2 };

static unsigned char *last_frame(const searcher *s)
{
    assert(om_dfs_depth(s->blue) > 0 && om_dfs_depth(s->blue) <= s->frame_room);
    return &s->frames[om_dfs_depth(s->blue) - 1];
}

/* Notes a successor of the last state of the path: sets SEED or REST if it is not red. */
static void note_successor(const searcher *s, bool accepting, unsigned char colours)
{
    if ((colours & RED) == 0)
        *last_frame(s) |= accepting ? SEED : REST;
}

/* Looks at one edge that leaves the last state of the path, `from`. */
static int look_blue(searcher *s, om_id from, const om_step *step, bool accepting)
{
    unsigned char *own;
    if (step->fresh) {
        om_dfs_add(s->blue, step);
        return OM_OK;
    }
    int rc = look(s, step->to, BLUE | RED, &own);
    if (rc != OM_OK)
        return rc;
    if ((*own & CYAN) != 0 && accepting)
        return om_dfs_found(s->blue, step->to, NULL);
    if ((*own & (CYAN | BLUE | RED)) == 0)
        om_dfs_add(s->blue, step);
    else if (step->to != from)
        note_successor(s, accepting, *own);
    return OM_OK;
}

/* Puts on the path a state that no worker, or only other workers, have on theirs. */
static int enter_blue(searcher *s, om_dfs_edge by, unsigned char *own)
{
    const om_step *steps;
    size_t n;
    unsigned char *frames =
        om_grow(s->run->heap, s->frames, &s->frame_room, (size_t) om_dfs_depth(s->blue) + 1, 1);
    if (frames == NULL)
        return fail_memory(s);
    s->frames = frames;
    int rc = om_dfs_enter(s->blue, by, &steps, &n);
    if (rc != OM_OK)
        return rc;
    *own |= CYAN;
    *last_frame(s) = 0;
    fetch(s, steps, n);
    /* Edges are followed in reverse order of adding, so add them backwards to keep the cursor's
     * order. */
    while (n-- > 0 && rc == OM_OK) {
        bool accepting = accepts(s, steps[n].marks);
        *last_frame(s) |= accepting ? ACCEPTS : 0;
        rc = look_blue(s, by.to, &steps[n], accepting);
    }
    return rc;
}

/* Returns true if the blue path may become longer. */
static bool may_deepen(searcher *s)
{
    if (om_dfs_depth(s->blue) < s->longest)
        return true;
    s->longest = SHALLOW + om_product_state_count(om_task_product(s->run->task)) / SHARE;
    if (om_dfs_depth(s->blue) < s->longest ||
        atomic_load_explicit(&s->run->awaiting, memory_order_relaxed) > 0)
        return true;
    unsigned deep = atomic_load_explicit(&s->run->deep, memory_order_relaxed);
    if (deep >= DEEP || !atomic_compare_exchange_strong_explicit(&s->run->deep, &deep, deep + 1,
                            memory_order_relaxed, memory_order_relaxed))
        return false;
    s->longest = UINT64_MAX;
    return true;
}

/* Waits until the path may become longer, or need not because the state is coloured. */
static int await_turn(searcher *s, om_id id, unsigned char **own)
{
    om_pause pause = { 0 };
    unsigned char *at = NULL;
    int rc = look(s, id, BLUE | RED, &at);
    while (rc == OM_OK && (*at & (BLUE | RED)) == 0 && !may_deepen(s)) {
        om_pause_once(&pause);
        rc = om_task_stopped(s->run->task) ? OM_ESTOP : look(s, id, BLUE | RED, &at);
    }
    s->blocked_ns += om_pause_length(&pause);
    *own = at;
    return rc;
}

static int follow(searcher *s, om_dfs_edge e)
{
    unsigned char *own;
    int rc = look(s, e.to, BLUE | RED, &own);
    if (rc == OM_OK && om_dfs_depth(s->blue) >= s->longest)
        rc = await_turn(s, e.to, &own);
    if (rc != OM_OK)
        return rc;
    if ((*own & (CYAN | BLUE | RED)) == 0)
        return enter_blue(s, e, own);
    if (om_dfs_depth(s->blue) > 0)
        note_successor(s, accepts(s, e.marks), *own);
    return OM_OK;
}

/* Called after all edges of the last state of the path have been followed. */
static int leave(searcher *s)
{
    uint64_t place = om_dfs_top(s->blue);
    om_dfs_edge by = om_dfs_at(s->blue, place);
    unsigned char frame = *last_frame(s), *own = om_side_at(s->own, by.to);
    /* N1: all-red. */
    unsigned char bits = ((frame & ACCEPTS) != 0 ? RED_TOO : 0) | ((frame & REST) != 0 ? 0 : RED);
    bool search = (frame & SEED) != 0;

    if (own == NULL)
        return fail_memory(s);
    assert((*own & (CYAN | PINK)) == CYAN);
    assert(!search || (frame & ACCEPTS) != 0); /* it has an s' */
    int rc = colour(s, by.to, BLUE | (search ? 0 : bits), own);
    if (rc == OM_OK && search) {
        if ((*own & RED_TOO) == 0)
            rc = cndfs_red(s, by.to);
        if (rc == OM_OK)
            rc = colour(s, by.to, bits, own);
    }
    if (rc != OM_OK)
        return rc;
    *own &= (unsigned char) ~CYAN;
    om_dfs_cut(s->blue, place);
    if (om_dfs_depth(s->blue) > 0)
        note_successor(s, accepts(s, by.marks), *own);
    return OM_OK;
}

static int search(searcher *s)
{
    om_dfs_edge e;
    int rc = om_dfs_start(s->blue);
    while (rc == OM_OK) {
        if (om_dfs_next(s->blue, &e))
            rc = follow(s, e);
        else if (om_dfs_depth(s->blue) > 0)
            rc = leave(s);
        else
            break;
    }
    return rc;
}

/* ---- functions of the checker ---- */

static void report(const searcher *s)
{
    om_task *t = s->run->task;
    uint64_t bytes = s->frame_room + s->met_room * sizeof *s->met;
    bytes += s->blue == NULL ? 0 : om_dfs_bytes(s->blue);
    bytes += s->red == NULL ? 0 : om_dfs_bytes(s->red);
    bytes += s->own == NULL ? 0 : om_side_bytes(s->own);
    om_task_add_counts(t, 0, 0, bytes);
    om_task_count(t, OM_COUNT_RED, s->reds);
    om_task_count(t, OM_COUNT_BLOCKED_NS, s->blocked_ns);
}

static int work(om_run *run, unsigned worker)
{
    searcher s = { .run = run, .all = om_task_all_marks(run->task) };
    /* A worker can only begin before the first one has returned. */
    atomic_fetch_add_explicit(&run->active, 1, memory_order_relaxed);
    int rc = om_dfs_new(&s.blue, run->task, worker);
    if (rc == OM_OK)
        rc = om_dfs_new_above(&s.red, s.blue);
    if (rc == OM_OK)
        rc = om_side_new(&s.own, om_task_product(run->task), 1);
    if (rc == OM_OK)
        rc = search(&s);
    if (rc == OM_OK && atomic_fetch_sub_explicit(&run->active, 1, memory_order_relaxed) == 1)
        om_task_complete(run->task);
    if (s.longest == UINT64_MAX)
        atomic_fetch_sub_explicit(&run->deep, 1, memory_order_relaxed);
    report(&s);
    om_side_free(s.own);
    om_dfs_free(s.red);
    om_dfs_free(s.blue);
    OM_FREE_ALL(run->heap, s.frames, s.met);
    return rc;
}

static void destroy(om_run *run)
{
    if (run->shared != NULL)
        om_task_add_counts(run->task, 0, 0, om_side_bytes(run->shared));
    om_side_free(run->shared);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->heap = om_task_heap(task);
    run->task = task;
    return om_task_workers(task) == 1
               ? OM_OK
               : om_side_new(&run->shared, om_task_product(task), sizeof(atomic_uchar));
}

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "cndfs",
        "nested depth-first searches that share blue and red states",
        "Evangelista, Laarman, Petrucci, van de Pol, ATVA 2012", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES | OM_CHECKER_LATE_WORKERS,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = destroy,
};
