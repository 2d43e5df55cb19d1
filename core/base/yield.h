/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yield.h: only for builds with OMEN_YIELDS, which include it before each file of the modules that
 * share memory: threads sometimes lose the processor before an atomic operation. Interleavings that
 * occur once in months of use then occur within a minute.
 *
 * The macros of <stdatomic.h> expand to builtins of the compiler with names of its own. Each of
 * those is a macro here. Because a macro is not expanded within itself, it stands for a yield point
 * followed by the builtin, whose memory order stays a constant. The sources are not changed.
 */
#ifndef OM_BASE_YIELD_H
#define OM_BASE_YIELD_H

#include <stdatomic.h>

/*
 * Does nothing, or (once in RATE calls) spins for a random length, calls sched_yield() or sleeps
 * for up to 50 microseconds. The environment variable OMEN_YIELDS is SEED or SEED:RATE, by default
 * 1:64. Each thread has its own random numbers, determined by the seed and the order in which
 * threads first come here.
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
