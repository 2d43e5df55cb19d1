/* SPDX-License-Identifier: Apache-2.0 */
/* vm.h: interface of the bytecode vm for the rest of core/model. */
#ifndef OMEN_CORE_MODEL_VM_H
#define OMEN_CORE_MODEL_VM_H

#include "form/form.h"

/* Opens a vm. Returns OM_OK or OM_ENOMEM, without a message. */
int om_vm__open(om_executor **out, const om_model *m, const om_expr *aps, uint32_t ap_count);

/* The first overflow that the vm encounters among the transitions of a state. `site` is OM_NONE if
 * there is none. */
typedef struct om_vm_overflow {
    uint32_t site, element; /* element: of an array with a computed index */
    om_value value;
} om_vm_overflow;
/* Finds the first overflow in a state. Returns OM_OK or OM_ENOMEM. */
int om_vm__first_overflow(const om_executor *vm, const uint32_t *vector, om_vm_overflow *out);

#endif
