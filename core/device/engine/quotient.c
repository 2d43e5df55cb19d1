/* SPDX-License-Identifier: Apache-2.0 */
/* The host side of kernels/quotient.cl: a table whose index holds the states themselves. */
#include "control/control.h"
#include "state_table.h"

#include <assert.h>

enum { BUCKET = OM_SIZING_BUCKET, REST_BITS = 60, FEWEST_BITS = 4, MOST_FIRST_BITS = 20 };

#define SHAPES(ROWS, INDEX)                                                \
    {                                                                      \
        [OM_K_PUT] = { "om_k_put", ROWS "mmm" INDEX "uuuUmuuUum" },        \
        [OM_K_ADVANCE] = { "om_k_advance", "muuuuUU" },                    \
        [OM_K_MOVE] = { "om_k_move", "u" ROWS INDEX "uUu" INDEX "uuuUm" }, \
    }
const om_shape om_quotient__shapes[2][OM_K_QUOTIENT_KERNELS] = {
    SHAPES(OM_ONE_BUFFER, OM_ONE_BUFFER),
    SHAPES(OM_FOUR_BUFFERS, OM_FOUR_BUFFERS),
};

static uint32_t log2_of(uint64_t buckets)
{
    uint32_t bits = 0;
    assert(buckets > 0);
    while (UINT64_C(1) << (bits + 1) <= buckets)
        bits++;
    return bits;
}

uint64_t om_quotient__buckets(const om_row_shape *shape, const om_queue *queue, uint64_t buckets)
{
    const om_device_info *info = &queue->device->info;
    uint32_t bits = log2_of(buckets);
    uint32_t least = shape->key_bits > REST_BITS ? shape->key_bits - REST_BITS : 0;
    if (shape->weak || shape->key_bits == 0 || least > MOST_FIRST_BITS)
        return 0;
    least = least < FEWEST_BITS ? FEWEST_BITS : least;
    if (bits >= least)
        return buckets;
    /* Many bits need a large index (S1), which may take only a small share of the memory. */
    uint64_t bytes = (UINT64_C(1) << least) * BUCKET * sizeof(uint64_t);
    uint64_t limit = om_control__limits(queue->control)->memory_bytes;
    bool much = bytes > info->memory_bytes / 32 || bytes > info->largest_allocation ||
                (limit != 0 && bytes > limit / 8);
    return much && bytes > buckets * 4 * BUCKET * sizeof(uint64_t) ? 0 : UINT64_C(1) << least;
}

int om_quotient__put(om_state_table *t, const om_level_step *s)
{
    uint64_t most = om_state_table__most(t), shifts = om_state_keys__shifts(&t->shape);
    uint32_t capacity = t->candidate_capacity, watch = s->wanted != NULL,
             bits = log2_of(t->buckets);
    om_memory *const *marks = s->wanted != NULL ? &s->wanted->mem : &t->control.mem;
    om_arg args[] = { OM_SEGMENTED(t->rows), OM_MEM(t->parents), OM_MEM(t->candidates),
        OM_MEM(t->from), OM_SEGMENTED(t->index), OM_ARG(bits), OM_ARG(t->shape.words),
        OM_ARG(t->shape.key_bits), OM_ARG(shifts), OM_MEM(t->control), OM_ARG(s->number),
        OM_ARG(capacity), OM_ARG(most), OM_ARG(watch), { sizeof(om_memory *), marks } };
    return om_segments__run(t->queue, t->built.kernels[OM_K_PUT], "om_k_put", args, 15,
        om_queue__batches(t->queue, capacity));
}

int om_quotient__advance(om_state_table *t, const om_level_step *s)
{
    uint64_t most = om_state_table__most(t);
    uint64_t most_states = om_control__limits(t->queue->control)->max_states;
    uint32_t capacity = t->candidate_capacity;
    om_arg args[] = { OM_MEM(t->control), OM_ARG(s->number), OM_ARG(s->then), OM_ARG(s->chunk),
        OM_ARG(capacity), OM_ARG(most), OM_ARG(most_states) };
    return om_queue__run(t->queue, t->built.kernels[OM_K_ADVANCE], "om_k_advance", args, 7, 1);
}

/* ---- growth ---- */

/* As in kernels/quotient.cl. */
enum { MOVE_ROWS, MOVE_BUCKETS, MOVE_OUT };

/* Moves n rows or buckets in portions: a launch takes some ten milliseconds on a slow device. */
static int move_all(om_state_table *t, uint32_t what, const om_segments *old, uint64_t old_buckets,
    uint64_t first, uint64_t n, const om_buffer *out)
{
    const uint64_t most = what == MOVE_BUCKETS ? 1 << 15 : 1 << 18;
    uint32_t bits = log2_of(t->buckets), old_bits = log2_of(old_buckets);
    uint64_t shifts = om_state_keys__shifts(&t->shape);
    int rc = OM_OK;
    for (uint64_t at = first, end = first + n; rc == OM_OK && at < end;) {
        uint32_t some = (uint32_t) (end - at < most ? end - at : most);
        om_arg args[] = { OM_ARG(what), OM_SEGMENTED(t->rows), OM_SEGMENTED(*old), OM_ARG(old_bits),
            OM_ARG(at), OM_ARG(some), OM_SEGMENTED(t->index), OM_ARG(bits), OM_ARG(t->shape.words),
            OM_ARG(t->shape.key_bits), OM_ARG(shifts), OM_MEM(*out) };
        rc = om_segments__run(t->queue, t->built.kernels[OM_K_MOVE], "om_k_move", args, 12,
            what == MOVE_BUCKETS ? some : (some + BUCKET - 1) / BUCKET);
        if (rc == OM_OK)
            rc = om_queue__pause(t->queue);
        at += some;
    }
    return rc;
}

int om_quotient__forget(om_state_table *t, uint32_t winners)
{
    assert(t->stored >= t->base); /* P1 */
    t->overfull = true;
    return move_all(t, MOVE_OUT, &t->index, t->buckets, t->stored - t->base, winners, &t->control);
}

/* Puts the states into the empty index; *lost becomes the number of states that found no place. The
 * states come from the old_buckets buckets of `old` or, if it is empty, from the rows. */
static int fill(om_state_table *t, const om_segments *old, uint64_t old_buckets,
    const om_buffer *out, uint32_t *lost)
{
    int rc = om_queue__zero(t->queue, out, 0, sizeof(uint32_t));
    if (rc == OM_OK)
        rc = old->units == 0 ? move_all(t, MOVE_ROWS, &t->index, t->buckets, 0, t->stored, out)
                             : move_all(t, MOVE_BUCKETS, old, old_buckets, 0, old_buckets, out);
    return rc == OM_OK ? om_queue__read(t->queue, out, 0, lost, sizeof *lost) : rc;
}

/* If the rows have all states, the old index is freed before the new one is taken; else it stays,
 * as `old`, until all of its states are moved. */
int om_quotient__grow(om_state_table *t, uint64_t entries)
{
    om_segments old = { .each = t->index.each, .size = t->index.size };
    om_buffer out = { 0 };
    const uint64_t before = t->buckets;
    uint64_t least = t->overfull ? before * 2 : before;
    uint32_t lost = 1;
    if (least == before && entries <= om_sizing__entries(before))
        return OM_OK;
    int rc = om_queue__take(t->queue, &out, 1, sizeof(uint32_t));
    if (t->base != 0) {
        old = t->index;
        t->index = (om_segments){ .each = old.each, .size = old.size };
    }
    for (; rc == OM_OK && lost != 0; least = t->buckets * 2) {
        rc = om_state_table__renew(t, &old, t->base != 0 ? before : 0, entries, least);
        if (rc == OM_OK)
            rc = fill(t, &old, before, &out, &lost);
    }
    t->overfull = false;
    om_segments__give(t->queue, &old);
    om_queue__give(t->queue, &out);
    return rc;
}

/* Drops the rows of expanded states to make room. They must be at least half of all rows, and the
 * others, with all candidates, must fit in half of the capacity. */
int om_quotient__slide(om_state_table *t, bool *slid)
{
    uint64_t live = t->stored - t->low;
    assert(t->base <= t->low && t->low <= t->stored); /* P1 */
    *slid = false;
    if (t->shape.paths || live + t->candidate_capacity > t->capacity / 2 || t->low == t->base ||
        live > t->low - t->base)
        return OM_OK;
    int rc = om_segments__move(t->queue, &t->rows, t->low - t->base, 0, live);
    if (rc != OM_OK)
        return rc;
    t->base = t->low;
    *slid = true;
    return OM_OK;
}
