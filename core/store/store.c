/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

enum { MEMO_BITS = 12 };

/* A worker's own short memory of inner nodes: a pair and its reference + 1, or 0. */
typedef struct om_memo {
    uint64_t pair;
    uint32_t ref;
} om_memo;

/* Where ids of states end: at the limit on states, or where words of the index do. */
static uint64_t state_limit(const om_store_spec *spec)
{
    uint64_t most = (UINT64_C(1) << OM_WIDE_ID_BITS) - 2;
    if (spec->control != NULL) {
        uint64_t limit = om_control_limits(spec->control)->max_states;
        if (limit != 0 && limit < most)
            most = limit;
    }
    return most;
}

static int start_set(om_store *s, om_set *set, uint32_t words, const om_store_spec *spec)
{
    set->pool = &s->pool;
    set->arena = &s->arena;
    set->gate = &s->gate;
    set->words = words;
    set->workers = s->workers;
    set->seams = spec->seams;
    set->number = set == &s->nodes;
    set->id_limit = set == &s->nodes ? UINT32_MAX - 1 : state_limit(spec);
    return om_set_init(set, spec->slots);
}

static int start_tree(om_store *s, const om_store_spec *spec)
{
    int rc = om_tree_init(&s->tree, s->heap, spec->words);
    for (unsigned i = 0; i < s->workers && rc == OM_OK; i++) {
        om_worker *w = &s->worker[i];
        w->memo = om_alloc(s->heap, (size_t) 1 << MEMO_BITS, sizeof *w->memo);
        w->refs = om_alloc(s->heap, s->tree.nodes, sizeof *w->refs);
        if (w->memo == NULL || w->refs == NULL)
            rc = OM_ENOMEM;
    }
    return rc == OM_OK ? start_set(s, &s->nodes, 2, spec) : rc;
}

int om_store_new(om_store **out, const om_store_spec *spec)
{
    om_store *s = om_alloc(spec->heap, 1, sizeof *s);
    bool tree = spec->kind == OM_STORE_TREE && spec->words > 2;
    int rc = OM_ENOMEM;

    if (s == NULL)
        return OM_ENOMEM;
    s->heap = spec->heap;
    s->words = spec->words;
    s->workers = spec->workers;
    om_pool_init(&s->pool, s->heap, spec->control);
    s->arena.pool = &s->pool;
    s->worker = om_alloc(s->heap, spec->workers, sizeof *s->worker);
    if (s->worker == NULL)
        goto done;
    s->gate = (om_gate){ .help = om_growth_help,
        .work = &s->growth,
        .places = (const unsigned char *) &s->worker->place,
        .stride = sizeof *s->worker,
        .workers = s->workers };
    rc = start_set(s, &s->states, tree ? 2 : spec->words, spec);
    if (rc == OM_OK && tree)
        rc = start_tree(s, spec);
    if (rc != OM_OK)
        goto done;
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
    for (unsigned i = 0; i < s->workers && s->worker != NULL; i++) {
        om_free(s->heap, s->worker[i].memo);
        om_free(s->heap, s->worker[i].refs);
    }
    om_set_free(&s->states);
    om_set_free(&s->nodes);
    om_arena_free(&s->arena);
    om_tree_free(&s->tree, s->heap);
    om_free(s->heap, s->worker);
    om_free(s->heap, s);
}

om_pool *om_store_pool(om_store *s)
{
    return &s->pool;
}

/* ---- trees ---- */

static uint32_t at_place(const om_store *s, const uint32_t *vector, const uint32_t *refs, uint32_t p)
{
    return p < s->words ? vector[p] : refs[p - s->words];
}

/* The reference of a pair; the worker is inside. */
static int intern_node(om_store *s, om_worker *w, const uint32_t *twins, uint32_t *ref)
{
    uint64_t pair = om_pair(twins), id;
    bool fresh;
    om_memo *m = &w->memo[(pair * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - MEMO_BITS)];
    if (m->ref == 0 || m->pair != pair) {
        int rc = om_set_intern_one(&s->nodes, &s->growth, w, twins,
            om_set_hash_pair(&s->nodes, pair), &id, &fresh);
        if (rc != OM_OK)
            return rc;
        *m = (om_memo){ pair, (uint32_t) id + 1 };
    }
    *ref = m->ref - 1;
    return OM_OK;
}

/* Gives inner node i of a vector its reference, children having theirs. */
static inline int settle_node(om_store *s, om_worker *w, const uint32_t *vector, uint32_t i)
{
    const om_twig *t = &s->tree.twig[i];
    const uint32_t twins[] = { at_place(s, vector, w->refs, t->left),
        at_place(s, vector, w->refs, t->right) };
    return intern_node(s, w, twins, &w->refs[i]);
}

/* Only what lies above a changed word has new references. */
static int settle_changed(
    om_store *s, om_worker *w, const uint32_t *vector, const uint32_t *near)
{
    uint64_t changed = om_tree_changed(&s->tree, vector, near);
    int rc = OM_OK;
    memcpy(w->refs, near + s->words, s->tree.nodes * sizeof *w->refs);
    for (; changed != 0 && rc == OM_OK; changed &= changed - 1)
        rc = settle_node(s, w, vector, (uint32_t) __builtin_ctzll(changed));
    return rc;
}

static int settle_all(om_store *s, om_worker *w, const uint32_t *vector, const uint32_t *near)
{
    int rc = OM_OK;
    for (uint32_t i = 0; i < s->tree.nodes && rc == OM_OK; i++) {
        const om_twig *t = &s->tree.twig[i];
        if (near != NULL && at_place(s, vector, w->refs, t->left) == near[t->left] &&
            at_place(s, vector, w->refs, t->right) == near[t->right])
            w->refs[i] = near[s->words + i];
        else
            rc = settle_node(s, w, vector, i);
    }
    return rc;
}

/* The root of a vector, all below it interned: I6. */
static int make_root(om_store *s, om_worker *w, const uint32_t *vector, const uint32_t *near,
    uint32_t *root)
{
    const om_tree *t = &s->tree;
    int rc = near != NULL && t->nodes <= OM_TREE_MASK ? settle_changed(s, w, vector, near)
                                                      : settle_all(s, w, vector, near);
    root[0] = at_place(s, vector, w->refs, t->twig[t->nodes].left);
    root[1] = at_place(s, vector, w->refs, t->twig[t->nodes].right);
    return rc;
}

/* ---- batches ---- */

static int intern_trees(om_store *s, om_worker *w, const uint32_t *vectors, size_t stride,
    size_t n, const uint32_t *const *near, uint64_t *ids, bool *fresh)
{
    uint32_t roots[OM_SET_BATCH * 2];
    size_t made = 0;
    int rc = OM_OK;
    while (made < n && rc == OM_OK) {
        rc = make_root(s, w, vectors + made * stride, near == NULL ? NULL : near[made],
            roots + 2 * made);
        made += rc == OM_OK;
    }
    int stored = om_set_intern(&s->states, &s->growth, w, roots, 2, made, ids, fresh);
    return stored == OM_OK ? rc : stored;
}

int om_store_intern(om_store *s, unsigned worker, const uint32_t *vectors, size_t stride,
    size_t count, const uint32_t *const *near, uint64_t *ids, bool *fresh)
{
    om_worker *w = &s->worker[worker];
    int rc = OM_OK;
    for (size_t i = 0; i < count && rc == OM_OK; i += OM_SET_BATCH) {
        size_t n = count - i < OM_SET_BATCH ? count - i : OM_SET_BATCH;
        om_gate_enter(&s->gate, &w->place);
        rc = s->tree.words != 0
                 ? intern_trees(s, w, vectors + i * stride, stride, n,
                       near == NULL ? NULL : near + i, ids + i, fresh + i)
                 : om_set_intern(&s->states, &s->growth, w, vectors + i * stride, stride, n,
                       ids + i, fresh + i);
        om_gate_leave(&w->place);
    }
    return rc;
}

uint32_t om_store_row_words(const om_store *s)
{
    return s->words + s->tree.nodes;
}

const uint32_t *om_store_row(const om_store *s, uint64_t id, uint32_t *room)
{
    const om_tree *t = &s->tree;
    const uint32_t *pair = om_set_vector(&s->states, id);
    if (t->words == 0)
        return pair;
    for (uint32_t i = t->nodes;; i--) {
        room[t->twig[i].left] = pair[0];
        room[t->twig[i].right] = pair[1];
        if (i == 0)
            return room;
        pair = om_set_vector(&s->nodes, room[t->words + i - 1]);
    }
}

/* ---- figures ---- */

uint64_t om_store_count(const om_store *s)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < s->workers; i++)
        n += atomic_load_explicit(&s->worker[i].stock[0].count, memory_order_relaxed);
    return n;
}

uint64_t om_store_bound(const om_store *s)
{
    return om_set_bound(&s->states);
}

uint64_t om_store_slots(const om_store *s)
{
    return atomic_load_explicit(&s->states.slots, memory_order_relaxed);
}

uint64_t om_store_bytes(const om_store *s)
{
    return om_set_bytes(&s->states) + (s->tree.words == 0 ? 0 : om_set_bytes(&s->nodes));
}

om_store_figures om_store_figures_of(const om_store *s)
{
    om_store_figures f = { .states = om_store_count(s),
        .vector_bytes = om_set_vector_bytes(&s->states) + om_set_vector_bytes(&s->nodes),
        .slots = om_store_slots(s),
        .longest_pause_ns = atomic_load_explicit(&s->gate.longest_ns, memory_order_relaxed) };
    f.index_bytes = om_store_bytes(s) - f.vector_bytes;
    f.side_bytes = atomic_load_explicit(&s->pool.side_bytes, memory_order_relaxed);
    f.growths = atomic_load_explicit(&s->states.growths, memory_order_relaxed) +
                atomic_load_explicit(&s->nodes.growths, memory_order_relaxed);
    for (unsigned i = 0; i < s->workers; i++) {
        const om_stock *k = s->worker[i].stock;
        f.lookups += atomic_load_explicit(&k[0].lookups, memory_order_relaxed);
        f.probes += atomic_load_explicit(&k[0].probes, memory_order_relaxed);
        f.nodes += atomic_load_explicit(&k[1].count, memory_order_relaxed);
    }
    return f;
}
