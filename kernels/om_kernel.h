/* SPDX-License-Identifier: Apache-2.0 */
/*
 * om_kernel.h: the beginning of every kernel text, on a device and on the host.
 *
 * Portability: OpenCL C 1.2 with cl_khr_int64_base_atomics. No work-item waits for a write of
 * another work-group in the same kernel; the end of a kernel is the only fence between work-groups.
 * The files *.cl are also included by a test on the host (OM_KERNEL_ON_HOST), where work-items run
 * one after another. On a device, om_step.h comes before this file; if the host is the device,
 * om_host.h comes before both.
 */
#ifndef OM_KERNEL_H
#define OM_KERNEL_H

#ifdef OM_KERNEL_ON_HOST
#include "om_included.h"
#elif !defined(OM_HOST_TEXT) /* om_host.h comes first */

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef uchar om_u8;
typedef uint om_u32;
typedef int om_i32;
typedef ulong om_u64;
#define OM_FN static inline
/* A large function. pocl compiles what is inlined into a kernel three times. */
#ifdef OM_PREFETCHES
#define OM_FN_APART static __attribute__((noinline))
#else
#define OM_FN_APART OM_FN
#endif
#define OM_CONSTANT __constant
#define OM_KERNEL __kernel void
#define OM_GLOBAL __global
#define OM_ID ((om_u32) get_global_id(0))
#define OM_IDS ((om_u32) get_global_size(0))
#define OM_POPCOUNT(X) ((om_u32) popcount(X))
/* The number of the lowest set bit; X is not 0. */
#define OM_LOWEST(X) (63u - (om_u32) clz((X) & (~(X) + 1ul)))
#define om_cas64(P, EXPECTED, DESIRED) \
    atom_cmpxchg((volatile __global ulong *) (P), EXPECTED, DESIRED)
#define om_add64(P, N) atom_add((volatile __global ulong *) (P), N)
#define om_add32(P, N) atomic_add((volatile __global uint *) (P), N)
#define om_swap32(P, N) atomic_xchg((volatile __global uint *) (P), N)
/* An atomic store, which OpenCL C 1.2 has only as an exchange. */
#define om_set32(P, N) ((void) atomic_xchg((volatile __global uint *) (P), N))
/* A variable of the work-group, in the outermost block of a kernel. */
#define OM_SHARED(TYPE, NAME)   \
    __local TYPE NAME##_memory; \
    __local TYPE *const NAME = &NAME##_memory;
#define OM_LOCAL __local
#define OM_LOCAL_ID ((om_u32) get_local_id(0))
#define OM_LOCAL_IDS ((om_u32) get_local_size(0))
#define OM_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define om_local_cas32(P, EXPECTED, DESIRED) \
    atomic_cmpxchg((volatile __local uint *) (P), EXPECTED, DESIRED)
#define om_local_add32(P, N) atomic_add((volatile __local uint *) (P), N)

/*
 * Loads a word of the index that other work-items may be filling by compare-and-swap. An entry
 * changes once in a kernel, from empty to its value, and every decision on "empty" is made by the
 * compare-and-swap itself, so a stale value does no harm; the word is aligned, so it is not torn.
 * oclgrind reports the mix of plain and atomic accesses as a race; there, the load is atomic, too.
 */
#ifdef OM_OCLGRIND
#define LOAD64(P) atom_add((volatile __global ulong *) (P), 0ul)
#else
#define LOAD64(P) (*(volatile __global ulong *) (P))
#endif

/* A prefetch hint, if the options say that the device (a CPU) benefits. The address is an integer,
 * because the compiler's function takes no pointer to global memory. */
#ifdef OM_PREFETCHES
#define OM_PREFETCH(P) __builtin_prefetch((const void *) (size_t) (P))
#else
#define OM_PREFETCH(P) ((void) (P))
#endif

#endif

/* Precedes a loop that seldom runs twice, whose body a GPU's compiler would replicate: om_k_put and
 * om_k_move had 140 atomics on amdgcn, and have 28. */
#if defined(OM_KERNEL_ON_HOST) || defined(OM_HOST_TEXT) || defined(OM_PREFETCHES)
#define OM_ROLLED
#else
#define OM_ROLLED _Pragma("unroll 1")
#endif

#define OM_NO_STATE 0xffffffffu
#define OM_BUCKET 8u /* entries of an index that share a cache line */

/* Items (states, candidates) that one work-item processes. More than one on a CPU, which prefetches
 * the memory of all of them before it reads the first; one if neighbouring work-items should read
 * neighbouring words. */
#ifndef OM_BATCH
#define OM_BATCH 1
#endif

/* Entries of a work-group's filter of repeated candidates, a power of two; 0 if there is none. */
#ifndef OM_FILTER
#define OM_FILTER 0
#endif

/*
 * A table of rows, or an index, may exceed the largest buffer. It may also have to grow by buffers,
 * because a copy of all would find no room beside it. With OM_SEGMENTS 4 it comes as four buffers,
 * each but the last with `each` rows or entries; with 1 as one buffer, without any computation. A
 * kernel takes it with OM_ROWS_ARG() or OM_INDEX_ARG(), and gathers it before anything else.
 */
#ifndef OM_SEGMENTS
#define OM_SEGMENTS 1
#endif

#if OM_SEGMENTS == 1

typedef OM_GLOBAL om_u32 *om_rows;
typedef OM_GLOBAL om_u64 *om_index;
#define OM_ROWS_ARG(NAME) OM_GLOBAL om_u32 *NAME
#define OM_INDEX_ARG(NAME) OM_GLOBAL om_u64 *NAME
#define OM_GATHER(TYPE, NAME)

/* Return the address of a row, of rows of `words` words; and of an entry, adjacent to those of its
 * bucket. */
OM_FN OM_GLOBAL om_u32 *om_row_in(om_rows rows, om_u64 row, om_u32 words)
{
    return &rows[row * words];
}
OM_FN OM_GLOBAL om_u64 *om_entry_in(om_index index, om_u64 entry)
{
    return &index[entry];
}

#else

typedef struct om_rows {
    OM_GLOBAL om_u32 *at[OM_SEGMENTS];
    om_u64 each;
} om_rows;
typedef struct om_index {
    OM_GLOBAL om_u64 *at[OM_SEGMENTS];
    om_u64 each;
} om_index;
#define OM_SEGMENTS_ARG(TYPE, NAME)                                               \
    OM_GLOBAL TYPE *NAME##_0, OM_GLOBAL TYPE *NAME##_1, OM_GLOBAL TYPE *NAME##_2, \
        OM_GLOBAL TYPE *NAME##_3, om_u64 NAME##_each
#define OM_ROWS_ARG(NAME) OM_SEGMENTS_ARG(om_u32, NAME)
#define OM_INDEX_ARG(NAME) OM_SEGMENTS_ARG(om_u64, NAME)
#define OM_GATHER(TYPE, NAME) \
    TYPE NAME;                \
    NAME.at[0] = NAME##_0;    \
    NAME.at[1] = NAME##_1;    \
    NAME.at[2] = NAME##_2;    \
    NAME.at[3] = NAME##_3;    \
    NAME.each = NAME##_each;
/* An array of pointers that is indexed by a variable would be in memory; comparisons keep the
 * pointers in registers. */
#define OM_PASS(SEGMENTS, BASE, PLACE, NEXT) \
    if ((PLACE) >= (SEGMENTS).each) {        \
        (PLACE) -= (SEGMENTS).each;          \
        (BASE) = (SEGMENTS).at[NEXT];        \
    }

OM_FN OM_GLOBAL om_u32 *om_row_in(om_rows rows, om_u64 row, om_u32 words)
{
    OM_GLOBAL om_u32 *base = rows.at[0];
    OM_PASS(rows, base, row, 1)
    OM_PASS(rows, base, row, 2)
    OM_PASS(rows, base, row, 3)
    return &base[row * words];
}
OM_FN OM_GLOBAL om_u64 *om_entry_in(om_index index, om_u64 entry)
{
    OM_GLOBAL om_u64 *base = index.at[0];
    OM_PASS(index, base, entry, 1)
    OM_PASS(index, base, entry, 2)
    OM_PASS(index, base, entry, 3)
    return &base[entry];
}

#endif

/* Atomic minimum of *p and `mine`. The value of *p never rises. */
OM_FN void om_least64(OM_GLOBAL om_u64 *p, om_u64 mine)
{
    om_u64 seen = LOAD64(p);
    while (mine < seen) {
        om_u64 old = om_cas64(p, seen, mine);
        if (old == seen)
            return;
        seen = old;
    }
}

OM_FN OM_GLOBAL om_u64 *om_record(OM_GLOBAL om_u64 *control, om_u32 step)
{
    return &control[OM_C_WORDS + step * OM_R_WORDS];
}

/* Returns the number of states in the chunk of a step. */
OM_FN om_u32 om_chunk_of(OM_GLOBAL const om_u64 *record, om_u32 chunk)
{
    om_u64 left = record[OM_R_END] - record[OM_R_LOW];
    return left < chunk ? (om_u32) left : chunk;
}

/* Finaliser of 64-bit hashes: D. Stafford's variant 13 of the Murmur3 mixer. */
OM_FN om_u64 om_mix64(om_u64 h)
{
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ul;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebul;
    return h ^ (h >> 31);
}

#endif
