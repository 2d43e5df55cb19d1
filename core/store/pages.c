/* SPDX-License-Identifier: Apache-2.0 */
#include "pages.h"
#include "control/control.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older kernels ignore it */
#endif

/* Smaller pieces come from the heap: a mapping costs two system calls and whole pages. */
#define MAP_FROM ((size_t) 64 << 10)
/* From this size on, huge pages save most of the address translation misses of random access. */
#define HUGE_FROM ((size_t) 4 << 20)

static const size_t high_bytes =
    ((size_t) 1 << (OM_PAGES_ID_BITS - OM_SEGMENT_MOST_BITS)) * sizeof(om_segment);

void om_memory__init(om_memory *p, const om_heap *heap, om_control *control)
{
    p->heap = heap;
    p->control = control;
    p->nodes = NULL;
    atomic_init(&p->pieces, 0);
    p->refuse_at = UINT64_MAX;
    atomic_init(&p->side_bytes, 0);
}

bool om_memory__allows(om_memory *p, size_t bytes)
{
    return bytes < MAP_FROM || p->control == NULL || om_control__allows(p->control, bytes);
}

/* The system has no more memory. With a control, this counts as a limit: the check ends with the
 * figures that it has. */
static int refused(const om_memory *p)
{
    if (p->control == NULL)
        return OM_ENOMEM;
    (void) om_control_stop(p->control, OM_STOP_MEMORY);
    return OM_ELIMIT;
}

/* Maps memory at a multiple of `alignment`; 0: at any page. */
static void *map_aligned(size_t bytes, size_t alignment)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    unsigned char *at = mmap(NULL, bytes + alignment, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (at == MAP_FAILED || alignment == 0)
        return at;
    size_t before = (alignment - (uintptr_t) at % alignment) % alignment;
    size_t page = (size_t) sysconf(_SC_PAGESIZE), end = (before + bytes + page - 1) / page * page;
    if (before != 0)
        (void) munmap(at, before);
    if (bytes + alignment > end)
        (void) munmap(at + end, bytes + alignment - end);
    return at + before;
}

int om_memory__reserve(om_memory *p, size_t bytes, size_t alignment, void **out)
{
    assert((alignment & (alignment - 1)) == 0);
    if (alignment == 0 && bytes >= HUGE_FROM)
        alignment = OM_HUGE_PAGE;
    /* relaxed: a count; publishes nothing. */
    if (atomic_fetch_add_explicit(&p->pieces, 1, memory_order_relaxed) == p->refuse_at)
        return refused(p);
    void *at = map_aligned(bytes, alignment);
    if (at == MAP_FAILED)
        return refused(p);
    om_nodes__spread(p->nodes, at, bytes);
    *out = at;
    return OM_OK;
}

void om_memory__advise_huge(void *at, size_t bytes)
{
    if (bytes >= HUGE_FROM)
        (void) madvise(at, bytes, MADV_HUGEPAGE); /* a failure does not affect correctness */
}

void om_memory__populate(void *at, size_t bytes)
{
    uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE), before = (uintptr_t) at % page;
    (void) madvise((unsigned char *) at - before, bytes + before, MADV_POPULATE_WRITE);
}

int om_memory__map(om_memory *p, size_t bytes, void **out)
{
    int rc = om_memory__allows(p, bytes) ? om_memory__reserve(p, bytes, 0, out) : OM_ELIMIT;
    if (rc == OM_OK)
        om_memory__advise_huge(*out, bytes);
    return rc;
}

void om_memory__unmap(om_memory *p, void *at, size_t bytes)
{
    (void) p;
    if (at != NULL)
        (void) munmap(at, bytes);
}

int om_memory__take(om_memory *p, size_t bytes, void **out)
{
    if (bytes >= MAP_FROM)
        return om_memory__map(p, bytes, out);
    *out = om_alloc(p->heap, bytes, 1);
    return *out == NULL ? refused(p) : OM_OK;
}

void om_memory__give(om_memory *p, void *at, size_t bytes)
{
    if (bytes >= MAP_FROM)
        om_memory__unmap(p, at, bytes);
    else
        om_free(p->heap, at);
}

void om_pages__init(om_pages *p, om_memory *memory, size_t element)
{
    p->memory = memory;
    p->element = element;
    for (size_t k = 0; k < OM_SEGMENTS_LOW; k++)
        atomic_init(&p->low[k], NULL);
    atomic_init(&p->high, NULL);
    atomic_init(&p->bytes, 0);
    p->total = NULL;
    p->read_first = false;
}

static size_t low_elements(size_t k)
{
    return (size_t) 1 << (k == 0 ? (size_t) OM_SEGMENT_FIRST_BITS : OM_SEGMENT_FIRST_BITS + k - 1);
}

void om_pages__free(om_pages *p)
{
    if (p->memory == NULL)
        return;
    uint64_t left = atomic_load_explicit(&p->bytes, memory_order_relaxed);
    if (p->total != NULL)
        (void) atomic_fetch_sub_explicit(p->total, left, memory_order_relaxed);
    for (size_t k = 0; k < OM_SEGMENTS_LOW; k++) {
        unsigned char *segment = atomic_load_explicit(&p->low[k], memory_order_relaxed);
        left -= segment == NULL ? 0 : low_elements(k) * p->element;
        om_memory__give(p->memory, segment, low_elements(k) * p->element);
    }
    om_segment *high = atomic_load_explicit(&p->high, memory_order_relaxed);
    assert(high != NULL || left == 0);
    if (high == NULL)
        return;
    /* Side arrays may have holes: continue until all bytes are accounted for. */
    size_t bytes = ((size_t) 1 << OM_SEGMENT_MOST_BITS) * p->element;
    for (size_t k = 0; left != 0; k++) {
        assert(k >> (OM_PAGES_ID_BITS - OM_SEGMENT_MOST_BITS) == 0);
        unsigned char *segment = atomic_load_explicit(&high[k], memory_order_relaxed);
        left -= segment == NULL ? 0 : bytes;
        om_memory__give(p->memory, segment, bytes);
    }
    om_memory__give(p->memory, high, high_bytes);
}

/* The directory of high segments: 8 MiB of address space, of which one page (not a huge one) is
 * backed for each 512 segments. */
static int ensure_high(om_pages *p, om_segment **out)
{
    om_segment *high = atomic_load_explicit(&p->high, memory_order_acquire);
    if (high == NULL) {
        void *fresh = NULL;
        int rc = om_memory__reserve(p->memory, high_bytes, 0, &fresh);
        if (rc != OM_OK)
            return rc;
        if (atomic_compare_exchange_strong_explicit(
                &p->high, &high, fresh, memory_order_acq_rel, memory_order_acquire))
            high = fresh;
        else
            om_memory__give(p->memory, fresh, high_bytes);
    }
    *out = high;
    return OM_OK;
}

static int ensure_segment(om_pages *p, om_segment *at, size_t elements, unsigned char **out)
{
    unsigned char *segment = atomic_load_explicit(at, memory_order_acquire);
    if (segment == NULL) {
        void *fresh = NULL;
        size_t bytes = elements * p->element;
        int rc = om_memory__take(p->memory, bytes, &fresh);
        if (rc != OM_OK)
            return rc;
        /* release: publishes the memory (including its zeroes); acquire on failure: the winner's.
         * Both pair with the load above and those in om_pages__find(). */
        if (atomic_compare_exchange_strong_explicit(
                at, &segment, fresh, memory_order_acq_rel, memory_order_acquire)) {
            segment = fresh;
            (void) atomic_fetch_add_explicit(&p->bytes, bytes, memory_order_relaxed);
            if (p->total != NULL)
                (void) atomic_fetch_add_explicit(p->total, bytes, memory_order_relaxed);
            /* Backs at most as much as there is already. Huge pages are so few that they do not
             * matter. */
            if (p->read_first && bytes >= MAP_FROM && bytes < HUGE_FROM)
                om_memory__populate(segment, bytes);
        } else {
            om_memory__give(p->memory, fresh, bytes);
        }
    }
    *out = segment;
    return OM_OK;
}

int om_pages__ensure(om_pages *p, uint64_t id, void **at)
{
    const size_t most = (size_t) 1 << OM_SEGMENT_MOST_BITS;
    unsigned char *segment = NULL;
    size_t offset;
    int rc;

    if (id >> OM_PAGES_ID_BITS != 0)
        return OM_EINVAL;
    if (id >> OM_SEGMENT_MOST_BITS == 0) {
        size_t k = om_pages__low(id, &offset);
        rc = ensure_segment(p, &p->low[k], low_elements(k), &segment);
    } else {
        om_segment *high = NULL;
        offset = (size_t) (id & (most - 1));
        rc = ensure_high(p, &high);
        if (rc == OM_OK)
            rc = ensure_segment(p, &high[id >> OM_SEGMENT_MOST_BITS], most, &segment);
    }
    if (rc == OM_OK)
        *at = segment + offset * p->element;
    return rc;
}
