/* SPDX-License-Identifier: Apache-2.0 */
#include "shard.h"

#include <assert.h>

int om_shard__new(om_shard *x, om_arena *arena, uint64_t entries)
{
    uint64_t in_line = (UINT64_C(1) << om_shard__line_bits(x)) - 1;

    assert(x->id_bits <= (x->wide ? OM_WIDE_ID_BITS : OM_NARROW_ID_BITS));
    entries = (entries + in_line) & ~in_line;
    if (entries > UINT32_MAX - in_line)
        return OM_ENOMEM; /* 2^32 entries in one shard: beyond 2^40 ids */
    x->count = (uint32_t) entries;
    x->limit_bits = OM_LIMIT_BITS;
    size_t bytes = om_shard__bytes(x);
    if (!x->own)
        return om_arena__take(arena, bytes, &x->entries.at);
    int rc = om_memory__map(arena->memory, bytes, &x->entries.at);
    if (rc == OM_OK)
        om_memory__populate(x->entries.at, bytes);
    return rc;
}

void om_shard__free(om_shard *x, om_arena *arena)
{
    if (x->own)
        om_memory__unmap(arena->memory, x->entries.at, om_shard__bytes(x));
    else
        om_arena__give(arena, x->entries.at, om_shard__bytes(x));
    x->entries.at = NULL;
}

unsigned om_shard__most_prefix(const om_shard *x)
{
    const unsigned room = (x->wide ? 64 : 32) - x->id_bits;
    const unsigned bits = room + (63 - (unsigned) __builtin_clzll(om_shard__lines(x)));
    return bits < OM_PREFIX_MOST ? bits : OM_PREFIX_MOST;
}

uint64_t om_shard__used(const om_shard *x)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < x->count; i++)
        n += om_shard__load(x, i) != 0;
    return n;
}

uint64_t om_shard__put(const om_shard *x, uint64_t hash, uint64_t id, bool alone)
{
    const uint64_t fingerprint = om_shard__fingerprint(x, hash), lines = om_shard__lines(x);
    uint64_t word = fingerprint | (id + 1);
    om_line line = om_shard__home(x, hash);

    assert((id + 1) >> x->id_bits == 0);
    for (uint64_t k = 1; k <= lines; k++, line = om_shard__next_line(x, line)) {
        for (uint32_t empty = om_line__empty(x, line); empty != 0; empty &= empty - 1) {
            uint32_t i = (uint32_t) __builtin_ctz(empty);
            uint64_t there;
            if (alone)
                om_line__fill_alone(x, line, i, word);
            else if (!om_line__fill(x, line, i, word, &there))
                continue;
            return k;
        }
        word = om_shard__displaced(x, fingerprint) | (id + 1);
    }
    return 0;
}
