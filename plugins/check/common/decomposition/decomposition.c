/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each worker runs Dijkstra's search for components in its own order. All workers share the facts
 * that it finds out about a class (om_scc_sets): its states, its marks, and which of its states are
 * explored. So when a worker has left all states of a component that it entered itself, it
 * continues with states of the class that other workers entered and have not finished; if there is
 * none, the whole component has been explored, and it is dead. (The paper's worker does so for each
 * state that it enters; this one first retreats along its own stack, and never expands a state
 * twice itself.)
 *
 * Below, "edge" excludes the edges that are left out.
 *
 * Invariants of one worker (its path, and `roots` on it, each with the states of the path up to the
 * next root):
 *  F1  All states of a root's interval of the path are in the root's class.
 *  F2  The worker is in a live class if and only if one of its roots is in that class. So an edge
 *      to a state of such a class closes a cycle, and merging roots from the top down ends at one
 *      that is in the class.
 *  F3  A state is done when each edge from it leads to a dead state, or into its own class with the
 *      edge's marks added to the class. For an edge that the worker followed: when the target was
 *      left, it was dead, or its root was merged into that of the source, which adds the marks. For
 *      other edges: look() found the target dead, or reach_down() and then merge() or add_marks()
 *      have done so.
 *  F4  Other workers may unite the classes of two roots. If the roots are neighbours, the worker
 *      merges them when it reaches the end of the upper one. Until then, and if they are not
 *      neighbours, only this worker has the marks of the edge between them, and it has not made the
 *      source of that edge done.
 *  F5  If marks are to be exact (d->exact), those of a class are at any time the marks of some
 *      strongly connected part of the graph that contains all states of the class. So a condition
 *      that they satisfy is satisfied by a cycle, even if the class has more marks once it is
 *      explored. The cycle that justifies uniting the classes of two roots may go through classes
 *      of other roots, too, which are united later: so the marks of the whole cycle are added with
 *      the first union (add_cycle() in roots.c). A worker completes a series of unions that it has
 *      begun before it checks whether the task was stopped, and thus before the evidence is
 *      queried.
 *
 * Why no accepting class is missed: by F3, when all states of a class are done, its root has the
 * marks of all edges inside, and the worker that added the last of them got all of them in the same
 * step. (With F5, that worker may have been between two unions; the worker that finds all states
 * done checks again.)
 * A dead state that other workers made done needs no check: F3 held when the first of them did so.
 *
 * A worker that has finished from a state knows that all states reachable from it are dead. It
 * never waits for another worker.
 *
 * The evidence is the worker's stack, if that begins with an initial state; otherwise the root of
 * the class alone. If the worker continued with a state that other workers entered, no edge leads
 * there from the state before it on the stack; but both are in one class.
 *
 * Bytes for each state of the product, with several workers: 16 of om_scc_sets (32 beyond 16 sets);
 * and for each worker, while the state is on its path, 8, 8 for each edge from it to a state not
 * met yet, and 40 if it is a root.
 */
#include "roots.h"

#include <assert.h>

/* Processes an edge with these marks from the last state of the path to a state in one of the
 * worker's classes. */
static int update(searcher *s, om_id to, om_marks marks)
{
    bool below = false;
    int rc = roots_reach_down(s, to, to, marks, &below);
    if (rc != OM_OK)
        return rc;
    rc = below ? roots_merge(s, marks, false) : roots_add_marks(s, marks);
    return rc == OM_OK && s->full ? roots_found_below(s) : rc;
}

static void fetch(const searcher *s, const om_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!steps[i].fresh)
            om_scc_sets_fetch(s->classes, steps[i].to);
}

/* Summary of the edges of the last state of the path */
typedef struct leads {
    bool elsewhere;     /* some lead to classes without this worker: for later */
    bool closes, below; /* some lead to the last root's class; to the last but one's */
    om_marks marks;     /* of the edges to these two classes */
} leads;

static int look(searcher *s, const om_step *step, leads *l)
{
    om_scc_status is = OM_SCC_NEW;
    om_id representative = OM_NO_ID;
    int rc = OM_OK;
    if (s->d->useful != NULL && !s->d->useful[step->automaton_state])
        return OM_OK;
    if (!step->fresh) {
        s->finds++;
        rc = om_scc_sets_lookup(s->classes, s->worker, step->to, &is, &representative);
    }
    if (rc != OM_OK || is == OM_SCC_DEAD)
        return rc;
    if (is != OM_SCC_MINE && s->d->exact != NULL && s->d->exact->is_inside != NULL) {
        bool inside = false;
        rc = s->d->exact->is_inside(s->self, step->to, &inside);
        if (rc != OM_OK || !inside)
            return rc;
    }
    if ((step->marks & s->d->avoid) != 0)
        return is == OM_SCC_NEW ? s->avoided(s->self, step->to) : OM_OK;
    if (is == OM_SCC_MINE) {
        l->closes = true;
        l->marks |= step->marks & s->d->seen;
        return roots_reach_down(s, step->to, representative, step->marks & s->d->seen, &l->below);
    }
    l->elsewhere = true;
    om_dfs_add(s->dfs, step);
    return OM_OK;
}

/* Processes all edges of the last state of the path, which may be the last root. Roots are merged
 * from below (the cycles go through all of them), the last root at the end: then it is known
 * whether it has anything left to do. */
static int add(searcher *s, const om_step *steps, size_t n, bool is_root)
{
    leads l = { false, false, false, 0 };
    int rc = OM_OK;
    fetch(s, steps, n);
    /* Edges are followed in reverse order of adding, so add them backwards to keep the cursor's
     * order. */
    while (n-- > 0 && rc == OM_OK)
        rc = look(s, &steps[n], &l);
    if (rc != OM_OK || !l.closes)
        return rc;
    if (!l.below)
        rc = roots_add_marks(s, l.marks);
    if (!l.below)
        return rc == OM_OK && s->full ? roots_found_below(s) : rc;
    bool last = is_root && !l.elsewhere;
    uint64_t place = s->roots[s->root_count - 1].place;
    rc = roots_merge(s, l.marks, last);
    if (rc == OM_OK && s->full)
        return roots_found_below(s);
    if (rc == OM_OK && last)
        om_dfs_cut(s->dfs, place);
    return rc;
}

/* Puts a state on the path that this worker has claimed. */
static int enter(searcher *s, om_dfs_edge by, bool is_root)
{
    const om_step *steps;
    size_t n;

    assert(is_root || s->root_count > 0); /* F1 */
    int rc = om_dfs_enter(s->dfs, by, &steps, &n);
    s->again += s->d->again;
    if (rc == OM_OK && is_root)
        rc = roots_push(s, by);
    return rc == OM_OK ? add(s, steps, n, is_root) : rc;
}

/* Leaves all of the interval of the last root, whose class is dead. */
static void leave_dead(searcher *s)
{
    assert(s->root_count > 0);
    om_dfs_cut(s->dfs, s->roots[--s->root_count].place);
}

static int follow(searcher *s, om_dfs_edge e)
{
    om_scc_status was;
    om_id representative;
    s->finds++;
    int rc = om_scc_sets_claim(s->classes, s->worker, e.to, &was);
    if (rc != OM_OK)
        return rc;
    if (was == OM_SCC_MINE)
        return update(s, e.to, e.marks & s->d->seen);
    if (was != OM_SCC_DEAD)
        return enter(s, e, true);
    if (s->root_count == 0)
        return OM_OK;
    /* Another worker has explored it meanwhile, and perhaps the class that the edge leaves, too. */
    rc = om_scc_sets_lookup(
        s->classes, s->worker, s->roots[s->root_count - 1].id, &was, &representative);
    if (rc == OM_OK && was == OM_SCC_DEAD)
        leave_dead(s);
    return rc;
}

/* Called when the class of the last root has nothing left to explore, before it is dead. */
static int explored(searcher *s, om_marks marks)
{
    const root *top = roots_top(s);
    om_marks see, avoid;
    /* Marks prove a cycle. If there are none, the worker that closed the cycle has already
     * checked. */
    if (marks != 0 && s->d->exact->accepts(s->self, marks, &see, &avoid))
        return roots_found(s, top, marks);
    return s->d->exact->explored(s->self, top->id, marks);
}

/* Picks a state of the class of the last root that is still to be explored; or OM_NO_ID, and the
 * class is dead. */
static int pick(searcher *s, om_id *id)
{
    const om_id of = roots_top(s)->id;
    bool dead = false;
    om_marks marks;
    int rc = OM_OK;
    if (s->d->exact != NULL) {
        rc = om_scc_sets_peek(s->classes, of, id, &marks, &dead);
        if (rc == OM_OK && *id == OM_NO_ID && !dead)
            rc = explored(s, marks);
        if (rc != OM_OK || *id != OM_NO_ID || dead)
            return rc;
    }
    return om_scc_sets_pick(s->classes, of, id);
}

/* Called after the worker has left all edges that it met in the interval of the last root, which is
 * the last state of the path. */
static int leave_root(searcher *s)
{
    const root *top = &s->roots[s->root_count - 1];
    om_id id;
    bool same = false;
    int rc = OM_OK;
    assert(s->root_count > 0 && top->place == om_dfs_top(s->dfs)); /* F1 */

    if (s->root_count > 1) /* F4 */
        rc = om_scc_sets_same(s->classes, top->id, top[-1].id, &same);
    if (rc != OM_OK)
        return rc;
    if (same)
        return roots_merge(s, 0, false);
    rc = pick(s, &id);
    if (rc != OM_OK)
        return rc;
    if (id == OM_NO_ID) {
        leave_dead(s);
        return s->d->exact == NULL ? OM_OK : s->d->exact->left(s->self);
    }
    return enter(s, (om_dfs_edge){ id, 0 }, false);
}

/* Called after all edges of the last state of the path have been followed. */
static int leave(searcher *s)
{
    uint64_t place = om_dfs_top(s->dfs);
    bool already;
    assert(s->root_count > 0 && place >= roots_top(s)->place); /* F1 */

    int rc = om_scc_sets_done(s->classes, om_dfs_at(s->dfs, place).to, &already);
    if (rc != OM_OK)
        return rc;
    if (place == s->roots[s->root_count - 1].place)
        return leave_root(s);
    om_dfs_cut(s->dfs, place);
    return OM_OK;
}

/* Searches from the stack until it is empty. */
static int search(searcher *s)
{
    om_dfs_edge e;
    int rc = OM_OK;
    while (rc == OM_OK) {
        if (om_dfs_next(s->dfs, &e))
            rc = follow(s, e);
        else if (om_dfs_depth(s->dfs) > 0)
            rc = leave(s);
        else
            break;
    }
    return rc;
}

int decomposition_search(decomposition_worker *s)
{
    assert(s->root_count == 0 && om_dfs_depth(s->dfs) == 0);
    int rc = om_dfs_start(s->dfs);
    s->rooted = true;
    return rc == OM_OK ? search(s) : rc;
}

int decomposition_search_from(decomposition_worker *s, om_id id)
{
    s->rooted = false;
    int rc = follow(s, (om_dfs_edge){ id, 0 });
    return rc == OM_OK ? search(s) : rc;
}

void decomposition_join(
    decomposition_worker *s, const decomposition *d, decomposition_avoided *avoided, void *self)
{
    assert(s->root_count == 0 && om_dfs_depth(s->dfs) == 0);
    assert(d->exact != NULL || d->accepts != NULL || d->see_count > 0);
    s->d = d;
    s->accepts = d->accepts != NULL ? *d->accepts : inf_clauses_of(d->see, d->see_count);
    s->classes = d->classes;
    s->avoided = avoided;
    s->self = self;
}

int decomposition_new(decomposition_worker **out, om_task *task, unsigned worker)
{
    searcher *s = om_alloc(om_task_heap(task), 1, sizeof *s);
    if (s == NULL)
        return om_fail_memory(om_task_context(task));
    s->task = task;
    s->heap = om_task_heap(task);
    s->worker = worker;
    int rc = om_dfs_new(&s->dfs, task, worker);
    if (rc != OM_OK) {
        om_free(s->heap, s);
        return rc;
    }
    *out = s;
    return OM_OK;
}

void decomposition_free(decomposition_worker *s)
{
    if (s == NULL)
        return;
    om_task_add_counts(s->task, 0, 0, om_dfs_bytes(s->dfs) + s->root_room * sizeof *s->roots);
    om_task_count(s->task, OM_COUNT_UNIONS, s->unions);
    om_task_count(s->task, OM_COUNT_FINDS, s->finds);
    om_task_count(s->task, OM_COUNT_RED, s->again);
    om_dfs_free(s->dfs);
    OM_FREE_ALL(s->heap, s->roots, s);
}
