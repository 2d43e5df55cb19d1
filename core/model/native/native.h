/* SPDX-License-Identifier: Apache-2.0 */
/* native.h: interface of the native executor for the rest of core/model. */
#ifndef OMEN_CORE_MODEL_NATIVE_H
#define OMEN_CORE_MODEL_NATIVE_H

#include "execute/executor.h"
#include "form/form.h"

/* Which code to obtain. Code that is already cached is preferred in each case. */
typedef enum om_native_kind {
    OM_NATIVE_BEST,  /* fast code */
    OM_NATIVE_QUICK, /* code that is ready sooner, if the model is so large that it matters */
    /* Only what is cached, fast or quick: OM_ESTOP if a compiler would have to run. */
    OM_NATIVE_CACHED
} om_native_kind;

/* The code that was obtained, and what that took; valid after failures, too. */
typedef struct om_native_result {
    bool quick;           /* faster code is possible */
    bool cached;          /* no compiler ran */
    bool left;            /* the compiler goes on in the background */
    uint64_t compiler_ns; /* for which it was waited for */
    size_t text_bytes;    /* of the text that is compiled; 0: there is none */
} om_native_result;

/* How to obtain native code. */
typedef struct om_native_order {
    /* Context for failures and stops, which kill the compiler; a thread may have its own. */
    om_context *ctx;
    /* Executor of the same model and APs that the native code must agree with (audit.h). */
    const om_executor *reference;
    om_native_kind kind;
    int nice;                 /* of the compiler, if it may go on in the background */
    om_native_result *result; /* or NULL */
} om_native_order;

/* Returns true if the executor is a native one; *quick: faster code is possible. */
bool om_native__is(const om_executor *x, bool *quick);

/* Adds to *sum if the executor is a native one, whose opening began at since_ns; otherwise returns
 * false. */
bool om_native__account(const om_executor *x, uint64_t since_ns, om_executor_code *sum);

/* Opens a native executor. Returns OM_EUNSUPPORTED if that is impossible: no message is recorded,
 * but the reason is written to `why`. */
int om_native__open(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count,
    const om_native_order *order, char *why, size_t why_size);

#endif
