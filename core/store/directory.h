/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directory.h: maps a hash to the shard of an index by extendible hashing (Fagin, Nievergelt,
 * Pippenger, Strong: "Extendible hashing - a fast access method for dynamic files", ACM TODS 4
 * (1979), section 2).
 *
 * There are 2^bits places; the high bits of a hash are the number of its place. A shard of depth d
 * holds the hashes that have the same d highest bits. It is in 2^(bits - d) consecutive places,
 * with a copy in each.
 *
 *   bits 2       00       01       10       11        A is of depth 1: hashes that begin with 0
 *             +--------+--------+--------+--------+
 *             |   A    |   A    |   B    |   C    |
 *             +--------+--------+--------+--------+
 *
 * A shard with only one place can be divided only after the directory has doubled. Copying all
 * places at that moment would make the pause longer the more shards there are. The next directory
 * is therefore built in advance: each division of a shard fills a few of its places, and nearly all
 * shards are divided once before the first is divided twice.
 *
 * Only the leader changes a directory, in a pause (I4); otherwise any thread may read it.
 *
 *  D1  A shard's depth is at most `bits`.
 *  D2  The first `prepared` places are copied to `twice`: 2^bits at most, and none without `twice`.
 */
#ifndef OM_STORE_DIRECTORY_H
#define OM_STORE_DIRECTORY_H

#include "shard.h"
#include "pages.h"

typedef struct om_directory {
    om_shard *shard; /* by place; every look-up reads one */
    unsigned bits;
    /* Leader only. */
    om_shard *twice;   /* the next directory, twice as large, or NULL */
    uint64_t prepared; /* number of places copied to `twice` */
    om_shard *before;  /* the previous directory, until the caller takes it, or NULL */
} om_directory;

/* Sets up 2^bits empty places. Statuses as om_memory__take(). */
int om_directory__init(om_directory *d, om_memory *memory, unsigned bits);
/* Frees the places, not the shards. Accepts a zeroed directory and leaves it zeroed. */
void om_directory__free(om_directory *d, om_memory *memory);

/* Puts a shard into all of its places, one of which is the place of `hash`. */
void om_directory__install(om_directory *d, uint64_t hash, const om_shard *x);
/* Prepares the division of a shard of this depth: makes sure that it has at least two places, and
 * fills part of the next directory. Statuses as om_memory__take(). */
int om_directory__prepare(om_directory *d, om_memory *memory, unsigned depth);
/* Returns the directory as it was before it doubled. The caller frees it after the pause. */
om_directory om_directory__take_before(om_directory *d);

static inline uint64_t om_directory__place(const om_directory *d, uint64_t hash)
{
    return hash >> 1 >> (63 - d->bits); /* bits may be 0 */
}

static inline const om_shard *om_directory__find(const om_directory *d, uint64_t hash)
{
    return &d->shard[om_directory__place(d, hash)];
}

/* The smallest hash of a place. It identifies the shard even if the directory doubles. */
static inline uint64_t om_directory__hash(const om_directory *d, uint64_t place)
{
    return place << (63 - d->bits) << 1;
}

/*
 * Iterates over shards: they are in the places 0, om_directory__next(d, 0), and so on below 2^bits.
 */
static inline uint64_t om_directory__next(const om_directory *d, uint64_t place)
{
    return place + (UINT64_C(1) << (d->bits - d->shard[place].depth));
}

#endif
