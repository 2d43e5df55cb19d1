/* SPDX-License-Identifier: Apache-2.0 */
#include "growth.h"

#include <assert.h>

#define MOVE_BATCH ((size_t) 32)

/* Ids in transit: the vectors of the later half are prefetched while the earlier half is put. */
typedef struct queue {
    uint64_t ids[2 * MOVE_BATCH];
    size_t first, count;
} queue;

static void put_some(om_growth *g, queue *q, size_t n)
{
    om_set *s = g->set;
    uint64_t hash[MOVE_BATCH], most = 1;
    const uint64_t *ids = q->ids + q->first;
    assert(n <= MOVE_BATCH && n <= q->count);
    om_set__hash_ids(s, ids, n, hash);
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(om_shard__home(om_set__shard(s, hash[i]), hash[i]));
    for (size_t i = 0; i < n; i++) {
        uint64_t lines = om_shard__put(om_set__shard(s, hash[i]), hash[i], ids[i], s->workers == 1);
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

static void move_block(om_growth *g, const om_shard *old, uint64_t block)
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
            put_some(g, &q, MOVE_BATCH);
    }
    while (q.count != 0)
        put_some(g, &q, q.count < MOVE_BATCH ? q.count : MOVE_BATCH);
}

static void help(void *growth)
{
    om_growth *g = growth;
    uint64_t blocks = g->blocks_each * g->count, block;
    /* relaxed: a ticket. The counts of done blocks carry the order. */
    while ((block = atomic_fetch_add_explicit(&g->next_block, 1, memory_order_relaxed)) < blocks) {
        move_block(g, &g->old[block / g->blocks_each], block % g->blocks_each);
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
    g->blocks_each = (most + OM_GROWTH_BLOCK - 1) / OM_GROWTH_BLOCK;
    atomic_store_explicit(&g->next_block, 0, memory_order_relaxed);
    atomic_store_explicit(&g->done_blocks, 0, memory_order_relaxed);
    atomic_store_explicit(&g->most_lines, 0, memory_order_relaxed);
    atomic_store_explicit(&g->overfull, false, memory_order_relaxed);
    om_quiescence__share(s->quiescence, help, done, g);
    return !atomic_load_explicit(&g->overfull, memory_order_relaxed);
}
