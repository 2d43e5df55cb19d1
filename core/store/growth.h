/* SPDX-License-Identifier: Apache-2.0 */
/*
 * growth.h: growing an index, in a pause that all workers share (quiescence.h).
 *
 * The leader chooses old shards, puts empty ones in their places, and shares the pause. A counter
 * hands out the old shards. A helper moves a whole one: most entries tell the places of their ids
 * in the new shards (E1 in shard.h), and the vectors of the others are hashed again. When one shard
 * becomes many, the counter hands out blocks, and helpers put the ids by hash, with
 * compare-and-swap. The old shards are freed after all are done.
 *
 * The cost of a pause does not depend on the number of shards: the shards to grow are on top of a
 * heap (shard_heap.h), the directory doubles incrementally (directory.h), and a piece of memory
 * identifies its extent (arena.h). The number of moved entries depends on the number of workers, so
 * that each has work.
 */
#ifndef OM_STORE_GROWTH_H
#define OM_STORE_GROWTH_H

#include "set.h"

enum { OM_GROWTH_BLOCK = 4096 }; /* entries that a helper moves at a time */

/* A growth: the old shards, and the new ones that take their places in the set. */
struct om_growth {
    om_set *set;
    om_shard old[OM_SHARDS], made[2 * OM_SHARDS];
    uint64_t hash[OM_SHARDS]; /* smallest hash of each old shard */
    unsigned count, makes;    /* an old shard becomes one of its depth, or two of the next depth */
    bool apart;               /* each old shard has new ones of its own */
    uint64_t blocks_each;     /* blocks of each old shard; 1 if they are apart */
    _Atomic uint64_t next_block, done_blocks;
    _Atomic uint64_t most_lines; /* largest number of lines that a put inspected */
    atomic_bool overfull;        /* true if a put found no place */
};

/* Makes the first shard. */
int om_set__start(om_set *s, uint64_t entries);
/* The caller of the next two is outside. OM_OK also if another worker led the growth: the caller
 * has to check its condition again. */
/*
 * Gives the index capacity for `ids` ids, or for more than before. Statuses as om_memory__take().
 */
int om_set__grow(om_set *s, om_growth *g, uint64_t ids);
/* Grows the shard of `hash`, unless it has changed since the caller found it crowded as `seen`. */
int om_set__relieve(om_set *s, om_growth *g, uint64_t hash, const om_shard *seen);

/* ---- move.c ---- */

/* Moves the ids of g->old into the shards that are now in the set; all waiting workers help.
 * Returns false if one of the new shards was too small. */
bool om_growth__move(om_growth *g, om_set *s);

#endif
