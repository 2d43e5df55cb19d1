/* SPDX-License-Identifier: Apache-2.0 */
/* audit.h: compares two executors of one model. */
#ifndef OMEN_CORE_MODEL_AUDIT_H
#define OMEN_CORE_MODEL_AUDIT_H

#include "form/form.h"

/* Compares successors, labels and faults along a few walks and sets *agrees. Both executors must be
 * of the model `m`, with the same APs. Returns OM_OK or OM_ENOMEM. */
int om_audit__compare(
    const om_model *m, const om_executor *x, const om_executor *reference, bool *agrees);

#endif
