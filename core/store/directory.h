/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directory.h: which shard of an index a hash belongs to, by extendible hashing (Fagin,
 * Nievergelt, Pippenger, Strong: "Extendible hashing - a fast access method for dynamic files",
 * ACM TODS 4 (1979), section 2).
 *
 * There are 2^bits places; the high bits of a hash are the number of one. A shard of depth d is
 * what has its d highest bits in common: it is in 2^(bits - d) places in a row, a copy in each.
 *
 *   bits 2       00       01       10       11        A is of depth 1: hashes that begin with 0
 *             +--------+--------+--------+--------+
 *             |   A    |   A    |   B    |   C    |
 *             +--------+--------+--------+--------+
 *
 * A shard that has one place can be divided only when places have doubled. To copy all of them then
 * would make a pause longer the more shards there are. So the directory to come is there before: a
 * few of its places are filled whenever a shard is divided, and nearly all shards are divided once
 * before the first is divided twice.
 *
 * It changes in a pause alone (I4), by the leader; else anyone may read it.
 */
#ifndef OM_STORE_DIRECTORY_H
#define OM_STORE_DIRECTORY_H

#include "index.h"
#include "pages.h"

typedef struct om_directory {
    om_shard *shard; /* by place; every look-up reads one */
    unsigned bits;
    /* The leaders'. */
    om_shard *twice;   /* the directory to come, or NULL: */
    uint64_t prepared; /* it has what so many places of this one have */
    om_shard *before;  /* the directory of before, until it is taken from here; or NULL */
} om_directory;

/* 2^bits places, nothing in them. Statuses as om_memory__take(). */
int om_directory__init(om_directory *d, om_memory *memory, unsigned bits);
/* Not the shards. Fine on zeroed memory, and leaves it so. */
void om_directory__free(om_directory *d, om_memory *memory);

/* Puts a shard into all of its places, one of which is that of `hash`. */
void om_directory__install(om_directory *d, uint64_t hash, const om_shard *x);
/* A shard of this depth is to be divided: makes sure that it has two places at least, and fills
 * some of the directory to come. Statuses as om_memory__take(). */
int om_directory__prepare(om_directory *d, om_memory *memory, unsigned depth);
/* What the directory was before places doubled: the caller's to free, after the pause. */
om_directory om_directory__take_before(om_directory *d);

static inline uint64_t om_directory__place(const om_directory *d, uint64_t hash)
{
    return hash >> 1 >> (63 - d->bits); /* bits may be 0 */
}

static inline const om_shard *om_directory__find(const om_directory *d, uint64_t hash)
{
    return &d->shard[om_directory__place(d, hash)];
}

/* The least hash of a place: from it its shard can be found while places double. */
static inline uint64_t om_directory__hash(const om_directory *d, uint64_t place)
{
    return place << (63 - d->bits) << 1;
}

/* Shards are in the places 0, then om_directory__next(d, 0), and so on below 2^bits. */
static inline uint64_t om_directory__next(const om_directory *d, uint64_t place)
{
    return place + (UINT64_C(1) << (d->bits - d->shard[place].depth));
}

#endif
