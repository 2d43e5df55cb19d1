/* SPDX-License-Identifier: Apache-2.0 */
/*
 * om_host.h: the beginning of kernel texts that a C compiler turns into functions, for the host
 * (core/device/host). Work-items are threads: atomics are atomic, barriers wait. Also included by
 * the code that runs them. C11 with the atomics of gcc and clang.
 */
#ifndef OM_HOST_H
#define OM_HOST_H

/* Kinds of memory accesses of a kernel. Atomics that may write are writes. */
typedef enum om_host_access {
    OM_HOST_READ,
    OM_HOST_WRITE,
    OM_HOST_ATOMIC_READ,
    OM_HOST_ATOMIC_WRITE
} om_host_access;

/* An access: its bytes, and its instruction, identified by an address in the code. */
typedef struct om_host_touch {
    const void *at, *site;
    unsigned bytes;
    om_host_access what;
    unsigned blind; /* it does not depend on the previous value */
} om_host_touch;

/* The current work-item of a thread, and its group. */
typedef struct om_host_item {
    unsigned id, ids;           /* of all */
    unsigned local, locals;     /* of its group */
    unsigned long long *shared; /* memory of the group, OM_HOST_SHARED bytes */
    void *team;
    void (*barrier)(void *team, unsigned me, unsigned line); /* waits for all of the group */
    void *tracer;
    /* With OM_HOST_TRACED: called before each access, with the place in the code. */
    void (*trace)(void *tracer, unsigned id, const om_host_touch *touch);
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
#define OM_FN_APART OM_FN
#define OM_CONSTANT
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
#define om_set32(P, N) __atomic_store_n(P, N, __ATOMIC_RELAXED)
#define om_local_add32 om_add32
#define LOAD64(P) __atomic_load_n(P, __ATOMIC_RELAXED)
#define OM_PREFETCH(P) ((void) (P))

#ifdef OM_HOST_TRACED

/*
 * The text is compiled with -fsanitize=thread and without that sanitizer's library: the functions
 * that the compiler calls at each access are defined here. (The names are those of gcc and of
 * clang.)
 */
#ifdef __clang__ /* whose no_sanitize still instruments atomics */
#define OM_UNTRACED \
    __attribute__((noinline, disable_sanitizer_instrumentation, visibility("default")))
#else
#define OM_UNTRACED __attribute__((noinline, no_sanitize("thread"), visibility("default")))
#endif
/* (om_item is 0 while it is written first.) The return address identifies the place in the code. */
#define OM_TRACE_ACCESS(AT, BYTES, WHAT, BLIND)                                                  \
    do {                                                                                         \
        const om_host_touch touch = { AT, __builtin_return_address(0), (unsigned) (BYTES), WHAT, \
            BLIND };                                                                             \
        if (om_item != 0)                                                                        \
            om_item->trace(om_item->tracer, om_item->id, &touch);                                \
    } while (0)
#define OM_PLAIN(BYTES)                                     \
    OM_UNTRACED void __tsan_read##BYTES(void *p)            \
    {                                                       \
        OM_TRACE_ACCESS(p, BYTES, OM_HOST_READ, 0);         \
    }                                                       \
    OM_UNTRACED void __tsan_write##BYTES(void *p)           \
    {                                                       \
        OM_TRACE_ACCESS(p, BYTES, OM_HOST_WRITE, 1);        \
    }                                                       \
    OM_UNTRACED void __tsan_unaligned_read##BYTES(void *p)  \
    {                                                       \
        OM_TRACE_ACCESS(p, BYTES, OM_HOST_READ, 0);         \
    }                                                       \
    OM_UNTRACED void __tsan_unaligned_write##BYTES(void *p) \
    {                                                       \
        OM_TRACE_ACCESS(p, BYTES, OM_HOST_WRITE, 1);        \
    }
OM_PLAIN(1)
OM_PLAIN(2)
OM_PLAIN(4)
OM_PLAIN(8)
OM_PLAIN(16)

#define OM_ATOMIC(BITS, TYPE)                                                             \
    OM_UNTRACED TYPE __tsan_atomic##BITS##_load(const volatile TYPE *p, int order)        \
    {                                                                                     \
        (void) order;                                                                     \
        OM_TRACE_ACCESS((const void *) p, BITS / 8, OM_HOST_ATOMIC_READ, 0);              \
        return __atomic_load_n(p, __ATOMIC_RELAXED);                                      \
    }                                                                                     \
    OM_UNTRACED void __tsan_atomic##BITS##_store(volatile TYPE *p, TYPE v, int order)     \
    {                                                                                     \
        (void) order;                                                                     \
        OM_TRACE_ACCESS((const void *) p, BITS / 8, OM_HOST_ATOMIC_WRITE, 1);             \
        __atomic_store_n(p, v, __ATOMIC_RELAXED);                                         \
    }                                                                                     \
    OM_UNTRACED TYPE __tsan_atomic##BITS##_exchange(volatile TYPE *p, TYPE v, int order)  \
    {                                                                                     \
        (void) order;                                                                     \
        OM_TRACE_ACCESS((const void *) p, BITS / 8, OM_HOST_ATOMIC_WRITE, 0);             \
        return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);                               \
    }                                                                                     \
    OM_UNTRACED TYPE __tsan_atomic##BITS##_fetch_add(volatile TYPE *p, TYPE v, int order) \
    {                                                                                     \
        (void) order;                                                                     \
        OM_TRACE_ACCESS((const void *) p, BITS / 8, OM_HOST_ATOMIC_WRITE, 0);             \
        return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);                                \
    }                                                                                     \
    OM_UNTRACED int __tsan_atomic##BITS##_compare_exchange_strong(                        \
        volatile TYPE *p, TYPE *expected, TYPE desired, int order, int failing)           \
    {                                                                                     \
        (void) order;                                                                     \
        (void) failing;                                                                   \
        OM_TRACE_ACCESS((const void *) p, BITS / 8, OM_HOST_ATOMIC_WRITE, 0);             \
        return __atomic_compare_exchange_n(                                               \
            p, expected, desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                 \
    }                                                                                     \
    OM_UNTRACED TYPE __tsan_atomic##BITS##_compare_exchange_val(                          \
        volatile TYPE *p, TYPE expected, TYPE desired, int order, int failing)            \
    {                                                                                     \
        (void) order;                                                                     \
        (void) failing;                                                                   \
        OM_TRACE_ACCESS((const void *) p, BITS / 8, OM_HOST_ATOMIC_WRITE, 0);             \
        (void) __atomic_compare_exchange_n(                                               \
            p, &expected, desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                \
        return expected;                                                                  \
    }
OM_ATOMIC(32, om_u32)
OM_ATOMIC(64, om_u64)

/* clang replaces some loops by calls of these. */
OM_UNTRACED void *__tsan_memcpy(void *to, const void *from, unsigned long n)
{
    OM_TRACE_ACCESS(from, n, OM_HOST_READ, 0);
    OM_TRACE_ACCESS(to, n, OM_HOST_WRITE, 1);
    for (unsigned long i = 0; i < n; i++)
        ((volatile char *) to)[i] = ((const volatile char *) from)[i];
    return to;
}
OM_UNTRACED void *__tsan_memset(void *to, int byte, unsigned long n)
{
    OM_TRACE_ACCESS(to, n, OM_HOST_WRITE, 1);
    for (unsigned long i = 0; i < n; i++)
        ((volatile char *) to)[i] = (char) byte;
    return to;
}

OM_UNTRACED void __tsan_init(void)
{
}
OM_UNTRACED void __tsan_func_entry(void *at)
{
    (void) at;
}
OM_UNTRACED void __tsan_func_exit(void)
{
}

#endif

/* A variable of the work-group, in the outermost block of a kernel. */
#define OM_SHARED(TYPE, NAME)                                            \
    _Static_assert(sizeof(TYPE) <= OM_HOST_SHARED, "memory of a group"); \
    TYPE *const NAME = (void *) om_item->shared;
#define OM_LOCAL
#define OM_LOCAL_ID om_item->local
#define OM_LOCAL_IDS om_item->locals
#define OM_BARRIER om_item->barrier(om_item->team, om_item->local, __LINE__)

#endif

#endif
