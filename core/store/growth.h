/* SPDX-License-Identifier: Apache-2.0 */
/*
 * growth.h: growing an index, in a pause that all workers share (quiescence.h).
 *
 * The leader chooses old shards, makes empty ones that take their places, and shares the pause.
 * Blocks of the old shards are handed out by a counter; ids are put where their hashes say, with
 * compare-and-swap. When all blocks are done the old shards are given back.
 *
 * What a pause costs does not depend on the number of shards: those to grow are on top of a heap
 * (shard_heap.h), the directory doubles little by little (directory.h), and a piece of memory names
 * its extent (arena.h). What it moves depends on the number of workers, so that there is work for
 * each.
 */
#ifndef OM_STORE_GROWTH_H
#define OM_STORE_GROWTH_H

#include "set.h"

enum { OM_GROWTH_BLOCK = 4096 }; /* entries that a helper moves at a time */

/* What a growth moves: old shards, whose places in the set new ones have taken. */
struct om_growth {
    om_set *set;
    om_shard old[OM_SHARDS], made[2 * OM_SHARDS];
    uint64_t hash[OM_SHARDS]; /* the least of each old one */
    unsigned count, makes;    /* an old one becomes one of the same depth or two of the next */
    uint64_t blocks_each;     /* of each old shard */
    _Atomic uint64_t next_block, done_blocks;
    _Atomic uint64_t most_lines; /* that a put had to inspect */
    atomic_bool overfull;        /* a put found no place */
};

/* The first shard. */
int om_set__start(om_set *s, uint64_t entries);
/* The next two from outside; OM_OK also where another led, so ask again. */
/* Gives the index capacity for `ids` ids, or for more than before. Statuses as om_memory__take().
 */
int om_set__grow(om_set *s, om_growth *g, uint64_t ids);
/* Relieves the shard that this hash found crowded when it was `seen`. */
int om_set__relieve(om_set *s, om_growth *g, uint64_t hash, const om_shard *seen);

/* ---- move.c ---- */

/* Moves the ids of g->old into the shards that are in the set now; everybody helps. False: one of
 * these was too small. */
bool om_growth__move(om_growth *g, om_set *s);

#endif
