/* SPDX-License-Identifier: Apache-2.0 */
/* audit.h: two executors of one model side by side. */
#ifndef OMEN_CORE_MODEL_AUDIT_H
#define OMEN_CORE_MODEL_AUDIT_H

#include "form.h"

/* Do successors, labels and faults agree on a few walks? Both are of the model, with the same APs.
 * OM_OK or OM_ENOMEM. */
int om_audit__compare(
    const om_model *m, const om_executor *x, const om_executor *reference, bool *agrees);

#endif
