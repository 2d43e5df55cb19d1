/* SPDX-License-Identifier: Apache-2.0 */
/* native.h: native code, as the rest of core/model knows it. */
#ifndef OMEN_CORE_MODEL_NATIVE_H
#define OMEN_CORE_MODEL_NATIVE_H

#include "form.h"

/* How native code is to be had. */
typedef struct om_native_order {
    om_context
        *ctx; /* for failures and stops, which kill the compiler: a thread may have its own */
    const om_executor *reference; /* of the same model and APs, that it must agree with (audit.h) */
    bool kept_only; /* only from the cache: OM_ESTOP where a compiler would have to run */
} om_native_order;

/* Opens native code. OM_EUNSUPPORTED, with no message recorded but a word on the reason in `why`,
 * where that cannot be had. */
int om_native__open(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count,
    const om_native_order *order, char *why, size_t why_size);

#endif
