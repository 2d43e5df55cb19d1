/* SPDX-License-Identifier: Apache-2.0 */
/* tiers.h: starts with the vm and switches to native code as soon as it is ready. */
#ifndef OMEN_CORE_MODEL_TIERS_H
#define OMEN_CORE_MODEL_TIERS_H

#include "execute/executor.h"
#include "form/form.h"

/* Opens OM_EXEC_AUTO for a model that may run; records a message on failure. */
int om_tiers__open(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count);

/* Returns the executor that computes successors for x now; x itself if it is no such one. */
const om_executor *om_tiers__current(const om_executor *x);

/* Adds to *sum if the executor is such a one: see om_executor__account(). */
bool om_tiers__account(om_executor *x, uint64_t since_ns, om_executor_code *sum);

#endif
