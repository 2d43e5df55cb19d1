/* SPDX-License-Identifier: Apache-2.0 */
#include "pair_table.h"

#include <assert.h>

/* Returns the index entry of a pair, or the free entry where it would be. Fibonacci hashing (Knuth,
 * The Art of Computer Programming 3, 6.4), with the high bits folded down. */
static size_t place_of(const om_pair_table *p, uint32_t first, uint32_t second)
{
    assert((size_t) p->count * 4 <= p->index_size * 3); /* P1 */
    uint64_t x = ((uint64_t) second << 32 | first) * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t) ((x ^ x >> 32) & (p->index_size - 1));
    while (p->index[i] != 0) {
        const om_pair_table_entry *pair = &p->at[p->index[i] - 1];
        if (pair->first == first && pair->second == second)
            break;
        i = (i + 1) & (p->index_size - 1);
    }
    return i;
}

static bool grow_index(om_pair_table *p)
{
    size_t size = p->index_size == 0 ? 256 : p->index_size * 2;
    uint32_t *index = om_alloc(p->heap, size, sizeof *index);
    if (index == NULL)
        return false;
    om_free(p->heap, p->index);
    p->index = index;
    p->index_size = size;
    for (uint32_t i = 0; i < p->count; i++)
        index[place_of(p, p->at[i].first, p->at[i].second)] = i + 1;
    return true;
}

uint32_t om_pair_table__find(const om_pair_table *p, uint32_t first, uint32_t second)
{
    /* A free entry gives 0 - 1, which is OM_NONE. */
    return p->index_size == 0 ? OM_NONE : p->index[place_of(p, first, second)] - 1;
}

int om_pair_table__number(
    om_pair_table *p, uint32_t first, uint32_t second, uint32_t *number, bool *fresh)
{
    if ((size_t) p->count * 4 >= p->index_size * 3 && !grow_index(p))
        return OM_ENOMEM;
    size_t i = place_of(p, first, second);
    *fresh = p->index[i] == 0;
    if (*fresh) {
        if (p->count >= OM_NONE - 1)
            return OM_ELIMIT;
        if (!OM_ROOM(p->heap, p->at, &p->capacity, (size_t) p->count + 1))
            return OM_ENOMEM;
        p->at[p->count] = (om_pair_table_entry){ first, second, 0 };
        p->index[i] = ++p->count;
    }
    *number = p->index[i] - 1;
    assert(*number < p->count); /* P1 */
    return OM_OK;
}

void om_pair_table__free(om_pair_table *p)
{
    OM_FREE_ALL(p->heap, p->at, p->index);
    *p = (om_pair_table){ .heap = p->heap };
}
