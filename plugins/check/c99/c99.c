/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c99: Couvreur, "On-the-fly verification of linear temporal logic", FM 1999; as described and
 * measured by Gaiser and Schwoon 2009, section 4.
 *
 * A depth-first search that numbers its states, with a stack of the roots of the components on the
 * path and the acceptance sets met in each (scc_roots.h). It is ascc without the Tarjan stack: when
 * a root is left for good, the states of its component are not listed anywhere, so a second
 * depth-first search goes from the root to all states that are not removed yet, and removes them.
 * Each state is thus expanded a second time, even in trivial components. The checker is here for
 * comparison; everything else is as in ascc, so that the second search is the only difference.
 *
 * Invariants:
 *  C1  `roots` has the roots of the active graph, in the order of the path, with all sets within
 *      their components; the live numbers from one root's up to but excluding the next one's are
 *      its component.
 *  C2  All successors of removed states are removed. When a root is left for good, it can reach its
 *      component, whose numbers are the last ones, and removed states: so the second search removes
 *      exactly that component, and its numbers are reused.
 *
 * Bytes for each state of the product: 4; while it is on the path, 8, and 8 for each edge from it
 * to a state not met yet (and 32 if it is a root); the same on the path of the second search.
 */
#include "scc_roots.h"
#include "scc_search.h"

#include <assert.h>

/* The numbers of states; live states have 1, 2, ... */
enum { NEW = 0 };
#define REMOVED UINT32_MAX

struct om_run {
    om_task *task;
    inf_clauses accepts;
    om_side *numbers; /* uint32_t per state */
    uint32_t from;    /* number of the root of the accepting component */
};

struct searcher {
    om_run *run;
    om_dfs *dfs;
    om_dfs *second;
    scc_roots roots;
    uint32_t live; /* number of live states */
    uint64_t components, removed, peak;
};

/* Returns NULL if memory runs out. */
static uint32_t *number_at(const om_run *run, om_id id)
{
    return om_side_at(run->numbers, id);
}

static void fetch(const searcher *s, om_id id)
{
    om_side_fetch(s->run->numbers, id);
}

static int fail_memory(const searcher *s)
{
    return om_fail_memory(om_task_context(s->run->task));
}

static bool in_component(const om_run *run, om_id id)
{
    const uint32_t *number = number_at(run, id);
    return number != NULL && *number >= run->from && *number != REMOVED;
}

static bool same(void *self, om_id a, om_id b)
{
    return in_component(self, a) && in_component(self, b);
}

/* Reports that the component of the live state of this number accepts, by the marks `see`. */
static int found(searcher *s, uint32_t number, om_marks see)
{
    om_evidence e = OM_EVIDENCE(NULL, 0);
    e.see = see;
    e.same = same;
    e.self = s->run;
    const scc_root *root = scc_roots_of(&s->roots, number);
    s->run->from = (uint32_t) root->number;
    return om_dfs_found(s->dfs, root->state, &e);
}

static int look(searcher *s, om_dfs_edge e, bool *fresh)
{
    const uint32_t *number = number_at(s->run, e.to);

    *fresh = number != NULL && *number == NEW;
    if (number == NULL)
        return fail_memory(s);
    if (*fresh || *number == REMOVED)
        return OM_OK;
    om_marks see = 0;
    assert(*number <= s->live); /* C1 */
    return scc_roots_merge(&s->roots, *number, e.marks, &s->run->accepts, &see)
               ? found(s, *number, see)
               : OM_OK;
}

static int push(searcher *s, om_dfs_edge by)
{
    uint32_t *number = number_at(s->run, by.to);
    if (number == NULL)
        return fail_memory(s);
    if (s->live >= REMOVED - 1)
        return om_fail(om_task_context(s->run->task), OM_ELIMIT, NULL,
            "a depth-first search with more than %u live states", REMOVED - 1);
    *number = ++s->live;
    int rc = scc_roots_push(&s->roots, s->run->task, *number, by);
    if (s->peak < s->roots.count)
        s->peak = s->roots.count;
    return rc;
}

/* Removes a state, and adds its successors that are not removed to the second search. */
static int remove_state(searcher *s, om_dfs_edge by)
{
    const om_step *steps;
    size_t n;
    uint32_t *number = number_at(s->run, by.to);
    if (number == NULL)
        return fail_memory(s);
    if (*number == REMOVED)
        return OM_OK;
    int rc = om_dfs_enter(s->second, by, &steps, &n);
    if (rc != OM_OK)
        return rc;
    assert(*number > s->live); /* C2: of the component */
    *number = REMOVED;
    s->removed++;
    for (size_t i = 0; i < n; i++)
        fetch(s, steps[i].to);
    while (n-- > 0) {
        number = number_at(s->run, steps[n].to);
        if (number == NULL)
            return fail_memory(s);
        if (*number != REMOVED)
            om_dfs_add(s->second, &steps[n]);
    }
    return OM_OK;
}

/* Removes the component of a root (C2). */
static int remove_component(searcher *s, om_id root)
{
    om_dfs_edge e;
    assert(om_dfs_depth(s->second) == 0);
    int rc = remove_state(s, (om_dfs_edge){ .to = root });
    while (rc == OM_OK && om_dfs_depth(s->second) > 0) {
        if (om_dfs_next(s->second, &e))
            rc = remove_state(s, e);
        else
            om_dfs_cut(s->second, om_dfs_top(s->second));
    }
    return rc;
}

static int pop(searcher *s)
{
    uint64_t place = om_dfs_top(s->dfs);
    om_id id = om_dfs_at(s->dfs, place).to;
    const scc_root *last = &s->roots.stack[s->roots.count - 1];
    int rc = OM_OK;
    assert(s->roots.count > 0 && last->number <= s->live); /* C1 */

    if (last->state == id) {
        s->roots.count--;
        s->components++;
        s->live = (uint32_t) last->number - 1;
        rc = remove_component(s, id);
    }
    om_dfs_cut(s->dfs, place);
    return rc;
}

static const scc_algorithm c99 = { .fetch = fetch, .look = look, .push = push, .pop = pop };

static int work(om_run *run, unsigned worker)
{
    searcher s = { .run = run };
    int rc = om_dfs_new(&s.dfs, run->task, worker);
    if (rc == OM_OK)
        rc = om_dfs_new_above(&s.second, s.dfs);
    if (rc == OM_OK)
        rc = scc_search(s.dfs, &c99, &s);
    if (rc == OM_OK) {
        assert(s.roots.count == 0 && s.live == 0); /* C2 */
        om_task_complete(run->task);
        om_task_add_sccs(run->task, s.components);
    }
    om_task_count(run->task, OM_COUNT_PEAK_STACK, s.peak);
    om_task_count(run->task, OM_COUNT_RED, s.removed);
    if (s.second != NULL)
        om_task_add_counts(run->task, 0, 0,
            om_dfs_bytes(s.dfs) + om_dfs_bytes(s.second) + s.roots.room * sizeof *s.roots.stack);
    om_dfs_free(s.second);
    om_dfs_free(s.dfs);
    om_free(om_task_heap(run->task), s.roots.stack);
    return rc;
}

static void destroy(om_run *run)
{
    if (run->numbers != NULL)
        om_task_add_counts(run->task, 0, 0, om_side_bytes(run->numbers));
    om_side_free(run->numbers);
    inf_clauses_free(&run->accepts, om_task_heap(run->task));
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->task = task;
    int rc = inf_clauses_read(&run->accepts, task);
    return rc == OM_OK ? om_side_new(&run->numbers, om_task_product(task), sizeof(uint32_t)) : rc;
}

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "c99",
        "components by a roots stack, removed by a second search, one worker",
        "Couvreur 1999; Gaiser, Schwoon 2009, section 4", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = INF_CLAUSES_ACCEPTANCE,
    .flags = OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = destroy,
};
