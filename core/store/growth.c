/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing an index, in a pause that all workers share (quiescence.h).
 *
 * The leader chooses old shards, makes empty ones that take their places, and shares
 * MOVING. Blocks of the old shards are handed out by a counter; ids are put where their hashes say,
 * with compare-and-swap. When all blocks are done the old shards are given back.
 */
#include "set.h"

#define MOVE_BATCH ((size_t) 32)

enum {
    BLOCK = 4096,
    PAUSE_ENTRIES = 1 << 16, /* moved in a pause, if the shards are that small */
    BLOCKS_EACH = 2,         /* for a worker to move, more of them where there are many workers */
    SMALL_ENTRIES = 1 << 14  /* a single shard grows four times up to here */
};

/* The ids that a whole set may have where a shard of this depth has so many entries: full to 5/8
 * while it is the only one. */
static uint64_t capacity_of(const om_set *s, unsigned depth, uint64_t entries)
{
    return depth == 0 ? entries / 8 * 5 : entries * s->fill / 32 << depth;
}

static unsigned bits_for(uint64_t ids)
{
    return 64 - (unsigned) __builtin_clzll(ids + 1);
}

static int make_shard(const om_set *s, unsigned depth, uint64_t entries, om_shard *out)
{
    uint64_t ids = capacity_of(s, depth, entries + OM_LINE); /* it may get a few entries more */
    unsigned bits = bits_for(ids < s->id_limit ? ids : s->id_limit);
    *out = (om_shard){ .id_bits = (uint8_t) (bits < 10 ? 10 : bits),
        .wide = bits > s->hooks.narrow_bits,
        .depth = (uint8_t) (depth & 0x7f),
        .own = depth == 0 };
    return om_shard__new(out, s->arena, entries);
}

/* What a shard in its place lets the set have: I1. */
static uint64_t shard_most_ids(const om_set *s, const om_shard *x)
{
    uint64_t ids = capacity_of(s, x->depth, x->count), named = (UINT64_C(1) << x->id_bits) - 1;
    return ids < named ? ids : named;
}

/* ---- the smallest shard ---- */

static bool is_before(const om_shard_bound *a, const om_shard_bound *b)
{
    return a->ids < b->ids || (a->ids == b->ids && a->hash < b->hash);
}

/* Room in the heap for so many more shards. */
static int reserve_heap(om_set *s, size_t more)
{
    om_shard_bound *heap =
        om_grow(s->memory->heap, s->heap, &s->heap_capacity, s->shards + more, sizeof *heap);
    if (heap == NULL)
        return OM_ENOMEM;
    s->heap = heap;
    return OM_OK;
}

/* There is capacity. */
static void heap_add(om_set *s, om_shard_bound x)
{
    size_t i = s->shards++;
    for (; i > 0 && is_before(&x, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = x;
}

static void sink(om_set *s, om_shard_bound x)
{
    size_t i = 0;
    for (size_t k; (k = 2 * i + 1) < s->shards; i = k) {
        if (k + 1 < s->shards && is_before(&s->heap[k + 1], &s->heap[k]))
            k++;
        if (!is_before(&s->heap[k], &x))
            break;
        s->heap[i] = s->heap[k];
    }
    s->heap[i] = x;
}

static om_shard_bound bound_of(const om_set *s, uint64_t hash)
{
    return (om_shard_bound){ shard_most_ids(s, om_set__shard(s, hash)), hash };
}

/* The smallest shard as it is. One that grew otherwise, or was divided, is too high: shards
 * never shrink, so it is enough to inspect it when it comes to the top. */
static om_shard_bound smallest(om_set *s)
{
    for (;;) {
        om_shard_bound now = bound_of(s, s->heap[0].hash);
        if (now.ids == s->heap[0].ids)
            return now;
        sink(s, now);
    }
}

static om_shard_bound take_smallest(om_set *s)
{
    om_shard_bound top = smallest(s);
    if (--s->shards > 0)
        sink(s, s->heap[s->shards]);
    return top;
}

/* The place of a hash, from which its shard can be found while places double. */
static uint64_t hash_of(const om_set *s, uint64_t place)
{
    return s->shard_bits == 0 ? 0 : place << (63 - s->shard_bits) << 1;
}

/* ---- figures ---- */

/* What so many entries and bytes less and more come to; and the bound on ids. The leader's. */
static void note_figures(om_set *s, uint64_t entries, uint64_t bytes)
{
    /* relaxed: most_ids is a bound that only grows; the others are figures. */
    atomic_store_explicit(&s->entries,
        atomic_load_explicit(&s->entries, memory_order_relaxed) + entries, memory_order_relaxed);
    atomic_store_explicit(&s->index_bytes,
        atomic_load_explicit(&s->index_bytes, memory_order_relaxed) + bytes, memory_order_relaxed);
    atomic_store_explicit(&s->most_ids, smallest(s).ids, memory_order_relaxed);
}

/* From nothing: all shards, of which there are few. */
static int survey_shards(om_set *s)
{
    uint64_t entries = 0, bytes = 0;
    s->shards = 0;
    int rc = reserve_heap(s, (size_t) 1 << s->shard_bits);
    for (uint64_t i = 0; rc == OM_OK && i >> s->shard_bits == 0; i = om_set__next_shard(s, i)) {
        entries += s->shard[i].count;
        bytes += om_shard__bytes(&s->shard[i]);
        heap_add(s, bound_of(s, hash_of(s, i)));
    }
    atomic_store_explicit(&s->entries, 0, memory_order_relaxed);
    atomic_store_explicit(&s->index_bytes, 0, memory_order_relaxed);
    if (rc == OM_OK)
        note_figures(s, entries, bytes);
    return rc;
}

int om_set__start(om_set *s, uint64_t entries)
{
    s->shard = om_alloc(s->memory->heap, 1, sizeof *s->shard);
    int rc = s->shard == NULL ? OM_ENOMEM : make_shard(s, 0, entries, s->shard);
    return rc == OM_OK ? survey_shards(s) : rc;
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
        uint64_t word = om_shard__load(old, i); /* the vector is hashed again: I2 */
        /* No branch on whether there is one, which nobody could foresee. */
        uint64_t id = word == 0 ? 0 : om_shard__id(old, word);
        __builtin_prefetch(om_set__vector(g->set, id));
        q.ids[(q.first + q.count) % (2 * MOVE_BATCH)] = id;
        q.count += word != 0;
        if (q.count == 2 * MOVE_BATCH)
            put_some(g, &q, MOVE_BATCH);
    }
    while (q.count != 0)
        put_some(g, &q, q.count < MOVE_BATCH ? q.count : MOVE_BATCH);
}

void om_growth__help(void *growth)
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
    om_quiescence__share(s->quiescence, done);
    return !atomic_load_explicit(&g->overfull, memory_order_relaxed);
}

/* I5: what was put far from home is found there. */
static void reach(om_shard *x, uint64_t lines)
{
    while (om_shard__most_lines(x) < lines)
        x->limit_bits++;
}

/* ---- one shard becomes many ---- */

/* Shards of sizes from S to 2 S that together have capacity for `ids`, or nothing. */
static int make_many(const om_set *s, om_shard *many, uint64_t ids)
{
    uint64_t least = (ids / OM_SHARDS + 1) * 32 / s->fill + 1;
    int rc = OM_OK;
    unsigned n = 0;

    for (; n < OM_SHARDS && rc == OM_OK; n++)
        rc = make_shard(s, OM_SHARD_BITS, least + least * n / OM_SHARDS, &many[n]);
    while (rc != OM_OK && n-- > 1)
        om_shard__free(&many[n - 1], s->arena);
    return rc;
}

static int split_single(om_set *s, om_growth *g, uint64_t ids)
{
    om_shard *one = s->shard, *many = om_alloc(s->memory->heap, OM_SHARDS, sizeof *many);
    int rc = many == NULL ? OM_ENOMEM : reserve_heap(s, OM_SHARDS);
    bool moved = false;

    g->old[0] = one[0];
    g->count = 1;
    while (rc == OM_OK && !moved && (rc = make_many(s, many, ids)) == OM_OK) {
        s->shard = many; /* I4 */
        s->shard_bits = OM_SHARD_BITS;
        moved = move(s, g);
        if (!moved) {
            /* Hashes so uneven that one shard was too small for its share. */
            for (unsigned i = 0; i < OM_SHARDS; i++)
                om_shard__free(&many[i], s->arena);
            s->shard = one;
            s->shard_bits = 0;
            ids *= 2;
        }
    }
    if (rc == OM_OK) {
        for (unsigned i = 0; i < OM_SHARDS; i++)
            reach(&many[i], atomic_load_explicit(&g->farthest, memory_order_relaxed));
        s->newest = shard_most_ids(s, &many[OM_SHARDS - 1]);
        om_shard__free(&g->old[0], s->arena);
        many = one;
        rc = survey_shards(s); /* there is capacity */
    }
    om_free(s->memory->heap, many);
    return rc;
}

/* ---- shards grow ---- */

/* Puts a shard into all of its places, which begin where `hash` belongs. */
static void install(om_set *s, uint64_t hash, const om_shard *x)
{
    om_shard *at = s->shard + (om_set__shard(s, hash) - s->shard);
    for (uint64_t n = UINT64_C(1) << (s->shard_bits - x->depth); n > 0; n--)
        *at++ = *x;
}

/* Makes each shard have two places where it had one. */
static int double_places(om_set *s)
{
    om_shard *twice = om_alloc(s->memory->heap, (size_t) 2 << s->shard_bits, sizeof *twice);
    if (twice == NULL)
        return OM_ENOMEM;
    for (uint64_t i = 0; i >> s->shard_bits == 0; i++)
        twice[2 * i] = twice[2 * i + 1] = s->shard[i];
    om_free(s->memory->heap, s->shard);
    s->shard = twice; /* I4 */
    s->shard_bits++;
    return OM_OK;
}

/* Entries for a shard of this depth in the place of `old`: the set may have twice as many ids. No
 * two alike, so that it may have more when the smallest few have grown. */
static uint64_t enough(om_set *s, const om_growth *g, const om_shard *old, unsigned depth)
{
    uint64_t ids = capacity_of(s, old->depth, old->count), least = ids / 4 * 7, most = ids / 4 * 9;
    s->newest += s->newest / (s->shards + g->count) / 4 * 3; /* about the n-th root of 2 */
    s->newest = s->newest < least ? least : s->newest > most ? most : s->newest;
    return (s->newest >> depth) / s->fill * 32 + 32;
}

/* Has a shard grow, or become two where it is large and may. */
static int choose(om_set *s, om_growth *g, uint64_t hash, bool may_split)
{
    const om_shard old = *om_set__shard(s, hash);
    bool split = may_split && old.count > s->hooks.split_entries && old.depth < OM_SHARD_MOST_BITS;
    if (split && old.depth == s->shard_bits && double_places(s) != OM_OK)
        return OM_ENOMEM;
    g->old[g->count] = old;
    g->hash[g->count++] = hash;
    for (unsigned n = 0; n <= split; n++) {
        om_shard *x = &g->made[g->makes];
        unsigned depth = old.depth + split;
        int rc = make_shard(s, depth, enough(s, g, &old, depth), x);
        if (rc != OM_OK)
            return rc;
        g->makes++;
    }
    return OM_OK;
}

static void free_made(const om_set *s, om_growth *g)
{
    while (g->makes > 0)
        om_shard__free(&g->made[--g->makes], s->arena);
}

/* Puts those that were made in their places, one or two for each old one. */
static void install_made(om_set *s, const om_growth *g)
{
    unsigned k = 0;
    for (unsigned i = 0; i < g->count; i++) {
        unsigned depth = g->old[i].depth;
        install(s, g->hash[i], &g->made[k++]);
        if (g->made[k - 1].depth > depth)
            install(s, g->hash[i] | UINT64_C(1) << (63 - depth), &g->made[k++]);
    }
}

/* Ids go from the old shards to those that were made. False: one of these was too small, and
 * nothing has changed. */
static bool change_over(om_set *s, om_growth *g)
{
    install_made(s, g); /* I4 */
    if (!move(s, g)) {
        for (unsigned i = 0; i < g->count; i++)
            install(s, g->hash[i], &g->old[i]);
        free_made(s, g);
        return false;
    }
    for (unsigned i = 0; i < g->makes; i++)
        reach(&g->made[i], atomic_load_explicit(&g->farthest, memory_order_relaxed));
    install_made(s, g);
    for (unsigned i = 0; i < g->count; i++)
        om_shard__free(&g->old[i], s->arena);
    return true;
}

/* The figures after a growth, and the bounds of those that were made. There is capacity. */
static void settle(om_set *s, const om_growth *g)
{
    uint64_t entries = 0, bytes = 0;
    unsigned k = 0;
    for (unsigned i = 0; i < g->count; i++) {
        entries -= g->old[i].count;
        bytes -= om_shard__bytes(&g->old[i]);
    }
    for (; k < g->makes; k++) {
        entries += g->made[k].count;
        bytes += om_shard__bytes(&g->made[k]);
    }
    note_figures(s, entries, bytes);
}

/* The shards of g->old, or what they became, go back into the heap. */
static void return_to_heap(om_set *s, const om_growth *g)
{
    for (unsigned i = 0; i < g->count; i++) {
        unsigned depth = g->old[i].depth;
        heap_add(s, bound_of(s, g->hash[i]));
        if (om_set__shard(s, g->hash[i])->depth > depth)
            heap_add(s, bound_of(s, g->hash[i] | UINT64_C(1) << (63 - depth)));
    }
}

/* Entries that a pause moves: there is work for all. */
static uint64_t pause_entries(const om_set *s)
{
    uint64_t all = (uint64_t) s->workers * BLOCKS_EACH * BLOCK;
    return all < PAUSE_ENTRIES ? PAUSE_ENTRIES : all;
}

/* The smallest shards, as many as make a pause, and one at least. */
static int grow_smallest(om_set *s, om_growth *g, bool may_split)
{
    uint64_t sum = 0, most = pause_entries(s);
    int rc = reserve_heap(s, OM_SHARDS);
    g->count = g->makes = 0;
    while (rc == OM_OK && g->count < OM_SHARDS && s->shards > 0) {
        const om_shard_bound next = smallest(s);
        sum += om_set__shard(s, next.hash)->count;
        if (g->count > 0 && sum > most)
            break;
        rc = choose(s, g, take_smallest(s).hash, may_split);
    }
    bool moved = rc == OM_OK && change_over(s, g);
    if (rc != OM_OK)
        free_made(s, g);
    return_to_heap(s, g);
    if (moved)
        settle(s, g);
    /* Hashes so uneven that halves differ: twice the entries will do. */
    return rc != OM_OK || moved ? rc : grow_smallest(s, g, false);
}

/* One shard, to so many entries. */
static int grow_one(om_set *s, om_growth *g, uint64_t place, uint64_t entries)
{
    g->count = g->makes = 1;
    g->hash[0] = hash_of(s, place);
    g->old[0] = s->shard[place];
    int rc = make_shard(s, g->old[0].depth, entries, &g->made[0]);
    if (rc == OM_OK) {
        (void) change_over(s, g); /* more entries than the old one: nothing is overfull */
        settle(s, g);
    }
    return rc;
}

static int grow_single(om_set *s, om_growth *g, uint64_t ids)
{
    uint64_t entries = s->shard[0].count;
    do
        entries *= entries < SMALL_ENTRIES ? 4 : 2;
    while (capacity_of(s, 0, entries) < ids);
    if (entries > s->hooks.single_entries)
        return split_single(s, g, ids);
    return grow_one(s, g, 0, entries);
}

/* A fault on a huge page takes long: what the next growth will want is had before the next pause.
 */
static void end_pause(const om_set *s)
{
    om_span next = om_arena__next_span(s->arena);
    om_quiescence__end(s->quiescence);
    om_arena__populate(next);
}

int om_set__grow(om_set *s, om_growth *g, uint64_t ids)
{
    int rc = OM_OK;
    if (!om_quiescence__begin(s->quiescence))
        return OM_OK; /* another led; the caller asks again */
    /* Once: if that is not enough, others get in before the next pause. */
    if (atomic_load_explicit(&s->most_ids, memory_order_relaxed) < ids) {
        rc = s->shard_bits == 0 ? grow_single(s, g, ids) : grow_smallest(s, g, true);
        om_set__add_figure(&s->growths, rc == OM_OK);
    }
    end_pause(s);
    return rc;
}

int om_set__relieve(om_set *s, om_growth *g, uint64_t hash, const om_shard *seen)
{
    int rc = OM_OK;
    if (!om_quiescence__begin(s->quiescence))
        return OM_OK;
    uint64_t place = (uint64_t) (om_set__shard(s, hash) - s->shard);
    place = place >> (s->shard_bits - s->shard[place].depth)
                         << (s->shard_bits - s->shard[place].depth);
    om_shard *x = &s->shard[place];
    if (x->entries.at == seen->entries.at && x->limit_bits == seen->limit_bits) {
        if (om_shard__used(x) < x->count / 8) {
            om_shard longer = *x;
            longer.limit_bits++;
            install(s, place << (63 - s->shard_bits) << 1, &longer);
        } else {
            rc = grow_one(s, g, place, 2 * (uint64_t) x->count);
        }
        om_set__add_figure(&s->growths, rc == OM_OK);
    }
    end_pause(s);
    return rc;
}
