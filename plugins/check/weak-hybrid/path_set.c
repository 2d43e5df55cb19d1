/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing, at most half full. A removal closes the gap (Knuth,
 * volume 3, algorithm 6.4 R): no tombstones are left, so probes stay short however long the
 * search runs. */
#include "path_set.h"

#include <assert.h>
#include <string.h>

enum { LEAST = 64 };

static size_t home_of(const path_set *s, om_id id)
{
    assert(s->capacity != 0 && (s->capacity & (s->capacity - 1)) == 0);
    return (size_t) (id * 0x9e3779b97f4a7c15u >> 24) & (s->capacity - 1);
}

static void put(path_set *s, om_id id)
{
    size_t at = home_of(s, id);
    while (s->entries[at] != 0)
        at = (at + 1) & (s->capacity - 1);
    s->entries[at] = id + 1;
}

static bool grow(path_set *s, const om_heap *heap)
{
    path_set more = { .capacity = s->capacity == 0 ? LEAST : 2 * s->capacity, .count = s->count };
    if (!OM_NEW(heap, more.entries, more.capacity))
        return false;
    /* Pages that are read before they are written would be mapped twice, with a TLB shootdown on
     * all processors. */
    memset(more.entries, 0, more.capacity * sizeof *more.entries);
    for (size_t i = 0; i < s->capacity; i++)
        if (s->entries[i] != 0)
            put(&more, s->entries[i] - 1);
    om_free(heap, s->entries);
    *s = more;
    return true;
}

bool path_set_add(path_set *s, const om_heap *heap, om_id id)
{
    if (2 * s->count >= s->capacity && !grow(s, heap))
        return false;
    assert(2 * s->count < s->capacity && !path_set_has(s, id));
    put(s, id);
    s->count++;
    return true;
}

bool path_set_has(const path_set *s, om_id id)
{
    if (s->count == 0)
        return false;
    size_t at = home_of(s, id);
    while (s->entries[at] != 0 && s->entries[at] != id + 1)
        at = (at + 1) & (s->capacity - 1);
    return s->entries[at] != 0;
}

void path_set_remove(path_set *s, om_id id)
{
    const size_t mask = s->capacity - 1;
    if (s->count == 0)
        return;
    size_t gap = home_of(s, id);
    while (s->entries[gap] != 0 && s->entries[gap] != id + 1)
        gap = (gap + 1) & mask;
    if (s->entries[gap] == 0)
        return;
    /* An entry after the gap may move there unless it would then lie before its home. */
    for (size_t at = (gap + 1) & mask; s->entries[at] != 0; at = (at + 1) & mask) {
        size_t from_home = (at - home_of(s, s->entries[at] - 1)) & mask;
        if (from_home < ((at - gap) & mask))
            continue;
        s->entries[gap] = s->entries[at];
        gap = at;
    }
    s->entries[gap] = 0;
    s->count--;
}

void path_set_free(path_set *s, const om_heap *heap)
{
    om_free(heap, s->entries);
    *s = (path_set){ 0 };
}
