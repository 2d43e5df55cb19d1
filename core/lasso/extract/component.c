/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds an accepting component, depth-first. Couvreur, "On-the-fly verification of linear temporal
 * logic", FM 1999: a stack of roots of partial components, each with its own marks and those of the
 * edge into it. The search is depth-first, so that a component is known as soon as it closes. It
 * runs over the store that an earlier search has filled, so that the states exist and ids are
 * dense. The result is the set of states that a cycle may use, not the cycle itself: cycle.c
 * searches for a short one.
 *
 * I1: number[s] is 0 (new), its position in `live` + 1, or DEAD.
 * I2: component k is live[roots[k].at] to live[roots[k + 1].at - 1], and strongly connected.
 */
#include "seek.h"

#include <assert.h>

#define DEAD UINT32_MAX

/* After a component accepts, it may still grow, for shorter lassos, until it is complete or there
 * are this many more live states. */
enum { SLACK_STATES = 1 << 12 };

typedef struct root {
    size_t at; /* in live */
    om_marks marks, into;
} root;

typedef struct frame {
    om_id state;
    size_t first, next, end; /* in edges */
} frame;

typedef struct edge {
    om_id to;
    om_marks marks;
} edge;

typedef struct dfs {
    om_context *ctx;
    const om_heap *heap;
    om_task *task;
    om_cursor *cursor;
    om_side *number;
    const om_component *aim;
    om_id *live;
    size_t live_count, live_capacity;
    root *roots;
    size_t root_count, root_capacity;
    frame *frames;
    size_t frame_count, frame_capacity;
    edge *edges;
    size_t edge_count, edge_capacity;
    om_id *later; /* targets of avoided edges, at which to begin again */
    size_t later_count, later_capacity;
    size_t visits;    /* visited states */
    size_t accepting; /* root of an accepting component, or SIZE_MAX */
    size_t most;      /* number of live states at which it stops growing */
    bool weak;        /* it accepts whatever its marks */
} dfs;

static bool grow(dfs *d, size_t edges)
{
    const om_heap *heap = d->heap;
    om_id *live = om_grow(heap, d->live, &d->live_capacity, d->live_count + 1, sizeof *live);
    d->live = live != NULL ? live : d->live;
    root *roots = om_grow(heap, d->roots, &d->root_capacity, d->root_count + 1, sizeof *roots);
    d->roots = roots != NULL ? roots : d->roots;
    frame *frames =
        om_grow(heap, d->frames, &d->frame_capacity, d->frame_count + 1, sizeof *frames);
    d->frames = frames != NULL ? frames : d->frames;
    edge *all = om_grow(heap, d->edges, &d->edge_capacity, d->edge_count + edges, sizeof *all);
    d->edges = all != NULL ? all : d->edges;
    return live != NULL && roots != NULL && frames != NULL && all != NULL;
}

static bool is_followed(const om_component *aim, const om_step *e)
{
    return (e->marks & aim->avoid) == 0 && (aim->within == NULL || aim->within(aim->self, e->to));
}

/* Records the targets of avoided edges. */
static int keep_later(dfs *d, const om_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if ((steps[i].marks & d->aim->avoid) == 0 ||
            (d->aim->within != NULL && !d->aim->within(d->aim->self, steps[i].to)))
            continue;
        om_id *later =
            om_grow(d->heap, d->later, &d->later_capacity, d->later_count + 1, sizeof *later);
        if (later == NULL)
            return om_fail_memory(d->ctx);
        d->later = later;
        d->later[d->later_count++] = steps[i].to;
    }
    return OM_OK;
}

static int push(dfs *d, om_id id, om_marks into)
{
    const om_step *steps;
    size_t n, begin = d->edge_count;
    int rc = om_context_stopped(d->ctx);
    if (rc == OM_OK)
        rc = om_cursor_successors(d->cursor, id, &steps, &n);
    if (rc != OM_OK)
        return rc;
    uint32_t *number = om_side_at(d->number, id);
    d->visits++;
    if (number == NULL || !grow(d, n) || d->live_count >= DEAD - 1)
        return om_fail_memory(d->ctx);
    d->live[d->live_count++] = id;
    *number = (uint32_t) d->live_count; /* I1 */
    d->roots[d->root_count++] = (root){ d->live_count - 1, 0, into };
    for (size_t i = 0; i < n; i++)
        if (is_followed(d->aim, &steps[i]))
            d->edges[d->edge_count++] = (edge){ steps[i].to, steps[i].marks };
    d->frames[d->frame_count++] = (frame){ id, begin, begin, d->edge_count };
    return d->aim->through ? keep_later(d, steps, n) : OM_OK;
}

/* Returns true if a component in which a cycle was just closed accepts. */
static bool accepts(dfs *d, const root *top, om_id member)
{
    uint32_t q = om_cursor_automaton_state(d->cursor, member);
    bool weak = om_task_accepting(d->task, q, OM_WEAK);
    if (!weak && !(d->aim->marks_count && (top->marks & d->aim->see) == d->aim->see))
        return false;
    d->weak = weak;
    return true;
}

/* An edge back to a live state: all components above that of the state are on a cycle with it. */
static void merge(dfs *d, uint32_t number, om_marks marks)
{
    while (d->roots[d->root_count - 1].at > number - 1) {
        root *top = &d->roots[--d->root_count];
        marks |= top->marks | top->into;
    }
    root *top = &d->roots[d->root_count - 1];
    top->marks |= marks;
    if (d->accepting != SIZE_MAX && d->accepting >= d->root_count)
        d->accepting = d->root_count - 1;
    if (d->accepting == SIZE_MAX && accepts(d, top, d->live[top->at])) {
        d->accepting = d->root_count - 1;
        d->most = d->live_count + SLACK_STATES;
    }
}

/* Pops the top frame. Returns true if that completes the accepting component. */
static bool pop(dfs *d)
{
    const frame *f = &d->frames[d->frame_count - 1];
    size_t at = *(const uint32_t *) om_side_at(d->number, f->state) - 1;
    if (d->roots[d->root_count - 1].at == at) {
        if (d->accepting == d->root_count - 1)
            return true;
        d->root_count--;
        while (d->live_count > at)
            *(uint32_t *) om_side_at(d->number, d->live[--d->live_count]) = DEAD;
    }
    d->edge_count = f->first;
    d->frame_count--;
    return false;
}

static int run(dfs *d)
{
    while (d->frame_count != 0) {
        frame *f = &d->frames[d->frame_count - 1];
        int rc = OM_OK;
        if (d->accepting != SIZE_MAX && d->live_count > d->most)
            return OM_OK;
        if (d->accepting == SIZE_MAX && om_seek__timed_out(d->aim->until_ns, d->visits))
            return OM_OK;
        if (f->next == f->end) {
            if (pop(d))
                return OM_OK;
            continue;
        }
        edge e = d->edges[f->next++];
        const uint32_t *number = om_side_at(d->number, e.to);
        if (number == NULL)
            return om_fail_memory(d->ctx);
        if (*number == 0)
            rc = push(d, e.to, e.marks);
        else if (*number != DEAD)
            merge(d, *number, e.marks);
        if (rc != OM_OK)
            return rc;
    }
    assert(d->accepting == SIZE_MAX);
    return OM_OK;
}

/* Marks live states outside the accepting component as dead. */
static void keep(dfs *d, om_component *c)
{
    size_t end = d->accepting + 1 < d->root_count ? d->roots[d->accepting + 1].at : d->live_count;
    c->from = (uint32_t) d->roots[d->accepting].at + 1;
    c->found = true;
    c->weak = d->weak;
    while (d->live_count > end)
        *(uint32_t *) om_side_at(d->number, d->live[--d->live_count]) = DEAD;
}

/* A root is on the path of the search, where it is the first state of its component. */
static int keep_way(const dfs *d, om_component *c)
{
    om_id first = d->live[d->roots[d->accepting].at];
    int rc = OM_OK;
    c->way.heap = d->heap;
    for (size_t i = 1; rc == OM_OK && d->frames[i - 1].state != first; i++)
        rc = om_path__add(&c->way, d->frames[i].state);
    return rc == OM_OK ? OM_OK : om_fail_memory(d->ctx);
}

/* Searches from the targets of avoided edges until a component is found; dead states stay dead. */
static int run_later(dfs *d, om_component *c)
{
    int rc = OM_OK;
    while (rc == OM_OK && d->accepting == SIZE_MAX && d->later_count != 0 &&
           !om_seek__timed_out(c->until_ns, 0)) {
        const om_id id = d->later[--d->later_count];
        const uint32_t *number = om_side_at(d->number, id);
        if (number == NULL)
            return om_fail_memory(d->ctx);
        if (*number != 0)
            continue;
        c->apart = true;
        rc = push(d, id, 0);
        if (rc == OM_OK)
            rc = run(d);
    }
    return rc;
}

int om_component__find(om_component *c, om_context *ctx, om_task *task, om_id start)
{
    dfs d = {
        .ctx = ctx, .heap = om_context_heap(ctx), .task = task, .aim = c, .accepting = SIZE_MAX
    };
    om_component__free(c);
    int rc = om_task_cursor(task, 0, &d.cursor);
    if (rc == OM_OK)
        rc = om_side_new(&d.number, om_task_product(task), sizeof(uint32_t));
    if (rc == OM_OK)
        rc = push(&d, start, 0);
    if (rc == OM_OK)
        rc = run(&d);
    if (rc == OM_OK)
        rc = run_later(&d, c);
    if (rc == OM_OK && d.accepting != SIZE_MAX) {
        keep(&d, c); /* I2 */
        rc = c->apart ? OM_OK : keep_way(&d, c);
    }
    c->number = d.number;
    om_free(d.heap, d.later);
    om_free(d.heap, d.live);
    om_free(d.heap, d.roots);
    om_free(d.heap, d.frames);
    om_free(d.heap, d.edges);
    return rc;
}

void om_component__free(om_component *c)
{
    om_side_free(c->number);
    om_path__free(&c->way);
    c->number = NULL;
    c->found = false;
    c->apart = false;
}

bool om_component__has(void *self, om_id id)
{
    const om_component *c = self;
    const uint32_t *number = om_side_at(c->number, id);
    return number != NULL && *number != DEAD && *number >= c->from;
}
