/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.h: a concurrent set of distinct vectors of one width, each with a dense id.
 *
 * Vectors lie in append-only pages, at the place of their id; an index finds them by hash. A small
 * set's index is one shard that grows as a whole. From a size on there are 512, chosen by hash
 * bits, of sizes between S and 2 S: they double a few at a time, the smallest first, so a pause is
 * short, memory follows the ids smoothly, and growing needs memory for few shards only. A large
 * shard becomes two instead, so that a pause stays short whatever the size of the set: its places
 * in a directory, which doubles when all of them are taken, are divided (extendible hashing: Fagin,
 * Nievergelt, Pippenger, Strong 1979, section 2).
 *
 * Interning a vector linearises at the compare-and-swap that fills an empty entry (it was new) or
 * at the acquire load of the entry that holds it (it was there). Between growths a call is
 * lock-free.
 *
 * Invariants:
 *  I1  The ids handed out are never more than the index has capacity for: `most_ids`, the least
 *      over the shards of what a shard can hold if hashes are uniform, and what its words have bits
 *      for.
 *  I2  A word is in an entry only after its vector was written (release); words never change.
 *  I3  A vector is in the index at most once: all who look for it go through the same entries in
 *      the same order, they never become empty again, and an empty one is filled by one of them.
 *  I4  Shards change only in a pause: while no worker is inside.
 *  I5  A look-up ends: it inspects `most_lines` lines of its shard at most. Who finds nothing in
 *      them, and no empty entry, leads a growth of that one shard: to more entries, or, where
 *      hashes are so uneven that it is emptier than 1/8, to more lines, up to all that it has.
 *  I8  Ids below `id_limit` that one worker has and does not use are another's for the asking, in a
 *      pause (I4): the limit is on vectors that are stored, not on ids that were handed out. A
 *      look-up fails for want of ids only if it began when nobody had any.
 */
#ifndef OM_STORE_SET_H
#define OM_STORE_SET_H

#include "directory.h"
#include "quiescence.h"
#include "shard_heap.h"

#include <string.h>

enum { OM_SET_BATCH = 128 };
/* Vectors of up to so many words are hashed and compared by code that is inlined. */
enum { OM_SET_NARROW = 8 };

/* om_set__intern(): the set was closed; what is left belongs elsewhere. Not an om_status. */
enum { OM_SET_CLOSED = 1 };

/* What tests turn to make rare things happen early; 0 is the default for each. */
typedef struct om_set_hooks {
    uint64_t hash_mask;      /* bits of a hash that are kept */
    uint64_t single_entries; /* a single shard has so many at most */
    uint64_t split_entries;  /* a shard with more becomes two when it grows */
    uint64_t pause_entries;  /* a pause moves so many, or one shard */
    unsigned narrow_bits;    /* of an id in 32-bit entries, at most */
    uint64_t compress_at;    /* vectors before trees begin */
    uint32_t arity;          /* places of a root: 2 or 3 */
} om_set_hooks;

/* A worker's ids that it has not used, and what it counts; others only read the atomic ones. */
typedef struct om_id_chunk {
    uint64_t next, end;
    bool borrowed;          /* some were another's (I8): they do not only go up */
    _Atomic uint64_t count; /* stored by it */
    _Atomic uint64_t lookups, probes;
} om_id_chunk;

typedef struct om_worker {
    unsigned char before[64]; /* what two workers write is on different cache lines */
    om_quiescence_flag flag;
    om_id_chunk chunk[2];    /* by the number of the set */
    struct om_memo *memo;    /* of trees; */
    unsigned memo_shift;     /* what of a hash is its place there */
    uint32_t *buffer, *rows; /* of the trees at hand: a line behind the beginning of their memory */
    unsigned char behind[64];
} om_worker;

typedef struct om_growth om_growth; /* growth.h */

typedef struct om_set {
    om_memory *memory;
    om_arena *arena;
    om_quiescence *quiescence;
    om_pages pages;
    uint32_t words;
    unsigned number;   /* 0 or 1: among the sets that share a quiescence */
    unsigned workers;  /* who share it: */
    om_worker *worker; /* these */
    unsigned fill;     /* 32nds of many shards' entries that are used at most */
    uint64_t id_limit; /* ids are below: I8 */
    om_set_hooks hooks;
    bool closed;               /* nothing is interned any more; changes under I4 */
    om_directory directory;    /* the shards; changes under I4 */
    unsigned char line[64];    /* every look-up reads what is above, and who stores writes below */
    _Atomic uint64_t next_id;  /* ids handed out */
    _Atomic uint64_t most_ids; /* I1 */
    _Atomic uint64_t index_bytes; /* figures, written by leaders */
    _Atomic uint64_t entries, growths;
    /* The leaders'. */
    om_shard_heap smallest; /* all shards, the smallest on top */
    uint64_t newest;        /* what the shard made last lets the set have */
} om_set;

/* Vectors to intern, `stride` words apart, and where what becomes of them goes. */
typedef struct om_query {
    const uint32_t *vectors;
    size_t stride, count;
    uint64_t *ids;
    bool *fresh;
} om_query;

/* om_memory__init(), the quiescence and the fields before `closed` are the caller's to fill. */
int om_set__init(om_set *s, uint64_t entries);
/* Both are fine on zeroed memory, and leave it so. */
void om_set__free(om_set *s);
void om_set__free_index(om_set *s);

/*
 * Finds or stores up to OM_SET_BATCH vectors; the worker is inside,
 * and is again when this returns (it may have left in between). All are hashed and their entries
 * fetched before the first is looked up. The first *done have their ids[] and fresh[] after it.
 * OM_OK, OM_SET_CLOSED, or a status as of om_memory__take().
 */
int om_set__intern(om_set *s, om_growth *g, om_worker *w, const om_query *a, size_t *done);
/*
 * Two for a pause, for who leads it and who helps, each as another of the workers: an id within the
 * set's capacity (I1) gets its vector, which is new; and a vector its id. OM_EUNSUPPORTED: that
 * would take a growth.
 */
int om_set__put_paused(om_set *s, const uint32_t *vector, uint64_t id);
int om_set__intern_paused(om_set *s, om_worker *w, const uint32_t *vector, uint64_t *id);

uint64_t om_set__hash_wide(const om_set *s, const uint32_t *vector);
/* The hashes of stored vectors. */
void om_set__hash_ids(const om_set *s, const uint64_t *ids, size_t n, uint64_t *hash);

static inline uint64_t om_set__hash_pair(const om_set *s, uint64_t pair)
{
    /* The finaliser of splitmix64: one to one, so different pairs have different hashes. */
    pair = (pair ^ pair >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    pair = (pair ^ pair >> 27) * UINT64_C(0x94d049bb133111eb);
    return (pair ^ pair >> 31) & s->hooks.hash_mask;
}

static inline uint64_t om_pair__of(uint32_t left, uint32_t right)
{
    return left | (uint64_t) right << 32;
}

static inline uint64_t om_pair__at(const uint32_t *vector)
{
    return om_pair__of(vector[0], vector[1]);
}

/* The hash of a vector of s->words, which the caller may know as a constant. */
static inline __attribute__((always_inline)) uint64_t om_set__hash(
    const om_set *s, const uint32_t *vector, uint32_t words)
{
    if (words > OM_SET_NARROW)
        return om_set__hash_wide(s, vector);
    uint64_t hash = 0;
    uint32_t i = 0;
    for (; i + 2 < words; i += 2) {
        hash = (hash ^ om_pair__at(vector + i)) * UINT64_C(0x9fb21c651e98df25);
        hash ^= hash >> 32;
    }
    return om_set__hash_pair(s, hash ^ (i + 1 < words ? om_pair__at(vector + i) : vector[i]));
}

/* Likewise. */
static inline __attribute__((always_inline)) bool om_set__same(
    const uint32_t *a, const uint32_t *b, uint32_t words)
{
    if (words > OM_SET_NARROW)
        return memcmp(a, b, words * sizeof *a) == 0;
    uint64_t differ = 0;
    uint32_t i = 0;
    for (; i + 1 < words; i += 2)
        differ |= om_pair__at(a + i) ^ om_pair__at(b + i);
    return (differ | (i < words ? a[i] ^ b[i] : 0)) == 0;
}

static inline const om_shard *om_set__shard(const om_set *s, uint64_t hash)
{
    return om_directory__find(&s->directory, hash);
}

static inline const uint32_t *om_set__vector(const om_set *s, uint64_t id)
{
    return (const uint32_t *) om_pages__find(&s->pages, id);
}

static inline uint64_t om_set__bound(const om_set *s)
{
    return atomic_load_explicit(&s->next_id, memory_order_relaxed);
}

static inline uint64_t om_set__index_bytes(const om_set *s)
{
    return atomic_load_explicit(&s->index_bytes, memory_order_relaxed);
}

static inline void om_set__add_figure(_Atomic uint64_t *figure, uint64_t n)
{
    /* relaxed: a figure that one worker writes. */
    atomic_store_explicit(
        figure, atomic_load_explicit(figure, memory_order_relaxed) + n, memory_order_relaxed);
}

#endif
