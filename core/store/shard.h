/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shard.h: the shards of an index. A shard finds an id by its hash in 64-byte lines of entries.
 *
 * An entry is 0 (empty) or a word: id + 1 in its low bits, a fingerprint in the bits above. Entries
 * have 32 bits if that leaves 4 bits for a fingerprint, else 64. The number of id bits is a
 * property of the shard and is fixed when its entries are laid out.
 *
 *   hash   shard (depth)   prefix   bits that only the vector tells
 *
 * The shard is chosen by the highest bits of the hash, its depth. The bits that follow are the
 * prefix, a number below 2^p. Its product with the number of lines is divided by 2^p: the quotient
 * is the home line, and the first bits of the rest are the fingerprint. A shard may therefore have
 * any number of lines. A look-up inspects the home line from its first entry on, then the next
 * lines, `most_lines` in all. Lines are filled from the front; all entries of a line are compared
 * at once.
 *
 *  E1  A line and a fingerprint belong to one prefix at most: 2^p is at most the lines times the
 *      fingerprints. So an entry in its home line tells its prefix. When the shard grows, the entry
 *      finds its new place without a look at its vector; when the shard is divided, the first bit
 *      of the prefix says into which half it goes. (J. G. Cleary, "Compact hash
 *      tables using bidirectional linear probing", IEEE Trans. Computers C-33, 1984, stores what
 *      the place does not tell of a key, too.)
 *  E2  The highest eighth of the fingerprints is for entries outside their home lines, which do not
 *      tell theirs. Entries in their home lines may have them, too, and then do not tell it,
 * either.
 */
#ifndef OM_STORE_SHARD_H
#define OM_STORE_SHARD_H

#include "arena.h"

/* A set has one shard, then OM_SHARDS, then more as the shards become large. */
enum { OM_SHARD_BITS = 9, OM_SHARDS = 1 << OM_SHARD_BITS, OM_SHARD_MOST_BITS = 20 };
enum { OM_LINE = 64, OM_NARROW_LINE_BITS = 4, OM_WIDE_LINE_BITS = 3 };
enum { OM_NARROW_ID_BITS = 28, OM_WIDE_ID_BITS = 40, OM_LIMIT_BITS = 5 };
_Static_assert((int) OM_WIDE_ID_BITS == (int) OM_PAGES_ID_BITS, "an id is what a page can hold");

typedef struct om_shard {
    union {
        _Atomic uint32_t *narrow;
        _Atomic uint64_t *wide;
        void *at; /* NULL if the shard does not exist */
    } entries;
    uint32_t count; /* number of entries, in whole lines */
    uint8_t id_bits;
    uint8_t prefix;         /* hash bits that the place and the fingerprint of an entry tell */
    uint8_t limit_bits : 7; /* log2 of the lines that a look-up inspects */
    bool wide : 1;
    uint8_t depth : 7; /* number of high hash bits that the hashes of the shard share */
    bool own : 1;      /* its entries have their own mapping, which saves small sets a huge page */
} om_shard;
_Static_assert(sizeof(om_shard) == 16, "look-ups read a shard each");

static inline unsigned om_shard__line_bits(const om_shard *x)
{
    return x->wide ? OM_WIDE_LINE_BITS : OM_NARROW_LINE_BITS;
}

static inline size_t om_shard__bytes(const om_shard *x)
{
    return (size_t) x->count * (x->wide ? sizeof(uint64_t) : sizeof(uint32_t));
}

/* Lines that a look-up inspects before it reports the shard as crowded. */
static inline uint64_t om_shard__most_lines(const om_shard *x)
{
    return UINT64_C(1) << x->limit_bits;
}

/* A line of entries. */
typedef unsigned char *om_line;

/* Most bits of a prefix. A product with the lines has at most 60. */
enum { OM_PREFIX_MOST = 32 };

/* Bits of a fingerprint */
static inline unsigned om_shard__fingerprint_bits(const om_shard *x)
{
    const unsigned room = (x->wide ? 64 : 32) - x->id_bits;
    return room < x->prefix ? room : x->prefix;
}

static inline uint64_t om_shard__lines(const om_shard *x)
{
    return x->count >> om_shard__line_bits(x);
}

/* The prefix of a hash, times the lines: the home line, and how far the prefix is in its part. */
static inline uint64_t om_shard__scaled(const om_shard *x, uint64_t hash)
{
    return (hash << x->depth >> (64 - x->prefix)) * om_shard__lines(x);
}

static inline om_line om_shard__home(const om_shard *x, uint64_t hash)
{
    return (om_line) x->entries.at + (om_shard__scaled(x, hash) >> x->prefix) * OM_LINE;
}

static inline om_line om_shard__next_line(const om_shard *x, om_line line)
{
    line += OM_LINE;
    return line == (om_line) x->entries.at + om_shard__bytes(x) ? (om_line) x->entries.at : line;
}

/* Entry i of a line. */
static inline _Atomic uint32_t *om_line__narrow(om_line line, uint32_t i)
{
    return (_Atomic uint32_t *) (void *) line + i;
}

static inline _Atomic uint64_t *om_line__wide(om_line line, uint32_t i)
{
    return (_Atomic uint64_t *) (void *) line + i;
}

/* acquire: pairs with the release of the thread that put the word, so that the vector of its id can
 * be read. */
static inline uint64_t om_line__load(const om_shard *x, om_line line, uint32_t i)
{
    return x->wide ? atomic_load_explicit(om_line__wide(line, i), memory_order_acquire)
                   : atomic_load_explicit(om_line__narrow(line, i), memory_order_acquire);
}

/* Loads any entry of a shard. acquire: as om_line__load(). */
static inline uint64_t om_shard__load(const om_shard *x, uint64_t entry)
{
    return x->wide ? atomic_load_explicit(&x->entries.wide[entry], memory_order_acquire)
                   : atomic_load_explicit(&x->entries.narrow[entry], memory_order_acquire);
}

/* The bits above the id in the word of this hash. */
static inline uint64_t om_shard__fingerprint(const om_shard *x, uint64_t hash)
{
    const unsigned bits = om_shard__fingerprint_bits(x);
    const uint64_t part = om_shard__scaled(x, hash) & ((UINT64_C(1) << x->prefix) - 1);
    return part >> (x->prefix - bits) << x->id_bits;
}

/* The least fingerprint, in its place, of entries that are not in their home line. */
static inline uint64_t om_shard__elsewhere(const om_shard *x)
{
    return UINT64_C(7) << (om_shard__fingerprint_bits(x) - 3) << x->id_bits;
}

/* The fingerprint outside the home line of a hash that has this one there. */
static inline uint64_t om_shard__displaced(const om_shard *x, uint64_t fingerprint)
{
    return om_shard__elsewhere(x) | (fingerprint >> x->id_bits >> 3 << x->id_bits);
}

/* Reads the prefixes of entries; `inverse` is 1 / lines. */
typedef struct om_teller {
    const om_shard *shard;
    unsigned bits, shift; /* of a fingerprint; of the prefix, without these */
    uint64_t lines;
    double inverse;
} om_teller;

static inline om_teller om_teller__of(const om_shard *x)
{
    const unsigned bits = om_shard__fingerprint_bits(x);
    const uint64_t lines = om_shard__lines(x);
    return (om_teller){ x, bits, x->prefix - bits, lines, 1.0 / (double) lines };
}

/* Returns the prefix of an entry of this line, which is its home line, and whose word is below
 * om_shard__elsewhere(): the least one whose product with the lines is not below what the line and
 * the fingerprint say (E1). */
static inline uint64_t om_teller__prefix(const om_teller *f, uint64_t line, uint64_t word)
{
    const uint64_t scaled = (line << f->bits | word >> f->shard->id_bits) << f->shift;
    uint64_t prefix = (uint64_t) ((double) scaled * f->inverse);
    prefix += prefix * f->lines < scaled;
    prefix -= prefix != 0 && (prefix - 1) * f->lines >= scaled;
    return prefix;
}

static inline uint64_t om_shard__id(const om_shard *x, uint64_t word)
{
    return (word & ((UINT64_C(1) << x->id_bits) - 1)) - 1;
}

/* Fills an empty entry. If it is not empty, returns false and stores its word in *there. release:
 * publishes the vector of the word's id. acquire on failure: pairs with the winner's release. */
static inline bool om_line__fill(
    const om_shard *x, om_line line, uint32_t i, uint64_t word, uint64_t *there)
{
    if (x->wide) {
        *there = 0;
        return atomic_compare_exchange_strong_explicit(
            om_line__wide(line, i), there, word, memory_order_acq_rel, memory_order_acquire);
    }
    uint32_t seen = 0;
    bool filled = atomic_compare_exchange_strong_explicit(om_line__narrow(line, i), &seen,
        (uint32_t) word, memory_order_acq_rel, memory_order_acquire);
    *there = seen;
    return filled;
}

/* As om_line__fill(), for an entry known to be empty and a caller without concurrent writers: saves
 * the compare-and-swap, which costs more than the rest of a put. */
static inline void om_line__fill_alone(const om_shard *x, om_line line, uint32_t i, uint64_t word)
{
    /* release: as om_line__fill(); other threads help with growths. */
    if (x->wide)
        atomic_store_explicit(om_line__wide(line, i), word, memory_order_release);
    else
        atomic_store_explicit(om_line__narrow(line, i), (uint32_t) word, memory_order_release);
}

/*
 * The entries of a line, as bits, that are empty or whose word has this fingerprint. A concurrently
 * written word may be seen or not; its entry was empty, and then its bit is set, too. The bits
 * therefore say which entries to load with om_line__load(); an entry without a bit need not be
 * inspected.
 */
static inline uint32_t om_line__candidates(const om_shard *x, om_line line, uint64_t fingerprint);
/* The empty entries of a line, as bits. */
static inline uint32_t om_line__empty(const om_shard *x, om_line line);

/* Gives a shard, whose id_bits, wide and own are set, at least `entries` empty entries. Statuses as
 * om_memory__take(). */
int om_shard__new(om_shard *x, om_arena *arena, uint64_t entries);
/* Frees the entries of a shard. Accepts a zeroed shard. */
void om_shard__free(om_shard *x, om_arena *arena);
/* Returns the most bits that the prefix of a shard may have, whose other members are set: E1. */
unsigned om_shard__most_prefix(const om_shard *x);
/* Returns the number of used entries; no thread may be filling any. */
uint64_t om_shard__used(const om_shard *x);
/* Puts an id that is known to be new. Returns the number of lines that it inspected, or 0 if the
 * shard is full. `alone`: no other thread puts anything at the same time. */
uint64_t om_shard__put(const om_shard *x, uint64_t hash, uint64_t id, bool alone);

/* ---- comparison of a whole line ---- */

/* Portable version: one entry at a time. */
static inline uint32_t om_line__candidates_slowly(
    const om_shard *x, om_line line, uint64_t fingerprint)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < UINT32_C(1) << om_shard__line_bits(x); i++) {
        uint64_t word = om_line__load(x, line, i);
        found |= (uint32_t) (word == 0 || (word ^ fingerprint) >> x->id_bits == 0) << i;
    }
    return found;
}

static inline uint32_t om_line__empty_slowly(const om_shard *x, om_line line)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < UINT32_C(1) << om_shard__line_bits(x); i++)
        found |= (uint32_t) (om_line__load(x, line, i) == 0) << i;
    return found;
}

#if defined(__SSE2__) && !defined(OM_NO_SSE2)
#include <emmintrin.h>

/*
 * Compares sixteen entries at once. The loads are not atomic operations, but the processor does not
 * tear the four bytes of an entry, and the contract above holds for any moment at which an entry is
 * seen. It has to be a single moment: volatile keeps the compiler from loading once for each of the
 * two comparisons, because a word may arrive in between. The thread sanitizer cannot know this.
 */
__attribute__((no_sanitize("thread"))) static inline uint32_t om_line__compare(
    const unsigned char *line, uint32_t fingerprint, unsigned id_bits)
{
    const volatile __m128i *four = (const volatile __m128i *) (const void *) line;
    const __m128i want = _mm_set1_epi32((int) fingerprint), none = _mm_setzero_si128();
    const __m128i shift = _mm_cvtsi32_si128((int) id_bits);
    __m128i hit[4];
    for (unsigned i = 0; i < 4; i++) {
        __m128i word = four[i];
        __m128i rest = _mm_srl_epi32(_mm_xor_si128(word, want), shift);
        hit[i] = _mm_or_si128(_mm_cmpeq_epi32(rest, none), _mm_cmpeq_epi32(word, none));
    }
    return (uint32_t) _mm_movemask_epi8(
        _mm_packs_epi16(_mm_packs_epi32(hit[0], hit[1]), _mm_packs_epi32(hit[2], hit[3])));
}

static inline uint32_t om_line__candidates(const om_shard *x, om_line line, uint64_t fingerprint)
{
    return x->wide ? om_line__candidates_slowly(x, line, fingerprint)
                   : om_line__compare(line, (uint32_t) fingerprint, x->id_bits);
}

/* With 0 id bits, only the fingerprint 0 of an empty entry is 0. */
static inline uint32_t om_line__empty(const om_shard *x, om_line line)
{
    return x->wide ? om_line__empty_slowly(x, line) : om_line__compare(line, 0, 0);
}
#else
static inline uint32_t om_line__candidates(const om_shard *x, om_line line, uint64_t fingerprint)
{
    return om_line__candidates_slowly(x, line, fingerprint);
}

static inline uint32_t om_line__empty(const om_shard *x, om_line line)
{
    return om_line__empty_slowly(x, line);
}
#endif

#endif
