/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gv: Tarjan's algorithm with early detection, for one acceptance set; Geldenhuys and Valmari,
 * "Tarjan's algorithm makes on-the-fly LTL verification more efficient", TACAS 2004; Gaiser and
 * Schwoon 2009, section 4.
 *
 * One depth-first search numbers its states and keeps the states of incomplete components on a
 * stack. The lowlink of a state is the lowest number of a live state that an edge leads to, from
 * that state or from any state that was searched from it. A state whose lowlink is its own number
 * when it is left for good is the root of its component. There is an accepting cycle as soon as a
 * lowlink is no greater than the number of the last accepting state on the path.
 *
 * The paper's accepting states are accepting edges here: s -> t stands for s -> e -> t, where e
 * accepts and has no other incoming edge. Nothing is stored for e. Its number would lie between
 * those of s and t, so:
 *  - If t is new: while t is on the path, a lowlink below the number of t is no greater than that
 *    of e.
 *  - If t is live: the lowlink of e would be the number of t, which is less than that of e.
 *
 * Invariants:
 *  G1  If n is the number of a live state, that state reaches all live states of numbers from n on
 *      (Gaiser and Schwoon, Fact 8), and all of them can reach the end of the path. So, with an
 *      edge from the end to n, they are in one component.
 *  G2  `accepting` of a frame is the number of the last state, up to this frame's, that an
 *      accepting edge of the path leads to; 0 if there is none, because no lowlink is below 0.
 *      Lowlinks are needed only for states of the path, and are kept only for those.
 *
 * Bytes for each state of the product: 4 of the live stack, 4 more while it is live; while it is on
 * the path, 20, and 8 for each edge from it to a state not met yet.
 */
#include "live_run.h"
#include "scc_search.h"

#include <assert.h>

/* A state of the path; the live stack has fewer than 2^32 states. */
typedef struct frame {
    uint32_t number;
    uint32_t low;
    uint32_t accepting;
} frame;

struct searcher {
    om_run *run;
    om_dfs *dfs;
    frame *path;
    size_t depth, room;
    uint64_t components, peak;
};

static void fetch(const searcher *s, om_id id)
{
    om_live_stack_fetch(s->run->live, id);
}

static bool accepting(const searcher *s, om_marks marks)
{
    return inf_clauses_met(&s->run->accepts, marks); /* there is one set */
}

/* Reports an accepting cycle. The root of the last state's component is the last state of the path
 * such that no lowlink from it to the end of the path is below its number. */
static int found(searcher *s)
{
    size_t i = s->depth - 1;
    uint32_t low = s->path[i].low;
    while (s->path[i].number > low) {
        i--;
        if (s->path[i].low < low)
            low = s->path[i].low;
    }
    return live_run_found(s->run, s->dfs, s->path[i].number, s->run->accepts.common);
}

static int look(searcher *s, om_dfs_edge e, bool *fresh)
{
    uint64_t number = om_live_stack_find(s->run->live, e.to);

    *fresh = number == OM_NO_ID;
    if (*fresh || number == OM_LIVE_STACK_GONE)
        return OM_OK;
    frame *last = &s->path[s->depth - 1];
    assert(number < om_live_stack_size(s->run->live) && last->low <= last->number); /* G1 */
    if (number < last->low)
        last->low = (uint32_t) number;
    return last->low < last->accepting || accepting(s, e.marks) ? found(s) : OM_OK;
}

static int push(searcher *s, om_dfs_edge by)
{
    uint32_t number = (uint32_t) om_live_stack_size(s->run->live);
    if (!OM_ROOM(om_task_heap(s->run->task), s->path, &s->room, s->depth + 1))
        return om_fail_memory(om_task_context(s->run->task));
    frame *last = &s->path[s->depth];
    *last = (frame){ .number = number, .low = number };
    assert(s->depth == 0 || last[-1].number < number);
    if (s->depth > 0) /* G2 */
        last->accepting = accepting(s, by.marks) ? number : last[-1].accepting;
    s->depth++;
    if (s->peak < number + 1 + s->depth)
        s->peak = number + 1 + s->depth;
    return om_live_stack_push(s->run->live, by.to);
}

static int pop(searcher *s)
{
    const frame *last = &s->path[--s->depth];
    assert(last->low <= last->number && last->accepting <= last->number); /* G1, G2 */
    assert(s->depth > 0 || last->low == last->number); /* the first state is a root */

    om_dfs_cut(s->dfs, om_dfs_top(s->dfs));
    if (last->low == last->number) {
        s->components++;
        om_live_stack_cut(s->run->live, last->number);
    } else if (last->low < last[-1].low)
        s->path[s->depth - 1].low = last->low;
    return OM_OK;
}

static const scc_algorithm gv = { .fetch = fetch, .look = look, .push = push, .pop = pop };

static int work(om_run *run, unsigned worker)
{
    searcher s = { .run = run };
    int rc = om_dfs_new(&s.dfs, run->task, worker);
    if (rc == OM_OK)
        rc = scc_search(s.dfs, &gv, &s);
    if (rc == OM_OK) {
        assert(s.depth == 0 && om_live_stack_size(run->live) == 0);
        om_task_complete(run->task);
        om_task_add_sccs(run->task, s.components);
    }
    om_task_count(run->task, OM_COUNT_PEAK_STACK, s.peak);
    if (s.dfs != NULL)
        om_task_add_counts(run->task, 0, 0, om_dfs_bytes(s.dfs) + s.room * sizeof *s.path);
    om_dfs_free(s.dfs);
    om_free(om_task_heap(run->task), s.path);
    return rc;
}

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "gv",
        "components by Tarjan's algorithm with early detection, one worker",
        "Geldenhuys, Valmari 2004; Gaiser, Schwoon 2009, section 4", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI,
    .flags = OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = live_run_create,
    .work = work,
    .destroy = live_run_destroy,
};
