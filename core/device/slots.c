/* SPDX-License-Identifier: Apache-2.0 */
/* The host side of kernels/slots.cl: a table whose index holds the states themselves. */
#include "table.h"

enum { BUCKET = 8, REST_BITS = 60, FEWEST_BITS = 4, MOST_FIRST_BITS = 20 };

const om_shape om_slots_shapes[OM_K_SLOTS_KERNELS] = {
    [OM_K_PUT] = { "om_k_put", "mmmmmumuuUum" },
    [OM_K_ADVANCE] = { "om_k_advance", "muuuuUU" },
    [OM_K_SLOTS_REINSERT] = { "om_k_reinsert", "muumum" },
    [OM_K_FORGET] = { "om_k_forget", "muumu" },
    [OM_K_REHASH] = { "om_k_rehash", "muUumum" },
};

static uint32_t log2_of(uint64_t buckets)
{
    uint32_t bits = 0;
    while (UINT64_C(1) << (bits + 1) <= buckets)
        bits++;
    return bits;
}

uint64_t om_slots__buckets(const om_row_shape *shape, const om_pool *pool, uint64_t buckets)
{
    const om_device_info *info = &pool->device->info;
    uint32_t bits = log2_of(buckets);
    uint32_t least = shape->key_bits > REST_BITS ? shape->key_bits - REST_BITS : 0;
    if (shape->weak || shape->key_bits == 0 || least > MOST_FIRST_BITS)
        return 0;
    least = least < FEWEST_BITS ? FEWEST_BITS : least;
    if (bits >= least)
        return buckets;
    /* Many bits need a large index (S1): not more than a small share of what there is. */
    uint64_t bytes = (UINT64_C(1) << least) * BUCKET * sizeof(cl_ulong);
    uint64_t limit = pool->control == NULL ? 0 : om_control_limits(pool->control)->memory_bytes;
    bool much = bytes > info->memory_bytes / 32 || bytes > info->largest_allocation ||
                (limit != 0 && bytes > limit / 8);
    return much && bytes > buckets * 4 * BUCKET * sizeof(cl_ulong) ? 0 : UINT64_C(1) << least;
}

int om_slots__put(om_table *t, const om_table_step *s)
{
    cl_ulong most = om_table__most(t);
    cl_uint capacity = t->candidate_capacity, watch = s->wanted != NULL, bits = log2_of(t->buckets);
    const cl_mem *marks = s->wanted != NULL ? &s->wanted->mem : &t->control.mem;
    om_arg args[] = { OM_MEM(t->rows), OM_MEM(t->parents), OM_MEM(t->candidates), OM_MEM(t->from),
        OM_MEM(t->index), OM_ARG(bits), OM_MEM(t->control), OM_ARG(s->number), OM_ARG(capacity),
        OM_ARG(most), OM_ARG(watch), { sizeof(cl_mem), marks } };
    return om_pool__run(t->pool, t->built.kernels[OM_K_PUT], "om_k_put", args, 12,
        om_pool__batches(t->pool, capacity));
}

int om_slots__advance(om_table *t, const om_table_step *s)
{
    const om_control *control = t->pool->control;
    cl_ulong most = om_table__most(t);
    cl_ulong most_states = control == NULL ? 0 : om_control_limits(control)->max_states;
    cl_uint capacity = t->candidate_capacity;
    om_arg args[] = { OM_MEM(t->control), OM_ARG(s->number), OM_ARG(s->then), OM_ARG(s->chunk),
        OM_ARG(capacity), OM_ARG(most), OM_ARG(most_states) };
    return om_pool__run(t->pool, t->built.kernels[OM_K_ADVANCE], "om_k_advance", args, 7, 1);
}

int om_slots__forget(om_table *t, uint32_t winners)
{
    cl_uint first = t->stored - t->base, bits = log2_of(t->buckets);
    om_arg args[] = { OM_MEM(t->rows), OM_ARG(first), OM_ARG(winners), OM_MEM(t->index),
        OM_ARG(bits) };
    t->crowded = true;
    int rc = om_pool__run(t->pool, t->built.kernels[OM_K_FORGET], "om_k_forget", args, 5, winners);
    return rc == OM_OK ? om_pool__finish(t->pool) : rc;
}

/* ---- growth ---- */

/* From the rows, all of which are there. */
static int refill(om_table *t, const om_buffer *out)
{
    /* A launch that re-inserts this many is some ten milliseconds on a slow device. */
    enum { AT_ONCE = 1 << 18 };
    cl_uint bits = log2_of(t->buckets);
    int rc = OM_OK;
    for (uint32_t first = 0; rc == OM_OK && first < t->stored;) {
        uint32_t n = t->stored - first < AT_ONCE ? t->stored - first : AT_ONCE;
        om_arg args[] = { OM_MEM(t->rows), OM_ARG(first), OM_ARG(n), OM_MEM(t->index), OM_ARG(bits),
            OM_MEM(*out) };
        rc = om_pool__run(t->pool, t->built.kernels[OM_K_SLOTS_REINSERT], "om_k_reinsert", args, 6,
            om_pool__batches(t->pool, n));
        if (rc == OM_OK)
            rc = om_pool__pause(t->pool);
        first += n;
    }
    return rc;
}

/* From an index. */
static int rehash(om_table *t, const om_buffer *old, uint64_t old_buckets, const om_buffer *out)
{
    enum { AT_ONCE = 1 << 16 };
    cl_uint bits = log2_of(t->buckets), old_bits = log2_of(old_buckets);
    int rc = OM_OK;
    for (cl_ulong first = 0; rc == OM_OK && first < old_buckets;) {
        uint32_t n = old_buckets - first < AT_ONCE ? (uint32_t) (old_buckets - first) : AT_ONCE;
        om_arg args[] = { OM_MEM(*old), OM_ARG(old_bits), OM_ARG(first), OM_ARG(n),
            OM_MEM(t->index), OM_ARG(bits), OM_MEM(*out) };
        rc = om_pool__run(t->pool, t->built.kernels[OM_K_REHASH], "om_k_rehash", args, 7, n);
        if (rc == OM_OK)
            rc = om_pool__pause(t->pool);
        first += n;
    }
    return rc;
}

/* The states in an index of so many buckets; *lost says how many found no place in it. */
static int move_to(om_table *t, uint64_t buckets, const om_buffer *old, uint64_t old_buckets,
    const om_buffer *out, uint32_t *lost)
{
    const size_t bytes = (size_t) buckets * BUCKET * sizeof(cl_ulong);
    int rc = OM_OK;
    if (!om_pool__fits(t->pool, bytes) && (rc = om_pool__spill(t->pool, &t->rows)) == OM_OK)
        rc = om_pool__spill(t->pool, &t->parents);
    if (rc == OM_OK)
        rc = om_table__index(t, buckets);
    if (rc == OM_OK)
        rc = om_pool__zero(t->pool, out, 0, sizeof(cl_uint));
    if (rc == OM_OK)
        rc = old->mem != NULL ? rehash(t, old, old_buckets, out) : refill(t, out);
    return rc == OM_OK ? om_pool__read(t->pool, out, 0, lost, sizeof *lost) : rc;
}

int om_slots__grow(om_table *t, uint64_t entries)
{
    om_buffer old = { .may_spill = true }, out = { 0 };
    uint64_t buckets = t->crowded ? t->buckets * 2 : t->buckets, old_buckets = t->buckets;
    uint32_t lost = 1;
    while (entries > om_table__entries(buckets))
        buckets *= 2;
    if (buckets == t->buckets)
        return OM_OK;
    int rc = om_pool__take(t->pool, &out, 1, sizeof(cl_uint));
    if (t->base == 0)
        om_pool__give(t->pool, &t->index); /* the rows have all that is needed */
    else {
        old = t->index;
        old.may_spill = true;
        t->index = (om_buffer){ 0 };
        if (rc == OM_OK && !om_pool__fits(t->pool, (size_t) buckets * BUCKET * sizeof(cl_ulong)))
            rc = om_pool__spill(t->pool, &old);
    }
    for (; rc == OM_OK && lost != 0; buckets *= 2) {
        om_pool__give(t->pool, &t->index);
        rc = move_to(t, buckets, &old, old_buckets, &out, &lost);
    }
    t->crowded = false;
    om_pool__give(t->pool, &old);
    om_pool__give(t->pool, &out);
    return rc;
}

/* Rows of states that are expanded make room for others, where that is half of them. */
int om_slots__slide(om_table *t, bool *slid)
{
    enum { PIECE = 16 << 20 };
    const om_cl *cl = &t->pool->device->owner->cl;
    const size_t row = t->shape.words * sizeof(cl_uint);
    uint64_t live = t->stored - t->low;
    int rc = OM_OK;
    *slid = false;
    if (t->shape.paths || live + t->candidate_capacity > t->capacity / 2 || t->low == t->base ||
        live > t->low - t->base)
        return OM_OK;
    size_t from = (size_t) (t->low - t->base) * row, bytes = (size_t) live * row;
    for (size_t at = 0; rc == OM_OK && at < bytes; at += PIECE) {
        size_t n = bytes - at < PIECE ? bytes - at : PIECE;
        cl_int error = cl->clEnqueueCopyBuffer(
            t->pool->queue, t->rows.mem, t->rows.mem, from + at, at, n, 0, NULL, NULL);
        rc = error == CL_SUCCESS
                 ? om_pool__finish(t->pool)
                 : om_device__fail(t->pool->device, t->pool->ctx, "clEnqueueCopyBuffer", error);
    }
    if (rc != OM_OK)
        return rc;
    t->base = t->low;
    *slid = true;
    return OM_OK;
}
