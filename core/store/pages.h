/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.h: zero-filled memory that grows and never moves, indexed by dense ids.
 *
 * An om_pages is a directory of segments. A segment is allocated when one of its elements is first
 * requested. The first segments double in size up to 2^20 elements; all later ones have that size.
 * A small check thus takes little memory, and a large one never requests much more than it is about
 * to use.
 *
 *   ids      0..1023   1024..2047   2048..4095   ...   2^19..2^20-1   2^20..2*2^20-1   ...
 *   segment   low[0]     low[1]       low[2]              low[10]        high[1]
 *
 * Concurrency: any thread may call every function except init and free, lock-free. A segment (and
 * the directory of the high ones) is published by a compare-and-swap in om_pages__ensure()
 * (release) and read with acquire; a thread that loses the race frees its own segment. All threads
 * see elements start as zero.
 */
#ifndef OM_STORE_PAGES_H
#define OM_STORE_PAGES_H

#include "process/processors.h"
#include <omen/plugin/control.h>

#include <stdatomic.h>

#define OM_HUGE_PAGE ((size_t) 2 << 20)

/* The source of memory for a store and its side arrays. Small pieces come from the heap. Large ones
 * are mapped, so that only touched pages are ever backed. */
typedef struct om_memory {
    const om_heap *heap;
    om_control *control;         /* asked before each large piece; may be NULL */
    const om_nodes *nodes;       /* NUMA nodes to spread large pieces over; may be NULL */
    _Atomic uint64_t pieces;     /* large pieces requested so far */
    uint64_t refuse_at;          /* number (from 0) of the piece to refuse: for tests */
    _Atomic uint64_t side_bytes; /* current bytes of side arrays */
} om_memory;

void om_memory__init(om_memory *p, const om_heap *heap, om_control *control);
/* Allocates zero-filled memory. Returns OM_OK, OM_ELIMIT (the control was stopped), or, without a
 * control, OM_ENOMEM. */
int om_memory__take(om_memory *p, size_t bytes, void **out);
void om_memory__give(om_memory *p, void *at, size_t bytes);
/* Returns true if `bytes` bytes may be allocated. Asks the control if the piece is large. */
bool om_memory__allows(om_memory *p, size_t bytes);
/*
 * Reserves zero-filled address space that is backed when it is touched. It starts at a multiple of
 * `alignment`, a power of 2; 0: at a huge page if it is large, else at any page. OM_OK, OM_ELIMIT
 * or OM_ENOMEM as om_memory__take().
 */
int om_memory__reserve(om_memory *p, size_t bytes, size_t alignment, void **out);
/* Requests huge pages if the memory is large: for memory that will be used densely. */
void om_memory__advise_huge(void *at, size_t bytes);
/*
 * Has memory backed immediately. Memory that is read before it is written needs that: otherwise
 * each page would be mapped twice, first to the shared page of zeroes, and the change would
 * interrupt all processors that run the process.
 */
void om_memory__populate(void *at, size_t bytes);
/* Reserves memory and advises huge pages. Statuses as om_memory__take(). */
int om_memory__map(om_memory *p, size_t bytes, void **out);
void om_memory__unmap(om_memory *p, void *at, size_t bytes);

enum { OM_SEGMENT_FIRST_BITS = 10, OM_SEGMENT_MOST_BITS = 20, OM_PAGES_ID_BITS = 40 };
enum { OM_SEGMENTS_LOW = OM_SEGMENT_MOST_BITS - OM_SEGMENT_FIRST_BITS + 1 };

typedef _Atomic(unsigned char *) om_segment;

typedef struct om_pages {
    om_memory *memory;
    size_t element; /* size in bytes */
    om_segment low[OM_SEGMENTS_LOW];
    _Atomic(om_segment *) high; /* by id >> OM_SEGMENT_MOST_BITS; NULL until one is needed */
    _Atomic uint64_t bytes;     /* bytes in segments */
    _Atomic uint64_t *total;    /* sum of the bytes of several om_pages; may be NULL */
    bool read_first; /* elements are read before they are written: om_memory__populate() */
} om_pages;

void om_pages__init(om_pages *p, om_memory *memory, size_t element);
/* Frees all segments. No thread may use them any more. Accepts a zeroed om_pages. */
void om_pages__free(om_pages *p);
/* Returns in *at the element of an id and allocates its segment if it is missing. Statuses as
 * om_memory__take(). */
int om_pages__ensure(om_pages *p, uint64_t id, void **at);

/* The low segment of an id below 2^OM_SEGMENT_MOST_BITS, and the offset of the id in it. */
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

/* The element of an id, or NULL if its segment was never allocated. */
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
