/* SPDX-License-Identifier: Apache-2.0 */
/* tiers.h: starts with the vm and switches to native code as soon as it is ready. */
#ifndef OMEN_CORE_MODEL_TIERS_H
#define OMEN_CORE_MODEL_TIERS_H

#include "form.h"

/* Opens OM_EXEC_AUTO for a model that may run; records a message on failure. */
int om_tiers__open(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count);

#endif
