/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OM_BASE_ALIGNMENT_H
#define OM_BASE_ALIGNMENT_H

#include <stdalign.h>
#include <stddef.h>

/* What an object of that size is aligned to, at most: a type's size is a multiple of its alignment.
 * Texts, whose bytes are of size 1, so follow each other without a gap. */
static inline size_t om_alignment(size_t size)
{
    const size_t most = alignof(max_align_t), lowest = size & (~size + 1);
    return lowest == 0 || lowest > most ? most : lowest;
}

/* The next multiple of a power of two. */
static inline size_t om_aligned(size_t at, size_t alignment)
{
    return (at + alignment - 1) & ~(alignment - 1);
}

#endif
