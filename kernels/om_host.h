/* SPDX-License-Identifier: Apache-2.0 */
/*
 * om_host.h: what kernel texts begin with where a C compiler makes functions of them, for the host
 * (core/device/host). Work-items are threads: atomics are atomic, barriers wait. Also included by
 * what runs them. C11 with gcc's and clang's atomics.
 */
#ifndef OM_HOST_H
#define OM_HOST_H

/* Which work-item a thread is now, and of which group. */
typedef struct om_host_item {
    unsigned id, ids;           /* of all */
    unsigned local, locals;     /* of its group */
    unsigned long long *shared; /* memory of the group, OM_HOST_SHARED bytes */
    void *team;
    void (*barrier)(void *team, unsigned me, unsigned line); /* waits for all of the group */
} om_host_item;

/* An argument of a kernel. */
typedef union om_host_argument {
    void *memory;
    unsigned u;
    unsigned long long U;
} om_host_argument;

/* A kernel, as the end of the text exports it. */
typedef void om_host_kernel(const om_host_item *item, const om_host_argument *args);

enum { OM_HOST_SHARED = 16384 };

#ifdef OM_HOST_TEXT

typedef unsigned char om_u8;
typedef unsigned om_u32;
typedef int om_i32;
typedef unsigned long long om_u64;
_Static_assert(sizeof(om_u32) == 4 && sizeof(om_u64) == 8, "sizes");

#define OM_FN static inline
#define OM_KERNEL static void
#define OM_GLOBAL
static _Thread_local const om_host_item *om_item;
#define OM_ID om_item->id
#define OM_IDS om_item->ids
#define OM_POPCOUNT(X) ((om_u32) __builtin_popcountll(X))
#define OM_LOWEST(X) ((om_u32) __builtin_ctzll(X))

OM_FN om_u64 om_cas64(om_u64 *p, om_u64 expected, om_u64 desired)
{
    (void) __atomic_compare_exchange_n(
        p, &expected, desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
OM_FN om_u32 om_local_cas32(om_u32 *p, om_u32 expected, om_u32 desired)
{
    (void) __atomic_compare_exchange_n(
        p, &expected, desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
#define om_add64(P, N) __atomic_fetch_add(P, N, __ATOMIC_RELAXED)
#define om_add32(P, N) __atomic_fetch_add(P, N, __ATOMIC_RELAXED)
#define om_swap32(P, N) __atomic_exchange_n(P, N, __ATOMIC_RELAXED)
#define om_local_add32 om_add32
#define LOAD64(P) __atomic_load_n(P, __ATOMIC_RELAXED)
#define OM_PREFETCH(P) ((void) (P))

/* One variable of the work-group, in a kernel's own block. */
#define OM_SHARED(TYPE, NAME)                                            \
    _Static_assert(sizeof(TYPE) <= OM_HOST_SHARED, "memory of a group"); \
    TYPE *const NAME = (void *) om_item->shared;
#define OM_LOCAL
#define OM_LOCAL_ID om_item->local
#define OM_LOCAL_IDS om_item->locals
#define OM_BARRIER om_item->barrier(om_item->team, om_item->local, __LINE__)

#endif

#endif
