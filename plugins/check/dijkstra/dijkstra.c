/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dijkstra: the parallel Dijkstra strategy, Renault et al. 2017, section 3.3, with the dead bit of
 * section 3.5.
 *
 * Each worker runs a depth-first search of its own, in its own order. It numbers its live states
 * (the live stack), and keeps a stack of potential roots: partial components, each with the marks
 * seen in it. An edge to a live state closes a cycle, which merges all components on it at once.
 * What workers share is in the union-find: states in the same component, marks of components, and
 * components that are dead, that is, explored completely and without an accepting cycle. A worker
 * alone has nobody to share with; its live stack and its roots tell all that the union-find would.
 *
 * Edges to states that are live or dead already are dealt with when the state that they leave is
 * entered, all at once: their memory is fetched together, and they never take room on the stack.
 *
 * Invariants of one worker:
 *  D1  The components of `roots` part the live stack into intervals: root i owns the live numbers
 * from its own to that of the next root. All states of an interval are one class of the union-find,
 *      unless that class is dead.
 *  D2  Dead states are closed under successors: a class is killed when all edges of its states lead
 *      into it or to dead states. So above a dead state of the path there are dead states only, and
 *      with a state its whole component is dead.
 *  D3  A state is taken off the live stack when it is dead: what the live stack remembers is dead.
 *
 * A worker that has finished from every initial state knows everything to be dead: the search is
 * complete.
 *
 * Bytes for each state of the product, one worker: 4 of the live stack, 4 more while it is live,
 * and while it is on the path 8, and 8 for each edge from there to a state not met yet (and 24
 * where it is a root). With several, that for each of them, and 9 of the union-find (16 beyond 8
 * sets).
 */
#include <omen/plugin/dfs.h>
#include <omen/plugin/live_stack.h>

struct om_run {
    const om_heap *heap;
    om_task *task;
    om_unionfind *classes; /* NULL for a worker alone */
    om_marks all;
    unsigned workers;
    /* By worker: where evidence found its component. */
    struct found {
        om_unionfind *classes; /* or, of a worker alone: */
        om_live_stack *live;
        uint64_t from; /* all live states from this number on are in it */
    } * found;
};

typedef struct root {
    uint64_t place; /* of the root itself, on the stack */
    uint64_t live;  /* its number on the live stack */
    om_marks marks; /* seen on edges within the component */
} root;

typedef struct searcher {
    om_run *run;
    unsigned worker;
    om_dfs *dfs;
    om_live_stack *live;
    root *roots;
    size_t root_count, root_room;
    bool died; /* the last state of the path turned out to be dead */
    uint64_t components;
} searcher;

static int push_root(searcher *s)
{
    root *r = om_grow(s->run->heap, s->roots, &s->root_room, s->root_count + 1, sizeof *r);
    if (r == NULL)
        return om_fail_memory(om_task_context(s->run->task));
    s->roots = r;
    r[s->root_count++] =
        (root){ .place = om_dfs_top(s->dfs), .live = om_live_stack_size(s->live) - 1 };
    return OM_OK;
}

/* Unites the topmost component with the class of `to`; *marks gets what the class has seen. */
static int unite(searcher *s, om_id to, om_id top, om_marks *marks)
{
    om_marks total;

    int rc = om_unionfind_unite(s->run->classes, to, top, *marks, &total);
    if (rc != OM_OK)
        return rc;
    if (total == 0) {
        s->died = *marks != 0;
        if (!s->died) /* no marks, or dead? */
            rc = om_unionfind_dead(s->run->classes, to, &s->died);
    }
    *marks |= total;
    return rc;
}

/* Are both in the component of the evidence? Of several workers each may have marks of it from
 * others, who have seen more of it. */
static bool same(void *self, om_id a, om_id b)
{
    const struct found *f = self;
    bool yes = false;
    if (f->classes != NULL)
        return om_unionfind_same(f->classes, a, b, &yes) == OM_OK && yes;
    uint64_t i = om_live_stack_find(f->live, a), k = om_live_stack_find(f->live, b);
    return i < OM_LIVE_STACK_GONE && k < OM_LIVE_STACK_GONE && i >= f->from && k >= f->from;
}

/* The topmost component has all marks. */
static int found(searcher *s)
{
    const root *top = &s->roots[s->root_count - 1];
    struct found *f = &s->run->found[s->worker];
    *f = (struct found){ .classes = s->run->classes };
    if (f->classes == NULL) {
        f->live = s->live;
        f->from = top->live;
        s->live = NULL;
    }
    om_evidence e = OM_EVIDENCE(NULL, 0);
    e.same = same;
    e.self = f;
    return om_dfs_found(s->dfs, om_dfs_at(s->dfs, top->place).to, &e);
}

/* UPDATE: an edge with these marks from the last state of the path to the live state `to`. */
static int update(searcher *s, om_id to, uint64_t number, om_marks marks)
{
    root *top = &s->roots[s->root_count - 1];

    marks |= top->marks;
    while (number < top->live) {
        om_dfs_edge by = om_dfs_at(s->dfs, top->place);
        marks |= by.marks;
        int rc = s->run->classes == NULL ? OM_OK : unite(s, to, by.to, &marks);
        if (rc != OM_OK)
            return rc;
        top = &s->roots[--s->root_count - 1];
        marks |= top->marks;
        if (s->died)
            return OM_OK;
    }
    top->marks = marks;
    return marks == s->run->all ? found(s) : OM_OK;
}

/* One edge that leaves the last state of the path: *fresh where it leads to a state that is neither
 * live nor dead; else the edge has been dealt with. */
static int look(searcher *s, om_dfs_edge e, bool *fresh)
{
    uint64_t number = om_live_stack_find(s->live, e.to);
    bool dead = number == OM_LIVE_STACK_GONE; /* D3 */
    int rc = OM_OK;

    *fresh = false;
    if (!dead && number != OM_NO_ID)
        return update(s, e.to, number, e.marks);
    if (!dead && s->run->classes != NULL)
        rc = om_unionfind_dead(s->run->classes, e.to, &dead);
    *fresh = !dead;
    return rc;
}

static void fetch(const searcher *s, const om_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (steps[i].fresh)
            continue;
        om_live_stack_fetch(s->live, steps[i].to);
        if (s->run->classes != NULL)
            om_unionfind_fetch(s->run->classes, steps[i].to);
    }
}

/* PUSH: a state that is neither live nor dead becomes a component of its own. */
static int push(searcher *s, om_dfs_edge by)
{
    const om_step *steps;
    size_t n;

    int rc = om_dfs_enter(s->dfs, by, &steps, &n);
    if (rc == OM_OK)
        rc = om_live_stack_push(s->live, by.to);
    if (rc == OM_OK)
        rc = push_root(s);
    if (rc == OM_OK)
        fetch(s, steps, n);
    /* The last one is followed first: the cursor's order, backwards. */
    while (n-- > 0 && rc == OM_OK && !s->died) {
        bool fresh = steps[n].fresh;
        if (!fresh)
            rc = look(s, (om_dfs_edge){ steps[n].to, steps[n].marks }, &fresh);
        if (fresh)
            om_dfs_add(s->dfs, &steps[n]);
    }
    return rc;
}

/* POP: the last state of the path has been left by all its edges, or is dead anyway. (The first one
 * of the path is a root always, so there is one.) */
static int pop(searcher *s, bool dead_already)
{
    uint64_t place = om_dfs_top(s->dfs);
    om_id id = om_dfs_at(s->dfs, place).to;
    const root *top = &s->roots[s->root_count - 1];

    om_dfs_cut(s->dfs, place);
    if (top->place != place)
        return OM_OK;
    s->root_count--;
    s->components++;
    om_live_stack_cut(s->live, top->live);
    return dead_already || s->run->classes == NULL ? OM_OK : om_unionfind_kill(s->run->classes, id);
}

/* Leaves all states at the end of the path that are dead (D2). */
static int leave_dead(searcher *s)
{
    int rc = OM_OK;
    while (rc == OM_OK && om_dfs_depth(s->dfs) > 0) {
        om_id last = om_dfs_at(s->dfs, om_dfs_top(s->dfs)).to;
        rc = om_unionfind_dead(s->run->classes, last, &s->died);
        if (rc != OM_OK || !s->died)
            return rc;
        rc = pop(s, true);
    }
    s->died = false;
    return rc;
}

static int search(searcher *s)
{
    om_dfs_edge e;
    int rc = om_dfs_start(s->dfs);
    while (rc == OM_OK) {
        bool fresh = false;
        if (s->died)
            rc = leave_dead(s);
        else if (om_dfs_next(s->dfs, &e))
            rc = look(s, e, &fresh);
        else if (om_dfs_depth(s->dfs) > 0)
            rc = pop(s, false);
        else
            break;
        if (fresh && rc == OM_OK)
            rc = push(s, e);
    }
    return rc;
}

static int work(om_run *run, unsigned worker)
{
    searcher s = { .run = run, .worker = worker };
    int rc = om_dfs_new(&s.dfs, run->task, worker);
    if (rc == OM_OK)
        rc = om_live_stack_new(&s.live, om_task_product(run->task));
    if (rc == OM_OK)
        rc = search(&s);
    if (rc == OM_OK) {
        om_task_complete(run->task);
        if (run->workers == 1) /* several workers find the same component more than once */
            om_task_add_sccs(run->task, s.components);
    }
    if (s.live != NULL)
        om_task_add_counts(run->task, 0, 0,
            om_live_stack_bytes(s.live) + om_dfs_bytes(s.dfs) + s.root_room * sizeof *s.roots);
    om_live_stack_free(s.live);
    om_dfs_free(s.dfs);
    om_free(run->heap, s.roots);
    return rc;
}

static void destroy(om_run *run)
{
    if (run->classes != NULL)
        om_task_add_counts(run->task, 0, 0, om_unionfind_bytes(run->classes));
    om_unionfind_free(run->classes);
    for (unsigned i = 0; run->found != NULL && i < run->workers; i++)
        om_live_stack_free(run->found[i].live);
    om_free(run->heap, run->found);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->heap = om_task_heap(task);
    run->task = task;
    run->all = om_task_all_marks(task);
    run->workers = om_task_workers(task);
    run->found = om_alloc(run->heap, run->workers, sizeof *run->found);
    return run->found == NULL  ? om_fail_memory(om_task_context(task))
           : run->workers == 1 ? OM_OK
                               : om_unionfind_new(&run->classes, om_task_product(task));
}

/* One worker alone: nothing is shared, and nothing is faster. Several repeat each other's work. */
static const om_rank ranks[] = { { OM_FOR_STRONG, 1, 1, 60 }, { OM_FOR_STRONG, 2, 0, 30 },
    { OM_FOR_TERMINAL | OM_FOR_WEAK, 1, 0, 10 }, { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "dijkstra",
        "parallel Dijkstra strategy: components over a shared union-find",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, sections 3.3 and 3.5", NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .ranks = ranks,
    .destroy = destroy,
};
