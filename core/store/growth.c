/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing an index, in a pause that all workers share (gate.h).
 *
 * The leader chooses old shards, makes empty ones that take their places, and opens the gate to
 * MOVING. Blocks of the old shards are handed out by a counter; ids are put where their hashes say,
 * with compare-and-swap. When all blocks are done the old shards are given back.
 */
#include "set.h"

#define MOVE_BATCH ((size_t) 32)

enum {
    BLOCK = 4096,
    PAUSE_SLOTS = 1 << 16, /* moved in a pause, if the shards are that small */
    SMALL_SLOTS = 1 << 14  /* a single shard grows four times up to here */
};

/* The ids that a whole set may have where one of its shards has so many slots: full to 5/8 while it
 * is the only one. */
static uint64_t bearable(const om_set *s, uint64_t slots)
{
    return s->shard_mask == 0 ? slots / 8 * 5 : slots / 16 * s->fill * OM_SHARDS;
}

static unsigned bits_for(uint64_t ids)
{
    return 64 - (unsigned) __builtin_clzll(ids + 1);
}

static uint64_t shards_of(const om_set *s)
{
    return s->shard_mask + 1;
}

static int make_shard(om_set *s, uint64_t slots, om_shard *out)
{
    uint64_t ids = bearable(s, (slots + OM_LINE) * 2); /* it may be relieved before its turn */
    unsigned bits = bits_for(ids < s->id_limit ? ids : s->id_limit);
    *out = (om_shard){ .id_bits = (uint8_t) (bits < 10 ? 10 : bits),
        .wide = bits > s->seams.narrow_bits,
        .own = s->shard_mask == 0 };
    return om_shard_new(out, s->arena, slots);
}

/* What a shard in its place lets the set have: I1. */
static uint64_t shard_most_ids(const om_set *s, const om_shard *x)
{
    uint64_t ids = bearable(s, x->count), named = (UINT64_C(1) << x->id_bits) - 1;
    return ids < named ? ids : named;
}

/* Brings the set's own figures up to date; the leader's, or at the start. */
static void look_over(om_set *s)
{
    uint64_t slots = 0, bytes = 0, least = UINT64_MAX;
    for (uint64_t i = 0; i < shards_of(s); i++) {
        uint64_t ids = shard_most_ids(s, &s->shard[i]);
        slots += s->shard[i].count;
        bytes += om_shard_bytes(&s->shard[i]);
        least = ids < least ? ids : least;
    }
    /* relaxed: most_ids is a bound that only grows; the others are figures. */
    atomic_store_explicit(&s->slots, slots, memory_order_relaxed);
    atomic_store_explicit(&s->index_bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&s->most_ids, least, memory_order_relaxed);
}

int om_set__start(om_set *s, uint64_t slots)
{
    int rc = make_shard(s, slots, &s->shard[0]);
    if (rc == OM_OK)
        look_over(s);
    return rc;
}

/* ---- moving ---- */

/* Ids on their way: the vectors of the later half are fetched while the earlier half is put. */
typedef struct queue {
    uint64_t ids[2 * MOVE_BATCH];
    size_t first, count;
} queue;

static void put_some(om_growth *g, queue *q, size_t n)
{
    om_set *s = g->set;
    uint64_t hash[MOVE_BATCH], most = 1;
    const uint64_t *ids = q->ids + q->first;
    om_set_hash_ids(s, ids, n, hash);
    for (size_t i = 0; i < n; i++)
        om_shard_prefetch(om_set_shard(s, hash[i]), hash[i]);
    for (size_t i = 0; i < n; i++) {
        uint64_t lines = om_shard_put(om_set_shard(s, hash[i]), hash[i], ids[i], s->workers == 1);
        if (lines == 0)
            atomic_store_explicit(&g->overfull, true, memory_order_relaxed);
        most = lines > most ? lines : most;
    }
    q->first = (q->first + n) % (2 * MOVE_BATCH);
    q->count -= n;
    /* relaxed: read after done_blocks. Seldom more than once: most puts need a line or two. */
    uint64_t far = atomic_load_explicit(&g->farthest, memory_order_relaxed);
    while (most > far && !atomic_compare_exchange_weak_explicit(
                             &g->farthest, &far, most, memory_order_relaxed, memory_order_relaxed))
        ;
}

static void move_block(om_growth *g, const om_shard *old, uint64_t block)
{
    queue q = { .count = 0 };
    uint64_t end = (block + 1) * BLOCK < old->count ? (block + 1) * BLOCK : old->count;

    for (uint64_t i = block * BLOCK; i < end; i++) {
        uint64_t word = om_shard_load(old, i); /* the vector is hashed again: I2 */
        /* No branch on whether there is one, which nobody could foresee. */
        uint64_t id = word == 0 ? 0 : om_shard_id(old, word);
        __builtin_prefetch(om_set_vector(g->set, id));
        q.ids[(q.first + q.count) % (2 * MOVE_BATCH)] = id;
        q.count += word != 0;
        if (q.count == 2 * MOVE_BATCH)
            put_some(g, &q, MOVE_BATCH);
    }
    while (q.count != 0)
        put_some(g, &q, q.count < MOVE_BATCH ? q.count : MOVE_BATCH);
}

void om_growth_help(void *growth)
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

/* Moves the ids of g->old into the shards that are in the set now. False: one was too small. */
static bool move(om_set *s, om_growth *g)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < g->count; i++)
        most = g->old[i].count > most ? g->old[i].count : most;
    g->set = s;
    g->blocks_each = (most + BLOCK - 1) / BLOCK;
    atomic_store_explicit(&g->next_block, 0, memory_order_relaxed);
    atomic_store_explicit(&g->done_blocks, 0, memory_order_relaxed);
    atomic_store_explicit(&g->farthest, 0, memory_order_relaxed);
    atomic_store_explicit(&g->overfull, false, memory_order_relaxed);
    om_gate_move(s->gate, done);
    return !atomic_load_explicit(&g->overfull, memory_order_relaxed);
}

/* I5: what was put far from home is found there. */
static void reach(om_shard *x, uint64_t lines)
{
    while (om_shard_most_lines(x) < lines)
        x->limit_bits++;
}

/* ---- one shard becomes many ---- */

/* Shards of sizes from S to 2 S that together bear `ids`, or nothing. */
static int make_many(om_set *s, om_growth *g, uint64_t ids)
{
    uint64_t least = (ids / OM_SHARDS + 1) * 16 / s->fill + 1;
    int rc = OM_OK;
    unsigned n = 0;

    s->shard_mask = OM_SHARDS - 1;
    for (; n < OM_SHARDS && rc == OM_OK; n++)
        rc = make_shard(s, least + least * n / OM_SHARDS, &g->made[n]);
    if (rc != OM_OK) {
        while (n-- > 1)
            om_shard_free(&g->made[n - 1], s->arena);
        s->shard_mask = 0;
    }
    return rc;
}

static int split(om_set *s, om_growth *g, uint64_t ids)
{
    g->old[0] = s->shard[0];
    g->count = 1;
    for (;; ids *= 2) {
        int rc = make_many(s, g, ids);
        if (rc != OM_OK) {
            s->shard[0] = g->old[0];
            return rc;
        }
        memcpy(s->shard, g->made, sizeof s->shard); /* I4 */
        if (move(s, g))
            break;
        /* Hashes so uneven that one shard was too small for its share. */
        for (unsigned i = 0; i < OM_SHARDS; i++)
            om_shard_free(&s->shard[i], s->arena);
        s->shard_mask = 0;
    }
    om_shard_free(&g->old[0], s->arena);
    for (unsigned i = 0; i < OM_SHARDS; i++)
        reach(&s->shard[i], atomic_load_explicit(&g->farthest, memory_order_relaxed));
    return OM_OK;
}

/* ---- shards grow ---- */

/* Puts larger shards in the places of g->which. All or none. */
static int enlarge(om_set *s, om_growth *g, const uint64_t *slots)
{
    for (unsigned i = 0; i < g->count; i++) {
        int rc = make_shard(s, slots[i], &g->made[i]);
        if (rc != OM_OK) {
            while (i-- > 0)
                om_shard_free(&g->made[i], s->arena);
            return rc;
        }
    }
    for (unsigned i = 0; i < g->count; i++) {
        g->old[i] = s->shard[g->which[i]];
        s->shard[g->which[i]] = g->made[i]; /* I4 */
    }
    (void) move(s, g); /* each has more slots than the old one: nothing is overfull */
    for (unsigned i = 0; i < g->count; i++) {
        om_shard_free(&g->old[i], s->arena);
        reach(&s->shard[g->which[i]], atomic_load_explicit(&g->farthest, memory_order_relaxed));
    }
    return OM_OK;
}

static bool among(const om_growth *g, uint64_t shard)
{
    for (unsigned i = 0; i < g->count; i++)
        if (g->which[i] == shard)
            return true;
    return false;
}

/* The smallest shards that are not chosen yet, as many as make a pause. */
static int grow_smallest(om_set *s, om_growth *g)
{
    uint64_t slots[OM_SHARDS], sum = 0;
    g->count = 0;
    while (sum < PAUSE_SLOTS && g->count < shards_of(s)) {
        uint64_t k = UINT64_MAX;
        for (uint64_t i = 0; i < shards_of(s); i++)
            if ((k == UINT64_MAX ||
                    shard_most_ids(s, &s->shard[i]) < shard_most_ids(s, &s->shard[k])) &&
                !among(g, i))
                k = i;
        slots[g->count] = 2 * (uint64_t) s->shard[k].count;
        sum += s->shard[k].count;
        g->which[g->count++] = (unsigned) k;
    }
    return enlarge(s, g, slots);
}

static int grow_single(om_set *s, om_growth *g, uint64_t ids)
{
    uint64_t slots = s->shard[0].count;
    do
        slots *= slots < SMALL_SLOTS ? 4 : 2;
    while (bearable(s, slots) < ids);
    if (slots > s->seams.single_slots)
        return split(s, g, ids);
    g->count = 1;
    g->which[0] = 0;
    return enlarge(s, g, &slots);
}

int om_set__grow(om_set *s, om_growth *g, uint64_t ids)
{
    int rc = OM_OK;
    if (!om_gate_close(s->gate))
        return OM_OK; /* another led; the caller looks again */
    while (rc == OM_OK && atomic_load_explicit(&s->most_ids, memory_order_relaxed) < ids) {
        rc = s->shard_mask == 0 ? grow_single(s, g, ids) : grow_smallest(s, g);
        look_over(s);
        om_add(&s->growths, rc == OM_OK);
    }
    om_gate_open(s->gate);
    return rc;
}

int om_set__relieve(om_set *s, om_growth *g, uint64_t hash, const om_shard *seen)
{
    int rc = OM_OK;
    if (!om_gate_close(s->gate))
        return OM_OK;
    om_shard *x = &s->shard[om_set_shard(s, hash) - s->shard];
    if (x->slots.at == seen->slots.at && x->limit_bits == seen->limit_bits) {
        if (om_shard_used(x) < x->count / 8) {
            x->limit_bits++;
        } else {
            uint64_t slots = 2 * (uint64_t) x->count;
            g->count = 1;
            g->which[0] = (unsigned) (x - s->shard);
            rc = enlarge(s, g, &slots);
        }
        look_over(s);
        om_add(&s->growths, rc == OM_OK);
    }
    om_gate_open(s->gate);
    return rc;
}
