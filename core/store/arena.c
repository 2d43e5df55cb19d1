/* SPDX-License-Identifier: Apache-2.0 */
#include "arena.h"

#include <sys/mman.h>

enum { ALIGN = 64 };
#define EXTENT (OM_EXTENT_UNITS * OM_ARENA_UNIT)
/* Larger pieces have mappings of their own. */
#define MOST (EXTENT / 8)
/* Bytes that the system is asked to back ahead of use. */
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

/* Adds the bytes [from, to) to the live bytes of an extent, or subtracts them. */
static void count(om_extent *e, size_t from, size_t to, bool taken)
{
    e->live += taken ? to - from : from - to;
    while (from < to) {
        size_t unit = from / OM_ARENA_UNIT, end = (unit + 1) * OM_ARENA_UNIT;
        size_t n = (to < end ? to : end) - from;
        e->here[unit] += (uint32_t) (taken ? n : -n);
        /* The unit is empty and will not be allocated from again: it returns to the system. */
        if (unit > 0 && e->here[unit] == 0 && e->used >= end)
            (void) madvise(
                (unsigned char *) e + unit * OM_ARENA_UNIT, OM_ARENA_UNIT, MADV_DONTNEED);
        from += n;
    }
}

/* Marks an extent as populated up to `to` and returns the previous bound, the start of the new
 * part. */
static size_t mark_populated(om_extent *e, size_t to)
{
    size_t from = e->populated;
    e->populated = to > from ? to : from;
    return from;
}

int om_arena__take(om_arena *a, size_t bytes, void **out)
{
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes > MOST) {
        int rc = om_memory__map(a->memory, bytes, out);
        if (rc == OM_OK)
            om_memory__populate(*out, bytes);
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
    if (e->used > e->populated) {
        size_t from = mark_populated(e, e->used < EXTENT - AHEAD ? e->used + AHEAD : EXTENT);
        om_memory__populate((unsigned char *) e + from, e->populated - from);
    }
    return OM_OK;
}

void om_arena__foresee(om_arena *a)
{
    size_t fading = a->usually - a->usually / 16;
    size_t bytes = a->recent > fading ? a->recent : fading;
    a->recent = 0;
    a->usually = bytes;
    if (a->newest == NULL || bytes > MOST)
        return;
    if (EXTENT - a->newest->used < bytes && add_extent(a) != OM_OK)
        return; /* the next growth would have requested it */
    om_extent *e = a->newest;
    size_t from = mark_populated(e, e->used + bytes);
    /*
     * relaxed, both: if a thread mixes up two spans, it only populates memory that is not needed.
     */
    atomic_store_explicit(&a->at, (uintptr_t) e + from, memory_order_relaxed);
    atomic_store_explicit(&a->end, (uintptr_t) e + e->populated, memory_order_relaxed);
}

void om_arena__help(om_arena *a)
{
    uintptr_t at = atomic_load_explicit(&a->at, memory_order_relaxed);
    uintptr_t end = atomic_load_explicit(&a->end, memory_order_relaxed);
    if (at >= end)
        return;
    uintptr_t next = at - at % OM_HUGE_PAGE + OM_HUGE_PAGE;
    next = next < end ? next : end;
    if (atomic_compare_exchange_strong_explicit(
            &a->at, &at, next, memory_order_relaxed, memory_order_relaxed))
        om_memory__populate((void *) at, next - at); // NOLINT(performance-no-int-to-ptr)
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
