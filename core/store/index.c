/* SPDX-License-Identifier: Apache-2.0 */
#include "index.h"

int om_shard_new(om_shard *x, om_arena *arena, uint64_t slots)
{
    uint64_t in_line = (UINT64_C(1) << om_shard_line_bits(x)) - 1;

    slots = (slots + in_line) & ~in_line;
    if (slots > UINT32_MAX - in_line)
        return OM_ENOMEM; /* 2^32 slots in one of the shards: beyond 2^40 ids */
    x->count = (uint32_t) slots;
    x->limit_bits = OM_LIMIT_BITS;
    return x->own ? om_pool_map(arena->pool, om_shard_bytes(x), &x->slots.at)
                  : om_arena_take(arena, om_shard_bytes(x), &x->slots.at);
}

void om_shard_free(om_shard *x, om_arena *arena)
{
    if (x->own)
        om_pool_unmap(arena->pool, x->slots.at, om_shard_bytes(x));
    else
        om_arena_give(arena, x->slots.at, om_shard_bytes(x));
    x->slots.at = NULL;
}

uint64_t om_shard_used(const om_shard *x)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < x->count; i++)
        n += om_shard_load(x, i) != 0;
    return n;
}

uint64_t om_shard_put(const om_shard *x, uint64_t hash, uint64_t id, bool alone)
{
    uint64_t word = om_shard_fingerprint(x, hash) | (id + 1), lines = om_shard_bytes(x) / OM_LINE;
    om_line line = om_shard_home(x, hash);

    for (uint64_t k = 1; k <= lines; k++, line = om_shard_next_line(x, line))
        for (uint32_t empty = om_line_empty(x, line); empty != 0; empty &= empty - 1) {
            uint32_t i = (uint32_t) __builtin_ctz(empty);
            uint64_t there;
            if (alone)
                om_line_fill_alone(x, line, i, word);
            else if (!om_line_fill(x, line, i, word, &there))
                continue;
            return k;
        }
    return 0;
}
