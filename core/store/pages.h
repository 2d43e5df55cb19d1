/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.h: zero-filled memory that grows and never moves, indexed by dense ids.
 *
 * An om_pages is a directory of segments, made when one of their elements is first asked for. The
 * first segments double in size up to 2^20 elements, all others have that many: a small check takes
 * little, a big one never asks for much more than it is about to use.
 *
 *   ids      0..1023   1024..2047   2048..4095   ...   2^19..2^20-1   2^20..2*2^20-1   ...
 *   segment   low[0]     low[1]       low[2]              low[10]        high[1]
 *
 * Concurrency: every function but init and free may be called by any thread, lock-free. A segment
 * (and the directory of the high ones) is published by a compare-and-swap in om_pages__ensure()
 * (release) and read with acquire; who loses the race gives its own back. Elements start as zero
 * for everybody.
 */
#ifndef OM_STORE_PAGES_H
#define OM_STORE_PAGES_H

#include "machine.h"
#include <omen/plugin/control.h>

#include <stdatomic.h>

#define OM_HUGE_PAGE ((size_t) 2 << 20)

/* Where the memory of a store and its side arrays comes from. Small pieces are the heap's; large
 * ones are mapped, so that only what is touched is ever backed. */
typedef struct om_memory {
    const om_heap *heap;
    om_control *control;         /* asked before each large piece; may be NULL */
    const om_nodes *nodes;       /* large pieces are spread over them; may be NULL */
    _Atomic uint64_t pieces;     /* large pieces asked for so far */
    uint64_t refuse_at;          /* the one of this number (from 0) is not to be had: for tests */
    _Atomic uint64_t side_bytes; /* of side arrays that are there now */
} om_memory;

void om_memory__init(om_memory *p, const om_heap *heap, om_control *control);
/* Zero-filled memory: OM_OK, OM_ELIMIT (the control was stopped), or, without a control, OM_ENOMEM.
 */
int om_memory__take(om_memory *p, size_t bytes, void **out);
void om_memory__give(om_memory *p, void *at, size_t bytes);
/* May so many bytes be had? Asks the control where they are many. */
bool om_memory__allows(om_memory *p, size_t bytes);
/* Address space, zero-filled and backed where it is touched, from a huge page on where it is large,
 * or from a multiple of `alignment`, a power of 2; 0: any. OM_OK, OM_ELIMIT or OM_ENOMEM as
 * om_memory__take(). */
int om_memory__reserve(om_memory *p, size_t bytes, size_t alignment, void **out);
/* Wants huge pages where it is large: for what will be used densely. */
void om_memory__advise_huge(void *at, size_t bytes);
/*
 * Has memory backed at once. What is read before it is written needs that: each page would be
 * mapped twice, first to the page of zeroes that all share, and all processors that the process
 * runs on interrupted to be told of the change.
 */
void om_memory__populate(void *at, size_t bytes);
/* Reserves and advises: statuses as om_memory__take(). */
int om_memory__map(om_memory *p, size_t bytes, void **out);
void om_memory__unmap(om_memory *p, void *at, size_t bytes);

enum { OM_SEGMENT_FIRST_BITS = 10, OM_SEGMENT_MOST_BITS = 20, OM_PAGES_ID_BITS = 40 };
enum { OM_SEGMENTS_LOW = OM_SEGMENT_MOST_BITS - OM_SEGMENT_FIRST_BITS + 1 };

typedef _Atomic(unsigned char *) om_segment;

typedef struct om_pages {
    om_memory *memory;
    size_t element; /* bytes */
    om_segment low[OM_SEGMENTS_LOW];
    _Atomic(om_segment *) high; /* by id >> OM_SEGMENT_MOST_BITS; NULL until one is needed */
    _Atomic uint64_t bytes;     /* in segments */
    _Atomic uint64_t *total;    /* counts the bytes of several; may be NULL */
    bool read_first;            /* elements are read before they are written: see populate() */
} om_pages;

void om_pages__init(om_pages *p, om_memory *memory, size_t element);
/* Nobody may use it any more; fine on zeroed memory. */
void om_pages__free(om_pages *p);
/* The element of an id, its segment made if need be. Statuses as om_memory__take(). */
int om_pages__ensure(om_pages *p, uint64_t id, void **at);

/* The low segment of an id below 2^OM_SEGMENT_MOST_BITS, and where in it the id is. */
static inline size_t om_pages__low(uint64_t id, size_t *offset)
{
    if (id >> OM_SEGMENT_FIRST_BITS == 0) {
        *offset = (size_t) id;
        return 0;
    }
    unsigned top = 63u - (unsigned) __builtin_clzll(id);
    *offset = (size_t) (id ^ (UINT64_C(1) << top));
    return top - OM_SEGMENT_FIRST_BITS + 1;
}

/* The element of an id, or NULL when its segment was never made. */
static inline void *om_pages__find(const om_pages *p, uint64_t id)
{
    size_t offset;
    unsigned char *segment;
    /* acquire, all three: pairs with the publication in om_pages__ensure(). */
    if (id >> OM_SEGMENT_MOST_BITS == 0) {
        size_t k = om_pages__low(id, &offset);
        segment = atomic_load_explicit(&p->low[k], memory_order_acquire);
    } else {
        om_segment *high = atomic_load_explicit(&p->high, memory_order_acquire);
        if (high == NULL)
            return NULL;
        offset = (size_t) (id & ((UINT64_C(1) << OM_SEGMENT_MOST_BITS) - 1));
        segment = atomic_load_explicit(&high[id >> OM_SEGMENT_MOST_BITS], memory_order_acquire);
    }
    return segment == NULL ? NULL : segment + offset * p->element;
}

#endif
