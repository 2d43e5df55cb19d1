/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h: memory for the shards of indices, packed into huge pages.
 *
 * Shards are given back in about the order in which they were taken, so memory is only ever taken
 * behind what was taken last, in extents of address space; a unit whose shards are all gone is
 * given back to the system, an extent when it is empty. An extent begins where an address is a
 * multiple of its size, with what is known of it: so the extent of a piece is found at once,
 * however many there are. Leaders alone use it, but for om_arena__help().
 */
#ifndef OM_STORE_ARENA_H
#define OM_STORE_ARENA_H

#include "pages.h"

#include <stdatomic.h>

/* Memory is given back to the system in units: an eighth of a huge page, which few shards share. */
#define OM_ARENA_UNIT (OM_HUGE_PAGE / 8)
enum { OM_EXTENT_UNITS = 256 };

/* The first bytes of an extent; they keep its first unit alive. */
typedef struct om_extent {
    struct om_extent *older, *newer;
    size_t used;                    /* bytes taken from the front, these among them */
    size_t populated;               /* bytes from the front that the system was told of */
    size_t live;                    /* bytes that are not given back, without these */
    uint32_t here[OM_EXTENT_UNITS]; /* of them, in each unit */
} om_extent;

typedef struct om_arena {
    om_memory *memory;
    om_extent *newest;
    size_t recent;             /* bytes taken since om_arena__foresee() was last called */
    size_t usually;            /* are taken between two such calls; seldom more */
    _Atomic uintptr_t at, end; /* what om_arena__help() still has to do */
} om_arena;

/* Zero-filled and aligned to 64 bytes, about to be used: the system is told, which takes a call for
 * many. Statuses as om_memory__take(). */
int om_arena__take(om_arena *a, size_t bytes, void **out);
void om_arena__give(om_arena *a, void *at, size_t bytes);
/* Foresees that as much will be taken before the next call as usually: memory for it is left to
 * om_arena__help(), as far as the system was not told of it. */
void om_arena__foresee(om_arena *a);
/*
 * Has the system put a piece of what was foreseen into memory, if there is any left, so that nobody
 * waits for it when it is taken: any thread, often, at any time. All of it at once would keep who
 * wants to map memory, or needs the one who does it, waiting for milliseconds.
 */
void om_arena__help(om_arena *a);
/* Fine on zeroed memory. */
void om_arena__free(om_arena *a);

#endif
