/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing the index, in a pause that all workers share.
 *
 * The leader closes the gate and waits until nobody is inside; workers are inside for one batch at
 * most and never wait there, so that is short. It sets up the new index and opens the gate to
 * MOVING: whoever arrives then helps. Blocks of the old index are handed out by a counter; the
 * entries of a block are put into the new index with compare-and-swap. When all blocks are done the
 * leader shuts MOVING, waits for the last helper to look away, puts the new index in place and
 * opens the gate.
 *
 * Two handshakes are of the "each writes its own flag, then reads the other's" kind, where both
 * sides need sequential consistency so that at least one sees the other:
 *  H1  a worker writes `inside`, reads `gate`; the leader writes `gate`, reads every `inside`;
 *  H2  a helper adds to `helpers`, reads `gate`; the leader leaves MOVING, reads `helpers`.
 * There is one leader at a time: who closes the open gate with a compare-and-swap.
 */
#include "store.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <sched.h>

enum { BLOCK = 1024, MOVE_BATCH = 32 };

uint64_t om_store__hash(const om_store *s, const uint32_t *vector)
{
    return XXH3_64bits(vector, s->words * sizeof *vector);
}

int om_store__index_new(om_store *s, uint64_t slots, om_store_index *out)
{
    void *at = NULL;
    if (slots > SIZE_MAX / sizeof(uint64_t))
        return OM_ENOMEM;
    int rc = om_pool_take(&s->pool, (size_t) slots * sizeof(uint64_t), &at);
    if (rc == OM_OK)
        *out = (om_store_index){ .slots = at, .bytes = at, .mask = slots - 1 };
    return rc;
}

void om_store__index_free(om_store *s, om_store_index *x)
{
    if (x->slots != NULL)
        om_pool_give(&s->pool, x->slots, (size_t) (x->mask + 1) * sizeof *x->slots);
    x->slots = NULL;
}

/* Puts words that are known to be distinct into the new index. */
static void put(om_store *s, const uint64_t *words, const uint64_t *hash, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t at = hash[i] & s->to.mask, empty = 0;
        /* release: passes on the vector that was acquired with the word (I2). relaxed on failure:
         * another entry, which is not looked at. */
        while (!atomic_compare_exchange_strong_explicit(
            &s->to.slots[at], &empty, words[i], memory_order_release, memory_order_relaxed)) {
            at = (at + 1) & s->to.mask;
            empty = 0;
        }
    }
}

static void move_batch(om_store *s, const uint64_t *words, size_t n)
{
    uint64_t hash[MOVE_BATCH];
    for (size_t i = 0; i < n; i++) {
        hash[i] = om_store__hash(s, om_store__vector(s, (words[i] & OM_STORE_ID_MASK) - 1));
        om_store__prefetch(&s->to, hash[i]);
    }
    put(s, words, hash, n);
}

static void move_block(om_store *s, uint64_t block)
{
    uint64_t words[MOVE_BATCH];
    size_t n = 0;
    uint64_t first = block * BLOCK, end = first + BLOCK;

    if (end > s->index.mask + 1)
        end = s->index.mask + 1;
    for (uint64_t i = first; i < end; i++) {
        /* acquire: pairs with the release of who stored it; the vector is hashed again. */
        uint64_t word = atomic_load_explicit(&s->index.slots[i], memory_order_acquire);
        if (word == 0)
            continue;
        __builtin_prefetch(om_store__vector(s, (word & OM_STORE_ID_MASK) - 1));
        words[n++] = word;
        if (n == MOVE_BATCH) {
            move_batch(s, words, n);
            n = 0;
        }
    }
    move_batch(s, words, n);
}

static uint64_t blocks_of(const om_store *s)
{
    return (s->index.mask + BLOCK) / BLOCK;
}

static void move_some(om_store *s)
{
    uint64_t blocks = blocks_of(s), block;
    /* relaxed: a ticket. The counts of done blocks carry the order. */
    while ((block = atomic_fetch_add_explicit(&s->next_block, 1, memory_order_relaxed)) < blocks) {
        move_block(s, block);
        /* release: pairs with the leader's acquire in lead(). */
        (void) atomic_fetch_add_explicit(&s->done_blocks, 1, memory_order_release);
    }
}

/* Outside the index: waits until the gate is open, and helps where there is something to help. */
static void wait_open(om_store *s)
{
    for (;;) {
        /* acquire: pairs with the leader's last store, after which the new index is in place. */
        unsigned gate = atomic_load_explicit(&s->gate, memory_order_acquire);
        if (gate == OM_GATE_OPEN)
            return;
        if (gate == OM_GATE_MOVING) {
            (void) atomic_fetch_add_explicit(&s->helpers, 1, memory_order_seq_cst); /* H2 */
            if (atomic_load_explicit(&s->gate, memory_order_seq_cst) == OM_GATE_MOVING)
                move_some(s);
            /* release: pairs with the leader's wait for helpers. */
            (void) atomic_fetch_sub_explicit(&s->helpers, 1, memory_order_release);
        }
        (void) sched_yield();
    }
}

void om_store__enter(om_store *s, om_store_worker *w)
{
    for (;;) {
        atomic_store_explicit(&w->inside, 1, memory_order_seq_cst); /* H1 */
        if (atomic_load_explicit(&s->gate, memory_order_seq_cst) == OM_GATE_OPEN)
            return;
        om_store__leave(w);
        wait_open(s);
    }
}

/* The leader's part, with the gate closed: everybody out, a new index, everything moved. */
static int lead(om_store *s, uint64_t ids)
{
    uint64_t slots = s->index.mask + 1;

    for (unsigned i = 0; i < s->workers; i++)
        while (atomic_load_explicit(&s->worker[i].inside, memory_order_seq_cst) != 0) /* H1 */
            (void) sched_yield();
    if (om_store__most_ids(slots) >= ids)
        return OM_OK; /* somebody else has been here */
    do
        slots *= slots < (UINT64_C(1) << 20) ? 4 : 2;
    while (om_store__most_ids(slots) < ids);
    int rc = om_store__index_new(s, slots, &s->to);
    if (rc != OM_OK)
        return rc;
    atomic_store_explicit(&s->next_block, 0, memory_order_relaxed);
    atomic_store_explicit(&s->done_blocks, 0, memory_order_relaxed);
    /* seq_cst includes release: helpers see `to` and the counters. */
    atomic_store_explicit(&s->gate, OM_GATE_MOVING, memory_order_seq_cst);
    move_some(s);
    while (atomic_load_explicit(&s->done_blocks, memory_order_acquire) != blocks_of(s))
        (void) sched_yield();
    atomic_store_explicit(&s->gate, OM_GATE_CLOSED, memory_order_seq_cst); /* H2 */
    while (atomic_load_explicit(&s->helpers, memory_order_seq_cst) != 0)
        (void) sched_yield();
    om_store__index_free(s, &s->index);
    s->index = s->to; /* I4 */
    s->to = (om_store_index){ .slots = NULL };
    atomic_store_explicit(&s->most_ids, om_store__most_ids(slots), memory_order_relaxed);
    return OM_OK;
}

int om_store__grow(om_store *s, uint64_t ids)
{
    unsigned open = OM_GATE_OPEN;
    if (!atomic_compare_exchange_strong_explicit(
            &s->gate, &open, OM_GATE_CLOSED, memory_order_seq_cst, memory_order_relaxed)) {
        wait_open(s); /* one grows already; the caller looks again */
        return OM_OK;
    }
    int rc = lead(s, ids);
    /* seq_cst includes release: pairs with the loads of the gate in enter and wait_open. */
    atomic_store_explicit(&s->gate, OM_GATE_OPEN, memory_order_seq_cst);
    return rc;
}
