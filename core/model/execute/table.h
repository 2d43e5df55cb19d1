/* SPDX-License-Identifier: Apache-2.0 */
/* table.h: interface of the executor for nets, for the rest of core/model. */
#ifndef OMEN_CORE_MODEL_TABLE_H
#define OMEN_CORE_MODEL_TABLE_H

#include "form/form.h"

/* Opens a table for a model that may run. Returns OM_OK, OM_EUNSUPPORTED if the model does not have
 * the required form (table_build.h), or OM_ENOMEM. No message is recorded. */
int om_table__open(om_executor **out, const om_model *m, const om_expr *aps, uint32_t ap_count);

#endif
