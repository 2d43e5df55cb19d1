/* SPDX-License-Identifier: Apache-2.0 */
#include "product_impl.h"

#include <assert.h>
#include <string.h>

/* Moves kept before the whole cache is cleared. */
enum { MOST = 4096 };

static struct om_match_entry *entry_of(om_matches *m, uint32_t q, om_label label)
{
    uint64_t hash = (label ^ (uint64_t) q * 0xbf58476d1ce4e5b9u) * 0x9e3779b97f4a7c15u;
    return &m->entries[hash >> 58];
}
_Static_assert((int) OM_MATCH_ENTRIES == 1 << (64 - 58), "the top bits of the hash are a entry");

/* Scans the edges of q. The entry becomes valid only after all of them were scanned. */
static bool fill(om_matches *m, const om_heap *heap, const om_automaton *a, uint32_t q,
    om_label label, struct om_match_entry *entry)
{
    uint32_t count;
    const om_edge *edges = om_automaton_edges(a, q, &count);
    const om_cube *cubes = om_automaton_cubes(a);

    if (m->count + count > MOST) {
        memset(m->entries, 0, sizeof m->entries);
        m->count = 0;
    }
    if (!OM_ROOM(heap, m->all, &m->capacity, m->count + count))
        return false;
    *entry =
        (struct om_match_entry){ .label = label, .state = q + 1, .first = (uint32_t) m->count };
    for (uint32_t i = 0; i < count; i++)
        if (om_edge_matches(&edges[i], cubes, label))
            m->all[m->count++] = (om_match){ edges[i].dst, edges[i].marks };
    assert(m->count <= m->capacity);
    entry->count = (uint32_t) m->count - entry->first;
    return true;
}

const om_match *om_matches__find(om_matches *m, const om_heap *heap, const om_automaton *a,
    uint32_t q, om_label label, size_t *count)
{
    struct om_match_entry *entry = entry_of(m, q, label);
    if ((entry->state != q + 1 || entry->label != label) && !fill(m, heap, a, q, label, entry))
        return NULL;
    assert(entry->first + entry->count <= m->count);
    *count = entry->count;
    return m->all + entry->first;
}
