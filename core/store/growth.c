/* SPDX-License-Identifier: Apache-2.0 */
#include "growth.h"

#include <assert.h>

enum {
    PAUSE_ENTRIES = 1 << 16, /* entries moved in a pause, if shards are that small */
    BLOCKS_EACH = 2,         /* blocks that each worker moves, if there are many workers */
    SMALL_ENTRIES = 1 << 14  /* up to here a single shard grows fourfold */
};

/* The ids that a whole set may have if a shard of this depth has `entries` entries. The load factor
 * is at most 5/8 while it is the only shard. */
static uint64_t capacity_of(const om_set *s, unsigned depth, uint64_t entries)
{
    assert(depth <= OM_SHARD_MOST_BITS);
    return depth == 0 ? entries / 8 * 5 : entries * s->fill / 32 << depth;
}

static unsigned bits_for(uint64_t ids)
{
    return 64 - (unsigned) __builtin_clzll(ids + 1);
}

/* Makes a shard for ids that come from `old`. Its prefix has no more bits than the entries there
 * tell, unless their vectors are hashed again: those of `old` NULL, and where entries become wide,
 * which have room for long prefixes. */
static int make_shard(
    const om_set *s, unsigned depth, uint64_t entries, const om_shard *old, om_shard *out)
{
    uint64_t ids = capacity_of(s, depth, entries + OM_LINE); /* it may get a few entries more */
    unsigned bits = bits_for(ids < s->id_limit ? ids : s->id_limit);
    *out = (om_shard){ .id_bits = (uint8_t) (bits < 10 ? 10 : bits),
        .wide = bits > s->hooks.narrow_bits,
        .depth = (uint8_t) (depth & 0x7f),
        .own = depth == 0 };
    const int rc = om_shard__new(out, s->arena, entries);
    const unsigned known = old == NULL || old->wide != out->wide ? 64u : old->depth + old->prefix;
    const unsigned most = rc == OM_OK ? om_shard__most_prefix(out) : 0;
    out->prefix = (uint8_t) (depth + most < known ? most : known - depth);
    return rc;
}

/* The ids that a shard in its place lets the set have: I1. */
static uint64_t shard_most_ids(const om_set *s, const om_shard *x)
{
    uint64_t ids = capacity_of(s, x->depth, x->count), named = (UINT64_C(1) << x->id_bits) - 1;
    return ids < named ? ids : named;
}

/* ---- the smallest shard ---- */

static om_shard_bound bound_of(const om_set *s, uint64_t hash)
{
    return (om_shard_bound){ shard_most_ids(s, om_set__shard(s, hash)), hash };
}

/* Returns the smallest shard. A shard that grew in another way is too high in the heap: shards
 * never shrink, so it is enough to check it when it reaches the top. */
static om_shard_bound smallest(om_set *s)
{
    assert(s->smallest.count > 0);
    for (;;) {
        const om_shard_bound *top = om_shard_heap__at(&s->smallest, 0);
        om_shard_bound now = bound_of(s, top->hash);
        if (now.ids == top->ids)
            return now;
        om_shard_heap__replace_top(&s->smallest, now);
    }
}

static void add_to_heap(om_set *s, uint64_t hash)
{
    om_shard_heap__add(&s->smallest, bound_of(s, hash));
}

/* ---- figures ---- */

/* Adds differences of entries and bytes to the figures, modulo 2^64, and updates the bound on ids.
 * Leader only. */
static void note_figures(om_set *s, uint64_t entries, uint64_t bytes)
{
    /* relaxed: most_ids is a bound that only grows; the others are figures. */
    atomic_store_explicit(&s->entries,
        atomic_load_explicit(&s->entries, memory_order_relaxed) + entries, memory_order_relaxed);
    atomic_store_explicit(&s->index_bytes,
        atomic_load_explicit(&s->index_bytes, memory_order_relaxed) + bytes, memory_order_relaxed);
    const uint64_t most = smallest(s).ids;
    assert(most >= atomic_load_explicit(&s->most_ids, memory_order_relaxed) &&
           om_set__bound(s) <= most); /* I1 */
    atomic_store_explicit(&s->most_ids, most, memory_order_relaxed);
}

/* Computes the figures and the heap from all shards, of which there are few. */
static int survey_shards(om_set *s)
{
    uint64_t entries = 0, bytes = 0;
    const om_directory *d = &s->directory;
    s->smallest.count = 0;
    int rc = om_shard_heap__reserve(&s->smallest, UINT64_C(1) << d->bits);
    for (uint64_t i = 0; rc == OM_OK && i >> d->bits == 0; i = om_directory__next(d, i)) {
        entries += d->shard[i].count;
        bytes += om_shard__bytes(&d->shard[i]);
        add_to_heap(s, om_directory__hash(d, i));
    }
    atomic_store_explicit(&s->entries, 0, memory_order_relaxed);
    atomic_store_explicit(&s->index_bytes, 0, memory_order_relaxed);
    if (rc == OM_OK)
        note_figures(s, entries, bytes);
    return rc;
}

int om_set__start(om_set *s, uint64_t entries)
{
    om_shard_heap__init(&s->smallest, s->memory);
    int rc = om_directory__init(&s->directory, s->memory, 0);
    if (rc == OM_OK)
        rc = make_shard(s, 0, entries, NULL, s->directory.shard);
    return rc == OM_OK ? survey_shards(s) : rc;
}

/* I5: an id that was put far from its home line must be found there. */
static void reach(om_shard *x, uint64_t lines)
{
    while (om_shard__most_lines(x) < lines)
        x->limit_bits++;
}

/* ---- one shard becomes many ---- */

/* Makes shards of sizes from S to 2 S that together have capacity for `ids`, or none. */
static int make_many(const om_set *s, om_shard *many, uint64_t ids)
{
    uint64_t least = (ids / OM_SHARDS + 1) * 32 / s->fill + 1;
    int rc = OM_OK;
    unsigned n = 0;

    for (; n < OM_SHARDS && rc == OM_OK; n++)
        rc = make_shard(s, OM_SHARD_BITS, least + least * n / OM_SHARDS, NULL, &many[n]);
    while (rc != OM_OK && n-- > 1)
        om_shard__free(&many[n - 1], s->arena);
    return rc;
}

static void free_many(const om_set *s, om_shard *many)
{
    for (unsigned i = 0; i < OM_SHARDS; i++)
        om_shard__free(&many[i], s->arena);
}

static int split_single(om_set *s, om_growth *g, uint64_t ids)
{
    om_directory one = s->directory, many = { .shard = NULL };
    int rc = om_directory__init(&many, s->memory, OM_SHARD_BITS);
    bool moved = false;

    if (rc == OM_OK)
        rc = om_shard_heap__reserve(&s->smallest, OM_SHARDS);
    assert(one.bits == 0 && om_quiescence__is_paused(s->quiescence)); /* I4 */
    g->old[0] = one.shard[0];
    g->count = 1;
    g->apart = false;
    while (rc == OM_OK && !moved && (rc = make_many(s, many.shard, ids)) == OM_OK) {
        s->directory = many; /* I4 */
        moved = om_growth__move(g, s);
        if (!moved) {
            /* Hashes are so uneven that one shard was too small for its share. */
            free_many(s, many.shard);
            s->directory = one;
            ids *= 2;
        }
    }
    if (rc != OM_OK) {
        om_directory__free(&many, s->memory);
        return rc;
    }
    for (unsigned i = 0; i < OM_SHARDS; i++)
        reach(&many.shard[i], atomic_load_explicit(&g->most_lines, memory_order_relaxed));
    s->newest = shard_most_ids(s, &many.shard[OM_SHARDS - 1]);
    om_shard__free(&g->old[0], s->arena);
    om_directory__free(&one, s->memory);
    return survey_shards(s); /* there is capacity */
}

/* ---- shards grow ---- */

/*
 * Entries for a shard of this depth in the place of `old`, with which the set may have twice as
 * many ids. Sizes are all different, so that the set may have more ids as soon as the smallest few
 * shards have grown.
 */
static uint64_t enough(om_set *s, const om_growth *g, const om_shard *old, unsigned depth)
{
    uint64_t ids = capacity_of(s, old->depth, old->count), least = ids / 4 * 7, most = ids / 4 * 9;
    s->newest += s->newest / (s->smallest.count + g->count) / 4 * 3; /* about the n-th root of 2 */
    s->newest = s->newest < least ? least : s->newest > most ? most : s->newest;
    return (s->newest >> depth) / s->fill * 32 + 32;
}

/* Chooses the shard of this hash, which is not in the heap, to grow; splits it into two if it is
 * large and `may_split`. */
static int choose(om_set *s, om_growth *g, uint64_t hash, bool may_split)
{
    const om_shard old = *om_set__shard(s, hash);
    int rc = OM_OK;
    bool split = may_split && old.count > s->hooks.split_entries && old.depth < OM_SHARD_MOST_BITS;
    assert(g->count < OM_SHARDS && g->makes <= 2 * g->count);
    g->old[g->count] = old;
    g->hash[g->count++] = hash;
    if (split)
        rc = om_directory__prepare(&s->directory, s->memory, old.depth);
    for (unsigned n = 0; n <= split && rc == OM_OK; n++) {
        unsigned depth = old.depth + split;
        rc = make_shard(s, depth, enough(s, g, &old, depth), &old, &g->made[g->makes]);
        g->makes += rc == OM_OK;
    }
    return rc;
}

static void free_made(const om_set *s, om_growth *g)
{
    while (g->makes > 0)
        om_shard__free(&g->made[--g->makes], s->arena);
}

/* Puts the new shards in their places, one or two for each old one. */
static void install_made(om_set *s, const om_growth *g)
{
    unsigned k = 0;
    for (unsigned i = 0; i < g->count; i++) {
        unsigned depth = g->old[i].depth;
        om_directory__install(&s->directory, g->hash[i], &g->made[k++]);
        if (g->made[k - 1].depth > depth)
            om_directory__install(
                &s->directory, g->hash[i] | UINT64_C(1) << (63 - depth), &g->made[k++]);
    }
    assert(k == g->makes);
}

/* Moves the ids from the old shards to the new ones. Returns false if a new shard was too small;
 * nothing has changed then. */
static bool change_over(om_set *s, om_growth *g)
{
    assert(om_quiescence__is_paused(s->quiescence)); /* I4 */
    install_made(s, g);
    g->apart = true;
    if (!om_growth__move(g, s)) {
        for (unsigned i = 0; i < g->count; i++)
            om_directory__install(&s->directory, g->hash[i], &g->old[i]);
        free_made(s, g);
        return false;
    }
    for (unsigned i = 0; i < g->makes; i++)
        reach(&g->made[i], atomic_load_explicit(&g->most_lines, memory_order_relaxed));
    install_made(s, g);
    for (unsigned i = 0; i < g->count; i++)
        om_shard__free(&g->old[i], s->arena);
    return true;
}

/* Updates the figures and the bound on ids after a growth. There is capacity. */
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

/* Puts the shards of g->old, or their replacements, back into the heap. There is capacity. */
static void return_to_heap(om_set *s, const om_growth *g)
{
    for (unsigned i = 0; i < g->count; i++) {
        unsigned depth = g->old[i].depth;
        add_to_heap(s, g->hash[i]);
        if (om_set__shard(s, g->hash[i])->depth > depth)
            add_to_heap(s, g->hash[i] | UINT64_C(1) << (63 - depth));
    }
}

/* Entries that a pause moves: enough work for all workers. */
static uint64_t pause_entries(const om_set *s)
{
    uint64_t all = (uint64_t) s->workers * BLOCKS_EACH * OM_GROWTH_BLOCK;
    if (s->hooks.pause_entries != 0)
        return s->hooks.pause_entries;
    return all < PAUSE_ENTRIES ? PAUSE_ENTRIES : all;
}

/* Chooses the smallest shards, as many as one pause moves, and at least one. */
static int choose_smallest(om_set *s, om_growth *g, bool may_split)
{
    uint64_t sum = 0, most = pause_entries(s);
    int rc = OM_OK;
    g->count = g->makes = 0;
    while (rc == OM_OK && g->count < OM_SHARDS && s->smallest.count > 0) {
        uint64_t hash = smallest(s).hash;
        sum += om_set__shard(s, hash)->count;
        if (g->count > 0 && sum > most)
            break;
        om_shard_heap__remove_top(&s->smallest);
        rc = choose(s, g, hash, may_split);
    }
    return rc;
}

static int grow_smallest(om_set *s, om_growth *g, bool may_split)
{
    int rc = om_shard_heap__reserve(&s->smallest, s->smallest.count + OM_SHARDS);
    if (rc != OM_OK)
        return rc;
    rc = choose_smallest(s, g, may_split);
    bool moved = rc == OM_OK && change_over(s, g);
    if (rc != OM_OK)
        free_made(s, g);
    return_to_heap(s, g);
    if (moved)
        settle(s, g);
    /* Hashes are so uneven that the halves differ: double the entries instead of splitting. */
    return rc != OM_OK || moved ? rc : grow_smallest(s, g, false);
}

/* Grows the shard of a hash to `entries` entries. It keeps its place in the heap. */
static int grow_one(om_set *s, om_growth *g, uint64_t hash, uint64_t entries)
{
    assert(entries > om_set__shard(s, hash)->count);
    g->count = g->makes = 1;
    g->hash[0] = hash;
    g->old[0] = *om_set__shard(s, hash);
    int rc = make_shard(s, g->old[0].depth, entries, &g->old[0], &g->made[0]);
    if (rc == OM_OK) {
        bool moved = change_over(s, g);
        assert(moved); /* more entries than the old one: none is overfull */
        (void) moved;
        settle(s, g);
    }
    return rc;
}

static int grow_single(om_set *s, om_growth *g, uint64_t ids)
{
    uint64_t entries = s->directory.shard[0].count;
    do
        entries *= entries < SMALL_ENTRIES ? 4 : 2;
    while (capacity_of(s, 0, entries) < ids);
    if (entries > s->hooks.single_entries)
        return split_single(s, g, ids);
    return grow_one(s, g, 0, entries);
}

/* Work that can wait is done after the pause. A page fault on a huge page takes long: memory for
 * the next growth is populated before the next pause. */
static void end_pause(om_set *s)
{
    om_arena__foresee(s->arena);
    om_directory before = om_directory__take_before(&s->directory);
    om_quiescence__end(s->quiescence);
    om_directory__free(&before, s->memory);
}

int om_set__grow(om_set *s, om_growth *g, uint64_t ids)
{
    int rc = OM_OK;
    if (!om_quiescence__begin(s->quiescence))
        return OM_OK; /* another worker led; the caller checks again */
    /* Grows once: if that is not enough, other workers may proceed before the next pause. */
    if (atomic_load_explicit(&s->most_ids, memory_order_relaxed) < ids) {
        rc = s->directory.bits == 0 ? grow_single(s, g, ids) : grow_smallest(s, g, true);
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
    om_shard x = *om_set__shard(s, hash);
    if (x.entries.at == seen->entries.at && x.limit_bits == seen->limit_bits) {
        if (om_shard__used(&x) < x.count / 8) {
            assert(om_shard__most_lines(&x) < om_shard__bytes(&x) / OM_LINE); /* I5 */
            x.limit_bits++;
            om_directory__install(&s->directory, hash, &x);
        } else {
            rc = grow_one(s, g, hash, 2 * (uint64_t) x.count);
        }
        om_set__add_figure(&s->growths, rc == OM_OK);
    }
    end_pause(s);
    return rc;
}
