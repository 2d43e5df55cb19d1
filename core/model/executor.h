/* SPDX-License-Identifier: Apache-2.0 */
/* executor.h: what executors of a model have in common. */
#ifndef OMEN_CORE_MODEL_EXECUTOR_H
#define OMEN_CORE_MODEL_EXECUTOR_H

#include <omen/plugin/model.h>

/* om_executor.initial() of an executor that has a model. */
void om_executor__initial(const om_executor *x, uint32_t *vector);

/* Who has computed successors so far, for reports; a constant: "vm", "native", "vm, then native".
 * Any thread. */
const char *om_executor__who(const om_executor *x);

#endif
