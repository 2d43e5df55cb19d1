/* SPDX-License-Identifier: Apache-2.0 */
#include "space.h"

#include <string.h>

void om_space__free(om_space *s)
{
    om_free(s->heap, s->vectors);
    om_free(s->heap, s->index);
    s->vectors = NULL;
    s->index = NULL;
    s->count = s->room = s->slots = 0;
}

static size_t hash(const uint32_t *vector, uint32_t words)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < words; i++) {
        h = (h ^ vector[i]) * 0xbf58476d1ce4e5b9u;
        h ^= h >> 29;
    }
    return (size_t) (h ^ (h >> 32));
}

/* The slot where the vector is, or the empty one where it belongs. */
static size_t probe(const om_space *s, const uint32_t *vector)
{
    size_t at = hash(vector, s->words) & (s->slots - 1);
    while (s->index[at] != 0 &&
           memcmp(om_space__vector(s, s->index[at] - 1), vector, s->words * sizeof *vector) != 0)
        at = (at + 1) & (s->slots - 1);
    return at;
}

static int grow_index(om_space *s)
{
    size_t slots = s->slots == 0 ? 1024 : s->slots * 2;
    uint32_t *index = om_alloc(s->heap, slots, sizeof *index);
    if (index == NULL)
        return OM_ENOMEM;
    om_free(s->heap, s->index);
    s->index = index;
    s->slots = slots;
    for (size_t i = 0; i < s->count; i++)
        s->index[probe(s, om_space__vector(s, (uint32_t) i))] = (uint32_t) i + 1;
    return OM_OK;
}

int om_space__intern(om_space *s, const uint32_t *vector, uint32_t *id, bool *fresh)
{
    if (s->count * 2 >= s->slots && grow_index(s) != OM_OK)
        return OM_ENOMEM;
    size_t at = probe(s, vector);
    *fresh = s->index[at] == 0;
    if (*fresh) {
        uint32_t *moved = s->count >= OM_NONE - 2 ? NULL
                                                  : om_grow(s->heap, s->vectors, &s->room,
                                                        s->count + 1, s->words * sizeof *moved);
        if (moved == NULL)
            return OM_ENOMEM;
        s->vectors = moved;
        memcpy(moved + s->count * s->words, vector, s->words * sizeof *vector);
        s->index[at] = (uint32_t) ++s->count;
    }
    *id = s->index[at] - 1;
    return OM_OK;
}
