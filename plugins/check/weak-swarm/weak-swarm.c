/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weak-swarm: swarmed depth-first searches that share dead states, for weak automata; Renault et
 * al. 2017, section 4.2.
 *
 * In a weak automaton a cycle accepts exactly if the automaton's part of it lies in an accepting
 * component, so any one state of it tells. Each worker searches in its own order; an edge back to
 * its own stack closes a cycle; a state that it leaves is marked dead for everybody.
 *
 * Why nothing is missed: W1. Before a worker marks x dead it has, for each edge x -> y, marked y
 * dead itself, or seen y dead (acquire, so that marking happened before), or found y on its own
 * stack. If there were an accepting cycle of dead states and no report, the third case never was on
 * it, so each marking on the cycle would have one of the next state before it, round the cycle for
 * ever: there are only finitely many.
 */
#include <omen/check.h>
#include <omen/trail.h>

#include <stdatomic.h>

struct om_run {
    const om_heap *heap;
    om_task *task;
    om_side *dead;    /* atomic_uchar per state: 1 is dead */
    atomic_bool done; /* a worker has finished; carries no data, so relaxed */
};

typedef struct searcher {
    om_run *run;
    unsigned worker;
    om_cursor *cursor;
    om_trail *path; /* the stack */
    size_t *first;  /* per state of it: where its edges begin */
    om_id *edges;   /* still to be followed; those of the topmost state last */
    size_t first_room, edge_count, edge_room;
} searcher;

static atomic_uchar *dead_flag(const searcher *s, om_id id)
{
    return om_side_at(s->run->dead, id);
}

static int fail_memory(const searcher *s)
{
    om_task *t = s->run->task;
    if (om_control_stopped(om_task_control(t)) == OM_STOP_MEMORY)
        return OM_ELIMIT;
    return om_fail_memory(om_task_context(t));
}

static int push(searcher *s, om_id id)
{
    const om_heap *heap = s->run->heap;
    const om_step *steps;
    size_t n, depth = (size_t) om_trail_size(s->path);

    if (atomic_load_explicit(&s->run->done, memory_order_relaxed) || om_task_stopped(s->run->task))
        return OM_ESTOP;
    int rc = om_cursor_successors(s->cursor, id, &steps, &n);
    if (rc == OM_OK)
        rc = om_trail_push(s->path, id);
    if (rc != OM_OK)
        return rc;
    size_t *first = om_grow(heap, s->first, &s->first_room, depth + 1, sizeof *first);
    s->first = first == NULL ? s->first : first;
    om_id *edges = om_grow(heap, s->edges, &s->edge_room, s->edge_count + n, sizeof *edges);
    s->edges = edges == NULL ? s->edges : edges;
    if (first == NULL || edges == NULL)
        return fail_memory(s);
    first[depth] = s->edge_count;
    /* The last one is followed first: the cursor's order, backwards. */
    while (n-- > 0) {
        om_trail_fetch(s->path, steps[n].to);
        edges[s->edge_count++] = steps[n].to;
    }
    return OM_OK;
}

static int pop(searcher *s)
{
    uint64_t depth = om_trail_size(s->path) - 1;
    atomic_uchar *flag = dead_flag(s, om_trail_ids(s->path)[depth]);
    if (flag == NULL)
        return fail_memory(s);
    /* release: pairs with the acquire in follow() (W1). */
    atomic_store_explicit(flag, 1, memory_order_release);
    om_trail_cut(s->path, depth);
    return OM_OK;
}

static bool accepting(const searcher *s, om_id id)
{
    return om_task_accepting(s->run->task, om_cursor_automaton_state(s->cursor, id), OM_WEAK);
}

/* One edge that leaves the topmost state, or the way into an initial one. */
static int follow(searcher *s, om_id to)
{
    if (om_trail_find(s->path, to) != OM_NO_ID) {
        if (!accepting(s, to))
            return OM_OK;
        return om_task_found(
            s->run->task, s->worker, om_trail_ids(s->path), (size_t) om_trail_size(s->path));
    }
    const atomic_uchar *flag = dead_flag(s, to);
    if (flag == NULL)
        return fail_memory(s);
    if (atomic_load_explicit(flag, memory_order_acquire) != 0) /* W1 */
        return OM_OK;
    return push(s, to);
}

static int search_from(searcher *s, om_id initial)
{
    int rc = follow(s, initial);
    while (rc == OM_OK && om_trail_size(s->path) > 0) {
        if (s->edge_count == s->first[om_trail_size(s->path) - 1])
            rc = pop(s);
        else
            rc = follow(s, s->edges[--s->edge_count]);
    }
    return rc;
}

static int search(searcher *s)
{
    const om_step *steps;
    size_t n;
    int rc = om_cursor_initial(s->cursor, &steps, &n);
    if (rc != OM_OK)
        return rc;
    om_id *initial = om_resize(s->run->heap, NULL, n, sizeof *initial);
    if (initial == NULL)
        return fail_memory(s);
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
        rc = om_trail_new(&s.path, om_task_context(run->task));
    if (rc == OM_OK)
        rc = search(&s);
    if (rc == OM_OK) /* every state is dead */
        atomic_store_explicit(&run->done, true, memory_order_relaxed);
    if (s.path != NULL)
        om_task_add_counts(run->task, 0, 0,
            om_trail_bytes(s.path) + s.first_room * sizeof *s.first +
                s.edge_room * sizeof *s.edges);
    om_trail_free(s.path);
    om_free(run->heap, s.first);
    om_free(run->heap, s.edges);
    return rc;
}

static void destroy(om_run *run)
{
    if (run == NULL)
        return;
    if (run->dead != NULL)
        om_task_add_counts(run->task, 0, 0, om_side_bytes(run->dead));
    om_side_free(run->dead);
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
    int rc = om_side_new(&run->dead, om_task_product(task), sizeof(atomic_uchar));
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
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "weak-swarm",
        "swarmed depth-first searches that share dead states",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, section 4.2", options),
    .strengths = OM_FOR_TERMINAL | OM_FOR_WEAK,
    .acceptance = OM_ACCEPT_ANY,
    .flags = OM_CHECKER_PARALLEL,
    .create = create,
    .work = work,
    .destroy = destroy,
};
