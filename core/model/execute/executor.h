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
    uint64_t hurried_ns;  /* those of them that compiled quickly */
    uint64_t text_bytes;  /* of the generated text; 0: none was generated */
    bool cached;          /* some native code was in the cache */
    bool left;            /* a compiler goes on in the background */
} om_executor_code;

/* Kinds of code that compute successors, in the order in which they take over. */
typedef enum om_code_kind {
    OM_CODE_FIRST, /* no native code */
    OM_CODE_QUICK, /* native code that was compiled quickly */
    OM_CODE_NATIVE,
    OM_CODES
} om_code_kind;

/* What workers did with each kind of code: states that they expanded, and processor time of their
 * threads. */
typedef struct om_code_use {
    uint64_t states[OM_CODES], cpu_ns[OM_CODES];
} om_code_use;

/* Returns the executor over which this one is (execute/over.h), and which may have more states and
 * successors. NULL: there is none. */
om_executor *om_executor__below(const om_executor *x);

/* Returns the kind that computes successors now. Thread-safe. */
om_code_kind om_executor__code(const om_executor *x);

/* Adds the figures of an executor whose opening began at since_ns (om_clock_ns()); x may be NULL.
 * Call it before om_executor_close(), when no thread uses the executor: compilation for it ends. */
void om_executor__account(om_executor *x, uint64_t since_ns, om_executor_code *sum);

/* Returns the name of the executors that computed successors so far, for reports: a constant string
 * such as "vm", "native" or "vm, then native". Thread-safe. */
const char *om_executor__who(const om_executor *x);

#endif
