/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dijkstra: the parallel Dijkstra strategy, Renault et al. 2017, section 3.3, with the dead bit of
 * section 3.5.
 *
 * Each worker runs a depth-first search of its own, in its own order. It numbers its live states
 * (the trail), and keeps a stack of potential roots: partial components, each with the marks seen
 * in it. An edge to a live state closes a cycle, which merges all components on it at once. What
 * workers share is in the union-find: states in the same component, marks of components, and
 * components that are dead, that is, explored completely and without an accepting cycle.
 *
 * Invariants of one worker:
 *  D1  The components of `roots` part the trail into intervals: root i owns the live numbers from
 *      that of dfs[roots[i].at] up to that of the next root. All states of an interval are one
 * class of the union-find, unless that class is dead. D2  Dead states are closed under successors:
 * a class is killed when all edges of its states lead into it or to dead states. So above a dead
 * state of the stack there are dead states only, and with a state its whole component is dead.
 *
 * A worker that has finished from every initial state knows everything to be dead; it tells the
 * others by the `done` flag of the run.
 */
#include <omen/check.h>
#include <omen/trail.h>

#include <stdatomic.h>

struct om_run {
    const om_heap *heap;
    om_task *task;
    om_unionfind *classes;
    om_marks all;
    unsigned workers;
    atomic_bool done; /* a worker has finished; carries no data, so relaxed */
};

typedef struct edge {
    om_id to;
    om_marks marks;
} edge;

/* A state of the depth-first stack. Edges of the topmost one still to be followed are those from
 * `first` to the end of the edge stack. */
typedef struct frame {
    om_id id;
    om_marks marks; /* of the edge that led here */
    uint64_t live;  /* its number on the trail */
    size_t first;
} frame;

typedef struct root {
    size_t at; /* in dfs */
    om_marks marks;
} root;

typedef struct searcher {
    om_run *run;
    unsigned worker;
    om_cursor *cursor;
    om_trail *live;
    frame *dfs;
    edge *edges;
    root *roots;
    size_t depth, dfs_room, edge_count, edge_room, root_count, root_room;
    uint64_t components;
} searcher;

static bool stopped(const om_run *r)
{
    return atomic_load_explicit(&r->done, memory_order_relaxed) || om_task_stopped(r->task);
}

static int grow(searcher *s, size_t edges)
{
    const om_heap *heap = s->run->heap;
    frame *dfs = om_grow(heap, s->dfs, &s->dfs_room, s->depth + 1, sizeof *dfs);
    s->dfs = dfs == NULL ? s->dfs : dfs;
    edge *e = om_grow(heap, s->edges, &s->edge_room, s->edge_count + edges, sizeof *e);
    s->edges = e == NULL ? s->edges : e;
    root *r = om_grow(heap, s->roots, &s->root_room, s->root_count + 1, sizeof *r);
    s->roots = r == NULL ? s->roots : r;
    return dfs == NULL || e == NULL || r == NULL ? om_fail_memory(om_task_context(s->run->task))
                                                 : OM_OK;
}

/* PUSH: a state that is not live here and not dead becomes a component of its own. */
static int push(searcher *s, om_id id, om_marks marks)
{
    const om_step *steps;
    size_t n;

    if (stopped(s->run))
        return OM_ESTOP;
    int rc = om_cursor_successors(s->cursor, id, &steps, &n);
    if (rc == OM_OK)
        rc = grow(s, n);
    if (rc == OM_OK)
        rc = om_trail_push(s->live, id);
    if (rc != OM_OK)
        return rc;
    s->roots[s->root_count++] = (root){ .at = s->depth };
    s->dfs[s->depth++] = (frame){
        .id = id, .marks = marks, .live = om_trail_size(s->live) - 1, .first = s->edge_count
    };
    /* The last one is followed first: the cursor's order, backwards. */
    while (n-- > 0) {
        om_trail_fetch(s->live, steps[n].to);
        s->edges[s->edge_count++] = (edge){ steps[n].to, steps[n].marks };
    }
    return OM_OK;
}

/* POP: the topmost state has been left by all its edges, or is dead anyway. */
static int pop(searcher *s, bool dead_already)
{
    const frame *f = &s->dfs[--s->depth];
    int rc = OM_OK;

    s->edge_count = f->first;
    if (s->root_count > 0 && s->roots[s->root_count - 1].at == s->depth) {
        s->root_count--;
        s->components++;
        if (!dead_already)
            rc = om_unionfind_kill(s->run->classes, f->id);
        om_trail_cut(s->live, f->live);
    }
    return rc;
}

/* The class of the topmost state turned out to be dead: leaves all states that are (D2). */
static int leave_dead(searcher *s)
{
    int rc = OM_OK;
    bool dead = true;
    while (rc == OM_OK && s->depth > 0) {
        rc = om_unionfind_dead(s->run->classes, s->dfs[s->depth - 1].id, &dead);
        if (rc != OM_OK || !dead)
            break;
        rc = pop(s, true);
    }
    return rc;
}

/* An accepting cycle can be reached from the topmost state: the stack is the way there. */
static int found(searcher *s)
{
    om_id *path = om_resize(s->run->heap, NULL, s->depth, sizeof *path);
    if (path == NULL) /* without the way, then */
        return om_task_found(s->run->task, s->worker, &s->dfs[s->depth - 1].id, 1);
    for (size_t i = 0; i < s->depth; i++)
        path[i] = s->dfs[i].id;
    int rc = om_task_found(s->run->task, s->worker, path, s->depth);
    om_free(s->run->heap, path);
    return rc;
}

/* Unites the topmost component with the class of `to`; *marks gets what the class has seen. */
static int unite(searcher *s, om_id to, om_marks *marks, bool *dead)
{
    const root *top = &s->roots[s->root_count - 1];
    om_marks total;

    int rc = om_unionfind_unite(s->run->classes, to, s->dfs[top->at].id, *marks, &total);
    if (rc != OM_OK)
        return rc;
    if (total == 0 && s->run->workers > 1) {
        *dead = *marks != 0;
        if (!*dead) /* no marks, or dead? */
            rc = om_unionfind_dead(s->run->classes, to, dead);
    }
    *marks |= total;
    return rc;
}

/* UPDATE: an edge with these marks from the topmost state to the live state `to`. */
static int update(searcher *s, om_id to, uint64_t number, om_marks marks)
{
    om_marks a = marks | s->roots[s->root_count - 1].marks;
    bool dead = false;

    while (number < s->dfs[s->roots[s->root_count - 1].at].live) {
        a |= s->dfs[s->roots[s->root_count - 1].at].marks;
        int rc = unite(s, to, &a, &dead);
        if (rc != OM_OK)
            return rc;
        s->root_count--;
        a |= s->roots[s->root_count - 1].marks;
        if (dead)
            return leave_dead(s);
    }
    s->roots[s->root_count - 1].marks = a;
    return a == s->run->all ? found(s) : OM_OK;
}

/* One edge that leaves the topmost state. */
static int follow(searcher *s, edge e)
{
    bool dead;
    uint64_t number = om_trail_find(s->live, e.to);
    if (number != OM_NO_ID)
        return update(s, e.to, number, e.marks);
    int rc = om_unionfind_dead(s->run->classes, e.to, &dead);
    if (rc != OM_OK || dead)
        return rc;
    return push(s, e.to, e.marks);
}

static int search_from(searcher *s, om_id initial)
{
    bool dead;
    int rc = om_unionfind_dead(s->run->classes, initial, &dead);
    if (rc != OM_OK || dead)
        return rc;
    rc = push(s, initial, 0);
    while (rc == OM_OK && s->depth > 0) {
        if (s->edge_count == s->dfs[s->depth - 1].first)
            rc = pop(s, false);
        else
            rc = follow(s, s->edges[--s->edge_count]);
    }
    return rc;
}

static int search(searcher *s)
{
    const om_step *steps;
    size_t n;
    om_id *initial = NULL;

    int rc = om_cursor_initial(s->cursor, &steps, &n);
    if (rc != OM_OK)
        return rc;
    initial = om_resize(s->run->heap, NULL, n, sizeof *initial);
    if (initial == NULL)
        return om_fail_memory(om_task_context(s->run->task));
    for (size_t i = 0; i < n; i++)
        initial[i] = steps[i].to;
    for (size_t i = 0; i < n && rc == OM_OK; i++)
        rc = search_from(s, initial[i]);
    om_free(s->run->heap, initial);
    return rc;
}

static int work(om_run *run, unsigned worker)
{
    searcher s = { .run = run, .worker = worker };
    int rc = om_task_cursor(run->task, worker, &s.cursor);
    if (rc == OM_OK)
        rc = om_trail_new(&s.live, om_task_context(run->task));
    if (rc == OM_OK)
        rc = search(&s);
    if (rc == OM_OK) {
        atomic_store_explicit(&run->done, true, memory_order_relaxed);
        if (run->workers == 1) /* several workers find the same component more than once */
            om_task_add_sccs(run->task, s.components);
    }
    if (s.live != NULL)
        om_task_add_counts(run->task, 0, 0,
            om_trail_bytes(s.live) + s.dfs_room * sizeof *s.dfs + s.edge_room * sizeof *s.edges +
                s.root_room * sizeof *s.roots);
    om_trail_free(s.live);
    om_free(run->heap, s.dfs);
    om_free(run->heap, s.edges);
    om_free(run->heap, s.roots);
    return rc;
}

static void destroy(om_run *run)
{
    if (run == NULL)
        return;
    if (run->classes != NULL)
        om_task_add_counts(run->task, 0, 0, om_unionfind_bytes(run->classes));
    om_unionfind_free(run->classes);
    om_free(run->heap, run);
}

static int create(om_run **out, om_task *task, const int64_t *options)
{
    (void) options;
    om_run *run = om_alloc(om_task_heap(task), 1, sizeof *run);
    if (run == NULL)
        return om_fail_memory(om_task_context(task));
    run->heap = om_task_heap(task);
    run->task = task;
    run->all = om_task_all_marks(task);
    run->workers = om_task_workers(task);
    int rc = om_unionfind_new(&run->classes, om_task_product(task));
    if (rc != OM_OK) {
        destroy(run);
        return rc;
    }
    *out = run;
    return OM_OK;
}

static const om_option options[] = { { NULL, 0, 0, 0, NULL } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "dijkstra",
        "parallel Dijkstra strategy: components over a shared union-find",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, sections 3.3 and 3.5", options),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI,
    .flags = OM_CHECKER_PARALLEL,
    .create = create,
    .work = work,
    .destroy = destroy,
};
