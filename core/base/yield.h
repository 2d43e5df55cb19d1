/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yield.h: for builds with OMEN_YIELDS alone, which include this in front of each file of the
 * modules that share memory: now and then a thread loses the processor before an atomic operation.
 * So interleavings come about in a minute that are met once in months of use.
 *
 * The macros of <stdatomic.h> become builtins of the compiler, by names that are its own. Each of
 * them is a macro here; a macro is not expanded within itself, so what it stands for is a point,
 * then the builtin, with its memory order a constant as before. The sources know nothing of this.
 */
#ifndef OM_BASE_YIELD_H
#define OM_BASE_YIELD_H

#include <stdatomic.h>

/*
 * Nothing, or (one time in RATE) a spin of random length, a sched_yield() or a sleep of up to 50
 * microseconds. The environment variable OMEN_YIELDS is SEED or SEED:RATE, else 1:64; each thread
 * has random numbers of its own, by the seed and the order in which threads come here first.
 */
void om_yield__point(void);

#ifdef __clang__
#define __c11_atomic_load(...) (om_yield__point(), __c11_atomic_load(__VA_ARGS__))
#define __c11_atomic_store(...) (om_yield__point(), __c11_atomic_store(__VA_ARGS__))
#define __c11_atomic_exchange(...) (om_yield__point(), __c11_atomic_exchange(__VA_ARGS__))
#define __c11_atomic_compare_exchange_strong(...) \
    (om_yield__point(), __c11_atomic_compare_exchange_strong(__VA_ARGS__))
#define __c11_atomic_compare_exchange_weak(...) \
    (om_yield__point(), __c11_atomic_compare_exchange_weak(__VA_ARGS__))
#define __c11_atomic_fetch_add(...) (om_yield__point(), __c11_atomic_fetch_add(__VA_ARGS__))
#define __c11_atomic_fetch_sub(...) (om_yield__point(), __c11_atomic_fetch_sub(__VA_ARGS__))
#define __c11_atomic_fetch_or(...) (om_yield__point(), __c11_atomic_fetch_or(__VA_ARGS__))
#define __c11_atomic_fetch_and(...) (om_yield__point(), __c11_atomic_fetch_and(__VA_ARGS__))
#else
#define __atomic_load(...) (om_yield__point(), __atomic_load(__VA_ARGS__))
#define __atomic_store(...) (om_yield__point(), __atomic_store(__VA_ARGS__))
#define __atomic_exchange(...) (om_yield__point(), __atomic_exchange(__VA_ARGS__))
#define __atomic_compare_exchange(...) (om_yield__point(), __atomic_compare_exchange(__VA_ARGS__))
#define __atomic_fetch_add(...) (om_yield__point(), __atomic_fetch_add(__VA_ARGS__))
#define __atomic_fetch_sub(...) (om_yield__point(), __atomic_fetch_sub(__VA_ARGS__))
#define __atomic_fetch_or(...) (om_yield__point(), __atomic_fetch_or(__VA_ARGS__))
#define __atomic_fetch_and(...) (om_yield__point(), __atomic_fetch_and(__VA_ARGS__))
#define __atomic_test_and_set(...) (om_yield__point(), __atomic_test_and_set(__VA_ARGS__))
#define __atomic_clear(...) (om_yield__point(), __atomic_clear(__VA_ARGS__))
#endif

#endif
