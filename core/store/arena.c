/* SPDX-License-Identifier: Apache-2.0 */
#include "arena.h"

#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; where it is not known nothing happens */
#endif

enum { ALIGN = 64 };
#define EXTENT (OM_EXTENT_UNITS * OM_ARENA_UNIT)
/* Larger pieces are mapped by themselves. */
#define MOST (EXTENT / 8)

static int add_extent(om_arena *a)
{
    void *base = NULL;
    om_extent *e = om_alloc(a->memory->heap, 1, sizeof *e);
    if (e == NULL)
        return OM_ENOMEM;
    int rc = om_memory__reserve(a->memory, EXTENT, &base);
    if (rc != OM_OK) {
        om_free(a->memory->heap, e);
        return rc;
    }
    om_memory__advise_huge(base, EXTENT);
    e->base = base;
    e->older = a->newest;
    a->newest = e;
    return OM_OK;
}

/* Counts the bytes [from, to) of an extent, or no longer. */
static void count(om_extent *e, size_t from, size_t to, bool taken)
{
    while (from < to) {
        size_t unit = from / OM_ARENA_UNIT, end = (unit + 1) * OM_ARENA_UNIT;
        size_t n = (to < end ? to : end) - from;
        e->live[unit] += taken ? n : 0;
        e->live[unit] -= taken ? 0 : n;
        /* Nothing is taken from it any more: back to the system. */
        if (!taken && e->live[unit] == 0 && e->used >= end)
            (void) madvise(e->base + unit * OM_ARENA_UNIT, OM_ARENA_UNIT, MADV_DONTNEED);
        from += n;
    }
}

int om_arena__take(om_arena *a, size_t bytes, void **out)
{
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes > MOST)
        return om_memory__map(a->memory, bytes, out);
    if (!om_memory__allows(a->memory, bytes))
        return OM_ELIMIT;
    if (a->newest == NULL || EXTENT - a->newest->used < bytes) {
        int rc = add_extent(a);
        if (rc != OM_OK)
            return rc;
    }
    om_extent *e = a->newest;
    *out = e->base + e->used;
    e->used += bytes;
    a->recent += bytes;
    count(e, e->used - bytes, e->used, true);
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
    span.at = a->newest->base + a->newest->used;
    return span;
}

void om_arena__populate(om_span span)
{
    uintptr_t at = (uintptr_t) span.at, first = at / OM_HUGE_PAGE * OM_HUGE_PAGE;
    if (span.at != NULL)
        (void) madvise((unsigned char *) span.at - (at - first), span.bytes + (at - first),
            MADV_POPULATE_WRITE);
}

static bool is_empty(const om_extent *e)
{
    for (size_t i = 0; i < OM_EXTENT_UNITS; i++)
        if (e->live[i] != 0)
            return false;
    return true;
}

static void drop(om_arena *a, om_extent *e)
{
    om_memory__unmap(a->memory, e->base, EXTENT);
    om_free(a->memory->heap, e);
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
    om_extent **link = &a->newest;
    const unsigned char *p = at;
    while (p < (*link)->base || p >= (*link)->base + EXTENT)
        link = &(*link)->older;
    om_extent *e = *link;
    count(e, (size_t) (p - e->base), (size_t) (p - e->base) + bytes, false);
    if (e != a->newest && is_empty(e)) {
        *link = e->older;
        drop(a, e);
    }
}

void om_arena__free(om_arena *a)
{
    while (a->newest != NULL) {
        om_extent *e = a->newest;
        a->newest = e->older;
        drop(a, e);
    }
}
