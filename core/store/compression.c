/* SPDX-License-Identifier: Apache-2.0 */
#include "process/processors.h"
#include "store.h"

#include <assert.h>
#include <string.h>

enum {
    MEMO_BITS = 16,
    MEMO_LEAST_BITS = 10,
    FEW = 4,
    QUEUE = 4 * OM_SET_BATCH,
    STALE = 8192, /* nodes that are listed before they get references */
    AT_ONCE = 16, /* words of long vectors that are compared at once */
    LINE = 64 / sizeof(uint32_t)
};

/* An entry of a worker's cache of inner nodes: a pair and its reference. An empty entry has a pair
 * that belongs elsewhere. */
typedef struct om_memo {
    uint64_t pair;
    uint32_t ref;
} om_memo;

static inline om_memo *memo_of(const om_worker *w, uint64_t pair)
{
    return &w->memo[(pair * UINT64_C(0x9e3779b97f4a7c15)) >> w->memo_shift];
}

/* A zeroed entry is not empty at the place of pair 0. */
static void empty_memo(om_worker *w)
{
    *memo_of(w, 0) = (om_memo){ .pair = 1 };
}

/* Workers of one processor share the cache that the memos are meant for; moreover, each worker
 * touches all of its memo, even if it does little work. */
static unsigned memo_bits(unsigned workers)
{
    unsigned bits = MEMO_BITS, processors = om_processors__count();
    for (unsigned each = workers / processors; each > 1 && bits > MEMO_LEAST_BITS; each /= 2)
        bits--;
    return bits;
}

/* The pair of inner node i of a row; the nodes below it are known. */
static inline uint64_t pair_of(const om_tree *t, const uint32_t *row, uint32_t i)
{
    return om_pair__of(row[t->node[i].left], row[t->node[i].right]);
}

static void copy_root(const om_tree *t, const uint32_t *row, uint32_t *root)
{
    for (uint32_t i = 0; i < t->arity; i++)
        root[i] = row[t->root[i]];
}

/* ---- long vectors: the nodes above a changed word have new references ---- */

/* References to find: their pairs, and their places in the worker's rows. */
typedef struct wanted {
    uint64_t pair[QUEUE];
    uint32_t place[QUEUE];
    size_t count;
} wanted;

/* Vectors of a batch, as bits. */
typedef struct members {
    uint64_t bits[OM_SET_BATCH / 64];
} members;

/* A word or a reference of each of the vectors, `stride` words apart. */
typedef struct column {
    const uint32_t *at;
    size_t stride;
} column;

/* Returns the words that differ, as bits. */
static inline uint64_t differing(const uint32_t *a, const uint32_t *b, uint32_t words)
{
    uint64_t differ = 0;
    uint32_t i = 0;
#if defined(__SSE2__) && !defined(OM_NO_SSE2)
    for (; i + 4 <= words; i += 4) {
        const __m128i same =
            _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *) (const void *) (a + i)),
                _mm_loadu_si128((const __m128i *) (const void *) (b + i)));
        differ |= (uint64_t) (_mm_movemask_ps(_mm_castsi128_ps(same)) ^ 15) << i;
    }
#endif
    for (; i < words; i++)
        differ |= (uint64_t) (a[i] != b[i]) << i;
    return differ;
}

/* Adds vector k to the members of each word that differs from the row near it, and copies the
 * references of that row. */
static inline void start_row(const om_tree *t, const uint32_t *vector, const uint32_t *near,
    uint32_t *row, size_t k, members *changed)
{
    const uint32_t words = t->words;
    uint64_t differ = UINT64_MAX >> (64 - words);
    assert(words > 0 && words <= OM_TREE_MASK);
    if (near != NULL && near[t->places] != 0) {
        differ = differing(vector, near, words);
        memcpy(row + words, near + words, t->nodes * sizeof *row);
    }
    for (; differ != 0; differ &= differ - 1)
        changed[__builtin_ctzll(differ)].bits[k / 64] |= UINT64_C(1) << k % 64;
}

/* Adds node i of these vectors. */
static void want(const om_tree *t, const om_worker *w, const members *of, uint32_t i, column left,
    column right, wanted *q)
{
    size_t count = q->count;
    for (size_t half = 0; half < OM_SET_BATCH / 64; half++)
        for (uint64_t bits = of->bits[half]; bits != 0; bits &= bits - 1) {
            const size_t k = half * 64 + (size_t) __builtin_ctzll(bits);
            assert(count < QUEUE);
            q->pair[count] = om_pair__of(left.at[k * left.stride], right.at[k * right.stride]);
            q->place[count] = (uint32_t) (k * t->places) + t->words + i;
            __builtin_prefetch(memo_of(w, q->pair[count++]));
        }
    q->count = count;
}

/* Settles the pairs that the memo knows; the others stay. */
static void recall(om_worker *w, wanted *q)
{
    size_t left = 0;
    for (size_t k = 0; k < q->count; k++) {
        const om_memo *m = memo_of(w, q->pair[k]);
        bool known = m->pair == q->pair[k];
        w->rows[q->place[k]] = m->ref; /* or garbage, until look_up() replaces it */
        q->pair[left] = q->pair[k];
        q->place[left] = q->place[k];
        left += !known;
    }
    q->count = left;
}

/* Interns the pairs that are not in the memo. */
static int look_up(om_store *s, om_worker *w, wanted *q)
{
    uint32_t pairs[OM_SET_BATCH * 2];
    uint64_t ids[OM_SET_BATCH];
    bool fresh[OM_SET_BATCH];
    size_t done;
    int rc = OM_OK;

    recall(w, q);
    for (size_t first = 0; first < q->count && rc == OM_OK; first += done) {
        om_set_query a = { pairs, 2, q->count - first, ids, fresh };
        if (a.count > OM_SET_BATCH)
            a.count = OM_SET_BATCH;
        for (size_t k = 0; k < a.count; k++) {
            pairs[2 * k] = (uint32_t) q->pair[first + k];
            pairs[2 * k + 1] = (uint32_t) (q->pair[first + k] >> 32);
        }
        rc = om_set__intern(&s->nodes, &s->growth, w, &a, &done);
        for (size_t k = 0; k < done; k++) {
            uint64_t pair = q->pair[first + k];
            w->rows[q->place[first + k]] = (uint32_t) ids[k];
            *memo_of(w, pair) = (om_memo){ pair, (uint32_t) ids[k] };
        }
    }
    q->count = 0;
    return rc;
}

/* The column of a place of the worker's rows, whose words are in the vectors. */
static column column_of_rows(
    const om_tree *t, const om_worker *w, const uint32_t *vectors, size_t stride, uint32_t place)
{
    return place < t->words ? (column){ vectors + place, stride }
                            : (column){ w->rows + place, t->places };
}

/* Works level by level: the nodes of one level do not depend on each other. A node has a new
 * reference in the vectors in which one of its children has changed. */
static int settle_nodes(
    om_store *s, om_worker *w, const uint32_t *vectors, size_t stride, size_t n, members *changed)
{
    const om_tree *t = &s->tree;
    wanted q = { .count = 0 };
    int rc = OM_OK;
    for (uint32_t l = 0; l < t->levels && rc == OM_OK; l++) {
        for (uint64_t level = t->level[l]; level != 0 && rc == OM_OK; level &= level - 1) {
            const uint32_t i = (uint32_t) __builtin_ctzll(level);
            const om_tree_node node = t->node[i];
            members *of = &changed[t->words + i];
            for (size_t half = 0; half < OM_SET_BATCH / 64; half++)
                of->bits[half] = changed[node.left].bits[half] | changed[node.right].bits[half];
            if (q.count + n > QUEUE)
                rc = look_up(s, w, &q);
            if (rc == OM_OK)
                want(t, w, of, i, column_of_rows(t, w, vectors, stride, node.left),
                    column_of_rows(t, w, vectors, stride, node.right), &q);
        }
        if (rc == OM_OK && q.count != 0)
            rc = look_up(s, w, &q);
    }
    return rc;
}

static int settle(om_store *s, om_worker *w, const uint32_t *vectors, size_t stride, size_t n,
    const uint32_t *const *near, uint32_t *roots)
{
    const om_tree *t = &s->tree;
    members changed[2 * OM_TREE_MASK];
    assert(n <= OM_SET_BATCH && t->words <= OM_TREE_MASK);
    memset(changed, 0, t->words * sizeof *changed);
    for (size_t k = 0; k < n; k++)
        start_row(t, vectors + k * stride, near == NULL ? NULL : near[k], w->rows + k * t->places,
            k, changed);
    int rc = settle_nodes(s, w, vectors, stride, n, changed);
    for (uint32_t i = 0; i < t->arity && rc == OM_OK; i++) {
        const column c = column_of_rows(t, w, vectors, stride, t->root[i]);
        for (size_t k = 0; k < n; k++)
            roots[k * t->arity + i] = c.at[k * c.stride];
    }
    return rc;
}

/* ---- very long vectors: the same, but nodes do not fit the bits of a word ---- */

/* A node of a row that needs a new reference, and the next one of its level (0: none). */
typedef struct stale_node {
    uint32_t row, node, next;
} stale_node;

/* The nodes of rows that need new references, by level. Number 0 is not used. */
typedef struct om_stale {
    stale_node *at;
    uint32_t count, *first; /* by level */
    uint32_t *seen, now;    /* by node: the last row in which it was added */
} om_stale;

/* Adds a node of row k. Returns false if it is there. */
static inline bool add_stale(const om_tree *t, om_stale *l, uint32_t k, uint32_t node)
{
    if (l->seen[node] == l->now)
        return false;
    l->seen[node] = l->now;
    uint32_t *first = &l->first[t->height[node]];
    l->at[l->count] = (stale_node){ k, node, *first };
    *first = l->count++;
    return true;
}

/* Adds the nodes above a word that has changed. */
static inline void climb(const om_tree *t, om_stale *l, uint32_t k, uint32_t word)
{
    uint32_t node = t->above[word];
    while (node != OM_TREE_NONE && add_stale(t, l, k, node))
        node = t->above[t->words + node];
}

/* Makes row k of a vector. */
static void start_long_row(const om_tree *t, om_stale *l, uint32_t k, const uint32_t *vector,
    const uint32_t *near, uint32_t *row)
{
    if (++l->now == 0) { /* all marks would seem to be of this row */
        memset(l->seen, 0, t->words * sizeof *l->seen);
        l->now = 1;
    }
    if (near == NULL || near[t->places] == 0) {
        memcpy(row, vector, t->words * sizeof *row);
        for (uint32_t i = 0; i < t->nodes; i++)
            (void) add_stale(t, l, k, i);
        return;
    }
    memcpy(row, near, t->places * sizeof *row);
    for (uint32_t first = 0; first < t->words; first += AT_ONCE) {
        const uint32_t end = first + AT_ONCE < t->words ? first + AT_ONCE : t->words;
        if (memcmp(vector + first, near + first, (end - first) * sizeof *near) == 0)
            continue;
        for (uint32_t i = first; i < end; i++)
            if (vector[i] != near[i]) {
                row[i] = vector[i];
                climb(t, l, k, i);
            }
    }
}

/* Gives all nodes of the list their references, level by level, and empties it. */
static int settle_list(om_store *s, om_worker *w, om_stale *l)
{
    const om_tree *t = &s->tree;
    wanted q = { .count = 0 };
    int rc = OM_OK;
    for (uint32_t level = 0; level < t->levels; level++) {
        for (uint32_t i = l->first[level]; i != 0 && rc == OM_OK; i = l->at[i].next) {
            const uint32_t *row = w->rows + (size_t) l->at[i].row * t->places;
            const uint64_t pair = pair_of(t, row, l->at[i].node);
            __builtin_prefetch(memo_of(w, pair));
            q.pair[q.count] = pair;
            q.place[q.count++] = l->at[i].row * t->places + t->words + l->at[i].node;
            if (q.count == QUEUE)
                rc = look_up(s, w, &q);
        }
        if (rc == OM_OK && q.count != 0)
            rc = look_up(s, w, &q);
        l->first[level] = 0;
    }
    l->count = 1;
    return rc;
}

static int settle_long(om_store *s, om_worker *w, const uint32_t *vectors, size_t stride, size_t n,
    const uint32_t *const *near)
{
    const om_tree *t = &s->tree;
    int rc = OM_OK;
    for (size_t k = 0; k < n && rc == OM_OK; k++) {
        if (w->stale->count > STALE)
            rc = settle_list(s, w, w->stale);
        if (rc == OM_OK)
            start_long_row(t, w->stale, (uint32_t) k, vectors + k * stride,
                near == NULL ? NULL : near[k], w->rows + k * t->places);
    }
    return rc == OM_OK ? settle_list(s, w, w->stale) : rc;
}

/* Makes the list of a worker; OM_OK or OM_ENOMEM. */
static int make_list(const om_store *s, om_worker *w)
{
    const om_tree *t = &s->tree;
    om_stale *l = om_alloc(s->heap, 1, sizeof *l);
    w->stale = l;
    if (l == NULL || !OM_NEW(s->heap, l->at, STALE + (size_t) t->words + 1) ||
        !OM_NEW(s->heap, l->first, t->words) || !OM_NEW(s->heap, l->seen, t->words))
        return OM_ENOMEM;
    l->count = 1;
    return OM_OK;
}

static void free_list(const om_store *s, om_stale *l)
{
    if (l != NULL)
        OM_FREE_ALL(s->heap, l->at, l->first, l->seen, l);
}

void om_store__free_worker(const om_store *s, om_worker *w)
{
    free_list(s, w->stale);
    OM_FREE_ALL(s->heap, w->memo, w->buffer);
}

/* ---- short vectors: looking up all nodes is faster than finding the changed ones ---- */

/* References are stored by node: those of one node are consecutive. */
static column column_of(
    const om_tree *t, const om_worker *w, const uint32_t *vectors, size_t stride, uint32_t place)
{
    return place < t->words ? (column){ vectors + place, stride }
                            : (column){ w->rows + (size_t) (place - t->words) * OM_SET_BATCH, 1 };
}

/* Finds the references of one node of n vectors: first those in the memo, then the others. */
static int settle_node(
    om_store *s, om_worker *w, column left, column right, size_t n, uint32_t *refs)
{
    uint32_t pairs[OM_SET_BATCH * 2];
    uint64_t pair[OM_SET_BATCH], ids[OM_SET_BATCH];
    uint8_t rest[OM_SET_BATCH];
    bool fresh[OM_SET_BATCH];
    om_set_query a = { pairs, 2, 0, ids, fresh };
    size_t done;

    for (size_t k = 0; k < n; k++) {
        pair[k] = om_pair__of(left.at[k * left.stride], right.at[k * right.stride]);
        __builtin_prefetch(memo_of(w, pair[k]));
    }
    for (size_t k = 0; k < n; k++) {
        const om_memo *m = memo_of(w, pair[k]);
        refs[k] = m->ref;
        rest[a.count] = (uint8_t) k;
        a.count += m->pair != pair[k];
    }
    for (size_t k = 0; k < a.count; k++) {
        pairs[2 * k] = (uint32_t) pair[rest[k]];
        pairs[2 * k + 1] = (uint32_t) (pair[rest[k]] >> 32);
    }
    int rc = om_set__intern(&s->nodes, &s->growth, w, &a, &done);
    for (size_t k = 0; k < done && k < a.count; k++) {
        refs[rest[k]] = (uint32_t) ids[k];
        *memo_of(w, pair[rest[k]]) = (om_memo){ pair[rest[k]], (uint32_t) ids[k] };
    }
    return rc;
}

static int settle_short(
    om_store *s, om_worker *w, const uint32_t *vectors, size_t stride, size_t n, uint32_t *roots)
{
    const om_tree *t = &s->tree;
    int rc = OM_OK;
    for (uint32_t i = 0; i < t->nodes && rc == OM_OK; i++)
        rc = settle_node(s, w, column_of(t, w, vectors, stride, t->node[i].left),
            column_of(t, w, vectors, stride, t->node[i].right), n,
            w->rows + (size_t) i * OM_SET_BATCH);
    for (uint32_t i = 0; i < t->arity && rc == OM_OK; i++) {
        column c = column_of(t, w, vectors, stride, t->root[i]);
        for (size_t k = 0; k < n; k++)
            roots[k * t->arity + i] = c.at[k * c.stride];
    }
    return rc;
}

int om_store__prepare_compression(om_store *s)
{
    unsigned bits = memo_bits(s->workers);
    int rc = om_tree__init(&s->tree, s->heap, s->words);
    for (unsigned i = 0; i < s->workers && rc == OM_OK; i++) {
        om_worker *w = &s->worker[i];
        w->memo_shift = 64 - bits;
        if (!OM_NEW(s->heap, w->memo, (size_t) 1 << bits) ||
            !OM_NEW(s->heap, w->buffer, (size_t) OM_SET_BATCH * s->tree.places + 2 * (size_t) LINE))
            return OM_ENOMEM;
        w->rows = w->buffer + LINE;
        if (s->words > OM_TREE_MASK)
            rc = make_list(s, w);
        empty_memo(w);
        assert(memo_of(w, 1) != memo_of(w, 0));
    }
    return rc;
}

int om_store__make_roots(om_store *s, om_worker *w, const uint32_t *vectors, size_t stride,
    size_t n, const uint32_t *const *near, uint32_t *roots)
{
    const om_tree *t = &s->tree;
    if (t->nodes <= FEW)
        return settle_short(s, w, vectors, stride, n, roots);
    if (t->words <= OM_TREE_MASK)
        return settle(s, w, vectors, stride, n, near, roots);
    int rc = settle_long(s, w, vectors, stride, n, near);
    for (size_t k = 0; k < n && rc == OM_OK; k++)
        copy_root(t, w->rows + k * t->places, roots + k * t->arity);
    return rc;
}

/* Sets the references and words below node i, whose reference in the row is new, where they differ.
 * The recursion is as deep as the tree, which has OM_TREE_FIT nodes or is balanced. */
static void unpack_below(const om_store *s, uint32_t *row, uint32_t i)
{
    const om_tree *t = &s->tree;
    const uint32_t place[] = { t->node[i].left, t->node[i].right };
    assert(row[t->words + i] < om_set__bound(&s->nodes)); /* I6 */
    const uint32_t *pair = om_set__vector(&s->nodes, row[t->words + i]);
    for (unsigned k = 0; k < 2; k++) {
        if (row[place[k]] == pair[k])
            continue;
        row[place[k]] = pair[k];
        if (place[k] >= t->words)
            unpack_below(s, row, place[k] - t->words);
    }
}

/* Makes a row the row of another state: they share most subtrees. */
static void unpack_beside(const om_store *s, uint64_t id, uint32_t *row)
{
    const om_tree *t = &s->tree;
    const uint32_t *root = om_set__vector(&s->roots, id);
    assert(row[t->places] == 1);
    for (uint32_t i = 0; i < t->arity; i++) {
        if (row[t->root[i]] == root[i])
            continue;
        row[t->root[i]] = root[i];
        if (t->root[i] >= t->words)
            unpack_below(s, row, t->root[i] - t->words);
    }
}

/* Works node by node for all rows, so that the cache misses of the rows overlap. */
static void unpack_together(const om_store *s, const uint64_t *ids, size_t n, uint32_t *rows)
{
    const om_tree *t = &s->tree;
    const size_t stride = t->places + (size_t) 1;
    for (size_t k = 0; k < n; k++) {
        const uint32_t *root = om_set__vector(&s->roots, ids[k]);
        uint32_t *row = rows + k * stride;
        for (uint32_t i = 0; i < t->arity; i++)
            row[t->root[i]] = root[i];
        row[t->places] = 1;
    }
    for (uint32_t i = t->nodes; i-- > 0;)
        for (size_t k = 0; k < n; k++) {
            uint32_t *row = rows + k * stride;
            assert(row[t->words + i] < om_set__bound(&s->nodes)); /* I6 */
            const uint32_t *pair = om_set__vector(&s->nodes, row[t->words + i]);
            row[t->node[i].left] = pair[0];
            row[t->node[i].right] = pair[1];
        }
}

void om_store__unpack(
    const om_store *s, const uint64_t *ids, size_t n, uint32_t *rows, bool written)
{
    const om_tree *t = &s->tree;
    const size_t stride = t->places + (size_t) 1;
    assert(om_store__is_compressed(s)); /* I7 */
    if (t->words <= OM_TREE_MASK) {
        unpack_together(s, ids, n, rows);
        return;
    }
    for (size_t k = 0; k < n; k++, rows += stride) {
        if (k == 0 && (!written || rows[t->places] == 0)) {
            unpack_together(s, ids, 1, rows);
            continue;
        }
        if (k > 0)
            memcpy(rows, rows - stride, stride * sizeof *rows);
        unpack_beside(s, ids[k], rows);
    }
}

/* ---- from vectors to trees: change.c ---- */

int om_store__compress_vector(om_store *s, om_worker *w, uint64_t id)
{
    const om_tree *t = &s->tree;
    uint32_t *row = w->rows, root[OM_ROOT_MOST];
    assert(om_quiescence__is_paused(&s->quiescence)); /* I4 */
    int rc = OM_OK;
    memcpy(row, om_set__vector(&s->vectors, id), t->words * sizeof *row);
    for (uint32_t i = 0; i < t->nodes && rc == OM_OK; i++) {
        uint32_t pairs[] = { row[t->node[i].left], row[t->node[i].right] };
        uint64_t pair = om_pair__of(pairs[0], pairs[1]), ref = 0;
        om_memo *m = memo_of(w, pair);
        if (m->pair != pair) {
            rc = om_set__intern_paused(&s->nodes, w, pairs, &ref);
            if (rc == OM_OK)
                *m = (om_memo){ pair, (uint32_t) ref };
        }
        row[t->words + i] = m->ref;
    }
    copy_root(t, row, root);
    return rc == OM_OK ? om_set__put_paused(&s->roots, root, id) : rc;
}

void om_store__forget(om_worker *w)
{
    memset(w->memo, 0, sizeof *w->memo << (64 - w->memo_shift));
    empty_memo(w);
}
