/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h: the shards of an index: where in 64-byte lines of slots an id is found by its hash.
 *
 * A slot is 0 (empty) or a word: id + 1 in its low bits, a fingerprint in those above. Slots have
 * 32 bits where that leaves a fingerprint of 4, else 64. How many bits the id has is the shard's
 * own affair, fixed when its slots are laid out.
 *
 *   hash   63..55 shard   54..32 fingerprint (its low bits: as many as fit)   31..0 home slot
 *
 * Large sets take more bits for the shard, from the high end of fingerprints, which are short then.
 * The home slot is found by a multiplication, so a shard has any number of lines. A look-up goes
 * round the line of its home, from the home on, then round the next lines, `most_steps` at most.
 */
#ifndef OM_STORE_INDEX_H
#define OM_STORE_INDEX_H

#include "arena.h"

/* A set has one shard, then so many, then more as they become large. */
enum { OM_SHARD_BITS = 9, OM_SHARDS = 1 << OM_SHARD_BITS, OM_SHARD_MOST_BITS = 20 };
enum { OM_LINE = 64, OM_NARROW_LINE_BITS = 4, OM_WIDE_LINE_BITS = 3 };
enum { OM_NARROW_ID_BITS = 28, OM_WIDE_ID_BITS = 40, OM_LIMIT_BITS = 5 };
_Static_assert((int) OM_WIDE_ID_BITS == (int) OM_PAGES_ID_BITS, "an id is what a page can hold");

typedef struct om_shard {
    union {
        _Atomic uint32_t *narrow;
        _Atomic uint64_t *wide;
        void *at; /* NULL: not made */
    } slots;
    uint32_t count; /* of slots, whole lines */
    uint8_t id_bits;
    bool wide;
    uint8_t limit_bits; /* log2 of the lines that a look-up goes through */
    uint8_t depth : 7;  /* the high bits of a hash that tell whether it belongs here */
    bool own : 1;       /* its slots are mapped by themselves: that spares small sets a huge page */
} om_shard;
_Static_assert(sizeof(om_shard) == 16, "shards are looked up in a small table");

static inline unsigned om_shard_line_bits(const om_shard *x)
{
    return x->wide ? OM_WIDE_LINE_BITS : OM_NARROW_LINE_BITS;
}

static inline size_t om_shard_bytes(const om_shard *x)
{
    return (size_t) x->count * (x->wide ? sizeof(uint64_t) : sizeof(uint32_t));
}

/* Slots of a look-up until the shard is called crowded. */
static inline uint64_t om_shard_most_steps(const om_shard *x)
{
    return UINT64_C(1) << (om_shard_line_bits(x) + x->limit_bits);
}

static inline uint64_t om_shard_home(const om_shard *x, uint64_t hash)
{
    return (uint64_t) (uint32_t) hash * x->count >> 32;
}

/* The slot that a look-up comes to at its step k = 0, 1, ... */
static inline uint64_t om_shard_slot(const om_shard *x, uint64_t home, uint64_t k)
{
    unsigned bits = om_shard_line_bits(x);
    uint64_t in_line = (UINT64_C(1) << bits) - 1, line = home & ~in_line;
    if (k > in_line) {
        line += k & ~in_line;
        if (line >= x->count)
            line %= x->count;
    }
    return line | ((home + k) & in_line);
}

/* acquire: pairs with the release of who put the word, so that what it names can be looked at. */
static inline uint64_t om_shard_load(const om_shard *x, uint64_t slot)
{
    return x->wide ? atomic_load_explicit(&x->slots.wide[slot], memory_order_acquire)
                   : atomic_load_explicit(&x->slots.narrow[slot], memory_order_acquire);
}

/* What the word of this hash has above the id. */
static inline uint64_t om_shard_fingerprint(const om_shard *x, uint64_t hash)
{
    uint64_t high = (hash >> 32) << x->id_bits;
    return x->wide ? high : (uint32_t) high;
}

static inline uint64_t om_shard_id(const om_shard *x, uint64_t word)
{
    return (word & ((UINT64_C(1) << x->id_bits) - 1)) - 1;
}

/*
 * Fills an empty slot; or returns false, and the word that is there. release: passes on what the
 * word names. acquire on failure: pairs with the winner's release.
 */
static inline bool om_shard_fill(const om_shard *x, uint64_t slot, uint64_t word, uint64_t *there)
{
    if (x->wide) {
        *there = 0;
        return atomic_compare_exchange_strong_explicit(
            &x->slots.wide[slot], there, word, memory_order_acq_rel, memory_order_acquire);
    }
    uint32_t seen = 0;
    bool filled = atomic_compare_exchange_strong_explicit(
        &x->slots.narrow[slot], &seen, (uint32_t) word, memory_order_acq_rel, memory_order_acquire);
    *there = seen;
    return filled;
}

static inline void om_shard_prefetch(const om_shard *x, uint64_t hash)
{
    uint64_t home = om_shard_home(x, hash);
    __builtin_prefetch((const char *) x->slots.at + (home << (x->wide ? 3 : 2)));
}

/*
 * Gives a shard, whose id_bits, wide and own are set, at least so many slots, all empty. Statuses
 * as om_pool_take().
 */
int om_shard_new(om_shard *x, om_arena *arena, uint64_t slots);
/* Fine on zeroed memory. */
void om_shard_free(om_shard *x, om_arena *arena);
/* Slots that are not empty; nobody may be filling any. */
uint64_t om_shard_used(const om_shard *x);
/*
 * Puts an id that is known to be new. Returns the number of slots that it had to look at, or 0: the
 * shard is full. `alone`: no other thread puts anything at this time.
 */
uint64_t om_shard_put(const om_shard *x, uint64_t hash, uint64_t id, bool alone);

#endif
