/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include <assert.h>
#include <stdlib.h>

enum { MEMO_BITS = 14 };

/* A worker's own short memory of inner nodes: a pair and its reference + 1, or 0. */
typedef struct om_memo {
    uint64_t pair;
    uint32_t ref;
} om_memo;

int om_store__start_trees(om_store *s)
{
    int rc = om_tree_init(&s->tree, s->heap, s->words);
    for (unsigned i = 0; i < s->workers && rc == OM_OK; i++) {
        om_worker *w = &s->worker[i];
        w->memo = om_alloc(s->heap, (size_t) 1 << MEMO_BITS, sizeof *w->memo);
        w->refs = om_alloc(s->heap, (size_t) OM_SET_BATCH * s->tree.nodes, sizeof *w->refs);
        if (w->memo == NULL || w->refs == NULL)
            rc = OM_ENOMEM;
    }
    return rc;
}

static uint32_t at_place(
    const om_store *s, const uint32_t *vector, const uint32_t *refs, uint32_t p)
{
    return p < s->words ? vector[p] : refs[p - s->words];
}

/* The pair of twig i of a vector whose inner nodes below it are known. */
static void twins_of(
    const om_store *s, const uint32_t *vector, const uint32_t *refs, uint32_t i, uint32_t *twins)
{
    twins[0] = at_place(s, vector, refs, s->tree.twig[i].left);
    twins[1] = at_place(s, vector, refs, s->tree.twig[i].right);
}

static om_memo *memo_of(const om_worker *w, uint64_t pair)
{
    return &w->memo[(pair * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - MEMO_BITS)];
}

/* ---- many vectors, level by level ---- */

/* Inner nodes to be looked up together: first in the memo, whose lines are on their way. */
typedef struct wanted {
    uint64_t pair[OM_SET_BATCH];
    uint32_t *ref[OM_SET_BATCH]; /* where each reference goes */
    size_t count;
} wanted;

/* Settles those that the memo knows; the others stay. */
static void recall(const om_worker *w, wanted *q)
{
    size_t left = 0;
    for (size_t i = 0; i < q->count; i++) {
        const om_memo *m = memo_of(w, q->pair[i]);
        bool known = m->ref != 0 && m->pair == q->pair[i];
        *q->ref[i] = m->ref - 1; /* or nothing of worth, until look_up() */
        q->pair[left] = q->pair[i];
        q->ref[left] = q->ref[i];
        left += !known;
    }
    q->count = left;
}

static int look_up(om_store *s, om_worker *w, wanted *q)
{
    uint32_t twins[OM_SET_BATCH * 2];
    uint64_t ids[OM_SET_BATCH];
    bool fresh[OM_SET_BATCH];
    size_t done;

    recall(w, q);
    for (size_t i = 0; i < q->count; i++) {
        twins[2 * i] = (uint32_t) q->pair[i];
        twins[2 * i + 1] = (uint32_t) (q->pair[i] >> 32);
    }
    om_asked a = { twins, 2, q->count, ids, fresh };
    int rc = om_set_intern(&s->nodes, &s->growth, w, &a, &done);
    for (size_t i = 0; i < done; i++) {
        assert(q->ref[i] != NULL);
        *q->ref[i] = (uint32_t) ids[i];
        *memo_of(w, q->pair[i]) = (om_memo){ q->pair[i], (uint32_t) ids[i] + 1 };
    }
    q->count = 0;
    return rc;
}

/* Inner node i of a vector gets its reference with the others of q. */
static int want(
    om_store *s, om_worker *w, wanted *q, const uint32_t *vector, uint32_t *refs, uint32_t i)
{
    const om_twig *t = &s->tree.twig[i];
    uint64_t pair =
        om_pair_of(at_place(s, vector, refs, t->left), at_place(s, vector, refs, t->right));
    __builtin_prefetch(memo_of(w, pair));
    q->pair[q->count] = pair;
    q->ref[q->count++] = &refs[i];
    return q->count == OM_SET_BATCH ? look_up(s, w, q) : OM_OK;
}

/* Only what lies above a changed word has new references. */
static uint64_t start_from(
    const om_store *s, const uint32_t *vector, const uint32_t *near, uint32_t *refs)
{
    uint32_t nodes = s->tree.nodes;
    if (near == NULL || near[s->words + nodes] == 0)
        return UINT64_MAX >> (OM_TREE_MASK - nodes);
    memcpy(refs, near + s->words, nodes * sizeof *refs);
    return om_tree_changed(&s->tree, vector, near);
}

static int settle_levels(om_store *s, om_worker *w, const uint32_t *vectors, size_t stride,
    size_t n, const uint32_t *const *near)
{
    const om_tree *t = &s->tree;
    uint64_t changed[OM_SET_BATCH];
    wanted q = { .count = 0 };
    int rc = OM_OK;

    for (size_t k = 0; k < n; k++)
        changed[k] = start_from(
            s, vectors + k * stride, near == NULL ? NULL : near[k], w->refs + k * t->nodes);
    for (uint32_t l = 0; l < t->levels && rc == OM_OK; l++) {
        for (size_t k = 0; k < n && rc == OM_OK; k++)
            for (uint64_t left = changed[k] & t->level[l]; left != 0 && rc == OM_OK;
                 left &= left - 1)
                rc = want(s, w, &q, vectors + k * stride, w->refs + k * t->nodes,
                    (uint32_t) __builtin_ctzll(left));
        if (rc == OM_OK && q.count != 0)
            rc = look_up(s, w, &q);
    }
    return rc;
}

/* ---- vectors with more inner nodes than a word has bits, one by one ---- */

static int settle_one(
    om_store *s, om_worker *w, const uint32_t *vector, const uint32_t *near, uint32_t *refs)
{
    const om_tree *t = &s->tree;
    uint32_t twins[2];
    int rc = OM_OK;
    if (near != NULL && near[s->words + t->nodes] == 0)
        near = NULL;
    for (uint32_t i = 0; i < t->nodes && rc == OM_OK; i++) {
        twins_of(s, vector, refs, i, twins);
        uint64_t pair = om_pair(twins), id;
        om_memo *m = memo_of(w, pair);
        bool fresh;
        if (near != NULL && twins[0] == near[t->twig[i].left] &&
            twins[1] == near[t->twig[i].right]) {
            refs[i] = near[s->words + i];
            continue;
        }
        if (m->ref == 0 || m->pair != pair) {
            rc = om_set_intern_one(
                &s->nodes, &s->growth, w, twins, om_set_hash_pair(&s->nodes, pair), &id, &fresh);
            if (rc == OM_OK)
                *m = (om_memo){ pair, (uint32_t) id + 1 };
        }
        refs[i] = rc == OM_OK ? m->ref - 1 : 0;
    }
    return rc;
}

int om_store__make_roots(om_store *s, om_worker *w, const uint32_t *vectors, size_t stride,
    size_t n, const uint32_t *const *near, uint32_t *roots, size_t *made)
{
    uint32_t nodes = s->tree.nodes;
    int rc = OM_OK;

    if (nodes <= OM_TREE_MASK) {
        rc = settle_levels(s, w, vectors, stride, n, near);
        *made = rc == OM_OK ? n : 0;
    } else {
        for (*made = 0; *made < n && rc == OM_OK; *made += rc == OM_OK)
            rc = settle_one(s, w, vectors + *made * stride, near == NULL ? NULL : near[*made],
                w->refs + *made * nodes);
    }
    for (size_t k = 0; k < *made; k++)
        twins_of(s, vectors + k * stride, w->refs + k * nodes, nodes, roots + 2 * k);
    return rc;
}

void om_store__unpack(const om_store *s, const uint32_t *root, uint32_t *room)
{
    const om_tree *t = &s->tree;
    for (uint32_t i = t->nodes;; i--) {
        room[t->twig[i].left] = root[0];
        room[t->twig[i].right] = root[1];
        if (i == 0)
            break;
        root = om_set_vector(&s->nodes, room[t->words + i - 1]);
    }
    room[t->words + t->nodes] = 1;
}

/* ---- the change from vectors to trees ---- */

/* The ids in the index of a set; there is room for as many as it has slots. */
static size_t list_ids(const om_set *set, uint64_t *ids)
{
    size_t n = 0;
    for (uint64_t k = 0; k >> set->shard_bits == 0; k = om_set_next_shard(set, k))
        for (uint64_t i = 0; i < set->shard[k].count; i++) {
            uint64_t word = om_shard_load(&set->shard[k], i);
            if (word != 0)
                ids[n++] = om_shard_id(&set->shard[k], word);
        }
    return n;
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
    return (x > y) - (x < y);
}

/* Moves a vector from the first set into the trees. */
static int replant(om_store *s, om_worker *w, uint64_t id)
{
    const uint32_t *vector = om_set_vector(&s->vectors, id);
    uint32_t twins[2];
    int rc = OM_OK;
    for (uint32_t i = 0; i < s->tree.nodes && rc == OM_OK; i++) {
        uint64_t ref = 0;
        twins_of(s, vector, w->refs, i, twins);
        rc = om_set_intern_alone(&s->nodes, w, twins, &ref);
        w->refs[i] = (uint32_t) ref;
    }
    twins_of(s, vector, w->refs, s->tree.nodes, twins);
    return rc == OM_OK ? om_set_put_alone(&s->roots, twins, id) : rc;
}

/* The shape, from the vectors in the order of their ids. */
static int choose_shape(om_store *s, const uint64_t *ids, size_t n)
{
    uint32_t *sample = om_alloc(s->heap, n, s->words * sizeof *sample);
    if (sample == NULL)
        return OM_ENOMEM;
    for (size_t i = 0; i < n; i++)
        memcpy(
            sample + i * s->words, om_set_vector(&s->vectors, ids[i]), s->words * sizeof *sample);
    int rc = om_tree_fit(&s->tree, s->heap, sample, n);
    om_free(s->heap, sample);
    return rc;
}

/* Ids that workers hold of the first set are used in the second: their pages must be there. */
static int prepare_pages(om_store *s, uint64_t bound)
{
    void *at;
    int rc = OM_OK;
    for (uint64_t id = 0; id < bound && rc == OM_OK; id += 1 << OM_SEGMENT_FIRST_BITS)
        rc = om_pages_ensure(&s->roots.pages, id, &at);
    return rc == OM_OK && bound != 0 ? om_pages_ensure(&s->roots.pages, bound - 1, &at) : rc;
}

/* With the gate closed. OM_EUNSUPPORTED: hashes are so uneven that there is no room. */
static int plant(om_store *s, om_worker *w)
{
    uint64_t bound = om_set_bound(&s->vectors);
    uint64_t *ids = om_alloc(s->heap, om_store_slots(s), sizeof *ids);
    int rc = ids == NULL ? OM_ENOMEM : OM_OK;
    size_t n = 0;

    if (rc == OM_OK) {
        n = list_ids(&s->vectors, ids);
        qsort(ids, n, sizeof *ids, by_id);
        rc = choose_shape(s, ids, n);
    }
    /* Room without a growth, whatever the shape. */
    if (rc == OM_OK)
        rc = om_store__start_set(s, &s->roots, 2, 0, 2 * bound + 1024);
    if (rc == OM_OK)
        rc = om_store__start_set(s, &s->nodes, 2, 1, 2 * (n * s->tree.nodes + 2048));
    if (rc == OM_OK)
        rc = prepare_pages(s, bound);
    atomic_store_explicit(&s->roots.next_id, bound, memory_order_relaxed);
    for (size_t i = 0; i < n && rc == OM_OK; i++)
        rc = replant(s, w, ids[i]);
    om_free(s->heap, ids);
    return rc;
}

int om_store__plant(om_store *s, unsigned worker)
{
    om_worker *w = &s->worker[worker];
    if (!om_gate_close(&s->gate))
        return OM_OK;
    int rc = OM_OK;
    if (om_store__trees_are_due(s)) {
        rc = plant(s, w);
        if (rc == OM_OK) {
            s->vectors.closed = true; /* I7 */
            om_set_free_index(&s->vectors);
            /* release: whoever sees it sees the roots and nodes. */
            atomic_store_explicit(&s->planted, true, memory_order_release);
        } else {
            for (unsigned i = 0; i < s->workers; i++)
                s->worker[i].stock[1] = (om_stock){ .next = 0 };
            om_set_free(&s->roots);
            om_set_free(&s->nodes);
        }
        if (rc == OM_EUNSUPPORTED) {
            /* relaxed: a hint; vectors as they are will do. */
            atomic_store_explicit(&s->early, UINT64_MAX, memory_order_relaxed);
            rc = OM_OK;
        }
    }
    om_gate_open(&s->gate);
    return rc;
}
