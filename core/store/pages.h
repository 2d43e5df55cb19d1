/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.h: zero-filled memory that grows and never moves, indexed by dense ids.
 *
 * An om_pages is a directory of segments, mapped when one of their elements is first asked for. The
 * first segments double in size up to SEGMENT_MOST elements, all others have that many: a small
 * check maps little, a big one never asks for much more than it is about to use.
 *
 *   ids  0..1023   1024..2047   2048..4095   ...   2^19..2^20-1   2^20..2*2^20-1   ...
 *   slot    0          1            2                   10              11
 *
 * Concurrency: every function but init and free may be called by any thread, lock-free. A segment
 * is published by the compare-and-swap in om_pages_ensure() (release) and read with acquire; who
 * loses the race unmaps its own. Elements start as zero for everybody.
 */
#ifndef OM_STORE_PAGES_H
#define OM_STORE_PAGES_H

#include <omen/control.h>

#include <stdatomic.h>

/* Where mapped memory comes from, and how much of it there is: one for a store and its side arrays.
 */
typedef struct om_pool {
    om_control *control;   /* asked before each mapping; may be NULL */
    _Atomic uint64_t maps; /* mappings asked for so far */
    uint64_t refuse_at;    /* the mapping of this number (from 0) fails: for tests */
} om_pool;

void om_pool_init(om_pool *p, om_control *control);
/* Zero-filled memory: OM_OK, OM_ENOMEM, or OM_ELIMIT (the control was stopped). */
int om_pool_map(om_pool *p, size_t bytes, void **out);
void om_pool_unmap(void *at, size_t bytes);

enum { OM_SEGMENT_FIRST_BITS = 10, OM_SEGMENT_MOST_BITS = 20, OM_PAGES_ID_BITS = 40 };

typedef struct om_pages {
    om_pool *pool;
    size_t element; /* bytes */
    _Atomic(unsigned char *) *segments;
    _Atomic uint64_t bytes; /* in segments */
} om_pages;

int om_pages_init(om_pages *p, om_pool *pool, size_t element);
/* Nobody may use it any more; fine on zeroed memory. */
void om_pages_free(om_pages *p);
/* The element of an id, its segment mapped if need be. Statuses as om_pool_map(). */
int om_pages_ensure(om_pages *p, uint64_t id, void **at);

/* Which segment, and where in it. */
static inline size_t om_pages_locate(uint64_t id, size_t *offset)
{
    if (id >> OM_SEGMENT_MOST_BITS != 0) {
        *offset = (size_t) (id & ((UINT64_C(1) << OM_SEGMENT_MOST_BITS) - 1));
        return (size_t) (id >> OM_SEGMENT_MOST_BITS) + OM_SEGMENT_MOST_BITS - OM_SEGMENT_FIRST_BITS;
    }
    if (id >> OM_SEGMENT_FIRST_BITS == 0) {
        *offset = (size_t) id;
        return 0;
    }
    unsigned top = 63u - (unsigned) __builtin_clzll(id);
    *offset = (size_t) (id ^ (UINT64_C(1) << top));
    return top - OM_SEGMENT_FIRST_BITS + 1;
}

/* The element of an id, or NULL when its segment was never mapped. */
static inline void *om_pages_find(const om_pages *p, uint64_t id)
{
    size_t offset, k = om_pages_locate(id, &offset);
    /* acquire: pairs with the publication in om_pages_ensure(). */
    unsigned char *segment = atomic_load_explicit(&p->segments[k], memory_order_acquire);
    return segment == NULL ? NULL : segment + offset * p->element;
}

#endif
