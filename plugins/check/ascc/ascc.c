/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ascc: the amended algorithm of Couvreur, with the Tarjan stack put back; Gaiser and Schwoon,
 * "Comparison of algorithms for checking emptiness on Buchi automata", MEMICS 2009, section 4,
 * Figure 2.
 *
 * One depth-first search numbers its states. `Roots` has the roots of the components on the path,
 * each with the acceptance sets met in its component. An edge to an active state merges the
 * component of that state with all later ones; there is an accepting cycle if the result has all
 * sets (also if there are no sets, because then any cycle accepts). When a root is left for good,
 * its whole component is taken off the stack `Active`.
 *
 * The names of the figure: `Active`, the bit `current`, and the dfsnum of the states that have it
 * are the live stack, where a state's number is its place. Unlike a count of all states so far, a
 * number is reused after states were taken off; the active states are ordered in the same way. In
 * the figure, acceptance is on states; here it is on edges, as in the original: see scc_roots.h.
 *
 * Invariants, which the paper proves (section 4.1):
 *  A1  `Roots` has the roots of the active graph, in the order of the path, with all sets within
 *      their components; the numbers from one root's up to but excluding the next one's are its
 *      component.
 *  A2  The live stack has exactly the active states: those whose component, as far as it was
 *      explored, has a state on the path.
 * So a cycle is reported as soon as all its states and edges were seen.
 *
 * Bytes for each state of the product: 4 of the live stack, 4 more while it is live; while it is on
 * the path, 8, and 8 for each edge from it to a state not met yet (and 32 if it is a root).
 */
#include "live_run.h"
#include "scc_roots.h"
#include "scc_search.h"

#include <assert.h>

struct searcher {
    om_run *run;
    om_dfs *dfs;
    scc_roots roots;
    uint64_t components, peak;
};

static void fetch(const searcher *s, om_id id)
{
    om_live_stack_fetch(s->run->live, id);
}

static int look(searcher *s, om_dfs_edge e, bool *fresh)
{
    uint64_t number = om_live_stack_find(s->run->live, e.to);

    *fresh = number == OM_NO_ID;
    if (*fresh || number == OM_LIVE_STACK_GONE)
        return OM_OK;
    om_marks see = 0;
    assert(number < om_live_stack_size(s->run->live)); /* A2 */
    if (!scc_roots_merge(&s->roots, number, e.marks, &s->run->accepts, &see))
        return OM_OK;
    return live_run_found(s->run, s->dfs, scc_roots_of(&s->roots, number)->number, see);
}

static int push(searcher *s, om_dfs_edge by)
{
    uint64_t number = om_live_stack_size(s->run->live);
    int rc = om_live_stack_push(s->run->live, by.to);
    if (rc == OM_OK)
        rc = scc_roots_push(&s->roots, s->run->task, number, by);
    if (rc == OM_OK && s->peak < number + 1 + s->roots.count)
        s->peak = number + 1 + s->roots.count;
    return rc;
}

static int pop(searcher *s)
{
    uint64_t place = om_dfs_top(s->dfs);
    om_id id = om_dfs_at(s->dfs, place).to;
    const scc_root *root = &s->roots.stack[s->roots.count - 1];

    assert(om_live_stack_find(s->run->live, id) >= root->number); /* A1 */
    om_dfs_cut(s->dfs, place);
    if (root->state == id) {
        s->roots.count--;
        s->components++;
        om_live_stack_cut(s->run->live, root->number); /* A2 */
    }
    return OM_OK;
}

static const scc_algorithm ascc = { .fetch = fetch, .look = look, .push = push, .pop = pop };

static int work(om_run *run, unsigned worker)
{
    searcher s = { .run = run };
    int rc = om_dfs_new(&s.dfs, run->task, worker);
    if (rc == OM_OK)
        rc = scc_search(s.dfs, &ascc, &s);
    if (rc == OM_OK) {
        assert(s.roots.count == 0 && om_live_stack_size(run->live) == 0); /* A2 */
        om_task_complete(run->task);
        om_task_add_sccs(run->task, s.components);
    }
    om_task_count(run->task, OM_COUNT_PEAK_STACK, s.peak);
    if (s.dfs != NULL)
        om_task_add_counts(
            run->task, 0, 0, om_dfs_bytes(s.dfs) + s.roots.room * sizeof *s.roots.stack);
    om_dfs_free(s.dfs);
    om_free(om_task_heap(run->task), s.roots.stack);
    return rc;
}

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "ascc",
        "components by a roots stack, one worker", "Gaiser, Schwoon 2009, section 4", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = INF_CLAUSES_ACCEPTANCE,
    .flags = OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = live_run_create,
    .work = work,
    .destroy = live_run_destroy,
};
