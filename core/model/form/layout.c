/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Positions of slots in the state vector.
 *
 * Every word is filled from its low bits up, so the number of used bits describes its state (L1).
 * An array of more than one word starts at a word; anything smaller lies in one word, an array
 * aligned to its elements. Slots are placed owner by owner, large ones first, each into the first
 * word with enough room. The words of earlier owners, except the last word, are closed to later
 * owners. So the slots of a process stay together: a transition reads and writes few words, and a
 * tree over the vector shares more. If closing words makes the vector longer, they are not closed.
 */
#define _GNU_SOURCE /* qsort_r() */
#include "form.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of bits of an element of this type. */
static uint32_t type_bits(const om_slot *s)
{
    uint32_t bits = 1;
    switch (s->type) {
    case OM_BOOL:
        return 1;
    case OM_U8:
    case OM_I8:
        return 8;
    case OM_U16:
    case OM_I16:
        return 16;
    case OM_I32:
        return 32;
    case OM_ENUM:
        while (bits < 32 && (UINT32_C(1) << bits) < s->enumerators)
            bits++;
        return bits;
    }
    return 32;
}

uint32_t om_slot__bits(const om_slot *s)
{
    uint32_t bits = type_bits(s), rounded = 1;
    if (s->length == 0)
        return bits;
    while (rounded < bits)
        rounded *= 2;
    return rounded;
}

/* ---- placing ---- */

enum { ALIGNMENTS = 6 }; /* 1, 2, 4, 8, 16, 32 */

typedef struct plan {
    void **slots;    /* the model's */
    uint32_t *order; /* their numbers; there may be a million */
    size_t count;
    uint8_t *used; /* L1; enough words for every item to have its own */
    uint32_t words;
    /* L2: no word before this one has this many free bits at this alignment. Words only fill up. */
    uint32_t first[33][ALIGNMENTS];
} plan;

/* Returns the total bits of all elements. */
static uint32_t size_of(const om_slot *s)
{
    return s->bits * (s->length == 0 ? 1 : s->length);
}

/* Compares by owner, then by descending size, then by number, so that the order is
 * deterministic. */
static int by_owner(const void *x, const void *y, void *slots)
{
    const uint32_t i = *(const uint32_t *) x, k = *(const uint32_t *) y;
    const om_slot *a = ((void *const *) slots)[i], *b = ((void *const *) slots)[k];
    if (a->process != b->process) /* OM_NONE (no owner) wraps to 0 and comes first */
        return a->process + 1 < b->process + 1 ? -1 : 1;
    if (size_of(a) != size_of(b))
        return size_of(a) > size_of(b) ? -1 : 1;
    return i < k ? -1 : i > k;
}

static int by_size(const void *x, const void *y, void *slots)
{
    const uint32_t a = size_of(((void *const *) slots)[*(const uint32_t *) x]);
    const uint32_t b = size_of(((void *const *) slots)[*(const uint32_t *) y]);
    return a != b ? (a > b ? -1 : 1) : by_owner(x, y, slots);
}

/* Returns log2 of the slot's alignment in bits. */
static uint32_t alignment(const om_slot *s)
{
    return s->length == 0 ? 0 : (uint32_t) __builtin_ctz(s->bits);
}

/* Returns the first free bit of the word at which the slot could start. */
static uint32_t start_in(const plan *p, uint32_t word, const om_slot *s)
{
    uint32_t align = UINT32_C(1) << alignment(s);
    return (p->used[word] + align - 1) / align * align;
}

static void put(plan *p, om_slot *s, uint32_t from)
{
    const uint32_t bits = size_of(s);
    uint32_t word = p->words, at = 0;
    if (bits <= 32) {
        uint32_t *first = &p->first[bits][alignment(s)];
        word = *first > from ? *first : from;
        while (word < p->words && (at = start_in(p, word, s)) + bits > 32)
            word++;
        *first = word;
        assert(word <= p->words);
        if (word == p->words)
            at = 0;
    }
    s->position = word * 32 + at;
    uint32_t end = at + bits;
    for (; end > 32; end -= 32)
        p->used[word++] = 32;
    p->used[word++] = (uint8_t) end;
    if (word > p->words)
        p->words = word;
}

static void place(plan *p, bool closing)
{
    uint32_t from = 0;
    for (uint32_t w = 0; w < p->words; w++)
        p->used[w] = 0;
    memset(p->first, 0, sizeof p->first);
    p->words = 0;
    qsort_r(p->order, p->count, sizeof *p->order, closing ? by_owner : by_size, p->slots);
    for (size_t i = 0; i < p->count; i++) {
        om_slot *s = p->slots[p->order[i]];
        if (closing && i > 0 &&
            s->process != ((const om_slot *) p->slots[p->order[i - 1]])->process)
            from = p->words - 1;
        put(p, s, from);
    }
}

int om_model__lay_out(om_model *m)
{
    plan p = { .slots = m->slots.at, .count = m->slots.count };
    uint64_t most = 1;
    int rc = OM_OK;

    if (!OM_NEW(m->heap, p.order, p.count))
        return om_fail_memory(m->ctx);
    p.count = 0;
    for (uint32_t i = 0; i < m->slots.count; i++) {
        const om_slot *s = om_model__slot(m, i);
        if (om_model__is_member(m, i))
            continue;
        uint64_t bits = (uint64_t) s->bits * (s->length == 0 ? 1 : s->length);
        most += (bits + 31) / 32;
        p.order[p.count++] = i;
        if (most > OM_WORDS_MOST) {
            rc = om_fail(m->ctx, OM_EINPUT, &s->place,
                "with %s, the variables of the model take more than %u bytes per state", s->name,
                OM_WORDS_MOST * 4u);
            goto done;
        }
    }
    p.used = om_alloc(m->heap, (size_t) most, 1);
    if (p.used == NULL) {
        rc = om_fail_memory(m->ctx);
        goto done;
    }
    place(&p, true);
    uint32_t together = p.words;
    place(&p, false);
    if (together <= p.words)
        place(&p, true);
    assert(p.words <= most);
    m->words = p.words == 0 ? 1 : p.words;
    om_model__place_members(m);
done:
    OM_FREE_ALL(m->heap, p.used, p.order);
    return rc;
}

/* ---- elements ---- */

om_value om_slot_get(const om_slot *slot, const uint32_t *vector, uint32_t element)
{
    assert(element < (slot->length == 0 ? 1 : slot->length));
    uint32_t at = slot->position + element * slot->bits;
    uint32_t mask = UINT32_MAX >> (32 - slot->bits);
    uint32_t value = (vector[at / 32] >> (at % 32)) & mask;
    assert(at % 32 + slot->bits <= 32);
    if (om_slot__signed(slot) && (value & ~(mask >> 1)) != 0)
        value |= ~mask;
    return (int32_t) value;
}

void om_slot_set(const om_slot *slot, uint32_t *vector, uint32_t element, om_value value)
{
    assert(element < (slot->length == 0 ? 1 : slot->length));
    uint32_t at = slot->position + element * slot->bits;
    uint32_t mask = UINT32_MAX >> (32 - slot->bits);
    uint32_t *word = &vector[at / 32];
    assert(at % 32 + slot->bits <= 32);
    *word = (*word & ~(mask << (at % 32))) | (((uint32_t) value & mask) << (at % 32));
}

om_value om_value_stored(om_value low, om_value high, om_value value)
{
    om_uvalue mask = (om_uvalue) high - (om_uvalue) low, kept = (om_uvalue) value & mask;
    return (om_value) (kept > (om_uvalue) high ? kept | ~mask : kept);
}
