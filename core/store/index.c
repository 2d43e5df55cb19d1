/* SPDX-License-Identifier: Apache-2.0 */
#include "index.h"

int om_shard_new(om_shard *x, om_pool *pool, uint64_t slots, unsigned id_bits, bool wide)
{
    om_shard made = { .id_bits = (uint8_t) id_bits, .wide = wide, .limit_bits = OM_LIMIT_BITS };
    uint64_t in_line = (UINT64_C(1) << om_shard_line_bits(&made)) - 1;

    slots = (slots + in_line) & ~in_line;
    if (slots > UINT32_MAX - in_line)
        return OM_ENOMEM; /* more than 2^32 slots in each of the shards: beyond 2^40 ids */
    made.count = (uint32_t) slots;
    int rc = om_pool_map(pool, om_shard_bytes(&made), &made.slots.at);
    if (rc == OM_OK)
        *x = made;
    return rc;
}

void om_shard_free(om_shard *x, om_pool *pool)
{
    om_pool_unmap(pool, x->slots.at, om_shard_bytes(x));
    x->slots.at = NULL;
}

uint64_t om_shard_used(const om_shard *x)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < x->count; i++)
        n += om_shard_load(x, i) != 0;
    return n;
}

uint64_t om_shard_put(const om_shard *x, uint64_t hash, uint64_t id)
{
    uint64_t word = om_shard_fingerprint(x, hash) | (id + 1), home = om_shard_home(x, hash), there;

    for (uint64_t k = 0; k < x->count; k++)
        if (om_shard_fill(x, om_shard_slot(x, home, k), word, &there))
            return k + 1;
    return 0;
}
