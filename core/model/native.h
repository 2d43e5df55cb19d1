/* SPDX-License-Identifier: Apache-2.0 */
/* native.h: interface of the native executor for the rest of core/model. */
#ifndef OMEN_CORE_MODEL_NATIVE_H
#define OMEN_CORE_MODEL_NATIVE_H

#include "form.h"

/* How to obtain native code. */
typedef struct om_native_order {
    /* Context for failures and stops, which kill the compiler; a thread may have its own. */
    om_context *ctx;
    /* Executor of the same model and APs that the native code must agree with (audit.h). */
    const om_executor *reference;
    bool kept_only; /* use only the cache: OM_ESTOP if a compiler would have to run */
} om_native_order;

/* Opens a native executor. Returns OM_EUNSUPPORTED if that is impossible: no message is recorded,
 * but the reason is written to `why`. */
int om_native__open(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count,
    const om_native_order *order, char *why, size_t why_size);

#endif
