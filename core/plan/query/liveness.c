/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Liveness: whether from each reachable state transitions of each kind can occur again.
 *
 * They can if every bottom component of the state graph has a transition of each kind: a run that
 * enters such a component stays in it, and may take all of its transitions. All states are explored
 * first. Then the edges are stored, and one depth-first search over them finds the components (R.
 * Tarjan, SIAM Journal on Computing 1(2), 1972). It completes a component after all components
 * reachable from it.
 *
 * L1  A state that was entered has a number, and none lower than its `low`.
 * L2  The states of the path are open, in the same order. An open state has no component yet.
 */
#include "query.h"

#include "execute/executor.h"
#include "explore.h"
#include "product.h"
#include "supervise.h"

#include <assert.h>

enum { NO_COMPONENT = 0 };

typedef struct living {
    om_plan *p;
    om_searched searched;
    om_executor *x;
    om_product *product;
    const uint32_t *kind; /* [transition] */
    uint32_t kinds;
    /* By state: first edge; edges; number in the search; least number known to be reachable;
     * component (from 1). `path` and `open` are stacks. */
    uint64_t *first;
    om_id *edges, *open, *path;
    uint64_t *next; /* [place in `path`]: the next edge to follow */
    uint64_t bound, edge_count, edge_room;
    uint32_t *number, *low, *component, *seen; /* seen: [kind], the last component that has it */
    uint32_t *vector;
    om_successors successors;
    uint64_t depth, open_count;
    uint32_t numbers, components;
    bool live;
} living;

/* ---- the graph ---- */

static int add_edges(living *v, om_cursor *c, om_id from)
{
    const om_step *steps;
    size_t count;
    int rc = om_cursor_successors(c, from, &steps, &count);
    if (rc != OM_OK)
        return rc;
    size_t room = v->edge_room;
    om_id *edges = om_grow(v->p->heap, v->edges, &room, v->edge_count + count, sizeof *edges);
    v->edge_room = room;
    if (edges == NULL)
        return om_fail_memory(v->p->ctx);
    v->edges = edges;
    for (size_t i = 0; i < count; i++)
        v->edges[v->edge_count++] = steps[i].to;
    return OM_OK;
}

static int write_edges(living *v, om_cursor *c)
{
    int rc = OM_OK;
    for (om_id id = 0; id < v->bound && rc == OM_OK; id++) {
        v->first[id] = v->edge_count;
        if (om_product_has(v->product, id))
            rc = add_edges(v, c, id);
        if (rc == OM_OK)
            rc = om_context_stopped(v->p->ctx);
    }
    v->first[v->bound] = v->edge_count;
    return rc;
}

/* ---- components ---- */

static void enter(living *v, om_id id)
{
    assert(
        v->number[id] == 0 && v->open_count < v->bound && v->depth <= v->open_count); /* L1, L2 */
    v->number[id] = v->low[id] = ++v->numbers;
    v->open[v->open_count++] = id;
    v->path[v->depth] = id;
    v->next[v->depth++] = v->first[id];
}

/* Returns true if no edge leaves the component, which consists of open[from] and all later
 * states. */
static bool is_bottom(const living *v, uint64_t from)
{
    for (uint64_t i = from; i < v->open_count; i++) {
        const om_id id = v->open[i];
        for (uint64_t e = v->first[id]; e < v->first[id + 1]; e++)
            if (v->component[v->edges[e]] != v->components)
                return false;
    }
    return true;
}

/* Checks that the component has a transition of each kind. One edge may stand for several
 * transitions. */
static int look_for_kinds(living *v, om_cursor *c, uint64_t from)
{
    uint32_t left = v->kinds;
    for (uint64_t i = from; i < v->open_count && left > 0; i++) {
        om_cursor_vector(c, v->open[i], v->vector);
        int rc = om_executor_successors(v->x, v->vector, &v->successors);
        if (rc != OM_OK)
            return om_fail_memory(v->p->ctx);
        for (size_t k = 0; k < v->successors.count; k++) {
            assert(v->kind[v->successors.transition[k]] < v->kinds);
            uint32_t *seen = &v->seen[v->kind[v->successors.transition[k]]];
            left -= *seen != v->components;
            *seen = v->components;
        }
    }
    v->live = v->live && left == 0;
    return OM_OK;
}

/* Closes the component whose first state is the last of the path. */
static int close_component(living *v, om_cursor *c, om_id root)
{
    uint64_t from = v->open_count;
    int rc = OM_OK;
    assert(v->component[root] == NO_COMPONENT && from > v->depth); /* L2 */
    v->components++;
    do
        v->component[v->open[--from]] = v->components;
    while (v->open[from] != root);
    if (is_bottom(v, from))
        rc = look_for_kinds(v, c, from);
    v->open_count = from;
    return rc;
}

static int leave(living *v, om_cursor *c)
{
    const om_id id = v->path[--v->depth];
    int rc = OM_OK;
    assert(v->low[id] != 0 && v->low[id] <= v->number[id]); /* L1 */
    if (v->low[id] == v->number[id])
        rc = close_component(v, c, id);
    if (v->depth > 0) {
        const om_id before = v->path[v->depth - 1];
        if (v->low[id] < v->low[before])
            v->low[before] = v->low[id];
    }
    return rc;
}

/* Searches from the first state, from which all others are reachable. */
static int search(living *v, om_cursor *c, om_id first)
{
    int rc = OM_OK;
    enter(v, first);
    for (uint64_t steps = 0; v->depth > 0 && v->live && rc == OM_OK; steps++) {
        const om_id id = v->path[v->depth - 1];
        if (v->next[v->depth - 1] == v->first[id + 1]) {
            rc = leave(v, c);
        } else {
            const om_id to = v->edges[v->next[v->depth - 1]++];
            if (v->number[to] == 0)
                enter(v, to);
            else if (v->component[to] == NO_COMPONENT && v->number[to] < v->low[id])
                v->low[id] = v->number[to];
        }
        if (rc == OM_OK && steps % 65536 == 0)
            rc = om_context_stopped(v->p->ctx);
    }
    assert(rc != OM_OK || !v->live || v->open_count == 0); /* L2 */
    return rc;
}

static int make(living *v)
{
    const om_heap *heap = v->p->heap;
    const size_t n = v->bound + 1;
    v->first = om_alloc(heap, n, sizeof *v->first);
    v->open = om_alloc(heap, n, sizeof *v->open);
    v->path = om_alloc(heap, n, sizeof *v->path);
    v->next = om_alloc(heap, n, sizeof *v->next);
    v->number = om_alloc(heap, n, sizeof *v->number);
    v->low = om_alloc(heap, n, sizeof *v->low);
    v->component = om_alloc(heap, n, sizeof *v->component);
    v->seen = om_alloc(heap, (size_t) v->kinds + 1, sizeof *v->seen);
    v->vector = om_alloc(heap, om_product_words(v->product), sizeof *v->vector);
    return v->first == NULL || v->open == NULL || v->path == NULL || v->next == NULL ||
                   v->number == NULL || v->low == NULL || v->component == NULL || v->seen == NULL ||
                   v->vector == NULL
               ? om_fail_memory(v->p->ctx)
               : OM_OK;
}

static void drop(living *v)
{
    const om_heap *heap = v->p->heap;
    OM_FREE_ALL(heap, v->first, v->edges, v->open, v->path, v->next, v->number, v->low,
        v->component, v->seen, v->vector);
    om_successors_free(&v->successors);
}

/* Called after the exploration. */
static int decide(void *self, om_bfs *b, om_cursor *c, int rc)
{
    living *v = self;
    const om_step *steps;
    size_t count;
    (void) b;
    if (rc != OM_OK)
        return OM_OK;
    v->bound = om_product_id_bound(v->product);
    if (v->bound >= UINT32_MAX)
        return om_fail(
            v->p->ctx, OM_EUNSUPPORTED, NULL, "too many states to compute their components");
    rc = make(v);
    if (rc == OM_OK)
        rc = write_edges(v, c);
    if (rc == OM_OK)
        rc = om_cursor_initial(c, &steps, &count);
    return rc == OM_OK ? search(v, c, steps[0].to) : rc;
}

static int explore(living *v, om_exploration *out)
{
    om_plan *p = v->p;
    om_product_spec spec = {
        .deadlock_ap = OM_NONE, .workers = p->threads, .store = p->options.store
    };
    om_code_use use = { 0 };
    const uint64_t since_ns = om_clock_ns();
    int rc = om_executor_open(&v->x, om_searched__model(&v->searched), p->options.exec, NULL, 0);
    spec.executor = v->x;
    if (rc == OM_OK)
        rc = om_product__new(&v->product, p->ctx, &spec);
    if (rc == OM_OK) {
        const om_bfs_spec all = { OM_BFS_SPEC(v->product), .self = v, .faults_end = true };
        om_plan__show_product(p, v->product);
        rc = om_explore__with(p->ctx, &all, NULL, decide, out);
        om_plan__hide(p);
        out->executor = om_executor__who(v->x);
    }
    if (v->product != NULL)
        om_product__add_use(v->product, &use);
    om_product__free(v->product);
    om_plan__close_executor(p, v->x, since_ns, &use);
    return rc;
}

/* Repeats the exploration each time a variable needs more bits. Fails if it provably cannot end. */
static int explore_all(living *v, om_exploration *out)
{
    om_plan *p = v->p;
    int rc = OM_OK;
    if (om_plan__endless(p) != NULL)
        return om_fail(p->ctx, OM_ELIMIT, NULL, "%s", om_plan__endless(p));
    for (;;) {
        rc = om_searched__make(&v->searched, NULL, 0, OM_MERGE_NOTHING);
        if (rc == OM_OK)
            rc = explore(v, out);
        if (rc != OM_EMODEL)
            return rc;
        if (!om_searched__overfull(&v->searched, out->fault) || !om_searched__widen(&v->searched))
            return om_searched__unless_overfull(&v->searched, rc);
        om_searched__free(&v->searched);
        om_plan__forget_exploration(p, out);
    }
}

int om_plan_live(om_plan *p, const uint32_t *kind, uint32_t kinds, bool *live, om_exploration *out)
{
    const om_model_form form = { .overflow = p->options.overflow };
    living v = { .p = p,
        .searched = om_searched__model_itself(p),
        .kind = kind,
        .kinds = kinds,
        .live = true,
        .successors = { .heap = p->heap } };
    int rc = om_plan__begin(p, &p->options, false);

    *out = (om_exploration){ 0 };
    if (rc != OM_OK)
        return rc;
    rc = om_plan__shape(p, form, NULL, 0);
    if (rc == OM_OK)
        rc = explore_all(&v, out);
    *live = v.live;
    drop(&v);
    om_searched__free(&v.searched);
    om_free(p->heap, out->overflow_vector);
    out->overflow_vector = NULL;
    if (rc == OM_ELIMIT)
        (void) om_fail(p->ctx, rc, NULL, "%s", om_plan__why(p));
    om_plan__end(p);
    return rc;
}
