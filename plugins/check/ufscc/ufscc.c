/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ufscc: components that are explored by all workers together while they are live; Bloemen,
 * Laarman, van de Pol, "Multi-core on-the-fly SCC decomposition", PPoPP 2016, section 3; with
 * generalized Buchi marks on classes as in Bloemen, Duret-Lutz, van de Pol 2019, sections 3.2.4 and
 * 3.3.2.
 *
 * Each worker runs Dijkstra's search for components in its own order. What it finds out of a class
 * (om_scc_sets) is everybody's: which states are in it, its marks, and which of its states are
 * explored. So where a worker has left all states of a component that it came to itself, it goes on
 * with states of the class that others came to and have not finished; where there is none, all of
 * the component has been explored, and it is dead. (The paper's worker does so for each state that
 * it enters; this one has its own way back on the stack first, and expands nothing twice itself.)
 *
 * Invariants of one worker (its path and `roots` on it, each with the states of the path up to the
 * next root):
 *  F1  All states of a root's interval of the path are in the root's class.
 *  F2  The worker is in a live class exactly if a root of its is in that class. So an edge to a
 *      state of such a class closes a cycle, and merging roots from the top down ends at one that
 *      is in the class.
 *  F3  A state is done when each edge from it leads to a dead state, or into its own class with the
 *      edge's marks added to the class. For an edge that the worker entered: when it was left, the
 *      state it led to was dead, or its root was merged into that of the state that it leaves,
 *      which adds the marks. For others: look() says dead, or reach_down() and then merge() or
 *      add_marks() have done so.
 *  F4  Others may unite classes of two roots. Where they are neighbours the worker merges them when
 *      it comes to the upper one's end; until then, and where they are not, the marks of the edge
 *      between them are its own, and the state that this edge leaves is not done by it.
 *
 * Why no accepting class is missed: by F3, when all states of a class are done its root has the
 * marks of all edges inside, and who added the last of them was told all of them by the same step.
 * A dead state that is done by others needs no care: F3 held when the first of them said so.
 *
 * A worker that has finished from every initial state knows everything to be dead: the search is
 * complete. It never waits for another.
 *
 * The evidence is the worker's stack. Where it went on with a state that others came to, no edge
 * leads there from the state before; but both are in one class.
 *
 * A worker alone has nobody to share with: dijkstra is the same search with less.
 *
 * Bytes for each state of the product, several workers: 16 of om_scc_sets (32 beyond 16 sets); and
 * for each worker, while it is on its path 8, 8 for each edge from there to a state not met yet,
 * and 40 where it is a root.
 */
#include <omen/plugin/scc_sets.h>
#include <omen/plugin/dfs.h>

#include <assert.h>

struct om_run {
    const om_heap *heap;
    om_task *task;
    om_scc_sets *classes;
    om_marks all;
};

typedef struct root {
    uint64_t place; /* on the stack */
    om_id id;
    om_id representative; /* that its class had once */
    om_marks by;          /* of the edge that it was entered by */
    om_marks seen;        /* that its class had when the worker added to it last */
} root;

typedef struct searcher {
    om_run *run;
    om_scc_sets *classes;
    unsigned worker;
    om_dfs *dfs;
    root *roots;
    size_t root_count, root_room;
    bool full; /* a root below the last one has all marks */
} searcher;

static int push_root(searcher *s, om_dfs_edge by)
{
    root *r = om_grow(s->run->heap, s->roots, &s->root_room, s->root_count + 1, sizeof *r);
    if (r == NULL)
        return om_fail_memory(om_task_context(s->run->task));
    s->roots = r;
    r[s->root_count++] =
        (root){ .place = om_dfs_top(s->dfs), .id = by.to, .representative = by.to, .by = by.marks };
    return OM_OK;
}

static bool same(void *self, om_id a, om_id b)
{
    bool yes = false;
    return om_scc_sets_same(self, a, b, &yes) == OM_OK && yes;
}

/* The class of a root has all marks. */
static int found(searcher *s, const root *r)
{
    om_evidence e = OM_EVIDENCE(NULL, 0);
    e.same = same;
    e.self = s->classes;
    return om_dfs_found(s->dfs, r->id, &e);
}

/* Merges the last root but one into the one below it. The cycle that makes one of them goes through
 * the last root, too: if it accepts, that is said when all are merged, and all of it is in one
 * class. */
static int merge_below(searcher *s)
{
    assert(s->root_count > 2); /* F2 */
    root *top = &s->roots[s->root_count - 1], *mid = top - 1, *low = top - 2;
    int rc = om_scc_sets_unite(s->classes, mid->id, low->id, mid->by, &low->seen);
    *mid = *top;
    s->root_count--;
    s->full = s->full || low->seen == s->run->all;
    return rc;
}

static int found_below(searcher *s)
{
    const root *r = &s->roots[s->root_count - 1];
    while (r > s->roots && r->seen != s->run->all)
        r--;
    return found(s, r);
}

/* Is a state, whose class has this representative, in the class of a root? */
static int in_class_of(searcher *s, root *r, om_id id, om_id representative, bool *in)
{
    *in = r->representative == representative;
    if (*in) /* mostly */
        return OM_OK;
    int rc = om_scc_sets_same(s->classes, r->id, id, in);
    if (rc == OM_OK && *in && representative != id)
        r->representative = representative;
    return rc;
}

/* Merges roots until a state of one of the worker's classes is in that of the last root or, *below,
 * of the last but one. */
static int reach_down(searcher *s, om_id to, om_id representative, bool *below)
{
    for (;;) {
        bool in = false;
        root *top = &s->roots[s->root_count - 1];
        int rc = OM_OK;
        if (s->root_count > 1)
            rc = in_class_of(s, top - 1, to, representative, &in);
        if (rc == OM_OK && in)
            *below = true;
        else if (rc == OM_OK)
            rc = in_class_of(s, top, to, representative, &in);
        if (rc != OM_OK || in)
            return rc;
        rc = merge_below(s);
        if (rc != OM_OK)
            return rc;
    }
}

/* Edges from the last state of the path, with these marks altogether, lead into the class of the
 * last root. */
static int add_marks(searcher *s, om_marks marks)
{
    int rc = OM_OK;
    root *top = &s->roots[s->root_count - 1];
    if ((marks & ~top->seen) != 0)
        rc = om_scc_sets_add(s->classes, top->id, marks, &top->seen);
    return rc != OM_OK || top->seen != s->run->all ? rc : found(s, top);
}

/* The same into the class of the last root but one, which the last is merged into. `last`: the last
 * state of the path is that root itself, and has no other edges; then it is done by that. */
static int merge(searcher *s, om_marks marks, bool last)
{
    assert(s->root_count > 1);
    root *top = &s->roots[s->root_count - 1], *low = top - 1;
    marks |= top->by;
    int rc = (last ? om_scc_sets_unite_done : om_scc_sets_unite)(
        s->classes, top->id, low->id, marks, &low->seen);
    s->root_count--;
    return rc != OM_OK || low->seen != s->run->all ? rc : found(s, low);
}

/* An edge with these marks from the last state of the path to one in a class of the worker's. */
static int update(searcher *s, om_id to, om_marks marks)
{
    bool below = false;
    int rc = reach_down(s, to, to, &below);
    if (rc != OM_OK)
        return rc;
    rc = below ? merge(s, marks, false) : add_marks(s, marks);
    return rc == OM_OK && s->full ? found_below(s) : rc;
}

static void fetch(const searcher *s, const om_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!steps[i].fresh)
            om_scc_sets_fetch(s->classes, steps[i].to);
}

/* What the edges of the last state of the path lead to. */
typedef struct leads {
    bool elsewhere;     /* classes that the worker is not in: for later */
    bool closes, below; /* the last root's, the last but one's */
    om_marks marks;     /* of edges to these two */
} leads;

static int look(searcher *s, const om_step *step, leads *l)
{
    om_scc_status is = OM_SCC_NEW;
    om_id representative = OM_NO_ID;
    int rc = OM_OK;
    if (!step->fresh)
        rc = om_scc_sets_lookup(s->classes, s->worker, step->to, &is, &representative);
    if (rc != OM_OK || is == OM_SCC_DEAD)
        return rc;
    if (is == OM_SCC_MINE) {
        l->closes = true;
        l->marks |= step->marks;
        return reach_down(s, step->to, representative, &l->below);
    }
    l->elsewhere = true;
    om_dfs_add(s->dfs, step);
    return OM_OK;
}

/* All edges of the last state of the path, which is the last root or not. Roots are merged from
 * below (the cycles go through all of them), the last one at the end: then it is known whether
 * there is something left to do in it. */
static int add(searcher *s, const om_step *steps, size_t n, bool is_root)
{
    leads l = { false, false, false, 0 };
    int rc = OM_OK;
    fetch(s, steps, n);
    /* The last one is followed first: the cursor's order, backwards. */
    while (n-- > 0 && rc == OM_OK)
        rc = look(s, &steps[n], &l);
    if (rc != OM_OK || !l.closes)
        return rc;
    if (!l.below)
        rc = add_marks(s, l.marks);
    if (!l.below)
        return rc == OM_OK && s->full ? found_below(s) : rc;
    bool last = is_root && !l.elsewhere;
    uint64_t place = s->roots[s->root_count - 1].place;
    rc = merge(s, l.marks, last);
    if (rc == OM_OK && s->full)
        return found_below(s);
    if (rc == OM_OK && last)
        om_dfs_cut(s->dfs, place);
    return rc;
}

/* Puts a state on the path that this worker has claimed. */
static int enter(searcher *s, om_dfs_edge by, bool is_root)
{
    const om_step *steps;
    size_t n;

    int rc = om_dfs_enter(s->dfs, by, &steps, &n);
    if (rc == OM_OK && is_root)
        rc = push_root(s, by);
    return rc == OM_OK ? add(s, steps, n, is_root) : rc;
}

/* The class of the last root is dead: leaves all of its interval. */
static void leave_dead(searcher *s)
{
    om_dfs_cut(s->dfs, s->roots[--s->root_count].place);
}

static int follow(searcher *s, om_dfs_edge e)
{
    om_scc_status was;
    om_id representative;
    int rc = om_scc_sets_claim(s->classes, s->worker, e.to, &was);
    if (rc != OM_OK)
        return rc;
    if (was == OM_SCC_MINE)
        return update(s, e.to, e.marks);
    if (was != OM_SCC_DEAD)
        return enter(s, e, true);
    if (s->root_count == 0)
        return OM_OK;
    /* Somebody explored it meanwhile. Perhaps the class that the edge leaves, too. */
    rc = om_scc_sets_lookup(
        s->classes, s->worker, s->roots[s->root_count - 1].id, &was, &representative);
    if (rc == OM_OK && was == OM_SCC_DEAD)
        leave_dead(s);
    return rc;
}

/* The worker has left all edges that it met in the interval of the last root, whose place is that
 * of the last state of the path. */
static int leave_root(searcher *s)
{
    const root *top = &s->roots[s->root_count - 1];
    om_id id;
    bool same = false;
    int rc = OM_OK;

    if (s->root_count > 1) /* F4 */
        rc = om_scc_sets_same(s->classes, top->id, top[-1].id, &same);
    if (rc != OM_OK)
        return rc;
    if (same)
        return merge(s, 0, false);
    rc = om_scc_sets_pick(s->classes, top->id, &id);
    if (rc != OM_OK)
        return rc;
    if (id == OM_NO_ID) {
        leave_dead(s);
        return OM_OK;
    }
    return enter(s, (om_dfs_edge){ id, 0 }, false);
}

/* All edges of the last state of the path have been followed. */
static int leave(searcher *s)
{
    uint64_t place = om_dfs_top(s->dfs);
    bool already;

    int rc = om_scc_sets_done(s->classes, om_dfs_at(s->dfs, place).to, &already);
    if (rc != OM_OK)
        return rc;
    if (place == s->roots[s->root_count - 1].place)
        return leave_root(s);
    om_dfs_cut(s->dfs, place);
    return OM_OK;
}

static int search(searcher *s)
{
    om_dfs_edge e;
    int rc = om_dfs_start(s->dfs);
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

static int work(om_run *run, unsigned worker)
{
    searcher s = { .run = run, .classes = run->classes, .worker = worker };
    int rc = om_dfs_new(&s.dfs, run->task, worker);
    if (rc == OM_OK)
        rc = search(&s);
    if (rc == OM_OK)
        om_task_complete(run->task);
    if (s.dfs != NULL)
        om_task_add_counts(run->task, 0, 0, om_dfs_bytes(s.dfs) + s.root_room * sizeof *s.roots);
    om_dfs_free(s.dfs);
    om_free(run->heap, s.roots);
    return rc;
}

static void destroy(om_run *run)
{
    if (run->classes != NULL)
        om_task_add_counts(run->task, 0, 0, om_scc_sets_bytes(run->classes));
    om_scc_sets_free(run->classes);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->heap = om_task_heap(task);
    run->task = task;
    run->all = om_task_all_marks(task);
    return om_scc_sets_new(&run->classes, om_task_product(task));
}

static const om_rank ranks[] = { { OM_FOR_STRONG, 2, 0, 60 }, { OM_FOR_ALL, 1, 0, 20 },
    { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "ufscc",
        "components explored by all workers together, over shared classes",
        "Bloemen, Laarman, van de Pol 2016, section 3", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES | OM_CHECKER_LATE_WORKERS,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .ranks = ranks,
    .most_workers = OM_SCC_SETS_WORKERS,
    .destroy = destroy,
};
