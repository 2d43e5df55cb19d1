/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <assert.h>
#include <string.h>

/* FNV-1a. */
static size_t hash_of(const char *s, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char) s[i]) * 0x100000001b3u;
    return (size_t) (h ^ h >> 32);
}

static bool is(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == '\0';
}

/* Returns the bucket of the name, or the empty bucket to insert it. */
static size_t slot_of(const pnml_names *n, const char *text, size_t length)
{
    assert(2 * n->count <= n->capacity && (n->capacity & (n->capacity - 1)) == 0); /* N1 */
    size_t at = hash_of(text, length) & (n->capacity - 1);
    while (n->index[at] != 0 && !is(n->names[n->index[at] - 1], text, length))
        at = (at + 1) & (n->capacity - 1);
    return at;
}

uint32_t pnml_names_find_n(const pnml_names *n, const char *text, size_t length)
{
    size_t at = n->capacity == 0 ? 0 : slot_of(n, text, length);
    return n->capacity == 0 || n->index[at] == 0 ? OM_NONE : n->index[at] - 1;
}

uint32_t pnml_names_find(const pnml_names *n, const char *name)
{
    return pnml_names_find_n(n, name, strlen(name));
}

/* Keeps the load factor at or below 1/2. */
static bool make_room(pnml_names *n)
{
    if (n->count >= OM_NONE - 1)
        return false;
    const char **names = om_grow(n->heap, (void *) n->names, &n->room, n->count + 1, sizeof *names);
    if (names == NULL)
        return false;
    n->names = names;
    if (2 * (n->count + 1) <= n->capacity)
        return true;
    size_t capacity = n->capacity == 0 ? 64 : 2 * n->capacity;
    uint32_t *index = om_alloc(n->heap, capacity, sizeof *index);
    if (index == NULL)
        return false;
    om_free(n->heap, n->index);
    n->index = index;
    n->capacity = capacity;
    for (size_t i = 0; i < n->count; i++)
        n->index[slot_of(n, n->names[i], strlen(n->names[i]))] = (uint32_t) i + 1;
    return true;
}

uint32_t pnml_names_add(pnml_names *n, om_region *a, const char *name)
{
    uint32_t found = pnml_names_find(n, name);
    if (found != OM_NONE)
        return found;
    if (!make_room(n))
        return OM_NONE;
    size_t length = strlen(name);
    char *copy = om_region_copy(a, name, length);
    if (copy == NULL)
        return OM_NONE;
    assert(2 * (n->count + 1) <= n->capacity && n->count < n->room); /* N1 */
    n->names[n->count] = copy;
    n->index[slot_of(n, name, length)] = (uint32_t) n->count + 1;
    return (uint32_t) n->count++;
}

void pnml_names_free(pnml_names *n)
{
    om_free(n->heap, (void *) n->names);
    om_free(n->heap, n->index);
    *n = (pnml_names){ .heap = n->heap };
}
