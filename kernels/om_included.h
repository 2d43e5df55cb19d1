/* SPDX-License-Identifier: Apache-2.0 */
/*
 * om_included.h: for tests on the host that include kernels (OM_KERNEL_ON_HOST). Work-items run one
 * after another. No device gets this text.
 */
#ifndef OM_INCLUDED_H
#define OM_INCLUDED_H

#include <stddef.h>
#include <stdint.h>
#include "om_step.h"
typedef uint8_t om_u8;
typedef uint32_t om_u32;
typedef int32_t om_i32;
typedef uint64_t om_u64;
#define OM_FN static inline
#define OM_FN_APART OM_FN
#define OM_CONSTANT
#define OM_KERNEL static inline void
#define OM_GLOBAL
/* The includer defines the number of the current work-item and the number of all. */
#define OM_ID om_host_id()
#define OM_IDS om_host_ids()
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
OM_FN void om_set32(om_u32 *p, om_u32 n)
{
    *p = n;
}
#define LOAD64(P) (*(P))
#define OM_PREFETCH(P) ((void) (P))
/* Each work-item is a work-group of its own. */
#define OM_SHARED(TYPE, NAME)  \
    static TYPE NAME##_memory; \
    TYPE *const NAME = &NAME##_memory;
#define OM_LOCAL
#define OM_LOCAL_ID 0u
#define OM_LOCAL_IDS 1u
#define OM_BARRIER ((void) 0)
OM_FN om_u32 om_local_cas32(om_u32 *p, om_u32 expected, om_u32 desired)
{
    om_u32 old = *p;
    if (old == expected)
        *p = desired;
    return old;
}
#define om_local_add32 om_add32

#endif
