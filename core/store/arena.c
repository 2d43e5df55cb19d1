/* SPDX-License-Identifier: Apache-2.0 */
#include "arena.h"

#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; where it is not known nothing happens */
#endif

enum { ALIGN = 64 };
#define EXTENT (OM_EXTENT_UNITS * OM_ARENA_UNIT)
/* Larger pieces are mapped by themselves. */
#define MOST (EXTENT / 8)
/* What the system is told of at once. */
#define AHEAD ((size_t) 1 << 16)
#define HEAD ((sizeof(om_extent) + ALIGN - 1) / ALIGN * ALIGN)

static int add_extent(om_arena *a)
{
    void *base = NULL;
    int rc = om_memory__reserve(a->memory, EXTENT, EXTENT, &base);
    if (rc != OM_OK)
        return rc;
    om_memory__advise_huge(base, EXTENT);
    om_extent *e = base;
    e->used = e->populated = HEAD;
    e->older = a->newest;
    if (e->older != NULL)
        e->older->newer = e;
    a->newest = e;
    return OM_OK;
}

static om_extent *extent_of(void *at)
{
    return (om_extent *) (void *) ((unsigned char *) at - (uintptr_t) at % EXTENT);
}

/* Counts the bytes [from, to) of an extent, or no longer. */
static void count(om_extent *e, size_t from, size_t to, bool taken)
{
    e->live += taken ? to - from : from - to;
    while (from < to) {
        size_t unit = from / OM_ARENA_UNIT, end = (unit + 1) * OM_ARENA_UNIT;
        size_t n = (to < end ? to : end) - from;
        e->here[unit] += (uint32_t) (taken ? n : -n);
        /* Nothing is taken from it any more: back to the system. */
        if (unit > 0 && e->here[unit] == 0 && e->used >= end)
            (void) madvise(
                (unsigned char *) e + unit * OM_ARENA_UNIT, OM_ARENA_UNIT, MADV_DONTNEED);
        from += n;
    }
}

void om_arena__populate(om_span span)
{
    uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE), at = (uintptr_t) span.at,
              first = at / page * page;
    if (span.at != NULL)
        (void) madvise((unsigned char *) span.at - (at - first), span.bytes + (at - first),
            MADV_POPULATE_WRITE);
}

/* The span behind what the system was told of, up to `to`, which it will be told of now. */
static om_span tell(om_extent *e, size_t to)
{
    om_span span = { NULL, 0 };
    if (to > e->populated) {
        span = (om_span){ (unsigned char *) e + e->populated, to - e->populated };
        e->populated = to;
    }
    return span;
}

int om_arena__take(om_arena *a, size_t bytes, void **out)
{
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes > MOST) {
        int rc = om_memory__map(a->memory, bytes, out);
        if (rc == OM_OK)
            om_arena__populate((om_span){ *out, bytes });
        return rc;
    }
    if (!om_memory__allows(a->memory, bytes))
        return OM_ELIMIT;
    if (a->newest == NULL || EXTENT - a->newest->used < bytes) {
        int rc = add_extent(a);
        if (rc != OM_OK)
            return rc;
    }
    om_extent *e = a->newest;
    *out = (unsigned char *) e + e->used;
    e->used += bytes;
    a->recent += bytes;
    count(e, e->used - bytes, e->used, true);
    if (e->used > e->populated)
        om_arena__populate(tell(e, e->used < EXTENT - AHEAD ? e->used + AHEAD : EXTENT));
    return OM_OK;
}

om_span om_arena__next_span(om_arena *a)
{
    size_t fading = a->usually - a->usually / 16;
    om_span span = { NULL, a->recent > fading ? a->recent : fading };
    a->recent = 0;
    a->usually = span.bytes;
    if (a->newest == NULL || span.bytes > MOST)
        return span;
    if (EXTENT - a->newest->used < span.bytes && add_extent(a) != OM_OK)
        return span; /* the next growth would have asked for it */
    return tell(a->newest, a->newest->used + span.bytes);
}

static void drop(om_arena *a, om_extent *e)
{
    *(e->newer != NULL ? &e->newer->older : &a->newest) = e->older;
    if (e->older != NULL)
        e->older->newer = e->newer;
    om_memory__unmap(a->memory, e, EXTENT);
}

void om_arena__give(om_arena *a, void *at, size_t bytes)
{
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (at == NULL)
        return;
    if (bytes > MOST) {
        om_memory__unmap(a->memory, at, bytes);
        return;
    }
    om_extent *e = extent_of(at);
    size_t from = (size_t) ((unsigned char *) at - (unsigned char *) e);
    count(e, from, from + bytes, false);
    if (e != a->newest && e->live == 0)
        drop(a, e);
}

void om_arena__free(om_arena *a)
{
    while (a->newest != NULL)
        drop(a, a->newest);
}
