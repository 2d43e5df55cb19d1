/* SPDX-License-Identifier: Apache-2.0 */
#include "pages.h"

#include <assert.h>
#include <sys/mman.h>

/* From this size on, huge pages spare most of the address translation misses of random access. */
#define HUGE_FROM ((size_t) 4 << 20)

static const size_t directory_slots = ((size_t) 1 << (OM_PAGES_ID_BITS - OM_SEGMENT_MOST_BITS)) +
                                      OM_SEGMENT_MOST_BITS - OM_SEGMENT_FIRST_BITS;

void om_pool_init(om_pool *p, om_control *control)
{
    p->control = control;
    atomic_init(&p->maps, 0);
    p->refuse_at = UINT64_MAX;
}

static int map(size_t bytes, void **out)
{
    void *at = mmap(
        NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return OM_ENOMEM;
    *out = at;
    return OM_OK;
}

int om_pool_map(om_pool *p, size_t bytes, void **out)
{
    /* relaxed: a count, nothing is published through it. */
    if (atomic_fetch_add_explicit(&p->maps, 1, memory_order_relaxed) == p->refuse_at)
        return OM_ENOMEM;
    if (p->control != NULL && !om_control_room(p->control, bytes))
        return OM_ELIMIT;
    int rc = map(bytes, out);
    if (rc == OM_OK && bytes >= HUGE_FROM)
        (void) madvise(*out, bytes, MADV_HUGEPAGE); /* a wish; without it all is as correct */
    return rc;
}

void om_pool_unmap(void *at, size_t bytes)
{
    if (at != NULL)
        (void) munmap(at, bytes);
}

int om_pages_init(om_pages *p, om_pool *pool, size_t element)
{
    void *directory = NULL;
    /* Address space more than memory: only the pages in use are ever backed. */
    int rc = om_pool_map(pool, directory_slots * sizeof *p->segments, &directory);
    if (rc != OM_OK)
        return rc;
    p->pool = pool;
    p->element = element;
    p->segments = directory;
    atomic_init(&p->bytes, 0);
    return OM_OK;
}

static size_t segment_elements(size_t k)
{
    if (k == 0)
        return (size_t) 1 << OM_SEGMENT_FIRST_BITS;
    if (k < OM_SEGMENT_MOST_BITS - OM_SEGMENT_FIRST_BITS + 1)
        return (size_t) 1 << (OM_SEGMENT_FIRST_BITS + k - 1);
    return (size_t) 1 << OM_SEGMENT_MOST_BITS;
}

void om_pages_free(om_pages *p)
{
    if (p->segments == NULL)
        return;
    /* Segments are mapped nearly in order, but side arrays may have holes: look until all bytes are
     * accounted for. */
    uint64_t left = atomic_load_explicit(&p->bytes, memory_order_relaxed);
    for (size_t k = 0; left != 0 && k < directory_slots; k++) {
        unsigned char *segment = atomic_load_explicit(&p->segments[k], memory_order_relaxed);
        if (segment == NULL)
            continue;
        size_t bytes = segment_elements(k) * p->element;
        om_pool_unmap(segment, bytes);
        left -= bytes;
    }
    om_pool_unmap(p->segments, directory_slots * sizeof *p->segments);
    p->segments = NULL;
}

int om_pages_ensure(om_pages *p, uint64_t id, void **at)
{
    size_t offset, k = om_pages_locate(id, &offset);
    assert(k < directory_slots);
    unsigned char *segment = atomic_load_explicit(&p->segments[k], memory_order_acquire);

    if (segment == NULL) {
        void *fresh = NULL;
        size_t bytes = segment_elements(k) * p->element;
        int rc = om_pool_map(p->pool, bytes, &fresh);
        if (rc != OM_OK)
            return rc;
        /* release: publishes the mapping (zeroes and all); acquire on failure: the winner's. Both
         * pair with the loads above and in om_pages_find(). */
        if (atomic_compare_exchange_strong_explicit(
                &p->segments[k], &segment, fresh, memory_order_acq_rel, memory_order_acquire)) {
            segment = fresh;
            (void) atomic_fetch_add_explicit(&p->bytes, bytes, memory_order_relaxed);
        } else {
            om_pool_unmap(fresh, bytes);
        }
    }
    *at = segment + offset * p->element;
    return OM_OK;
}
