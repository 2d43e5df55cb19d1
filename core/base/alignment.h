/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OM_BASE_ALIGNMENT_H
#define OM_BASE_ALIGNMENT_H

#include <stdalign.h>
#include <stddef.h>

/* Returns an upper bound of the alignment of objects of that size: a type's size is a multiple of
 * its alignment. Texts, which have bytes of size 1, therefore follow each other without gaps. */
static inline size_t om_alignment(size_t size)
{
    const size_t most = alignof(max_align_t), lowest = size & (~size + 1);
    return lowest == 0 || lowest > most ? most : lowest;
}

/* Returns `at` rounded up to a multiple of `alignment`, a power of two. */
static inline size_t om_aligned(size_t at, size_t alignment)
{
    return (at + alignment - 1) & ~(alignment - 1);
}

#endif
