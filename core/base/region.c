/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/plugin/region.h>

#include <stdalign.h>
#include <assert.h>
#include <string.h>

/* G1: `used` and `capacity` are of the newest chunk; older ones are full. */
struct om_region_chunk {
    om_region_chunk *older;
    alignas(max_align_t) unsigned char bytes[];
};

enum { CHUNK = 8192 };

/* Returns an upper bound of the alignment of objects of that size: a type's size is a multiple of
 * its alignment. Texts, which have bytes of size 1, therefore follow each other without gaps. */
static size_t alignment_of(size_t size)
{
    const size_t most = alignof(max_align_t), lowest = size & (~size + 1);
    return lowest == 0 || lowest > most ? most : lowest;
}

/* Returns `at` rounded up to a multiple of `alignment`, a power of two. */
static size_t aligned(size_t at, size_t alignment)
{
    return (at + alignment - 1) & ~(alignment - 1);
}

void *om_region_take(om_region *a, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size)
        return NULL;
    size_t bytes = count * size, start = aligned(a->used, alignment_of(size));
    assert(a->used <= a->capacity); /* G1 */
    if (a->chunks == NULL || start > a->capacity || bytes > a->capacity - start) {
        size_t capacity = bytes > CHUNK ? bytes : CHUNK;
        om_region_chunk *c = om_alloc(a->heap, 1, sizeof *c + capacity);
        if (c == NULL)
            return NULL;
        c->older = a->chunks;
        a->chunks = c;
        a->capacity = capacity;
        start = 0;
    }
    assert(start <= a->capacity && bytes <= a->capacity - start); /* G1 */
    void *p = a->chunks->bytes + start;
    a->used = start + bytes;
    return p;
}

char *om_region_copy(om_region *a, const char *s, size_t n)
{
    char *copy = om_region_take(a, n + 1, 1);
    if (copy != NULL)
        memcpy(copy, s, n);
    return copy;
}

void om_region_reset(om_region *a)
{
    om_region_chunk *kept = a->chunks;
    if (kept == NULL || a->capacity > CHUNK) {
        om_region_free(a);
        return;
    }
    a->chunks = kept->older;
    om_region_free(a);
    kept->older = NULL;
    assert(a->used <= CHUNK); /* G1 */
    memset(kept->bytes, 0, a->used);
    a->chunks = kept;
    a->used = 0;
}

void om_region_free(om_region *a)
{
    while (a->chunks != NULL) {
        om_region_chunk *c = a->chunks;
        a->chunks = c->older;
        om_free(a->heap, c);
    }
}
