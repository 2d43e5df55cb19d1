/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include <string.h>

enum {
    SLOTS_DEFAULT = 1024,
    BATCH = 64,      /* vectors hashed before the first is looked up */
    CHUNK_LEAST = 8, /* ids a worker takes at a time; more as it uses more */
    CHUNK_MOST = 1024
};
_Static_assert(CHUNK_MOST <= 1 << OM_SEGMENT_FIRST_BITS, "a chunk touches at most two segments");

int om_store_new(om_store **out, const om_store_spec *spec)
{
    om_store *s = om_alloc(spec->heap, 1, sizeof *s);
    uint64_t slots = spec->slots == 0 ? SLOTS_DEFAULT : spec->slots;
    int rc = OM_ENOMEM;

    if (s == NULL)
        return OM_ENOMEM;
    s->heap = spec->heap;
    s->words = spec->words;
    s->workers = spec->workers;
    om_pool_init(&s->pool, s->heap, spec->control);
    om_pages_init(&s->vectors, &s->pool, spec->words * sizeof(uint32_t));
    s->worker = om_alloc(s->heap, spec->workers, sizeof *s->worker);
    if (s->worker == NULL)
        goto done;
    rc = om_store__index_new(s, slots, &s->index);
    if (rc != OM_OK)
        goto done;
    atomic_init(&s->next_id, 0);
    atomic_init(&s->most_ids, om_store__most_ids(slots));
    atomic_init(&s->gate, OM_GATE_OPEN);
    *out = s;
    s = NULL;
done:
    om_store_free(s);
    return rc;
}

void om_store_free(om_store *s)
{
    if (s == NULL)
        return;
    om_store__index_free(s, &s->index);
    om_pages_free(&s->vectors);
    om_free(s->heap, s->worker);
    om_free(s->heap, s);
}

om_pool *om_store_pool(om_store *s)
{
    return &s->pool;
}

/* How many ids a worker takes at once: more the more it has stored, fewer where a limit is near. */
static uint64_t chunk_size(const om_store *s, const om_store_worker *w, uint64_t left)
{
    uint64_t n = atomic_load_explicit(&w->count, memory_order_relaxed) / 4;
    n = n < CHUNK_LEAST ? CHUNK_LEAST : n > CHUNK_MOST ? CHUNK_MOST : n;
    uint64_t share = left / (2 * (uint64_t) s->workers);
    if (n > share)
        n = share == 0 ? 1 : share;
    return n;
}

/* New ids for a worker that has none left; the caller is outside the index. */
static int take_chunk(om_store *s, om_store_worker *w)
{
    om_control *control = s->pool.control;
    uint64_t most = OM_STORE_ID_MASK - 1, first, n;
    bool limited = false;
    void *at;

    if (control != NULL && om_control_limits(control)->max_states != 0 &&
        om_control_limits(control)->max_states < most) {
        most = om_control_limits(control)->max_states;
        limited = true;
    }
    /* relaxed: ids are numbers; vectors are published through the index. */
    first = atomic_load_explicit(&s->next_id, memory_order_relaxed);
    do {
        if (first >= most) {
            if (control != NULL)
                (void) om_control_stop(control, OM_STOP_STATES);
            return OM_ELIMIT;
        }
        n = chunk_size(s, w, limited ? most - first : UINT64_MAX);
        if (n > most - first)
            n = most - first;
        /* I1: before the ids are taken. */
        while (first + n > atomic_load_explicit(&s->most_ids, memory_order_relaxed)) {
            int rc = om_store__grow(s, first + n);
            if (rc != OM_OK)
                return rc;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &s->next_id, &first, first + n, memory_order_relaxed, memory_order_relaxed));
    int rc = om_pages_ensure(&s->vectors, first, &at);
    if (rc == OM_OK)
        rc = om_pages_ensure(&s->vectors, first + n - 1, &at);
    if (rc != OM_OK)
        return rc;
    w->next = first;
    w->end = first + n;
    return OM_OK;
}

/* Is there a vector to compare at this word, and is it the one? */
static bool matches(const om_store *s, uint64_t word, uint64_t fingerprint, const uint32_t *vector)
{
    if ((word & ~OM_STORE_ID_MASK) != fingerprint)
        return false;
    const uint32_t *stored = om_store__vector(s, (word & OM_STORE_ID_MASK) - 1);
    return memcmp(stored, vector, s->words * sizeof *vector) == 0;
}

/*
 * Looks for one vector, from inside the index. Returns false when it is new and the worker has no
 * id for it.
 */
static bool probe(om_store *s, om_store_worker *w, const uint32_t *vector, uint64_t hash,
    uint64_t *id, bool *fresh)
{
    uint64_t fingerprint = hash & ~OM_STORE_ID_MASK, mask = s->index.mask;

    for (uint64_t at = hash & mask;; at = (at + 1) & mask) {
        _Atomic uint64_t *slot = &s->index.slots[at];
        /* acquire: pairs with the release below, so the vector can be compared (I2). */
        uint64_t word = atomic_load_explicit(slot, memory_order_acquire);
        if (word == 0) {
            if (w->next == w->end)
                return false;
            /* Nobody sees this place until the word is in; an id that is not used is used later. */
            uint32_t *place = om_pages_find(&s->vectors, w->next);
            memcpy(place, vector, s->words * sizeof *vector);
            /* release: I2. acquire on failure: the winner's vector is compared next. */
            if (atomic_compare_exchange_strong_explicit(slot, &word, fingerprint | (w->next + 1),
                    memory_order_acq_rel, memory_order_acquire)) {
                *id = w->next++;
                *fresh = true;
                atomic_store_explicit(&w->count,
                    atomic_load_explicit(&w->count, memory_order_relaxed) + 1,
                    memory_order_relaxed);
                return true;
            }
        }
        if (matches(s, word, fingerprint, vector)) {
            *id = (word & OM_STORE_ID_MASK) - 1;
            *fresh = false;
            return true;
        }
    }
}

/* Fetches the slots of a batch, then the vectors that they seem to name; the caller is inside. */
static void prefetch(const om_store *s, const uint64_t *hash, size_t n)
{
    if (n < 2)
        return;
    for (size_t i = 0; i < n; i++)
        om_store__prefetch(&s->index, hash[i]);
    for (size_t i = 0; i < n; i++) {
        /* acquire: only so that the segment behind the word is there to be found. */
        uint64_t word =
            atomic_load_explicit(&s->index.slots[hash[i] & s->index.mask], memory_order_acquire);
        if (word != 0 && (word & ~OM_STORE_ID_MASK) == (hash[i] & ~OM_STORE_ID_MASK))
            __builtin_prefetch(om_store__vector(s, (word & OM_STORE_ID_MASK) - 1));
    }
}

static int intern_batch(om_store *s, om_store_worker *w, const uint32_t *vectors, size_t stride,
    size_t n, uint64_t *ids, bool *fresh)
{
    uint64_t hash[BATCH];
    int rc = OM_OK;

    for (size_t i = 0; i < n; i++)
        hash[i] = om_store__hash(s, vectors + i * stride);
    om_store__enter(s, w);
    prefetch(s, hash, n);
    for (size_t i = 0; i < n;) {
        if (probe(s, w, vectors + i * stride, hash[i], &ids[i], &fresh[i])) {
            i++;
            continue;
        }
        om_store__leave(w); /* the index may have to grow for more ids */
        rc = take_chunk(s, w);
        if (rc != OM_OK)
            return rc;
        om_store__enter(s, w);
    }
    om_store__leave(w);
    return rc;
}

int om_store_intern(om_store *s, unsigned worker, const uint32_t *vectors, size_t stride,
    size_t count, const uint32_t *const *near, uint64_t *ids, bool *fresh)
{
    (void) near;
    int rc = OM_OK;
    for (size_t i = 0; i < count && rc == OM_OK; i += BATCH) {
        size_t n = count - i < BATCH ? count - i : BATCH;
        rc = intern_batch(
            s, &s->worker[worker], vectors + i * stride, stride, n, ids + i, fresh + i);
    }
    return rc;
}

uint32_t om_store_row_words(const om_store *s)
{
    return s->words;
}

const uint32_t *om_store_row(const om_store *s, uint64_t id, uint32_t *room)
{
    (void) room;
    return om_store__vector(s, id);
}

om_store_figures om_store_figures_of(const om_store *s)
{
    uint64_t vectors = om_store_bound(s) * s->words * sizeof(uint32_t);
    return (om_store_figures){
        .states = om_store_count(s),
        .vector_bytes = vectors,
        .index_bytes = om_store_bytes(s) - vectors,
        .slots = atomic_load_explicit(&s->most_ids, memory_order_relaxed) / 5 * 8,
    };
}

uint64_t om_store_count(const om_store *s)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < s->workers; i++)
        n += atomic_load_explicit(&s->worker[i].count, memory_order_relaxed);
    return n;
}

uint64_t om_store_bound(const om_store *s)
{
    return atomic_load_explicit(&s->next_id, memory_order_relaxed);
}

uint64_t om_store_slots(const om_store *s)
{
    return s->index.mask + 1;
}

uint64_t om_store_bytes(const om_store *s)
{
    /* What is used, not what is mapped. most_ids stands for the index, whose fields only a worker
     * inside may read. */
    return om_store_bound(s) * s->words * sizeof(uint32_t) +
           atomic_load_explicit(&s->most_ids, memory_order_relaxed) / 5 * 8 * sizeof(uint64_t);
}
