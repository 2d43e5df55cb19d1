/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bit_set.h: sets of vectors as bits of one array: three bits for each vector, at places that are
 * hashed from it (B. H. Bloom 1970; the places as in M. Mitzenmacher and A. Kirsch, Less hashing,
 * same performance, 2006). A vector that was added is always found; one that was not added may be
 * found by mistake.
 *
 * Several sets share the array; their number is hashed, too, to tell them apart. Not thread-safe.
 */
#ifndef OMEN_CHECK_BIT_SET_H
#define OMEN_CHECK_BIT_SET_H

#include <omen/plugin/base.h>

#include <assert.h>

enum { BIT_SET_HASHES = 3 };

typedef struct bit_set {
    unsigned char *bits;
    uint64_t mask, filled; /* number of bits that are 1 */
} bit_set;

/* Creates a set of 2^log2_bits bits, with log2_bits from 3 to 63. Returns false if memory runs
 * out. */
static inline bool bit_set_new(bit_set *b, const om_heap *heap, unsigned log2_bits)
{
    assert(log2_bits >= 3 && log2_bits < 64);
    *b = (bit_set){ .mask = (UINT64_C(1) << log2_bits) - 1 };
    b->bits = om_alloc(heap, (size_t) (b->mask / 8 + 1), 1);
    return b->bits != NULL;
}

static inline void bit_set_free(bit_set *b, const om_heap *heap)
{
    om_free(heap, b->bits);
    *b = (bit_set){ 0 };
}

static inline uint64_t bit_set_bytes(const bit_set *b)
{
    return b->bits == NULL ? 0 : b->mask / 8 + 1;
}

/* A permutation of 64-bit words: the finaliser of splitmix64 */
static inline uint64_t bit_set_mix(uint64_t h)
{
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

static inline uint64_t bit_set_hash(const uint32_t *vector, uint32_t words, uint32_t set)
{
    uint64_t h = set;
    for (uint32_t i = 0; i < words; i++)
        h = bit_set_mix(h + 0x9e3779b97f4a7c15u + vector[i]);
    return h;
}

/* Returns the distance between the places of a vector. */
static inline uint64_t bit_set_distance(uint64_t hash)
{
    return bit_set_mix(hash + 0x2545f4914f6cdd1du) | 1;
}

static inline bool bit_set_has(
    const bit_set *b, const uint32_t *vector, uint32_t words, uint32_t set)
{
    uint64_t h = bit_set_hash(vector, words, set), d = bit_set_distance(h);
    for (int i = 0; i < BIT_SET_HASHES; i++, h += d)
        if ((b->bits[(h & b->mask) >> 3] >> (h & 7) & 1) == 0)
            return false;
    return true;
}

static inline void bit_set_add(bit_set *b, const uint32_t *vector, uint32_t words, uint32_t set)
{
    uint64_t h = bit_set_hash(vector, words, set), d = bit_set_distance(h);
    for (int i = 0; i < BIT_SET_HASHES; i++, h += d) {
        unsigned char *at = &b->bits[(h & b->mask) >> 3], bit = (unsigned char) (1u << (h & 7));
        b->filled += (*at & bit) == 0;
        *at |= bit;
    }
}

/* Returns the probability that a vector which is not in a set is found to be absent. It was no
 * lower while fewer bits were set. */
static inline double bit_set_coverage(const bit_set *b)
{
    double fill = (double) b->filled / ((double) b->mask + 1), taken = 1;
    for (int i = 0; i < BIT_SET_HASHES; i++)
        taken *= fill;
    return 1 - taken;
}

#endif
