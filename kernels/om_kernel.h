/* SPDX-License-Identifier: Apache-2.0 */
/*
 * om_kernel.h: what every kernel text begins with, on a device and on the host.
 *
 * Portability line: OpenCL C 1.2 with cl_khr_int64_base_atomics. No work-item waits for what
 * another one writes in the same kernel; the end of a kernel is the only fence. The files *.cl are
 * also included by a test on the host (OM_KERNEL_ON_HOST), where work-items run one after another.
 */
#ifndef OM_KERNEL_H
#define OM_KERNEL_H

#ifdef OM_KERNEL_ON_HOST

#include <stddef.h>
#include <stdint.h>
typedef uint8_t om_u8;
typedef uint32_t om_u32;
typedef int32_t om_i32;
typedef uint64_t om_u64;
#define OM_FN static inline
#define OM_KERNEL static inline void
#define OM_GLOBAL
/* The includer gives om_host_id(dimension): the work-item that runs now. */
#define OM_ID(D) om_host_id(D)
#define OM_POPCOUNT(X) ((om_u32) __builtin_popcountll(X))
#define OM_LOWEST(X) ((om_u32) __builtin_ctzll(X))

OM_FN om_u64 om_cas64(om_u64 *p, om_u64 expected, om_u64 desired)
{
    om_u64 old = *p;
    if (old == expected)
        *p = desired;
    return old;
}
OM_FN om_u64 om_add64(om_u64 *p, om_u64 n)
{
    om_u64 old = *p;
    *p += n;
    return old;
}
OM_FN om_u32 om_add32(om_u32 *p, om_u32 n)
{
    om_u32 old = *p;
    *p += n;
    return old;
}
OM_FN om_u32 om_swap32(om_u32 *p, om_u32 n)
{
    om_u32 old = *p;
    *p = n;
    return old;
}
OM_FN om_u32 om_min32(om_u32 *p, om_u32 n)
{
    om_u32 old = *p;
    if (n < old)
        *p = n;
    return old;
}
#define LOAD64(P) (*(P))

#else

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef uchar om_u8;
typedef uint om_u32;
typedef int om_i32;
typedef ulong om_u64;
#define OM_FN
#define OM_KERNEL __kernel void
#define OM_GLOBAL __global
#define OM_ID(D) ((om_u32) get_global_id(D))
#define OM_POPCOUNT(X) ((om_u32) popcount(X))
/* The lowest set bit's number; X is not 0. */
#define OM_LOWEST(X) (63u - (om_u32) clz((X) & (~(X) + 1ul)))
#define om_cas64(P, EXPECTED, DESIRED) \
    atom_cmpxchg((volatile __global ulong *) (P), EXPECTED, DESIRED)
#define om_add64(P, N) atom_add((volatile __global ulong *) (P), N)
#define om_add32(P, N) atomic_add((volatile __global uint *) (P), N)
#define om_swap32(P, N) atomic_xchg((volatile __global uint *) (P), N)
#define om_min32(P, N) atomic_min((volatile __global uint *) (P), N)

/*
 * A word of the index that other work-items may be filling by compare-and-swap. An entry changes
 * once in a kernel, from empty to its value, and every decision on "empty" is made by the
 * compare-and-swap itself, so a stale value does no harm; the word is aligned, so it is not torn.
 * oclgrind calls the mix of plain and atomic accesses a race: there, the load is atomic too.
 */
#ifdef OM_OCLGRIND
#define LOAD64(P) atom_add((volatile __global ulong *) (P), 0ul)
#else
#define LOAD64(P) (*(volatile __global ulong *) (P))
#endif

#endif

#define OM_NO_STATE 0xffffffffu

#endif
