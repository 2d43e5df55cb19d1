/* SPDX-License-Identifier: Apache-2.0 */
/* vm.h: the bytecode vm, as the rest of core/model knows it. */
#ifndef OMEN_CORE_MODEL_VM_H
#define OMEN_CORE_MODEL_VM_H

#include "form.h"

/* Opens a vm. OM_OK or OM_ENOMEM, with no message recorded. */
int om_vm__open(om_executor **out, const om_model *m, const om_expr *aps, uint32_t ap_count);

/* The first overflow that the vm meets on the way from a state. `site` is OM_NONE: there is none.
 */
typedef struct om_vm_overflow {
    uint32_t site, element; /* of an array whose index is computed */
    om_value value;
} om_vm_overflow;
/* OM_OK or OM_ENOMEM. */
int om_vm__first_overflow(const om_executor *vm, const uint32_t *vector, om_vm_overflow *out);

#endif
