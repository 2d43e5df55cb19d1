/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.h: a concurrent set of distinct vectors of one width, each with a dense id.
 *
 * Vectors lie in append-only pages, at the place of their id; an index finds them by hash. The
 * index of a small set is one shard that grows as a whole. From a certain size on there are 512
 * shards, chosen by hash bits, of sizes between S and 2 S. They double a few at a time, the
 * smallest first, so a pause is short, memory follows the ids smoothly, and growing needs memory
 * for few shards only. A large shard is split into two instead, so that a pause stays short
 * whatever the size of the set: the two share its places in a directory, which doubles when all of
 * them are taken (extendible hashing: Fagin, Nievergelt, Pippenger, Strong 1979, section 2).
 *
 * Interning a vector linearises at the compare-and-swap that fills an empty entry (a new vector) or
 * at the acquire load of the entry that holds it (a known one). Between growths a call is
 * lock-free.
 *
 * Invariants:
 *  I1  The number of ids handed out never exceeds the capacity of the index, `most_ids`: the
 *      minimum over the shards of the ids that a shard can hold if hashes are uniform, and that its
 *      words have bits for.
 *  I2  A word is in an entry only after its vector was written (release); words never change.
 *  I3  A vector is in the index at most once: all look-ups of it inspect the same entries in the
 *      same order, entries never become empty again, and one look-up fills an empty one.
 *  I4  Shards change only in a pause: while no worker is inside.
 *  I5  A look-up terminates: it inspects at most `most_lines` lines of its shard. If it finds
 *      neither the vector nor an empty entry in them, the worker leads a growth of that one shard:
 *      to more entries, or, if hashes are so uneven that the shard is less than 1/8 full, to more
 *      lines, up to all lines of the shard.
 *  I8  A worker may take unused ids below `id_limit` from another worker, in a pause (I4): the
 *      limit applies to stored vectors, not to ids handed out. A look-up fails for lack of ids only
 *      if it began when no worker had any.
 */
#ifndef OM_STORE_SET_H
#define OM_STORE_SET_H

#include "directory.h"
#include "quiescence.h"
#include "shard_heap.h"

#include <string.h>

enum { OM_SET_BATCH = 128 };
/* Vectors of up to this many words are hashed and compared by inlined code. */
enum { OM_SET_NARROW = 8 };

/* Result of om_set__intern(), not an om_status: the set was closed; the remaining vectors belong to
 * another set. */
enum { OM_SET_CLOSED = 1 };

/* Parameters that tests change to provoke rare events early; 0 is the default for each. */
typedef struct om_set_hooks {
    uint64_t hash_mask;      /* bits of a hash that are kept */
    uint64_t single_entries; /* maximum entries of a single shard */
    uint64_t split_entries;  /* a shard with more entries is split when it grows */
    uint64_t pause_entries;  /* entries moved in a pause, or one shard */
    unsigned narrow_bits;    /* maximum id bits in 32-bit entries */
    uint64_t compress_at;    /* vectors before trees begin */
    uint32_t arity;          /* places of a root: 2 or 3 */
} om_set_hooks;

/* A worker's unused ids and its counters. Other threads read only the atomic members. */
typedef struct om_id_chunk {
    uint64_t next, end;
    bool borrowed;          /* some ids were another worker's (I8), so ids do not only rise */
    _Atomic uint64_t count; /* vectors stored by this worker */
    _Atomic uint64_t lookups, probes;
} om_id_chunk;

typedef struct om_worker {
    unsigned char padding_before[64]; /* keeps data of two workers on different cache lines */
    om_quiescence_flag flag;
    om_id_chunk chunk[2];    /* by the number of the set */
    struct om_memo *memo;    /* cache of inner nodes of trees */
    unsigned memo_shift;     /* shift that maps a hash to its place in `memo` */
    uint32_t *buffer, *rows; /* allocation; rows of the current batch, a cache line into it */
    struct om_stale *stale;  /* nodes of these rows that need new references (compression.c) */
    unsigned char padding_after[64];
} om_worker;

typedef struct om_growth om_growth; /* growth.h */

typedef struct om_set {
    om_memory *memory;
    om_arena *arena;
    om_quiescence *quiescence;
    om_pages pages;
    uint32_t words;
    unsigned number;   /* 0 or 1: among the sets that share a quiescence */
    unsigned workers;  /* number of workers that share it */
    om_worker *worker; /* array of these workers */
    unsigned fill;     /* maximum load of many shards' entries, in 32nds */
    uint64_t id_limit; /* ids are below it: I8 */
    om_set_hooks hooks;
    bool closed;                  /* nothing is interned any more; changes under I4 */
    om_directory directory;       /* the shards; changes under I4 */
    unsigned char line[64];       /* look-ups read the members above; stores write those below */
    _Atomic uint64_t next_id;     /* ids handed out */
    _Atomic uint64_t most_ids;    /* I1 */
    _Atomic uint64_t index_bytes; /* figures, written by leaders */
    _Atomic uint64_t entries, growths;
    /* Leader only. */
    om_shard_heap smallest; /* all shards, the smallest on top */
    uint64_t newest;        /* ids that the newest shard lets the set have */
} om_set;

/* Vectors to intern, `stride` words apart, and the arrays for the results. */
typedef struct om_set_query {
    const uint32_t *vectors;
    size_t stride, count;
    uint64_t *ids;
    bool *fresh;
} om_set_query;

/* Initialises a set. The caller has initialised the memory, the quiescence and the members before
 * `closed`. */
int om_set__init(om_set *s, uint64_t entries);
/* The next two free a set, or only its index. Both accept a zeroed set and leave it zeroed. */
void om_set__free(om_set *s);
void om_set__free_index(om_set *s);

/*
 * Finds or stores up to OM_SET_BATCH vectors. The worker is inside before and after, but may leave
 * in between. All vectors are hashed and their entries prefetched before the first look-up. The
 * first *done vectors have their ids[] and fresh[]. Returns OM_OK, OM_SET_CLOSED, or a status as of
 * om_memory__take().
 */
int om_set__intern(om_set *s, om_growth *g, om_worker *w, const om_set_query *a, size_t *done);
/*
 * The next two are for a pause, for the leader and its helpers, each with a different worker. The
 * first stores a new vector under a given id within the set's capacity (I1); the second interns a
 * vector. OM_EUNSUPPORTED: the operation would need a growth.
 */
int om_set__put_paused(om_set *s, const uint32_t *vector, uint64_t id);
int om_set__intern_paused(om_set *s, om_worker *w, const uint32_t *vector, uint64_t *id);

uint64_t om_set__hash_wide(const om_set *s, const uint32_t *vector);
/* Computes the hashes of stored vectors. */
void om_set__hash_ids(const om_set *s, const uint64_t *ids, size_t n, uint64_t *hash);

static inline uint64_t om_set__hash_pair(const om_set *s, uint64_t pair)
{
    /* The finaliser of splitmix64: a bijection, so different pairs have different hashes. */
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

/* The hash of a vector of s->words words; `words` is the same number, as a constant if possible. */
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

/* True if two vectors are equal; `words` as above. */
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
