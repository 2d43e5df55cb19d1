/* SPDX-License-Identifier: Apache-2.0 */
#include "intern.h"

#include <assert.h>
#include <string.h>

enum { LEAST_SLOTS = 64 };

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return h ^ h >> 32;
}

/* ---- rows ---- */

void om_rows__free(om_rows *r, const om_heap *heap)
{
    OM_FREE_ALL(heap, r->words, r->ends, r->slots);
    *r = (om_rows){ 0 };
}

const uint64_t *om_rows__get(const om_rows *r, uint32_t number, size_t *n)
{
    size_t from = number == 0 ? 0 : r->ends[number - 1];
    assert(number < r->count && r->ends[number] >= from);
    *n = r->ends[number] - from;
    return r->words + from;
}

static uint32_t *slot_of(const om_rows *r, const uint64_t *row, size_t n)
{
    assert(r->count < r->slot_count); /* a probe ends */
    uint64_t h = n;
    for (size_t i = 0; i < n; i++)
        h = mix(h + row[i]);
    for (size_t i = (size_t) mix(h) & (r->slot_count - 1);; i = (i + 1) & (r->slot_count - 1)) {
        size_t length;
        if (r->slots[i] == 0)
            return &r->slots[i];
        const uint64_t *there = om_rows__get(r, r->slots[i] - 1, &length);
        if (length == n && memcmp(there, row, n * sizeof *row) == 0)
            return &r->slots[i];
    }
}

static int grow_rows(om_rows *r, const om_heap *heap)
{
    size_t count = r->slot_count == 0 ? LEAST_SLOTS : 2 * r->slot_count;
    uint32_t *slots = om_alloc(heap, count, sizeof *slots);
    if (slots == NULL)
        return OM_ENOMEM;
    om_free(heap, r->slots);
    r->slots = slots;
    r->slot_count = count;
    for (uint32_t i = 0; i < r->count; i++) {
        size_t n;
        const uint64_t *row = om_rows__get(r, i, &n);
        *slot_of(r, row, n) = i + 1;
    }
    return OM_OK;
}

int om_rows__add(om_rows *r, const om_heap *heap, const uint64_t *row, size_t n, uint32_t *number)
{
    if (2 * ((size_t) r->count + 1) > r->slot_count && grow_rows(r, heap) != OM_OK)
        return OM_ENOMEM;
    uint32_t *slot = slot_of(r, row, n);
    if (*slot == 0) {
        if (r->count >= OM_NONE - 1 ||
            !OM_ROOM(heap, r->words, &r->word_room, r->word_count + n + 1) ||
            !OM_ROOM(heap, r->ends, &r->end_room, (size_t) r->count + 1))
            return OM_ENOMEM;
        memcpy(r->words + r->word_count, row, n * sizeof *row);
        r->word_count += n;
        r->ends[r->count++] = r->word_count;
        *slot = r->count;
    }
    *number = *slot - 1;
    return OM_OK;
}

/* ---- a map ---- */

void om_map__free(om_map *m, const om_heap *heap)
{
    OM_FREE_ALL(heap, m->slots, m->used);
    *m = (om_map){ 0 };
}

static struct om_map_slot *place_of(const om_map *m, uint64_t key)
{
    assert(m->count < m->slot_count); /* a probe ends */
    size_t i = (size_t) mix(key) & (m->slot_count - 1);
    while (m->slots[i].value != 0 && m->slots[i].key != key)
        i = (i + 1) & (m->slot_count - 1);
    return &m->slots[i];
}

bool om_map__find(const om_map *m, uint64_t key, uint32_t *value)
{
    if (m->slot_count == 0)
        return false;
    const struct om_map_slot *s = place_of(m, key);
    if (s->value != 0)
        *value = s->value - 1;
    return s->value != 0;
}

static int grow_map(om_map *m, const om_heap *heap)
{
    om_map now = { .slot_count = m->slot_count == 0 ? LEAST_SLOTS : 2 * m->slot_count };
    if (!OM_NEW(heap, now.slots, now.slot_count) || !OM_NEW(heap, now.used, now.slot_count / 2)) {
        om_map__free(&now, heap);
        return OM_ENOMEM;
    }
    for (; now.count < m->count; now.count++) {
        const struct om_map_slot *from = &m->slots[m->used[now.count]];
        struct om_map_slot *to = place_of(&now, from->key);
        *to = *from;
        now.used[now.count] = (size_t) (to - now.slots);
    }
    om_map__free(m, heap);
    *m = now;
    return OM_OK;
}

int om_map__add(om_map *m, const om_heap *heap, uint64_t key, uint32_t value)
{
    if (2 * (m->count + 1) > m->slot_count && grow_map(m, heap) != OM_OK)
        return OM_ENOMEM;
    struct om_map_slot *s = place_of(m, key);
    assert(s->value == 0 && value < OM_NONE);
    *s = (struct om_map_slot){ key, value + 1 };
    m->used[m->count++] = (size_t) (s - m->slots);
    return OM_OK;
}

void om_map__clear(om_map *m)
{
    for (size_t i = 0; i < m->count; i++)
        m->slots[m->used[i]].value = 0;
    m->count = 0;
}
