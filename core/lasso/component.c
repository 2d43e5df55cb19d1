/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An accepting component, depth-first. Couvreur, "On-the-fly verification of linear temporal
 * logic", FM 1999: a stack of roots of partial components, each with the marks of its class and of
 * the edge into it.
 *
 * I1: number[s] is 0 (new), its position in `live` + 1, or DEAD.
 * I2: class k is live[roots[k].at] to live[roots[k + 1].at - 1], and strongly connected.
 */
#include "space.h"

#include <assert.h>
#include <string.h>

#define DEAD UINT32_MAX

/* Once a class has all marks it is let grow, for shorter lassos, until it is complete or the graph
 * is this much larger. */
enum { SLACK_STATES = 1 << 16 };

typedef struct root {
    size_t at; /* in live */
    om_marks marks, into;
} root;

typedef struct frame {
    uint32_t state;
    size_t first, next, end; /* in hops */
} frame;

typedef struct dfs {
    om_graph *g;
    om_marks all;
    uint32_t *number, *live;
    size_t number_count, number_room, live_count, live_room;
    root *roots;
    size_t root_count, root_room;
    frame *frames;
    size_t frame_count, frame_room;
    om_hop *hops;
    size_t hop_count, hop_room;
    size_t accepting; /* the root of a class that has all marks, or SIZE_MAX */
    size_t most;      /* states at which to be content with it */
} dfs;

static int room_for(dfs *d, uint32_t id)
{
    const om_heap *heap = d->g->space.heap;
    uint32_t *number = om_grow(heap, d->number, &d->number_room, (size_t) id + 1, sizeof *number);
    d->number = number != NULL ? number : d->number;
    uint32_t *live = om_grow(heap, d->live, &d->live_room, d->live_count + 1, sizeof *live);
    d->live = live != NULL ? live : d->live;
    root *roots = om_grow(heap, d->roots, &d->root_room, d->root_count + 1, sizeof *roots);
    d->roots = roots != NULL ? roots : d->roots;
    frame *frames = om_grow(heap, d->frames, &d->frame_room, d->frame_count + 1, sizeof *frames);
    d->frames = frames != NULL ? frames : d->frames;
    om_hop *hops =
        om_grow(heap, d->hops, &d->hop_room, d->hop_count + d->g->hop_count, sizeof *hops);
    d->hops = hops != NULL ? hops : d->hops;
    if (number == NULL || live == NULL || roots == NULL || frames == NULL || hops == NULL)
        return om_fail_memory(d->g->ctx);
    for (; d->number_count <= id; d->number_count++)
        number[d->number_count] = 0;
    return OM_OK;
}

static int push(dfs *d, uint32_t id, om_marks into)
{
    int rc = om_graph__expand(d->g, id);
    if (rc == OM_OK)
        rc = room_for(d, id);
    if (rc != OM_OK)
        return rc;
    d->live[d->live_count++] = id;
    d->number[id] = (uint32_t) d->live_count; /* I1 */
    d->roots[d->root_count++] = (root){ d->live_count - 1, 0, into };
    if (d->g->hop_count != 0)
        memcpy(d->hops + d->hop_count, d->g->hops, d->g->hop_count * sizeof *d->hops);
    size_t end = d->hop_count + d->g->hop_count;
    d->frames[d->frame_count++] = (frame){ id, d->hop_count, d->hop_count, end };
    d->hop_count = end;
    return OM_OK;
}

/* An edge back to a live state: everything above its class is in one cycle with it. */
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
    if (d->accepting == SIZE_MAX && (top->marks & d->all) == d->all) {
        d->accepting = d->root_count - 1;
        d->most = d->g->space.count * 2 + SLACK_STATES;
    }
}

/* The top frame is done. True when that completes the accepting class. */
static bool pop(dfs *d)
{
    frame *f = &d->frames[d->frame_count - 1];
    size_t at = d->number[f->state] - 1;
    if (d->roots[d->root_count - 1].at == at) {
        if (d->accepting == d->root_count - 1)
            return true;
        d->root_count--;
        while (d->live_count > at)
            d->number[d->live[--d->live_count]] = DEAD;
    }
    d->hop_count = f->first;
    d->frame_count--;
    return false;
}

static int run(dfs *d)
{
    while (d->frame_count != 0) {
        frame *f = &d->frames[d->frame_count - 1];
        int rc = OM_OK;
        if (d->accepting != SIZE_MAX && d->g->space.count > d->most)
            return OM_OK;
        if (f->next == f->end) {
            if (pop(d))
                return OM_OK;
            continue;
        }
        om_hop hop = d->hops[f->next++];
        uint32_t number = hop.to < d->number_count ? d->number[hop.to] : 0;
        if (number == 0)
            rc = push(d, hop.to, hop.marks);
        else if (number != DEAD)
            merge(d, number, hop.marks);
        if (rc != OM_OK)
            return rc;
    }
    assert(d->accepting == SIZE_MAX);
    return OM_OK;
}

int om_graph__component(om_graph *g, uint32_t from, om_marks all, om_component *out)
{
    const om_heap *heap = g->space.heap;
    dfs d = { .g = g, .all = all, .accepting = SIZE_MAX };
    int rc = push(&d, from, 0);

    *out = (om_component){ 0 };
    if (rc == OM_OK)
        rc = run(&d);
    if (rc == OM_OK && d.accepting != SIZE_MAX) {
        size_t begin = d.roots[d.accepting].at;
        size_t end = d.accepting + 1 < d.root_count ? d.roots[d.accepting + 1].at : d.live_count;
        out->states = om_alloc(heap, end - begin, sizeof *out->states);
        if (out->states == NULL)
            rc = om_fail_memory(g->ctx);
        else {
            out->count = end - begin;
            memcpy(out->states, d.live + begin, out->count * sizeof *out->states); /* I2 */
        }
    }
    om_free(heap, d.number);
    om_free(heap, d.live);
    om_free(heap, d.roots);
    om_free(heap, d.frames);
    om_free(heap, d.hops);
    return rc;
}
