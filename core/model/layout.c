/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where each slot lies in the state vector.
 *
 * Every word is filled from its low bits up, so what is known of it is how many bits are used (L1).
 * An array of more than one word starts at a word; anything smaller lies in one word, an array
 * aligned to its elements. Slots are placed owner by owner, large ones first, each into the first
 * word that holds it; the words of earlier owners but the last are closed to later ones, so that a
 * process keeps its slots together (a transition then reads and writes few words, and a tree over
 * the vector shares more). Where closing words makes the vector longer, it is done without.
 */
#include "form.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The low bits of an element that its type allows. */
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

typedef struct item {
    om_slot *slot;
    uint32_t bits;  /* of all its elements */
    uint32_t owner; /* 0: nobody's */
    uint32_t number;
} item;

enum { ALIGNMENTS = 6 }; /* 1, 2, 4, 8, 16, 32 */

typedef struct plan {
    item *items;
    size_t count;
    uint8_t *used; /* L1; words enough for every item to have its own */
    uint32_t words;
    /* L2: no word before this one has so many free bits, so aligned. Words only fill up. */
    uint32_t first[33][ALIGNMENTS];
} plan;

/* By owner, then large first; by number, so that the order is fixed. */
static int by_owner(const void *x, const void *y)
{
    const item *a = x, *b = y;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    if (a->bits != b->bits)
        return a->bits > b->bits ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int by_size(const void *x, const void *y)
{
    const item *a = x, *b = y;
    return a->bits != b->bits ? (a->bits > b->bits ? -1 : 1) : by_owner(x, y);
}

/* log2 of what the item's first bit is a multiple of. */
static uint32_t alignment(const item *i)
{
    return i->slot->length == 0 ? 0 : (uint32_t) __builtin_ctz(i->slot->bits);
}

/* The first free bit of the word where the item could start. */
static uint32_t start_in(const plan *p, uint32_t word, const item *i)
{
    uint32_t align = UINT32_C(1) << alignment(i);
    return (p->used[word] + align - 1) / align * align;
}

static void put(plan *p, const item *i, uint32_t from)
{
    uint32_t word = p->words, at = 0;
    if (i->bits <= 32) {
        uint32_t *first = &p->first[i->bits][alignment(i)];
        word = *first > from ? *first : from;
        while (word < p->words && (at = start_in(p, word, i)) + i->bits > 32)
            word++;
        *first = word;
        if (word == p->words)
            at = 0;
    }
    i->slot->position = word * 32 + at;
    uint32_t end = at + i->bits;
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
    qsort(p->items, p->count, sizeof *p->items, closing ? by_owner : by_size);
    for (size_t i = 0; i < p->count; i++) {
        if (closing && i > 0 && p->items[i].owner != p->items[i - 1].owner)
            from = p->words - 1;
        put(p, &p->items[i], from);
    }
}

int om_model__lay_out(om_model *m)
{
    plan p = { .count = m->slots.count };
    uint64_t most = 1;
    int rc = OM_OK;

    p.items = om_alloc(m->heap, p.count, sizeof *p.items);
    if (p.items == NULL)
        return om_fail_memory(m->ctx);
    for (size_t i = 0; i < p.count; i++) {
        om_slot *s = m->slots.at[i];
        uint64_t bits = (uint64_t) s->bits * (s->length == 0 ? 1 : s->length);
        most += (bits + 31) / 32;
        p.items[i] = (item){ s, (uint32_t) bits, s->process + 1, (uint32_t) i };
        if (most > OM_WORDS_MOST) {
            rc = om_fail(m->ctx, OM_EINPUT, &s->place,
                "with %s, the variables of the model take more than %u bytes a state", s->name,
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
    m->words = p.words == 0 ? 1 : p.words;
done:
    om_free(m->heap, p.used);
    om_free(m->heap, p.items);
    return rc;
}

/* ---- elements ---- */

om_value om_slot_get(const om_slot *slot, const uint32_t *vector, uint32_t element)
{
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
