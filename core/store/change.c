/* SPDX-License-Identifier: Apache-2.0 */
/* The change from vectors to trees: I7 in store.h. */
#include "store.h"

#include <assert.h>
#include <string.h>

/* Writes the ids in the index of a set to `ids`, in ascending order, and returns their number.
 * `ids` and `stored`, which is zeroed, have `bound` elements. */
static size_t list_ids(const om_set *set, bool *stored, uint64_t *ids, uint64_t bound)
{
    size_t n = 0;
    const om_directory *d = &set->directory;
    for (uint64_t k = 0; k >> d->bits == 0; k = om_directory__next(d, k))
        for (uint64_t i = 0; i < d->shard[k].count; i++) {
            uint64_t word = om_shard__load(&d->shard[k], i);
            if (word != 0) {
                assert(om_shard__id(&d->shard[k], word) < bound); /* I1 */
                stored[om_shard__id(&d->shard[k], word)] = true;
            }
        }
    for (uint64_t id = 0; id < bound; id++)
        if (stored[id])
            ids[n++] = id;
    return n;
}

/*
 * Lists the ids of all vectors in ascending order, *n of them; the caller frees *ids. In a pause.
 */
static int list_all(om_store *s, uint64_t **ids, size_t *n)
{
    uint64_t bound = om_set__bound(&s->vectors);
    assert(om_quiescence__is_paused(&s->quiescence)); /* I4 */
    bool *stored = om_alloc(s->heap, bound, sizeof *stored);
    *ids = om_alloc(s->heap, bound, sizeof **ids);
    *n = 0;
    if (*ids != NULL && stored != NULL)
        *n = list_ids(&s->vectors, stored, *ids, bound);
    om_free(s->heap, stored);
    return *ids != NULL && stored != NULL ? OM_OK : OM_ENOMEM;
}

/* Copies *n vectors, evenly spread over the order of ids; the caller frees *sample. In a pause. */
static int take_sample(om_store *s, uint32_t **sample, size_t *n)
{
    uint64_t *ids = NULL;
    size_t all;
    int rc = list_all(s, &ids, &all);
    if (rc == OM_OK) {
        const size_t most = om_tree__sample_size(&s->tree);
        assert(most > 0);
        const size_t step = all <= most ? 1 : all / most;
        *n = all <= most ? all : most;
        *sample = om_alloc(s->heap, *n, s->words * sizeof **sample);
        rc = *sample == NULL ? OM_ENOMEM : OM_OK;
        for (size_t i = 0; i < *n && rc == OM_OK; i++)
            memcpy(*sample + i * s->words, om_set__vector(&s->vectors, ids[i * step]),
                s->words * sizeof **sample);
    }
    om_free(s->heap, ids);
    return rc;
}

/* Chooses the shape. Workers are paused while the sample is taken, and run while it is analysed,
 * which takes longer. */
static int choose_shape(om_store *s)
{
    uint32_t *sample = NULL;
    size_t n = 0;
    while (!om_quiescence__begin(&s->quiescence))
        ; /* another worker led, and is done */
    int rc = take_sample(s, &sample, &n);
    om_quiescence__end(&s->quiescence);
    if (rc == OM_OK)
        rc = om_tree__fit(&s->tree, s->heap, sample, n, s->hooks.arity);
    om_free(s->heap, sample);
    return rc;
}

/* Workers use the ids that they hold of the first set in the second: their pages must exist. */
static int prepare_pages(om_store *s, uint64_t bound)
{
    void *at;
    int rc = OM_OK;
    for (uint64_t id = 0; id < bound && rc == OM_OK; id += 1 << OM_SEGMENT_FIRST_BITS)
        rc = om_pages__ensure(&s->roots.pages, id, &at);
    return rc == OM_OK && bound != 0 ? om_pages__ensure(&s->roots.pages, bound - 1, &at) : rc;
}

/* The vectors that a pause compresses, and the progress. */
typedef struct compression {
    om_store *store;
    const uint64_t *ids;
    size_t count;
    _Atomic size_t next, done; /* the next vector to begin; vectors done */
    atomic_uint helpers;
    atomic_int rc; /* OM_OK, or an error of a helper */
} compression;

/*
 * Compresses blocks of vectors until none is left. All workers are paused, so a helper may use any
 * worker that no other helper uses. (No thread gets a block in two calls, so there are enough
 * workers.)
 */
static void help(void *work)
{
    enum { BLOCK = 128 };
    compression *c = work;
    om_worker *w = NULL;
    size_t i;
    /* relaxed: a ticket. The count of done vectors carries the order. */
    while ((i = atomic_fetch_add_explicit(&c->next, BLOCK, memory_order_relaxed)) < c->count) {
        size_t n = c->count - i < BLOCK ? c->count - i : BLOCK;
        int rc = atomic_load_explicit(&c->rc, memory_order_relaxed);
        if (w == NULL)
            w = &c->store->worker[atomic_fetch_add_explicit(&c->helpers, 1, memory_order_relaxed)];
        assert(w < c->store->worker + c->store->workers);
        for (size_t k = 0; k < n && rc == OM_OK; k++)
            rc = om_store__compress_vector(c->store, w, c->ids[i + k]);
        if (rc != OM_OK)
            atomic_store_explicit(&c->rc, rc, memory_order_relaxed);
        /* release: pairs with the leader's acquire in done(). */
        (void) atomic_fetch_add_explicit(&c->done, n, memory_order_release);
    }
}

static bool done(const void *work)
{
    const compression *c = work;
    return atomic_load_explicit(&c->done, memory_order_acquire) == c->count;
}

/* Compresses the vectors, together with all waiting workers. */
static int compress_vectors(om_store *s, const uint64_t *ids, size_t n)
{
    compression c = { .store = s, .ids = ids, .count = n };
    om_quiescence__share(&s->quiescence, help, done, &c);
    return atomic_load_explicit(&c.rc, memory_order_relaxed);
}

/* In a pause. OM_EUNSUPPORTED: hashes are so uneven that a growth would be needed. */
static int compress(om_store *s)
{
    uint64_t bound = om_set__bound(&s->vectors), *ids = NULL;
    size_t n;
    int rc = list_all(s, &ids, &n);
    /* Capacity without a growth, whatever the shape. */
    if (rc == OM_OK)
        rc = om_store__start_set(s, &s->roots, s->tree.arity, 0, 2 * bound + 1024);
    if (rc == OM_OK)
        rc = om_store__start_set(
            s, &s->nodes, 2, 1, 2 * (n * s->tree.nodes + 1024 * (1 + (uint64_t) s->workers)));
    if (rc == OM_OK)
        rc = prepare_pages(s, bound);
    atomic_store_explicit(&s->roots.next_id, bound, memory_order_relaxed);
    if (rc == OM_OK)
        rc = compress_vectors(s, ids, n);
    om_free(s->heap, ids);
    return rc;
}

/* Restores the initial state of the sets and ids of trees. In a pause. */
static void undo(om_store *s)
{
    assert(!om_store__is_compressed(s) && !s->vectors.closed); /* I7 */
    for (unsigned i = 0; i < s->workers; i++) {
        s->worker[i].chunk[1] = (om_id_chunk){ .next = 0 };
        om_store__forget(&s->worker[i]);
    }
    om_set__free(&s->roots);
    om_set__free(&s->nodes);
}

/* Returns true for the one worker that takes `compress_at` and has to compress; no compression is
 * due for the others any more. */
static bool claim(om_store *s)
{
    uint64_t at = atomic_load_explicit(&s->compress_at, memory_order_relaxed);
    /* relaxed: the claimant works in pauses. */
    return at != UINT64_MAX && atomic_compare_exchange_strong_explicit(&s->compress_at, &at,
                                   UINT64_MAX, memory_order_relaxed, memory_order_relaxed);
}

int om_store__compress(om_store *s)
{
    if (!claim(s))
        return OM_OK;
    int rc = choose_shape(s);
    if (rc != OM_OK)
        return rc;
    while (!om_quiescence__begin(&s->quiescence))
        ; /* another worker led, and is done */
    rc = compress(s);
    if (rc == OM_OK) {
        assert(om_set__bound(&s->roots) == om_set__bound(&s->vectors)); /* I7 */
        s->vectors.closed = true;
        om_set__free_index(&s->vectors);
        /* release: a thread that sees it sees the roots and nodes. */
        atomic_store_explicit(&s->compressed, true, memory_order_release);
    } else {
        undo(s);
    }
    om_quiescence__end(&s->quiescence);
    return rc == OM_EUNSUPPORTED ? OM_OK : rc; /* vectors as they are will do */
}
