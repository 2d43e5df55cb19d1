/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <assert.h>
#include <string.h>

/* Finds the node above each place, and the levels. */
static void survey_levels(om_tree *t)
{
    assert(t->nodes == t->words - t->arity); /* T2 */
    for (uint32_t i = 0; i < t->places; i++)
        t->above[i] = OM_TREE_NONE;
    t->levels = 0;
    for (uint32_t i = 0; i < t->nodes; i++) {
        const uint32_t child[] = { t->node[i].left, t->node[i].right };
        t->height[i] = 0;
        for (unsigned k = 0; k < 2; k++) {
            assert(child[k] < t->words + i); /* T1 */
            t->above[child[k]] = i;
            if (child[k] >= t->words && t->height[child[k] - t->words] >= t->height[i])
                t->height[i] = t->height[child[k] - t->words] + 1;
        }
        t->levels = t->height[i] >= t->levels ? t->height[i] + 1 : t->levels;
    }
}

/* Computes the levels as bits. */
static void survey_bits(om_tree *t)
{
    memset(t->level, 0, t->words * sizeof *t->level);
    for (uint32_t i = 0; i < t->nodes; i++)
        t->level[t->height[i]] |= UINT64_C(1) << i;
}

static void survey(om_tree *t)
{
    survey_levels(t);
    if (t->words <= OM_TREE_MASK)
        survey_bits(t);
}

/* Numbers the nodes over `count` words; returns the place of the topmost in a row. */
static uint32_t balance(om_tree *t, uint32_t first, uint32_t count)
{
    uint32_t left = count / 2;
    assert(count > 0);
    if (count == 1)
        return first;
    om_tree_node node = { .left = balance(t, first, left) };
    node.right = balance(t, first + left, count - left);
    t->node[t->nodes] = node;
    return t->words + t->nodes++;
}

int om_tree__init(om_tree *t, const om_heap *heap, uint32_t words)
{
    assert(words > OM_ROOT_MOST);
    *t = (om_tree){ .words = words, .arity = 2, .places = 2 * words - 2 };
    if (!OM_NEW(heap, t->node, words) || !OM_NEW(heap, t->level, words) ||
        !OM_NEW(heap, t->above, t->places) || !OM_NEW(heap, t->height, words)) {
        om_tree__free(t, heap);
        return OM_ENOMEM;
    }
    t->root[0] = balance(t, 0, words / 2);
    t->root[1] = balance(t, words / 2, words - words / 2);
    survey(t);
    return OM_OK;
}

void om_tree__free(om_tree *t, const om_heap *heap)
{
    OM_FREE_ALL(heap, t->node, t->level, t->above, t->height);
    *t = (om_tree){ .words = 0 };
}

/* ---- fitting ---- */

enum { SHORT = 6, FEW_STATES = 6 };
enum { LAST = 6, LAST_SETS = 1 << LAST }; /* groups that are joined optimally */
enum { LOOK_UP = 8 }; /* this many look-ups of a node cost as much as storing one */
enum { SAMPLE_MOST = 8192, SAMPLE_LEAST = 1024 };
#define WORK ((uint64_t) 4 << 20) /* vectors inspected in total */

/* Words that are joined: the class of each vector of the sample, that is, of its values of these
 * words. */
typedef struct group {
    uint16_t *class;
    uint32_t classes, words, place;
} group;

typedef struct fitting {
    size_t samples;
    group *groups;
    uint32_t count;        /* groups that are left to join */
    uint32_t stride;       /* row length of `known`: the initial number of groups */
    uint64_t *known;       /* scores of pairs of groups */
    uint32_t *table, *key; /* class + 1 of a key; 2^bits each, four times the sample */
    unsigned bits;
    uint16_t *together; /* the classes of nested sets of the last groups */
} fitting;
_Static_assert(SAMPLE_MOST <= UINT16_MAX, "a class fits its type");

/* The slot of a key in the table, or the slot to insert it. */
static uint32_t find(const fitting *f, uint32_t key)
{
    uint32_t at = (key * UINT32_C(0x9e3779b1)) >> (32 - f->bits);
    while (f->table[at] != 0 && f->key[at] != key)
        at = (at + 1) & ((1u << f->bits) - 1);
    f->key[at] = key;
    return at;
}

/* Returns the number of classes of two groups together; writes them to `class` (may be NULL). If
 * there are few pairs of classes, as for most words, each has a slot of its own. */
static uint32_t join(fitting *f, const group *a, const group *b, uint16_t *class)
{
    uint64_t pairs = (uint64_t) a->classes * b->classes;
    bool direct = pairs <= 1u << f->bits;
    uint32_t classes = 0;
    memset(f->table, 0, (direct ? (size_t) pairs : (size_t) 1 << f->bits) * sizeof *f->table);
    for (size_t i = 0; i < f->samples; i++) {
        uint32_t at = direct ? a->class[i] * b->classes + b->class[i]
                             : find(f, (uint32_t) a->class[i] << 16 | b->class[i]);
        if (f->table[at] == 0)
            f->table[at] = ++classes;
        if (class != NULL)
            class[i] = (uint16_t) (f->table[at] - 1);
    }
    assert(classes <= f->samples);
    return classes;
}

/* Computes the classes of one word. */
static void classify(fitting *f, group *p, const uint32_t *vectors, size_t stride)
{
    memset(f->table, 0, ((size_t) 1 << f->bits) * sizeof *f->table);
    for (size_t i = 0; i < f->samples; i++) {
        uint32_t at = find(f, vectors[i * stride]);
        if (f->table[at] == 0)
            f->table[at] = ++p->classes;
        p->class[i] = (uint16_t) (f->table[at] - 1);
    }
}

/* The score of groups a and b together, or 0 if it is not computed yet. */
static uint64_t *known_of(const fitting *f, uint32_t a, uint32_t b)
{
    return &f->known[a < b ? (size_t) a * f->stride + b : (size_t) b * f->stride + a];
}

/* The fewer classes two groups have together, the fewer nodes there will be; the fewer words, the
 * shorter the paths. Below a minimum, the number of classes does not matter. */
static uint64_t score_of(const fitting *f, const group *a, const group *b, uint32_t classes)
{
    uint64_t words = a->words + b->words, least = f->samples / 32 + 1;
    return (classes < least ? least : classes) * words << 16 | words;
}

/* Returns the two groups with the lowest score. Together they have at least as many classes as
 * each: this bound rules out most pairs. */
static om_tree_node choose(fitting *f)
{
    assert(f->count >= 2);
    om_tree_node best = { 0, 1 };
    uint64_t lowest = UINT64_MAX;
    for (uint32_t k = 0; k < f->count; k++)
        for (uint32_t i = k + 1; i < f->count; i++) {
            const group *a = &f->groups[k], *b = &f->groups[i];
            uint64_t *score = known_of(f, k, i);
            if (*score == 0 &&
                score_of(f, a, b, a->classes > b->classes ? a->classes : b->classes) >= lowest)
                continue;
            if (*score == 0)
                *score = score_of(f, a, b, join(f, a, b, NULL));
            if (*score < lowest) {
                lowest = *score;
                best = (om_tree_node){ k, i };
            }
        }
    return best;
}

/* Merges group b into group a; the last group takes b's place, with its known scores. */
static void merge(fitting *f, uint32_t a, uint32_t b, uint32_t place)
{
    assert(a < b && b < f->count);
    group *p = &f->groups[a], *q = &f->groups[b];
    uint32_t last = --f->count;
    p->classes = join(f, p, q, p->class);
    p->words += q->words;
    p->place = place;
    group swap = *q;
    *q = f->groups[last];
    f->groups[last] = swap;
    for (uint32_t i = 0; i < f->count; i++) {
        if (i != b && b != last)
            *known_of(f, i, b) = *known_of(f, i, last);
        if (i != a)
            *known_of(f, i, a) = 0;
    }
}

/*
 * Returns true if the two groups should be joined, false if the remaining three form a root. A node
 * for every few states saves hardly any memory and costs a cache miss more; in long vectors it is
 * one of many.
 */
static bool worth_a_node(const om_tree *t, fitting *f, om_tree_node two, uint32_t arity)
{
    if (f->count > OM_ROOT_MOST || arity != 0)
        return f->count > arity;
    return t->words > SHORT ||
           join(f, &f->groups[two.left], &f->groups[two.right], NULL) < f->samples / FEW_STATES;
}

/* ---- the last groups ---- */

/* The last groups, as members of sets: the classes and words of each set, the cost of the nodes
 * over it, and its better half. */
typedef struct last {
    const fitting *f;
    uint32_t classes[LAST_SETS], words[LAST_SETS];
    uint64_t cost[LAST_SETS];
    uint8_t half[LAST_SETS];
} last;

/* Counts the classes of all sets that consist of this one and members below its lowest. */
static void count_classes(last *l, fitting *f, const group *g, uint32_t set, uint16_t *class)
{
    l->classes[set] = g->classes;
    l->words[set] = g->words;
    for (uint32_t i = 0; (set >> i & 1) == 0; i++) {
        const group *one = &f->groups[i];
        group both = { .class = class, .words = g->words + one->words };
        both.classes = join(f, g, one, class);
        count_classes(l, f, &both, set | 1u << i, class + f->samples);
    }
}

/* Finds the two cheapest sets that make up a set. */
static uint64_t split(last *l, uint32_t set)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t half = (set - 1) & set; half > set - half; half = (half - 1) & set)
        if (l->cost[half] + l->cost[set - half] < best) {
            best = l->cost[half] + l->cost[set - half];
            l->half[set] = (uint8_t) half;
        }
    return best;
}

/* Computes the cost of the nodes over each set: a node is stored for each class of the set, and
 * looked up whenever one of its words has changed. */
static void survey_sets(last *l, fitting *f, uint32_t words)
{
    l->f = f;
    for (uint32_t i = 0; i < f->count; i++)
        count_classes(l, f, &f->groups[i], 1u << i, f->together);
    for (uint32_t set = 1; set >> f->count == 0; set++)
        l->cost[set] = (set & (set - 1)) == 0 ? 0
                                              : split(l, set) + l->classes[set] +
                                                    f->samples * l->words[set] / words / LOOK_UP;
}

/* Makes the nodes over a set; returns the place of the topmost. */
static uint32_t make_nodes(om_tree *t, const last *l, uint32_t set)
{
    assert(set != 0);
    if ((set & (set - 1)) == 0)
        return l->f->groups[__builtin_ctz(set)].place;
    om_tree_node node = { .left = make_nodes(t, l, l->half[set]) };
    node.right = make_nodes(t, l, set - l->half[set]);
    t->node[t->nodes] = node;
    return t->words + t->nodes++;
}

/*
 * Halves sets until there are as many as the root has places; halves the most expensive set first.
 */
static void make_roots(om_tree *t, fitting *f, uint32_t arity)
{
    last l;
    uint32_t sets[OM_ROOT_MOST] = { (1u << f->count) - 1 };
    assert(f->count <= LAST && arity >= 2 && arity <= OM_ROOT_MOST);
    survey_sets(&l, f, t->words);
    for (t->arity = 1; t->arity < arity; t->arity++) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < t->arity; i++)
            if (l.cost[sets[i]] > l.cost[sets[most]])
                most = i;
        sets[t->arity] = sets[most] - l.half[sets[most]];
        sets[most] = l.half[sets[most]];
    }
    for (uint32_t i = 0; i < arity; i++)
        t->root[i] = make_nodes(t, &l, sets[i]);
}

/* The places of rows do not change: other threads read rows concurrently. */
static void fit(om_tree *t, fitting *f, uint32_t arity)
{
    const uint32_t until = t->words > SHORT ? LAST : 2;
    t->nodes = 0;
    while (f->count > until) {
        om_tree_node two = choose(f);
        if (until == 2 && !worth_a_node(t, f, two, arity))
            break;
        t->node[t->nodes] = (om_tree_node){ f->groups[two.left].place, f->groups[two.right].place };
        merge(f, two.left, two.right, t->words + t->nodes++);
    }
    if (t->words > SHORT) {
        make_roots(t, f, arity == 0 ? 2 : arity);
    } else {
        t->arity = f->count;
        for (uint32_t i = 0; i < t->arity; i++)
            t->root[i] = f->groups[i].place;
    }
    survey(t);
}

size_t om_tree__sample_size(const om_tree *t)
{
    uint64_t most = WORK / ((uint64_t) t->words * t->words);
    return most < SAMPLE_LEAST ? SAMPLE_LEAST : most > SAMPLE_MOST ? SAMPLE_MOST : (size_t) most;
}

int om_tree__fit(
    om_tree *t, const om_heap *heap, const uint32_t *vectors, size_t count, uint32_t arity)
{
    const size_t most = om_tree__sample_size(t);
    fitting f = { .samples = count < most ? count : most, .stride = t->words, .count = t->words };
    uint16_t *class = NULL;
    int rc = OM_ENOMEM;

    if (t->nodes > OM_TREE_FIT || count == 0)
        return OM_OK;
    f.groups = om_alloc(heap, t->words, sizeof *f.groups);
    f.known = om_alloc(heap, (size_t) t->words * t->words, sizeof *f.known);
    while (1u << f.bits < 4 * f.samples)
        f.bits++;
    f.table = om_alloc(heap, (size_t) 1 << f.bits, sizeof *f.table);
    f.key = om_alloc(heap, (size_t) 1 << f.bits, sizeof *f.key);
    class = om_alloc(heap, t->words * f.samples, sizeof *class);
    f.together = om_alloc(heap, LAST * f.samples, sizeof *f.together);
    if (f.groups == NULL || f.known == NULL || f.table == NULL || f.key == NULL || class == NULL ||
        f.together == NULL)
        goto done;
    size_t step = count / f.samples;
    for (uint32_t i = 0; i < t->words; i++) {
        f.groups[i] = (group){ .class = class + i * f.samples, .words = 1, .place = i };
        classify(&f, &f.groups[i], vectors + i, step * t->words);
    }
    fit(t, &f, arity);
    rc = OM_OK;
done:
    OM_FREE_ALL(heap, f.together, class, f.key, f.table, f.known, f.groups);
    return rc;
}
