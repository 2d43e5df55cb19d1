/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shard_heap.h: the shards of an index in a binary heap, the one that lets its set have the fewest
 * ids on top: so the next to grow is found in time that hardly depends on how many there are.
 *
 * It lies in pages (pages.h), which never move: nothing is copied when it grows. For one thread.
 */
#ifndef OM_STORE_SHARD_HEAP_H
#define OM_STORE_SHARD_HEAP_H

#include "pages.h"

/* What a shard, found by the least hash that belongs to it, lets its set have; or once did, for it
 * may have grown since. */
typedef struct om_shard_bound {
    uint64_t ids, hash;
} om_shard_bound;

typedef struct om_shard_heap {
    om_pages pages; /* om_shard_bound */
    uint64_t count;
} om_shard_heap;

/* Nothing is asked for before it is used. */
void om_shard_heap__init(om_shard_heap *h, om_memory *memory);
/* Fine on zeroed memory, and leaves it so. */
void om_shard_heap__free(om_shard_heap *h);
/* Capacity for `count` shards in all. Statuses as om_memory__take(). */
int om_shard_heap__reserve(om_shard_heap *h, uint64_t count);
/* There is capacity. */
void om_shard_heap__add(om_shard_heap *h, om_shard_bound x);
/* Both: there is one. Puts another in the place of the top; takes the top away. */
void om_shard_heap__replace_top(om_shard_heap *h, om_shard_bound x);
void om_shard_heap__remove_top(om_shard_heap *h);

static inline om_shard_bound *om_shard_heap__at(const om_shard_heap *h, uint64_t i)
{
    return om_pages__find(&h->pages, i);
}

#endif
