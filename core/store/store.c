/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"
#include "control/control.h"

#include <assert.h>

enum { SAMPLE_LEAST = 2048, SAMPLE_MOST = 32768, UNFITTED_LEAST = 16 };

/* The bound on ids of states: the limit on states, or the capacity of the words of the index. */
static uint64_t state_limit(const om_control *control)
{
    uint64_t most = (UINT64_C(1) << OM_WIDE_ID_BITS) - 2;
    if (control != NULL) {
        uint64_t limit = om_control__limits(control)->max_states;
        if (limit != 0 && limit < most)
            most = limit;
    }
    return most;
}

int om_store__start_set(om_store *s, om_set *set, uint32_t words, unsigned number, uint64_t entries)
{
    assert(number < 2 && words > 0 && s->workers > 0);
    set->memory = &s->memory;
    set->arena = &s->arena;
    set->quiescence = &s->quiescence;
    set->words = words;
    set->workers = s->workers;
    set->worker = s->worker;
    set->hooks = s->hooks;
    set->number = number;
    set->fill = s->compact && words > 2 ? 29 : 24; /* small entries may stay fast */
    set->id_limit = number == 0 ? state_limit(s->memory.control) : UINT32_MAX - 1;
    return om_set__init(set, entries);
}

/* Number of vectors that show a shape; below it, 1 MiB, compression is not worthwhile. The index of
 * nodes begins with room for all nodes of these vectors, so there are few of them if no shape is
 * sought. */
static uint64_t sample_size_of(const om_store_spec *spec)
{
    const uint64_t n = ((uint64_t) 1 << 18) / spec->words;
    const uint64_t least = spec->words > OM_TREE_FIT ? UNFITTED_LEAST : SAMPLE_LEAST;
    if (spec->hooks.compress_at != 0)
        return spec->hooks.compress_at;
    return n < least ? least : n > SAMPLE_MOST ? SAMPLE_MOST : n;
}

int om_store__new(om_store **out, const om_store_spec *spec)
{
    om_store *s = om_alloc(spec->heap, 1, sizeof *s);
    bool tree = spec->kind == OM_STORE_TREE && spec->words > OM_ROOT_MOST;
    int rc = OM_ENOMEM;

    if (s == NULL)
        return OM_ENOMEM;
    s->heap = spec->heap;
    s->words = spec->words;
    s->workers = spec->workers;
    s->compact = spec->kind == OM_STORE_TREE;
    om_memory__init(&s->memory, s->heap, spec->control);
    s->memory.nodes = spec->nodes;
    s->arena.memory = &s->memory;
    if (!OM_NEW(s->heap, s->worker, spec->workers))
        goto done;
    s->quiescence = (om_quiescence){ .flags = (const unsigned char *) &s->worker->flag,
        .stride = sizeof *s->worker,
        .workers = s->workers };
    s->hooks = spec->hooks;
    atomic_init(&s->compress_at, tree ? sample_size_of(spec) : UINT64_MAX);
    rc = om_store__start_set(s, &s->vectors, spec->words, 0, spec->entries);
    if (rc == OM_OK && tree)
        rc = om_store__prepare_compression(s);
    if (rc != OM_OK)
        goto done;
    *out = s;
    s = NULL;
done:
    om_store__free(s);
    return rc;
}

void om_store__free(om_store *s)
{
    if (s == NULL)
        return;
    for (unsigned i = 0; i < s->workers && s->worker != NULL; i++)
        om_store__free_worker(s, &s->worker[i]);
    om_set__free(&s->vectors);
    om_set__free(&s->roots);
    om_set__free(&s->nodes);
    om_arena__free(&s->arena);
    om_tree__free(&s->tree, s->heap);
    OM_FREE_ALL(s->heap, s->worker, s);
}

om_memory *om_store__memory(om_store *s)
{
    return &s->memory;
}

/* Interns as many vectors of a batch as one kind of set takes; the worker is inside. */
static int intern_batch(
    om_store *s, om_worker *w, const om_set_query *a, const uint32_t *const *near, size_t *done)
{
    uint32_t roots[OM_SET_BATCH * OM_ROOT_MOST];
    assert(a->count <= OM_SET_BATCH);
    if (!s->vectors.closed)
        return om_set__intern(&s->vectors, &s->growth, w, a, done);
    om_set_query asked = { roots, s->tree.arity, a->count, a->ids, a->fresh };
    int rc = om_store__make_roots(s, w, a->vectors, a->stride, a->count, near, roots);
    *done = 0;
    return rc == OM_OK ? om_set__intern(&s->roots, &s->growth, w, &asked, done) : rc;
}

int om_store__intern(om_store *s, unsigned worker, const uint32_t *vectors, size_t stride,
    size_t count, const uint32_t *const *near, uint64_t *ids, bool *fresh)
{
    om_worker *w = &s->worker[worker];
    assert(worker < s->workers);
    int rc = OM_OK;
    for (size_t i = 0, done; i < count && rc == OM_OK; i += done) {
        size_t n = count - i < OM_SET_BATCH ? count - i : OM_SET_BATCH;
        if (om_store__compression_is_due(s)) {
            rc = om_store__compress(s);
            if (rc != OM_OK)
                break;
        }
        om_quiescence__enter(&s->quiescence, &w->flag);
        om_set_query a = { .vectors = vectors + i * stride, .stride = stride, .count = n };
        a.ids = ids + i;
        a.fresh = fresh + i;
        rc = intern_batch(s, w, &a, near == NULL ? NULL : near + i, &done);
        om_quiescence__leave(&w->flag);
        if (rc == OM_SET_CLOSED)
            rc = OM_OK; /* the remaining vectors are trees */
    }
    return rc;
}

uint32_t om_store__row_words(const om_store *s)
{
    return s->tree.words == 0 ? s->words : s->tree.places + 1;
}

const uint32_t *om_store__row(const om_store *s, uint64_t id, uint32_t *buffer)
{
    const om_set *states = om_store__states(s);
    assert(id < om_set__bound(states));
    if (s->tree.words == 0)
        return om_set__vector(states, id);
    if (states == &s->roots) {
        om_store__unpack(s, &id, 1, buffer, false);
    } else {
        memcpy(buffer, om_set__vector(states, id), s->words * sizeof *buffer);
        buffer[s->tree.places] = 0;
    }
    return buffer;
}

void om_store__rows(const om_store *s, const uint64_t *ids, size_t n, uint32_t *buffer)
{
    if (om_store__is_compressed(s)) {
        om_store__unpack(s, ids, n, buffer, true);
        return;
    }
    for (size_t i = 0; i < n; i++)
        (void) om_store__row(s, ids[i], buffer + i * om_store__row_words(s));
}

/* ---- figures ---- */

uint64_t om_store__count(const om_store *s)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < s->workers; i++)
        n += atomic_load_explicit(&s->worker[i].chunk[0].count, memory_order_relaxed);
    return n;
}

uint64_t om_store__bound(const om_store *s)
{
    return om_set__bound(om_store__states(s));
}

bool om_store__has(const om_store *s, uint64_t id)
{
    for (unsigned i = 0; i < s->workers; i++)
        if (id >= s->worker[i].chunk[0].next && id < s->worker[i].chunk[0].end)
            return false;
    return id < om_store__bound(s);
}

om_store_ids *om_store__ids(const om_store *s, const om_heap *heap)
{
    om_store_ids *ids = om_alloc(heap, 1, sizeof *ids + s->workers * sizeof(struct om_store_gap));
    if (ids == NULL)
        return NULL;
    ids->bound = om_store__bound(s);
    for (unsigned i = 0; i < s->workers; i++) {
        const om_id_chunk *k = &s->worker[i].chunk[0];
        if (k->next < k->end)
            ids->gap[ids->gaps++] = (struct om_store_gap){ k->next, k->end };
    }
    return ids;
}

bool om_store__among(const om_store_ids *ids, uint64_t id)
{
    for (size_t i = 0; i < ids->gaps; i++)
        if (id >= ids->gap[i].begin && id < ids->gap[i].end)
            return false;
    return id < ids->bound;
}

uint64_t om_store__entries(const om_store *s)
{
    return atomic_load_explicit(&om_store__states(s)->entries, memory_order_relaxed);
}

/* Used bytes rather than mapped ones. */
static uint64_t vector_bytes(const om_store *s)
{
    uint64_t bytes = om_set__bound(&s->vectors) * s->words * sizeof(uint32_t);
    if (om_store__is_compressed(s))
        bytes += om_set__bound(&s->roots) * s->tree.arity * sizeof(uint32_t) +
                 om_set__bound(&s->nodes) * sizeof(uint64_t);
    return bytes;
}

static uint64_t index_bytes(const om_store *s)
{
    return om_set__index_bytes(&s->vectors) + om_set__index_bytes(&s->roots) +
           om_set__index_bytes(&s->nodes);
}

uint64_t om_store__bytes(const om_store *s)
{
    return vector_bytes(s) + index_bytes(s);
}

bool om_store__ids_rise(const om_store *s, unsigned worker)
{
    return !s->worker[worker].chunk[0].borrowed;
}

om_store_figures om_store__figures(const om_store *s)
{
    /* relaxed, all: figures. */
    om_store_figures f = { .states = om_store__count(s),
        .vector_bytes = vector_bytes(s),
        .index_bytes = index_bytes(s),
        .side_bytes = atomic_load_explicit(&s->memory.side_bytes, memory_order_relaxed),
        .entries = om_store__entries(s),
        .longest_pause_ns = atomic_load_explicit(&s->quiescence.longest_ns, memory_order_relaxed),
        .longest_pause_cpu_ns =
            atomic_load_explicit(&s->quiescence.longest_own_ns, memory_order_relaxed) };
    f.growths = atomic_load_explicit(&s->vectors.growths, memory_order_relaxed) +
                atomic_load_explicit(&s->roots.growths, memory_order_relaxed) +
                atomic_load_explicit(&s->nodes.growths, memory_order_relaxed);
    for (unsigned i = 0; i < s->workers; i++) {
        const om_id_chunk *k = s->worker[i].chunk;
        f.lookups += atomic_load_explicit(&k[0].lookups, memory_order_relaxed);
        f.probes += atomic_load_explicit(&k[0].probes, memory_order_relaxed);
        f.nodes += atomic_load_explicit(&k[1].count, memory_order_relaxed);
    }
    return f;
}
