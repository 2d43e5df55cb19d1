/* SPDX-License-Identifier: Apache-2.0 */
#include "growth.h"

#include <assert.h>

#define MOVE_BATCH ((size_t) 32)
enum { MOST_LINES = 1 << 14 }; /* of a shard whose entries are put by what they tell */

/* Ids in transit: the vectors of the later half are prefetched while the earlier half is put. */
typedef struct queue {
    uint64_t ids[2 * MOVE_BATCH];
    size_t first, count;
} queue;

static void put_some(om_growth *g, queue *q, size_t n, bool alone)
{
    om_set *s = g->set;
    uint64_t hash[MOVE_BATCH], most = 1;
    const uint64_t *ids = q->ids + q->first;
    assert(n <= MOVE_BATCH && n <= q->count);
    om_set__hash_ids(s, ids, n, hash);
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(om_shard__home(om_set__shard(s, hash[i]), hash[i]));
    for (size_t i = 0; i < n; i++) {
        uint64_t lines = om_shard__put(om_set__shard(s, hash[i]), hash[i], ids[i], alone);
        if (lines == 0)
            atomic_store_explicit(&g->overfull, true, memory_order_relaxed);
        most = lines > most ? lines : most;
    }
    q->first = (q->first + n) % (2 * MOVE_BATCH);
    q->count -= n;
    /* relaxed: read after done_blocks. Seldom runs more than once: most puts need a line or two. */
    uint64_t far = atomic_load_explicit(&g->most_lines, memory_order_relaxed);
    while (most > far && !atomic_compare_exchange_weak_explicit(&g->most_lines, &far, most,
                             memory_order_relaxed, memory_order_relaxed))
        ;
}

static void move_block(om_growth *g, const om_shard *old, uint64_t block, bool alone)
{
    queue q = { .count = 0 };
    uint64_t end =
        (block + 1) * OM_GROWTH_BLOCK < old->count ? (block + 1) * OM_GROWTH_BLOCK : old->count;

    for (uint64_t i = block * OM_GROWTH_BLOCK; i < end; i++) {
        uint64_t word = om_shard__load(old, i); /* the vector is hashed again: I2 */
        /* No branch on whether the entry is used, which would be unpredictable. */
        uint64_t id = word == 0 ? 0 : om_shard__id(old, word);
        assert(word == 0 || id < om_set__bound(g->set)); /* I1 */
        __builtin_prefetch(om_set__vector(g->set, id));
        q.ids[(q.first + q.count) % (2 * MOVE_BATCH)] = id;
        q.count += word != 0;
        if (q.count == 2 * MOVE_BATCH)
            put_some(g, &q, MOVE_BATCH, alone);
    }
    while (q.count != 0)
        put_some(g, &q, q.count < MOVE_BATCH ? q.count : MOVE_BATCH, alone);
}

/* ---- a shard whose entries tell their places in the new ones ---- */

/* A new shard that is being filled by one thread: how many entries of each line are used. */
typedef struct target {
    const om_shard *shard;
    unsigned bits, shift; /* of a fingerprint; prefix - bits */
    uint64_t lines, mask; /* mask: the prefix's bits */
    uint8_t used[MOST_LINES];
} target;

static void aim(target *t, const om_shard *x)
{
    t->shard = x;
    t->bits = om_shard__fingerprint_bits(x);
    t->shift = x->prefix - t->bits;
    t->lines = om_shard__lines(x);
    t->mask = (UINT64_C(1) << x->prefix) - 1;
    memset(t->used, 0, t->lines);
}

/* Puts an id into its home line. Returns false if that is full. `prefix`: of the new shard. */
static inline bool put_home(target *t, uint64_t prefix, uint64_t id)
{
    const om_shard *x = t->shard;
    const uint64_t scaled = prefix * t->lines, line = scaled >> x->prefix;
    const uint64_t word = ((scaled & t->mask) >> t->shift << x->id_bits) | (id + 1);
    const unsigned line_bits = om_shard__line_bits(x);
    if (t->used[line] >> line_bits != 0)
        return false;
    const uint64_t at = (line << line_bits) + t->used[line]++;
    /* relaxed: published by the end of the pause. */
    if (x->wide)
        atomic_store_explicit(&x->entries.wide[at], word, memory_order_relaxed);
    else
        atomic_store_explicit(&x->entries.narrow[at], (uint32_t) word, memory_order_relaxed);
    return true;
}

/* Returns true if the entries of the old shard tell all that a new one needs. */
static bool tells_enough(const om_shard *old, const om_shard *x)
{
    return x->depth + x->prefix <= old->depth + old->prefix && om_shard__lines(x) <= MOST_LINES;
}

/* Puts the entries of the old shard that have not been put: their vectors are hashed. */
static void move_rest(om_growth *g, const om_shard *old, const uint64_t *put)
{
    queue q = { .count = 0 };
    for (uint64_t i = 0; i < old->count; i += 64)
        for (uint64_t left = ~put[i / 64]; left != 0; left &= left - 1) {
            const uint64_t at = i + (uint64_t) __builtin_ctzll(left);
            const uint64_t word = at < old->count ? om_shard__load(old, at) : 0;
            if (word == 0)
                continue;
            const uint64_t id = om_shard__id(old, word);
            __builtin_prefetch(om_set__vector(g->set, id));
            q.ids[(q.first + q.count++) % (2 * MOVE_BATCH)] = id;
            if (q.count == 2 * MOVE_BATCH)
                put_some(g, &q, MOVE_BATCH, true);
        }
    while (q.count != 0)
        put_some(g, &q, q.count < MOVE_BATCH ? q.count : MOVE_BATCH, true);
}

/* Moves an old shard into `to`, which is one new shard twice unless it is divided. Entries in their
 * home lines are put without a look at their vectors, and before the others, which would take their
 * places. No other thread uses these shards. */
static void move_told(om_growth *g, const om_shard *old, target *const to[2])
{
    const om_teller f = om_teller__of(old);
    const uint64_t elsewhere = om_shard__elsewhere(old);
    const unsigned line_bits = om_shard__line_bits(old);
    const unsigned known = old->prefix - (to[0] != to[1]);
    uint64_t put[OM_LINE / sizeof(uint32_t) * MOST_LINES / 64];
    memset(put, 0, (old->count + 63) / 64 * sizeof *put);
    for (uint64_t i = 0; i < old->count; i++) {
        const uint64_t word = om_shard__load(old, i);
        assert(word == 0 || om_shard__id(old, word) < om_set__bound(g->set)); /* I1 */
        if (word == 0 || word >= elsewhere)
            continue;
        const uint64_t prefix = om_teller__prefix(&f, i >> line_bits, word);
        target *t = to[prefix >> known & 1];
        const uint64_t its = prefix & ((UINT64_C(1) << known) - 1);
        const bool done = put_home(t, its >> (known - t->shard->prefix), om_shard__id(old, word));
        put[i / 64] |= (uint64_t) done << i % 64;
    }
    move_rest(g, old, put);
}

/* Moves a whole old shard, which has new ones of its own. */
static void move_shard(om_growth *g, unsigned number)
{
    const om_shard *old = &g->old[number];
    const uint64_t hash = g->hash[number] & ~(UINT64_MAX >> old->depth);
    const om_shard *low = om_set__shard(g->set, hash);
    const om_shard *high = low->depth == old->depth
                               ? low
                               : om_set__shard(g->set, hash | UINT64_C(1) << (63 - old->depth));
    if (tells_enough(old, low) && tells_enough(old, high) && om_shard__lines(old) <= MOST_LINES) {
        target a, b;
        aim(&a, low);
        if (high != low)
            aim(&b, high);
        move_told(g, old, (target *const[]){ &a, high == low ? &a : &b });
        return;
    }
    for (uint64_t block = 0; block * OM_GROWTH_BLOCK < old->count; block++)
        move_block(g, old, block, true);
}

static void help(void *growth)
{
    om_growth *g = growth;
    uint64_t blocks = g->blocks_each * g->count, block;
    /* relaxed: a ticket. The counts of done blocks carry the order. */
    while ((block = atomic_fetch_add_explicit(&g->next_block, 1, memory_order_relaxed)) < blocks) {
        if (g->apart)
            move_shard(g, (unsigned) block);
        else
            move_block(
                g, &g->old[block / g->blocks_each], block % g->blocks_each, g->set->workers == 1);
        /* release: pairs with the leader's acquire in done(). */
        (void) atomic_fetch_add_explicit(&g->done_blocks, 1, memory_order_release);
    }
}

static bool done(const void *growth)
{
    const om_growth *g = growth;
    return atomic_load_explicit(&g->done_blocks, memory_order_acquire) == g->blocks_each * g->count;
}

bool om_growth__move(om_growth *g, om_set *s)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < g->count; i++)
        most = g->old[i].count > most ? g->old[i].count : most;
    assert(most > 0 && om_quiescence__is_paused(s->quiescence)); /* I4 */
    g->set = s;
    g->blocks_each = g->apart ? 1 : (most + OM_GROWTH_BLOCK - 1) / OM_GROWTH_BLOCK;
    atomic_store_explicit(&g->next_block, 0, memory_order_relaxed);
    atomic_store_explicit(&g->done_blocks, 0, memory_order_relaxed);
    atomic_store_explicit(&g->most_lines, 0, memory_order_relaxed);
    atomic_store_explicit(&g->overfull, false, memory_order_relaxed);
    om_quiescence__share(s->quiescence, help, done, g);
    return !atomic_load_explicit(&g->overfull, memory_order_relaxed);
}
