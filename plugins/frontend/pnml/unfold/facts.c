/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"

#include <assert.h>
#include <stdlib.h>

/* Finaliser of splitmix64. */
static size_t hash_of(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (size_t) (x ^ x >> 31);
}

static size_t slot_of(const pnml_facts *f, uint32_t place, uint64_t colour)
{
    assert(2 * f->count <= f->capacity && (f->capacity & (f->capacity - 1)) == 0); /* F1 */
    size_t at = hash_of(colour * 0x9e3779b97f4a7c15u + place) & (f->capacity - 1);
    for (; f->slots[at] != 0; at = (at + 1) & (f->capacity - 1)) {
        const pnml_fact *p = &f->facts[f->slots[at] - 1];
        if (p->place == place && p->colour == colour)
            break;
    }
    return at;
}

uint32_t pnml_facts_find(const pnml_facts *f, uint32_t place, uint64_t colour)
{
    size_t at = f->capacity == 0 ? 0 : slot_of(f, place, colour);
    return f->capacity == 0 || f->slots[at] == 0 ? OM_NONE : f->slots[at] - 1;
}

static void fill_slots(pnml_facts *f)
{
    for (size_t i = 0; i < f->capacity; i++)
        f->slots[i] = 0;
    for (size_t i = 0; i < f->count; i++)
        f->slots[slot_of(f, f->facts[i].place, f->facts[i].colour)] = (uint32_t) i + 1;
}

/* Keeps the load factor at or below 1/2. */
static bool make_room(pnml_facts *f)
{
    if (!OM_ROOM(f->heap, f->facts, &f->room, f->count + 1))
        return false;
    if (2 * (f->count + 1) <= f->capacity)
        return true;
    size_t capacity = f->capacity == 0 ? 64 : 2 * f->capacity;
    uint32_t *slots = om_alloc(f->heap, capacity, sizeof *slots);
    if (slots == NULL)
        return false;
    om_free(f->heap, f->slots);
    f->slots = slots;
    f->capacity = capacity;
    fill_slots(f);
    return true;
}

uint32_t pnml_facts_add(pnml_facts *f, uint32_t place, uint64_t colour)
{
    uint32_t found = pnml_facts_find(f, place, colour);
    if (found != OM_NONE)
        return found;
    if (f->count >= OM_NONE - 1 || !make_room(f))
        return OM_NONE;
    assert(2 * (f->count + 1) <= f->capacity && f->count < f->room); /* F1 */
    f->facts[f->count] = (pnml_fact){ .colour = colour, .place = place, .extra = OM_NONE };
    f->slots[slot_of(f, place, colour)] = (uint32_t) f->count + 1;
    return (uint32_t) f->count++;
}

static int compare_facts(const void *left, const void *right)
{
    const pnml_fact *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->colour < b->colour ? -1 : a->colour > b->colour;
}

void pnml_facts_sort(pnml_facts *f)
{
    if (f->count == 0)
        return;
    qsort(f->facts, f->count, sizeof *f->facts, compare_facts);
    fill_slots(f);
}

void pnml_facts_free(pnml_facts *f)
{
    OM_FREE_ALL(f->heap, f->facts, f->slots);
    *f = (pnml_facts){ .heap = f->heap };
}

/* ---- lists by components ---- */

static uint64_t key_of(const pnml_index *x, uint64_t colour)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < x->digit_count; i++)
        key += colour / x->digits[i].stride % x->digits[i].size * x->digits[i].stride;
    return key;
}

static size_t list_of(const pnml_index *x, const pnml_facts *f, uint64_t key)
{
    assert(2 * x->used <= x->capacity && (x->capacity & (x->capacity - 1)) == 0); /* F1 */
    size_t at = hash_of(key * 0x9e3779b97f4a7c15u) & (x->capacity - 1);
    while (x->slots[at] != 0 && key_of(x, f->facts[x->slots[at] - 1].colour) != key)
        at = (at + 1) & (x->capacity - 1);
    return at;
}

uint32_t pnml_index_first(const pnml_index *x, const pnml_facts *f, uint64_t colour)
{
    size_t at = x->capacity == 0 ? 0 : list_of(x, f, key_of(x, colour));
    return x->capacity == 0 || x->slots[at] == 0 ? OM_NONE : x->slots[at] - 1;
}

static bool make_lists(pnml_index *x, const pnml_facts *f)
{
    if (2 * (x->used + 1) <= x->capacity)
        return true;
    size_t capacity = x->capacity == 0 ? 16 : 2 * x->capacity, had = x->capacity;
    uint32_t *slots = om_alloc(f->heap, capacity, sizeof *slots), *old = x->slots;
    if (slots == NULL)
        return false;
    x->slots = slots;
    x->capacity = capacity;
    for (size_t i = 0; i < had; i++)
        if (old[i] != 0)
            slots[list_of(x, f, key_of(x, f->facts[old[i] - 1].colour))] = old[i];
    om_free(f->heap, old);
    return true;
}

bool pnml_index_add(pnml_index *x, const pnml_facts *f, uint32_t fact)
{
    const pnml_fact *p = &f->facts[fact];
    assert(p->place == x->place && fact < f->count);
    if (!OM_ROOM(f->heap, x->next, &x->room, (size_t) p->rank + 1))
        return false;
    if (!make_lists(x, f))
        return false;
    size_t at = list_of(x, f, key_of(x, p->colour));
    assert(x->slots[at] <= fact); /* F2 */
    x->used += x->slots[at] == 0;
    x->next[p->rank] = x->slots[at] == 0 ? OM_NONE : x->slots[at] - 1;
    x->slots[at] = fact + 1;
    return true;
}

void pnml_index_free(pnml_index *x, const om_heap *heap)
{
    OM_FREE_ALL(heap, x->slots, x->next);
}
