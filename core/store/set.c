/* SPDX-License-Identifier: Apache-2.0 */
#include "growth.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <assert.h>

enum {
    ENTRIES_DEFAULT = 1024,
    CHUNK_LEAST = 8, /* ids a worker takes at a time; more as it uses more */
    CHUNK_MOST = 1024
};
_Static_assert(CHUNK_MOST <= 1 << OM_SEGMENT_FIRST_BITS, "a chunk touches at most two segments");

/* Look-ups read the directory; stores write the number of the next id. */
_Static_assert(offsetof(om_set, next_id) >= offsetof(om_set, closed) + sizeof(om_directory) + 64,
    "on different cache lines");

/* The result of a look-up. */
typedef enum outcome { SETTLED, NO_ID, CROWDED } outcome;

int om_set__init(om_set *s, uint64_t entries)
{
    om_pages__init(&s->pages, s->memory, s->words * sizeof(uint32_t));
    if (s->hooks.hash_mask == 0)
        s->hooks.hash_mask = UINT64_MAX;
    if (s->hooks.single_entries == 0)
        s->hooks.single_entries = UINT64_C(1) << 18;
    if (s->hooks.split_entries == 0)
        s->hooks.split_entries = UINT64_C(1) << 16;
    if (s->hooks.narrow_bits == 0)
        s->hooks.narrow_bits = OM_NARROW_ID_BITS;
    return om_set__start(s, entries == 0 ? ENTRIES_DEFAULT : entries);
}

void om_set__free_index(om_set *s)
{
    om_directory *d = &s->directory;
    om_shard_heap__free(&s->smallest);
    if (d->shard == NULL)
        return;
    for (uint64_t i = 0; i >> d->bits == 0; i = om_directory__next(d, i))
        om_shard__free(&d->shard[i], s->arena);
    om_directory__free(d, s->memory);
    atomic_store_explicit(&s->index_bytes, 0, memory_order_relaxed);
}

void om_set__free(om_set *s)
{
    om_set__free_index(s);
    om_pages__free(&s->pages);
    s->pages = (om_pages){ .memory = NULL };
    /* Not the whole set: other threads may be reading figures. */
    atomic_store_explicit(&s->next_id, 0, memory_order_relaxed);
}

uint64_t om_set__hash_wide(const om_set *s, const uint32_t *vector)
{
    return XXH3_64bits(vector, s->words * sizeof *vector) & s->hooks.hash_mask;
}

/* The number of ids a worker takes at once: grows with the vectors it has stored, shrinks near the
 * limit. */
static uint64_t chunk_size(const om_set *s, const om_id_chunk *k, uint64_t left)
{
    assert(left > 0);
    uint64_t n = atomic_load_explicit(&k->count, memory_order_relaxed) / 4;
    n = n < CHUNK_LEAST ? CHUNK_LEAST : n > CHUNK_MOST ? CHUNK_MOST : n;
    uint64_t share = left / (2 * (uint64_t) s->workers);
    if (n > share)
        n = share == 0 ? 1 : share;
    return n < left ? n : left;
}

/*
 * No ids are left: for states (set 0) this is the limit on states, for nodes it counts as memory.
 */
static int out_of_ids(const om_set *s)
{
    if (s->memory->control != NULL)
        (void) om_control_stop(
            s->memory->control, s->number == 0 ? OM_STOP_STATES : OM_STOP_MEMORY);
    return OM_ELIMIT;
}

/* Result of take_chunk(), not an om_status: all ids were handed out, though some may be unused. */
enum { ALL_TAKEN = 2 };

/*
 * Takes new ids for a worker that has none left. The worker is inside (or leads): ids of a closed
 * set must not be taken, because its numbering continues in another set. Returns OM_OK with
 * *lacking 0, or with the number of ids that the index needs capacity for first (I1); or ALL_TAKEN.
 */
static int take_chunk(om_set *s, om_id_chunk *k, uint64_t *lacking)
{
    uint64_t first, n;
    void *at;

    assert(k->next == k->end && !s->closed);
    *lacking = 0;
    /* relaxed: ids are numbers; vectors are published through the index. */
    first = atomic_load_explicit(&s->next_id, memory_order_relaxed);
    do {
        if (first >= s->id_limit)
            return ALL_TAKEN;
        n = chunk_size(s, k, s->id_limit - first);
        assert(n > 0 && n <= s->id_limit - first); /* I8 */
        if (first + n > atomic_load_explicit(&s->most_ids, memory_order_relaxed)) {
            *lacking = first + n;
            return OM_OK;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &s->next_id, &first, first + n, memory_order_relaxed, memory_order_relaxed));
    int rc = om_pages__ensure(&s->pages, first, &at);
    if (rc == OM_OK)
        rc = om_pages__ensure(&s->pages, first + n - 1, &at);
    if (rc != OM_OK)
        return rc;
    k->next = first;
    k->end = first + n;
    return OM_OK;
}

/* The start of a look-up: the home line, and its entries to inspect. */
typedef struct start {
    const om_shard *shard;
    om_line line;
    uint64_t fingerprint;
    uint32_t candidates;
} start;

static inline start start_of(const om_set *s, uint64_t hash)
{
    const om_shard *x = om_set__shard(s, hash);
    start at = { x, om_shard__home(x, hash), om_shard__fingerprint(x, hash), 0 };
    at.candidates = om_line__candidates(x, at.line, at.fingerprint);
    return at;
}

/* Puts a new vector, with the next id of the chunk, into an empty entry. If the entry is not empty
 * any more, returns false and stores its word in *word. */
static inline __attribute__((always_inline)) bool put(om_set *s, om_id_chunk *chunk,
    const start *at, uint32_t i, uint64_t *word, const uint32_t *vector, uint32_t words)
{
    assert((chunk->next + 1) >> at->shard->id_bits == 0); /* I1 */
    /* No thread reads this place until the word is in its entry; an unused id is used later. */
    memcpy(om_pages__find(&s->pages, chunk->next), vector, words * sizeof *vector);
    uint64_t mine = at->fingerprint | (chunk->next + 1);
    if (s->workers == 1)
        om_line__fill_alone(at->shard, at->line, i, mine);
    else if (!om_line__fill(at->shard, at->line, i, mine, word)) /* I2 */
        return false;
    chunk->next++;
    om_set__add_figure(&chunk->count, 1);
    return true;
}

/* Looks up one vector; the worker is inside. Adds the number of inspected lines to *lines. */
static inline __attribute__((always_inline)) outcome probe(om_set *s, om_id_chunk *chunk, start at,
    const uint32_t *vector, uint64_t *id, bool *fresh, uint64_t *lines, uint32_t words)
{
    for (uint64_t k = 1;; k++) {
        for (; at.candidates != 0; at.candidates &= at.candidates - 1) {
            uint32_t i = (uint32_t) __builtin_ctz(at.candidates);
            uint64_t word = om_line__load(at.shard, at.line, i);
            if (word == 0) {
                if (chunk->next == chunk->end)
                    return NO_ID;
                *id = chunk->next;
                *fresh = put(s, chunk, &at, i, &word, vector, words);
                if (*fresh) {
                    *lines += k;
                    return SETTLED;
                }
                if ((word ^ at.fingerprint) >> at.shard->id_bits != 0)
                    continue;
            }
            *id = om_shard__id(at.shard, word);
            if (om_set__same(om_set__vector(s, *id), vector, words)) {
                *fresh = false;
                *lines += k;
                return SETTLED;
            }
        }
        if (k >= om_shard__most_lines(at.shard))
            return CROWDED;
        at.line = om_shard__next_line(at.shard, at.line);
        if (k == 1)
            at.fingerprint = om_shard__displaced(at.shard, at.fingerprint);
        at.candidates = om_line__candidates(at.shard, at.line, at.fingerprint);
    }
}

/* Gives the worker half of the unused ids of the worker that has most. Returns false if no worker
 * has any. Leader only: chunks change inside, so no chunk changes in a pause. */
static bool share_ids(om_set *s, om_worker *w)
{
    om_id_chunk *to = &w->chunk[s->number], *from = to;
    assert(om_quiescence__is_paused(s->quiescence)); /* I4 */
    for (unsigned i = 0; i < s->workers; i++) {
        om_id_chunk *k = &s->worker[i].chunk[s->number];
        if (k->end - k->next > from->end - from->next)
            from = k;
    }
    if (from != to) {
        assert(to->next == to->end);
        to->end = from->end;
        to->next = from->end -= (from->end - from->next + 1) / 2;
        to->borrowed = true;
    }
    return to->next != to->end;
}

/* I8: takes unused ids of another worker; the caller is outside. Does nothing if another worker
 *     led: the caller has to check its condition again. */
static void take_share(om_set *s, om_worker *w, bool *dry)
{
    if (!om_quiescence__begin(s->quiescence))
        return;
    *dry = !s->closed && !share_ids(s, w);
    om_quiescence__end(s->quiescence);
}

/*
 * Takes ids. If the index has to grow for them, or other workers hold the remaining ids, the worker
 * leaves and re-enters. Sets *dry if no worker has any ids left, which is final. This is not yet a
 * failure: the vector may have been stored meanwhile, under the last id.
 */
static int refill(om_set *s, om_growth *g, om_worker *w, bool *dry)
{
    om_id_chunk *chunk = &w->chunk[s->number];
    uint64_t lacking;
    if (*dry)
        return out_of_ids(s);
    while (chunk->next == chunk->end && !*dry && !s->closed) {
        int rc = take_chunk(s, chunk, &lacking);
        if (rc == OM_OK && lacking == 0)
            om_arena__help(s->arena);
        if (rc != ALL_TAKEN && (rc != OM_OK || lacking == 0))
            return rc;
        om_quiescence__leave(&w->flag);
        if (rc == ALL_TAKEN)
            take_share(s, w, dry);
        else
            rc = om_set__grow(s, g, lacking);
        om_quiescence__enter(s->quiescence, &w->flag);
        if (rc != OM_OK && rc != ALL_TAKEN)
            return rc;
    }
    return OM_OK;
}

/*
 * Provides what a look-up lacked. The worker is inside before and after, but may leave in between.
 */
static int provide(om_set *s, om_growth *g, om_worker *w, uint64_t hash, outcome lack, bool *dry)
{
    if (lack == NO_ID)
        return refill(s, g, w, dry);
    om_shard seen = *om_set__shard(s, hash);
    assert(om_quiescence__is_inside(&w->flag)); /* I4 */
    om_quiescence__leave(&w->flag);
    int rc = om_set__relieve(s, g, hash, &seen);
    om_quiescence__enter(s->quiescence, &w->flag);
    return rc;
}

/* The vectors of a batch, and the numbers of those that the first pass has not found. */
typedef struct batch {
    uint64_t hash[OM_SET_BATCH];
    const om_shard *shard[OM_SET_BATCH];
    om_line line[OM_SET_BATCH];
    const uint32_t *likely[OM_SET_BATCH];
    bool seen[OM_SET_BATCH];
    uint8_t rest[OM_SET_BATCH];
    size_t rest_count;
} batch;
_Static_assert(OM_SET_BATCH <= UINT8_MAX + 1, "a number fits its type");

/*
 * First inspection of all vectors. Each of the three passes reads memory that the previous one has
 * prefetched: home lines, then the first vectors there whose fingerprints match. There are no
 * branches on the contents, which would be unpredictable.
 */
static inline __attribute__((always_inline)) void inspect_home_lines(
    const om_set *s, const om_set_query *a, batch *b, uint32_t words)
{
    size_t n = a->count;
    for (size_t i = 0; i < n; i++) {
        b->hash[i] = om_set__hash(s, a->vectors + i * a->stride, words);
        b->shard[i] = om_set__shard(s, b->hash[i]);
        b->line[i] = om_shard__home(b->shard[i], b->hash[i]);
        __builtin_prefetch(b->line[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const om_shard *x = b->shard[i];
        uint32_t found = om_line__candidates(x, b->line[i], om_shard__fingerprint(x, b->hash[i]));
        /*
         * No candidate: a full line. Entry 0 does not match then, and the comparison will say so.
         */
        uint64_t word =
            om_line__load(x, b->line[i], found == 0 ? 0 : (uint32_t) __builtin_ctz(found));
        if (found == 0)
            __builtin_prefetch(om_shard__next_line(x, b->line[i]));
        b->seen[i] = word != 0;
        a->ids[i] = om_shard__id(x, word);
        b->likely[i] = word == 0 ? a->vectors + i * a->stride : om_set__vector(s, a->ids[i]);
        __builtin_prefetch(b->likely[i]);
    }
    b->rest_count = 0;
    for (size_t i = 0; i < n; i++) {
        bool same = om_set__same(b->likely[i], a->vectors + i * a->stride, words);
        a->fresh[i] = false;
        b->rest[b->rest_count] = (uint8_t) i;
        b->rest_count += !(same & b->seen[i]);
    }
}

static inline __attribute__((always_inline)) int intern(
    om_set *s, om_growth *g, om_worker *w, const om_set_query *a, size_t *done, uint32_t words)
{
    om_id_chunk *chunk = &w->chunk[s->number];
    int rc = OM_OK;
    size_t k = 0;
    bool dry = false;
    batch b;

    assert(a->count <= OM_SET_BATCH && words == s->words);
    assert(om_quiescence__is_inside(&w->flag)); /* I4 */
    inspect_home_lines(s, a, &b, words);
    uint64_t lines = a->count - b.rest_count;
    while (k < b.rest_count && rc == OM_OK) {
        size_t i = b.rest[k];
        outcome o = probe(s, chunk, start_of(s, b.hash[i]), a->vectors + i * a->stride, &a->ids[i],
            &a->fresh[i], &lines, words);
        if (o == SETTLED) {
            k++;
            continue;
        }
        rc = provide(s, g, w, b.hash[i], o, &dry);
        if (rc == OM_OK && s->closed)
            rc = OM_SET_CLOSED;
    }
    assert(om_quiescence__is_inside(&w->flag)); /* I4 */
    *done = k < b.rest_count ? b.rest[k] : a->count;
    om_set__add_figure(&chunk->lookups, *done);
    om_set__add_figure(&chunk->probes, lines);
    return rc;
}

/* Specialised for the usual numbers of words of a vector. */
int om_set__intern(om_set *s, om_growth *g, om_worker *w, const om_set_query *a, size_t *done)
{
    switch (s->words) {
    case 1:
        return intern(s, g, w, a, done, 1);
    case 2:
        return intern(s, g, w, a, done, 2);
    case 3:
        return intern(s, g, w, a, done, 3);
    case 4:
        return intern(s, g, w, a, done, 4);
    case 5:
        return intern(s, g, w, a, done, 5);
    case 6:
        return intern(s, g, w, a, done, 6);
    default:
        return intern(s, g, w, a, done, s->words);
    }
}

static inline __attribute__((always_inline)) void hash_ids(
    const om_set *s, const uint64_t *ids, size_t n, uint64_t *hash, uint32_t words)
{
    for (size_t i = 0; i < n; i++)
        hash[i] = om_set__hash(s, om_set__vector(s, ids[i]), words);
}

void om_set__hash_ids(const om_set *s, const uint64_t *ids, size_t n, uint64_t *hash)
{
    switch (s->words) {
    case 2:
        hash_ids(s, ids, n, hash, 2);
        break;
    case 3:
        hash_ids(s, ids, n, hash, 3);
        break;
    case 4:
        hash_ids(s, ids, n, hash, 4);
        break;
    case 5:
        hash_ids(s, ids, n, hash, 5);
        break;
    default:
        hash_ids(s, ids, n, hash, s->words);
    }
}

int om_set__put_paused(om_set *s, const uint32_t *vector, uint64_t id)
{
    uint64_t hash = om_set__hash(s, vector, s->words);
    const om_shard *x = om_set__shard(s, hash);
    void *at;
    int rc = om_pages__ensure(&s->pages, id, &at);
    if (rc != OM_OK)
        return rc;
    assert(om_quiescence__is_paused(s->quiescence)); /* I4 */
    assert(id < om_set__bound(s) &&
           id < atomic_load_explicit(&s->most_ids, memory_order_relaxed)); /* I1 */
    memcpy(at, vector, s->words * sizeof *vector);
    uint64_t lines = om_shard__put(x, hash, id, s->workers == 1);
    return lines == 0 || lines > om_shard__most_lines(x) ? OM_EUNSUPPORTED : OM_OK;
}

int om_set__intern_paused(om_set *s, om_worker *w, const uint32_t *vector, uint64_t *id)
{
    om_id_chunk *chunk = &w->chunk[s->number];
    uint64_t hash = om_set__hash(s, vector, s->words), lacking, lines = 0;
    assert(om_quiescence__is_paused(s->quiescence)); /* I4 */
    for (;;) {
        bool fresh;
        outcome o = probe(s, chunk, start_of(s, hash), vector, id, &fresh, &lines, s->words);
        if (o == SETTLED)
            return OM_OK;
        if (o == CROWDED)
            return OM_EUNSUPPORTED;
        int rc = take_chunk(s, chunk, &lacking);
        if (rc == ALL_TAKEN)
            return out_of_ids(s);
        if (rc != OM_OK || lacking != 0)
            return rc != OM_OK ? rc : OM_EUNSUPPORTED;
    }
}
