/* SPDX-License-Identifier: Apache-2.0 */
#include "compact_choose.h"

#include "compact.h"

#include <assert.h>
#include <stdlib.h>

enum {
    WORD = 32,
    DEAR = 2, /* allowed terms of sums for each slot that a guard reads */
    DEAR_ANYWAY = 64
};

/* An implied slot, and the cost of leaving it out. */
typedef struct candidate {
    uint32_t implied, bits;
    uint64_t cost;
} candidate;

/* Numbers of slots by width. */
typedef struct room {
    uint32_t count[WORD + 1];
} room;

/* Returns the number of words that slots fill: large slots first, each into the word that it fills
 * best (layout.c is mostly not worse). */
static uint32_t words_of(const room *r)
{
    uint32_t left[WORD + 1] = { 0 }, words = 0; /* words by the bits that are left in them */
    for (uint32_t bits = WORD; bits > 0; bits--)
        for (uint32_t i = 0; i < r->count[bits]; i++) {
            uint32_t free = bits;
            while (free <= WORD && left[free] == 0)
                free++;
            if (free > WORD) {
                words++;
                free = WORD;
            } else
                left[free]--;
            left[free - bits]++;
        }
    return words;
}

/* Counts, by slot, the comparisons in a guard's tree that read it. */
static void count_reads(const om_model *m, om_expr e, uint32_t *reads)
{
    const om_node *n = &m->nodes[e];
    if (n->op == OM_OP_SLOT)
        reads[n->a]++;
    else if (n->op != OM_OP_CONST && n->op != OM_OP_ELEMENT) {
        count_reads(m, n->a, reads);
        if (n->b != 0)
            count_reads(m, n->b, reads);
    }
}

static int dear_first(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    return a->implied < b->implied ? -1 : a->implied > b->implied;
}

/* Returns the number of words if the first `back` candidates are kept. */
static uint32_t words_with(const room *without, const candidate *c, size_t back)
{
    room r = *without;
    for (size_t i = 0; i < back; i++)
        r.count[c[i].bits]++;
    return words_of(&r);
}

/* Returns the number of candidates, of highest cost, that must be kept so that the guards together
 * do not get too long: sums take time, and generated code is compiled. */
static size_t too_dear(const candidate *c, size_t n, uint64_t reads)
{
    uint64_t cost = 0, most = DEAR * reads + DEAR_ANYWAY;
    size_t stay = n;
    while (stay > 0 && cost + c[stay - 1].cost <= most)
        cost += c[--stay].cost;
    return stay;
}

static void decide(const room *without, candidate *c, size_t n, size_t stay, bool *left_out)
{
    const uint32_t least = words_with(without, c, stay);
    size_t low = stay, high = n; /* `low` can be kept; `high` cannot, or is all */
    assert(stay <= n);
    if (words_with(without, c, n) <= least)
        return;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (words_with(without, c, middle) <= least)
            low = middle;
        else
            high = middle;
    }
    for (size_t i = low; i < n; i++)
        left_out[c[i].implied] = true;
}

int om_compact__choose(const om_model *m, const uint8_t *width, bool *left_out)
{
    size_t n = 0;
    room without = { { 0 } };
    uint64_t all_reads = 0;
    candidate *c = om_alloc(m->heap, m->implied_count, sizeof *c);
    uint32_t *reads = om_alloc(m->heap, m->slots.count, sizeof *reads);
    if (c == NULL || reads == NULL) {
        OM_FREE_ALL(m->heap, c, reads);
        return om_fail_memory(m->ctx);
    }
    for (size_t t = 0; t < m->transitions.count; t++) {
        const om_transition *x = m->transitions.at[t];
        if (x->guard != 0)
            count_reads(m, x->guard, reads);
    }
    for (size_t s = 0; s < m->slots.count; s++) {
        assert(width[s] <= WORD);
        without.count[width[s]]++;
        all_reads += reads[s];
    }
    for (size_t i = 0; i < m->implied_count; i++) {
        const om_implied *p = &m->implied[i];
        if (width[p->slot] == 0) /* constant, and left out anyway */
            continue;
        c[n++] = (candidate){ (uint32_t) i, width[p->slot], (uint64_t) reads[p->slot] * p->count };
        without.count[width[p->slot]]--;
    }
    if (n != 0)
        qsort(c, n, sizeof *c, dear_first);
    decide(&without, c, n, too_dear(c, n, all_reads), left_out);
    OM_FREE_ALL(m->heap, c, reads);
    return OM_OK;
}
