/* SPDX-License-Identifier: Apache-2.0 */
/* executor.h: functions common to all executors. */
#ifndef OMEN_CORE_MODEL_EXECUTOR_H
#define OMEN_CORE_MODEL_EXECUTOR_H

#include <omen/plugin/model.h>

/* Implements om_executor.initial() for an executor that has a model. */
void om_executor__initial(const om_executor *x, uint32_t *vector);

/* How successors were computed: figures of one executor, or sums of several. Times are wall times
 * in ns. */
typedef struct om_executor_code {
    const char *first;    /* the executor that is no native code ("vm"), if one was used; or NULL */
    uint64_t first_ns;    /* during which it was in use */
    uint64_t quick_ns;    /* during which quickly compiled native code was in use */
    uint64_t native_ns;   /* during which other native code was in use */
    uint64_t compiler_ns; /* for which compilers ran before the executor was closed */
    bool cached;          /* some native code was in the cache */
    bool left;            /* a compiler goes on in the background */
} om_executor_code;

/* Adds the figures of an executor whose opening began at since_ns (om_clock_ns()); x may be NULL.
 * Call it before om_executor_close(), when no thread uses the executor: compilation for it ends. */
void om_executor__account(om_executor *x, uint64_t since_ns, om_executor_code *sum);

/* Returns the name of the executors that computed successors so far, for reports: a constant string
 * such as "vm", "native" or "vm, then native". Thread-safe. */
const char *om_executor__who(const om_executor *x);

#endif
