/* SPDX-License-Identifier: Apache-2.0 */
/* table.h: the executor of nets, as the rest of core/model knows it. */
#ifndef OMEN_CORE_MODEL_TABLE_H
#define OMEN_CORE_MODEL_TABLE_H

#include "form.h"

/* Opens a table for a model that may run. OM_OK; OM_EUNSUPPORTED where the model has not the form
 * (table_build.h); OM_ENOMEM. No message is recorded. */
int om_table__open(om_executor **out, const om_model *m, const om_expr *aps, uint32_t ap_count);

#endif
