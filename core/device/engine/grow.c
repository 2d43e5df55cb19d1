/* SPDX-License-Identifier: Apache-2.0 */
/* Growth of tables and indices: carries out the plans of sizing.h. */
#include "state_table.h"

void om_state_table__extent(const om_state_table *t, const om_segments *index, uint64_t buckets,
    om_sizing_room *room, om_sizing_table *now)
{
    const om_device *d = t->queue->device;
    const bool paths = t->shape.paths;
    *now = (om_sizing_table){ .row = t->shape.words * sizeof(uint32_t),
        .path = paths ? sizeof(uint32_t) : 0,
        .later = t->shape.weak ? sizeof(uint32_t) : 0, /* degrees: see batched_steps.c */
        .capacity = t->capacity,
        .buckets = buckets,
        .stays = t->base != 0 };
    for (uint32_t i = 0; i < OM_MOST_SEGMENTS; i++)
        now->away |= t->rows.parts[i].spilled ? UINT32_C(1) << i : 0;
    now->away |= t->parents.spilled ? OM_AWAY_PATHS : 0;
    now->away |= index->parts[0].spilled ? OM_AWAY_INDEX : 0;
    *room = (om_sizing_room){ .memory = t->queue->memory,
        .used = om_queue__here(t->queue) - om_segments__here(&t->rows) - om_segments__here(index) -
                (paths && !t->parents.spilled ? t->parents.bytes : 0),
        .largest = d->info.largest_allocation,
        .segment =
            om_sizing__segment(d->info.memory_bytes, d->info.largest_allocation, d->segments),
        .segments = d->segments,
        .in_place = d->own_pages,
        .spills = !d->host_memory };
}

static int full(om_state_table *t)
{
    return om_device__fail_memory(t->queue->device, t->queue->ctx, "allocating memory");
}

/* Gives the plan a context of its own. If another plan follows a refusal, the refusal must not be
 * reported. The queue's context may already hold a message of another member of a group. */
static int begin_plan(om_state_table *t, om_context **outer)
{
    *outer = t->queue->ctx;
    int rc = om_context_new_below(&t->queue->ctx, *outer);
    if (rc == OM_OK)
        return OM_OK;
    t->queue->ctx = *outer;
    return om_fail_memory(*outer);
}

/* Ends a plan whose result is rc. Returns true if the device refused memory that it had reported
 * (the queue's memory was `memory` before): its actual amount is known now, so another plan may
 * fit. */
static bool must_plan_again(om_state_table *t, om_context *outer, uint64_t memory, int rc)
{
    om_context *own = t->queue->ctx;
    const bool again = rc == OM_EUNSUPPORTED && t->queue->memory < memory;
    t->queue->ctx = outer;
    if (!again && om_context_error(own)[0] != '\0')
        (void) om_fail(outer, rc, NULL, "%s", om_context_error(own));
    om_context_free(own);
    return again;
}

/* Sends rows and parents where a plan puts them. */
static int send_rows(om_state_table *t, const om_sizing *g)
{
    int rc = om_segments__send(t->queue, &t->rows, g->away);
    if (rc == OM_OK && (g->away & OM_AWAY_PATHS) != 0)
        rc = om_queue__spill(t->queue, &t->parents);
    return rc;
}

int om_state_table__make_room(om_state_table *t, uint64_t bytes)
{
    om_sizing_room room;
    om_sizing_table now;
    om_state_table__extent(t, &t->index, t->index.units / OM_SIZING_BUCKET, &room, &now);
    const om_sizing g = om_sizing__others(&room, &now, bytes);
    /* If there is no room, the caller reports it when it takes the memory. */
    return g.fits ? send_rows(t, &g) : OM_OK;
}

int om_state_table__renew(
    om_state_table *t, om_segments *old, uint64_t buckets, uint64_t entries, uint64_t least)
{
    om_context *outer = NULL;
    uint64_t memory;
    int rc;
    do {
        om_sizing_room room;
        om_sizing_table now;
        memory = t->queue->memory;
        om_segments__give(t->queue, &t->index);
        om_state_table__extent(t, old, buckets, &room, &now);
        const om_sizing g = om_sizing__index(&room, &now, entries, least);
        if (!g.fits)
            return full(t);
        if ((rc = begin_plan(t, &outer)) != OM_OK)
            return rc;
        rc = send_rows(t, &g);
        if (rc == OM_OK && (g.away & OM_AWAY_INDEX) != 0)
            rc = om_segments__send(t->queue, old, UINT32_MAX);
        if (rc == OM_OK)
            rc = om_state_table__index(t, g.buckets);
    } while (must_plan_again(t, outer, memory, rc));
    return rc;
}

/* Frees the old index first: the table has all data to rebuild it. */
int om_state_table__grow_index(om_state_table *t, uint64_t entries)
{
    /* A launch that reinserts this many states takes some ten milliseconds on a slow device. */
    enum { CHUNK = 1 << 18 };
    om_segments none = { .each = t->index.each, .size = t->index.size };
    if (entries <= om_sizing__entries(t->buckets))
        return OM_OK;
    int rc = om_state_table__renew(t, &none, 0, entries, t->buckets);
    for (uint32_t first = 0; rc == OM_OK && first < t->stored;) {
        uint32_t n = t->stored - first < CHUNK ? t->stored - first : CHUNK;
        om_arg args[] = { OM_SEGMENTED(t->rows), OM_ARG(first), OM_ARG(n), OM_SEGMENTED(t->index),
            OM_ARG(t->buckets) };
        rc = om_segments__run(t->queue, t->built.kernels[OM_K_REINSERT], "om_k_reinsert", args, 5,
            om_queue__batches(t->queue, n));
        if (rc == OM_OK)
            rc = om_queue__pause(t->queue);
        first += n;
    }
    return rc;
}

/* Grows rows and parents as planned. */
static int resize(om_state_table *t, const om_sizing *g)
{
    int rc = om_segments__grow(t->queue, &t->rows, g->capacity, t->stored - t->base, g->away);
    if (rc == OM_OK && t->shape.paths) {
        t->parents.away = (g->away & OM_AWAY_PATHS) != 0;
        rc = om_queue__grow(t->queue, &t->parents, (size_t) g->capacity, sizeof(uint32_t),
            (size_t) t->stored * sizeof(uint32_t));
    }
    if (rc == OM_OK)
        t->capacity = (uint32_t) g->capacity;
    return rc;
}

int om_state_table__grow_rows(om_state_table *t, uint64_t need)
{
    om_context *outer = NULL;
    uint64_t memory;
    int rc;
    if (need <= t->capacity)
        return OM_OK;
    do {
        om_sizing_room room;
        om_sizing_table now;
        memory = t->queue->memory;
        om_state_table__extent(t, &t->index, t->index.units / OM_SIZING_BUCKET, &room, &now);
        const om_sizing g = om_sizing__rows(&room, &now, need);
        if (!g.fits)
            return full(t);
        if ((rc = begin_plan(t, &outer)) != OM_OK)
            return rc;
        rc = resize(t, &g);
    } while (must_plan_again(t, outer, memory, rc));
    return rc;
}
