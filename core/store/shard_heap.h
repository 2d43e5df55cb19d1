/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shard_heap.h: the shards of an index in a binary heap. The top shard lets its set have the fewest
 * ids, so the next shard to grow is found in logarithmic time.
 *
 * The heap lies in pages (pages.h), which never move: growing copies nothing. For one thread.
 */
#ifndef OM_STORE_SHARD_HEAP_H
#define OM_STORE_SHARD_HEAP_H

#include "pages.h"

/* Number of ids that a shard, identified by the smallest hash that belongs to it, lets its set
 * have. It may be out of date if the shard has grown since. */
typedef struct om_shard_bound {
    uint64_t ids, hash;
} om_shard_bound;

typedef struct om_shard_heap {
    om_pages pages; /* elements are om_shard_bound */
    uint64_t count;
} om_shard_heap;

/* Allocates nothing. */
void om_shard_heap__init(om_shard_heap *h, om_memory *memory);
/* Frees a heap. Accepts a zeroed heap and leaves it zeroed. */
void om_shard_heap__free(om_shard_heap *h);
/* Gives the heap capacity for `count` shards in all. Statuses as om_memory__take(). */
int om_shard_heap__reserve(om_shard_heap *h, uint64_t count);
/* Adds a shard; there must be capacity. */
void om_shard_heap__add(om_shard_heap *h, om_shard_bound x);
/* The next two replace and remove the top; the heap must not be empty. */
void om_shard_heap__replace_top(om_shard_heap *h, om_shard_bound x);
void om_shard_heap__remove_top(om_shard_heap *h);

static inline om_shard_bound *om_shard_heap__at(const om_shard_heap *h, uint64_t i)
{
    return om_pages__find(&h->pages, i);
}

#endif
