/* SPDX-License-Identifier: Apache-2.0 */
#include "set.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    SLOTS_DEFAULT = 1024,
    CHUNK_LEAST = 8, /* ids a worker takes at a time; more as it uses more */
    CHUNK_MOST = 1024,
    LINE = 1 << OM_NARROW_LINE_BITS /* slots of 32 bits */
};
_Static_assert(CHUNK_MOST <= 1 << OM_SEGMENT_FIRST_BITS, "a chunk touches at most two segments");

/* What became of a look-up. */
typedef enum outcome { SETTLED, NO_ID, CROWDED } outcome;

int om_set_init(om_set *s, uint64_t slots)
{
    om_pages_init(&s->pages, s->pool, s->words * sizeof(uint32_t));
    if (s->seams.hash_mask == 0)
        s->seams.hash_mask = UINT64_MAX;
    if (s->seams.single_slots == 0)
        s->seams.single_slots = UINT64_C(1) << 18;
    if (s->seams.split_slots == 0)
        s->seams.split_slots = UINT64_C(1) << 16;
    if (s->seams.narrow_bits == 0)
        s->seams.narrow_bits = OM_NARROW_ID_BITS;
    return om_set__start(s, slots == 0 ? SLOTS_DEFAULT : slots);
}

void om_set_free_index(om_set *s)
{
    if (s->shard == NULL)
        return;
    for (uint64_t i = 0; i >> s->shard_bits == 0; i = om_set_next_shard(s, i))
        om_shard_free(&s->shard[i], s->arena);
    om_free(s->pool->heap, s->shard);
    s->shard = NULL;
    s->shard_bits = 0;
    atomic_store_explicit(&s->index_bytes, 0, memory_order_relaxed);
}

void om_set_free(om_set *s)
{
    om_set_free_index(s);
    om_pages_free(&s->pages);
    s->pages = (om_pages){ .pool = NULL };
    /* Not all of the set: others may be reading figures. */
    atomic_store_explicit(&s->next_id, 0, memory_order_relaxed);
}

uint64_t om_set__hash_wide(const om_set *s, const uint32_t *vector)
{
    return XXH3_64bits(vector, s->words * sizeof *vector) & s->seams.hash_mask;
}

/* How many ids a worker takes at once: more the more it has stored, fewer where a limit is near. */
static uint64_t chunk_size(const om_set *s, const om_stock *k, uint64_t left)
{
    uint64_t n = atomic_load_explicit(&k->count, memory_order_relaxed) / 4;
    n = n < CHUNK_LEAST ? CHUNK_LEAST : n > CHUNK_MOST ? CHUNK_MOST : n;
    uint64_t share = left / (2 * (uint64_t) s->workers);
    if (n > share)
        n = share == 0 ? 1 : share;
    return n < left ? n : left;
}

/* No ids are left: for states (set 0) that is a limit of theirs, for nodes it is room. */
static int out_of_ids(const om_set *s)
{
    if (s->pool->control != NULL)
        (void) om_control_stop(s->pool->control, s->number == 0 ? OM_STOP_STATES : OM_STOP_MEMORY);
    return OM_ELIMIT;
}

/*
 * New ids for a worker that has none left. It is inside the gate (or leads): ids of a set that is
 * closed, whose numbers went on elsewhere, must not be had. OM_OK with *lacking 0, or the number of
 * ids that the index has to bear first (I1).
 */
static int take_chunk(om_set *s, om_stock *k, uint64_t *lacking)
{
    uint64_t first, n;
    void *at;

    *lacking = 0;
    /* relaxed: ids are numbers; vectors are published through the index. */
    first = atomic_load_explicit(&s->next_id, memory_order_relaxed);
    do {
        if (first >= s->id_limit)
            return out_of_ids(s);
        n = chunk_size(s, k, s->id_limit - first);
        if (first + n > atomic_load_explicit(&s->most_ids, memory_order_relaxed)) {
            *lacking = first + n;
            return OM_OK;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &s->next_id, &first, first + n, memory_order_relaxed, memory_order_relaxed));
    int rc = om_pages_ensure(&s->pages, first, &at);
    if (rc == OM_OK)
        rc = om_pages_ensure(&s->pages, first + n - 1, &at);
    if (rc != OM_OK)
        return rc;
    k->next = first;
    k->end = first + n;
    return OM_OK;
}

/* Goes on from step *k to a slot that is empty or whose fingerprint fits; its word is the result.
 * *k is most_steps when there is none. */
static inline uint64_t scan(const om_shard *x, uint64_t hash, uint32_t *k, uint64_t *slot)
{
    uint64_t home = om_shard_home(x, hash), want = om_shard_fingerprint(x, hash), word;
    uint64_t most = om_shard_most_steps(x);

    if (!x->wide && *k < LINE) { /* nearly always enough */
        const _Atomic uint32_t *line = x->slots.narrow + (home & ~(uint64_t) (LINE - 1));
        for (uint32_t i = *k; i < LINE; i++) {
            uint32_t at = (uint32_t) (home + i) % LINE;
            /* acquire: as om_shard_load(). */
            uint32_t found = atomic_load_explicit(&line[at], memory_order_acquire);
            if (found == 0 || (found ^ (uint32_t) want) >> x->id_bits == 0) {
                *k = i;
                *slot = (home & ~(uint64_t) (LINE - 1)) + at;
                return found;
            }
        }
        *k = LINE;
    }
    for (; *k < most; ++*k) {
        *slot = om_shard_slot(x, home, *k);
        word = om_shard_load(x, *slot);
        if (word == 0 || (word ^ want) >> x->id_bits == 0)
            return word;
    }
    return 0;
}

/* Looks for one vector from step k on; the worker is inside. */
static inline outcome probe(om_set *s, om_stock *stock, const uint32_t *vector, uint64_t hash,
    uint32_t *k, uint64_t *id, bool *fresh)
{
    const om_shard *x = om_set_shard(s, hash);
    uint64_t slot = 0;

    for (;; ++*k) {
        uint64_t word = scan(x, hash, k, &slot);
        if (*k >= om_shard_most_steps(x))
            return CROWDED;
        if (word == 0) {
            if (stock->next == stock->end)
                return NO_ID;
            /* Nobody sees this place until the word is in; an id that is not used is used later. */
            memcpy(om_pages_find(&s->pages, stock->next), vector, s->words * sizeof *vector);
            uint64_t mine = om_shard_fingerprint(x, hash) | (stock->next + 1);
            if (om_shard_fill(x, slot, mine, &word)) { /* I2 */
                *id = stock->next++;
                *fresh = true;
                om_add(&stock->count, 1);
                return SETTLED;
            }
            if ((word ^ mine) >> x->id_bits != 0)
                continue;
        }
        *id = om_shard_id(x, word);
        *fresh = false;
        if (om_set_same(s, om_set_vector(s, *id), vector))
            return SETTLED;
    }
}

/* Takes ids; the worker leaves the gate where the index has to grow for them, and comes back. */
static int restock(om_set *s, om_growth *g, om_worker *w)
{
    uint64_t lacking;
    for (;;) {
        int rc = take_chunk(s, &w->stock[s->number], &lacking);
        if (rc != OM_OK || lacking == 0)
            return rc;
        om_gate_leave(&w->place);
        rc = om_set__grow(s, g, lacking);
        om_gate_enter(s->gate, &w->place);
        if (rc != OM_OK || s->closed)
            return rc;
    }
}

/* Does what a look-up lacked. The worker is inside before and after, but may have left. */
static int provide(om_set *s, om_growth *g, om_worker *w, uint64_t hash, outcome lack)
{
    if (lack == NO_ID)
        return restock(s, g, w);
    om_shard seen = *om_set_shard(s, hash);
    om_gate_leave(&w->place);
    int rc = om_set__relieve(s, g, hash, &seen);
    om_gate_enter(s->gate, &w->place);
    return rc;
}

int om_set_intern_one(om_set *s, om_growth *g, om_worker *w, const uint32_t *vector, uint64_t hash,
    uint64_t *id, bool *fresh)
{
    om_stock *stock = &w->stock[s->number];
    int rc = OM_OK;
    while (rc == OM_OK) {
        uint32_t k = 0;
        outcome o = probe(s, stock, vector, hash, &k, id, fresh);
        om_add(&stock->probes, k + (o != CROWDED));
        if (o == SETTLED)
            break;
        rc = provide(s, g, w, hash, o);
    }
    om_add(&stock->lookups, 1);
    return rc;
}

int om_set_intern(om_set *s, om_growth *g, om_worker *w, const om_asked *a, size_t *done)
{
    om_stock *stock = &w->stock[s->number];
    uint64_t hash[OM_SET_BATCH], probes = 0, slot;
    uint32_t step[OM_SET_BATCH];
    size_t n = a->count;
    int rc = OM_OK;

    for (size_t i = 0; i < n; i++) {
        hash[i] = om_set_hash(s, a->vectors + i * a->stride);
        om_shard_prefetch(om_set_shard(s, hash[i]), hash[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const om_shard *x = om_set_shard(s, hash[i]);
        step[i] = 0;
        uint64_t word = scan(x, hash[i], &step[i], &slot);
        if (word != 0)
            __builtin_prefetch(om_set_vector(s, om_shard_id(x, word)));
    }
    size_t i = 0;
    while (i < n && rc == OM_OK) {
        outcome o = probe(
            s, stock, a->vectors + i * a->stride, hash[i], &step[i], &a->ids[i], &a->fresh[i]);
        probes += step[i] + 1;
        if (o == SETTLED) {
            i++;
            continue;
        }
        rc = provide(s, g, w, hash[i], o);
        /* The index may be another by now: nothing seen in it counts any more. */
        memset(step + i, 0, (n - i) * sizeof *step);
        if (rc == OM_OK && s->closed)
            rc = OM_SET_CLOSED;
    }
    *done = i;
    om_add(&stock->lookups, i);
    om_add(&stock->probes, probes);
    return rc;
}

int om_set_put_alone(om_set *s, const uint32_t *vector, uint64_t id)
{
    uint64_t hash = om_set_hash(s, vector);
    const om_shard *x = om_set_shard(s, hash);
    void *at;
    int rc = om_pages_ensure(&s->pages, id, &at);
    if (rc != OM_OK)
        return rc;
    memcpy(at, vector, s->words * sizeof *vector);
    uint64_t steps = om_shard_put(x, hash, id, true);
    return steps == 0 || steps > om_shard_most_steps(x) ? OM_EUNSUPPORTED : OM_OK;
}

int om_set_intern_alone(om_set *s, om_worker *w, const uint32_t *vector, uint64_t *id)
{
    om_stock *stock = &w->stock[s->number];
    for (;;) {
        uint32_t k = 0;
        uint64_t lacking;
        bool fresh;
        outcome o = probe(s, stock, vector, om_set_hash(s, vector), &k, id, &fresh);
        if (o == SETTLED)
            return OM_OK;
        if (o == CROWDED)
            return OM_EUNSUPPORTED;
        int rc = take_chunk(s, stock, &lacking);
        if (rc != OM_OK || lacking != 0)
            return rc != OM_OK ? rc : OM_EUNSUPPORTED;
    }
}
