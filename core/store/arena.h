/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h: memory for the shards of indices, packed into huge pages.
 *
 * Shards are freed in about the order in which they were allocated, so the arena allocates only
 * after the last allocation, in extents of address space. A unit without live shards returns to the
 * system; so does an empty extent. The address of an extent is a multiple of its size, and its
 * header lies at its start: the extent of a piece is found in constant time. Only leaders use an
 * arena, except for om_arena__help().
 *
 *  A1  Pieces lie between the header and `used`, and `live` counts their bytes, each in its unit.
 */
#ifndef OM_STORE_ARENA_H
#define OM_STORE_ARENA_H

#include "pages.h"

#include <stdatomic.h>

/* Memory returns to the system in units: an eighth of a huge page, which few shards share. */
#define OM_ARENA_UNIT (OM_HUGE_PAGE / 8)
enum { OM_EXTENT_UNITS = 256 };

/* The header of an extent, in its first unit, which it keeps alive. */
typedef struct om_extent {
    struct om_extent *older, *newer;
    size_t used;                    /* bytes allocated from the front, including this header */
    size_t populated;               /* bytes from the front that the system was asked to back */
    size_t live;                    /* live bytes, without this header */
    uint32_t here[OM_EXTENT_UNITS]; /* live bytes in each unit */
} om_extent;

typedef struct om_arena {
    om_memory *memory;
    om_extent *newest;
    size_t recent;             /* bytes allocated since the last om_arena__foresee() */
    size_t usually;            /* decaying maximum of `recent` */
    _Atomic uintptr_t at, end; /* the span that om_arena__help() still has to populate */
} om_arena;

/* Allocates zero-filled memory, aligned to 64 bytes, and has the system back it, many pieces in one
 * call. Statuses as om_memory__take(). */
int om_arena__take(om_arena *a, size_t bytes, void **out);
void om_arena__give(om_arena *a, void *at, size_t bytes);
/* Predicts that the next allocations, up to the next call, take as much as usual, and leaves the
 * part that the system does not back yet to om_arena__help(). */
void om_arena__foresee(om_arena *a);
/*
 * Has the system back a piece of the predicted memory, if any is left, so that no thread waits for
 * it at allocation time. Any thread may call this often and at any time. Backing all of it at once
 * would block threads that map memory, or that wait for the caller, for milliseconds.
 */
void om_arena__help(om_arena *a);
/* Frees all extents. Accepts a zeroed arena. */
void om_arena__free(om_arena *a);

#endif
