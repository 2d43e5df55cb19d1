/* SPDX-License-Identifier: Apache-2.0 */
#include "directory.h"

#include <assert.h>

/*
 * Places of the next directory that the division of a shard fills. A directory of 2^bits places
 * doubles when nearly all of the 2^(bits - 1) shards that it started with have been divided: 2
 * would be enough if all were.
 */
enum { PREPARED_AT_ONCE = 8 };

static size_t bytes_of(unsigned bits)
{
    return sizeof(om_shard) << bits;
}

static int make(om_memory *memory, unsigned bits, om_shard **out)
{
    void *places = NULL;
    int rc = om_memory__take(memory, bytes_of(bits), &places);
    if (rc == OM_OK)
        *out = places;
    return rc;
}

int om_directory__init(om_directory *d, om_memory *memory, unsigned bits)
{
    assert(bits <= OM_SHARD_MOST_BITS);
    *d = (om_directory){ .bits = bits };
    return make(memory, bits, &d->shard);
}

void om_directory__free(om_directory *d, om_memory *memory)
{
    om_memory__give(memory, d->shard, bytes_of(d->bits));
    om_memory__give(memory, d->twice, bytes_of(d->bits + 1));
    if (d->bits > 0)
        om_memory__give(memory, d->before, bytes_of(d->bits - 1));
    *d = (om_directory){ .shard = NULL };
}

void om_directory__install(om_directory *d, uint64_t hash, const om_shard *x)
{
    assert(x->depth <= d->bits);                  /* D1 */
    assert(d->twice != NULL || d->prepared == 0); /* D2 */
    uint64_t places = UINT64_C(1) << (d->bits - x->depth);
    uint64_t first = om_directory__place(d, hash) & ~(places - 1);
    for (uint64_t i = first; i < first + places; i++) {
        d->shard[i] = *x;
        if (i < d->prepared)
            d->twice[2 * i] = d->twice[2 * i + 1] = *x;
    }
}

static void fill(om_directory *d, uint64_t places)
{
    assert(d->prepared <= UINT64_C(1) << d->bits); /* D2 */
    uint64_t left = (UINT64_C(1) << d->bits) - d->prepared;
    uint64_t end = d->prepared + (places < left ? places : left);
    for (; d->prepared < end; d->prepared++)
        d->twice[2 * d->prepared] = d->twice[2 * d->prepared + 1] = d->shard[d->prepared];
}

int om_directory__prepare(om_directory *d, om_memory *memory, unsigned depth)
{
    int rc = OM_OK;
    assert(depth <= d->bits); /* D1 */
    if (d->bits == OM_SHARD_MOST_BITS)
        return OM_OK;
    if (d->twice == NULL)
        rc = make(memory, d->bits + 1, &d->twice);
    if (rc == OM_OK)
        fill(d, depth < d->bits ? PREPARED_AT_ONCE : UINT64_MAX);
    if (rc == OM_OK && depth == d->bits) {
        assert(d->prepared == UINT64_C(1) << d->bits);      /* D2 */
        om_directory before = om_directory__take_before(d); /* twice in this pause: it is small */
        om_directory__free(&before, memory);
        *d = (om_directory){ .shard = d->twice, .bits = d->bits + 1, .before = d->shard };
    }
    return rc;
}

om_directory om_directory__take_before(om_directory *d)
{
    om_directory before = { .shard = d->before, .bits = d->bits == 0 ? 0 : d->bits - 1 };
    d->before = NULL;
    return before;
}
