/* SPDX-License-Identifier: Apache-2.0 */
/* executor.h: functions common to all executors. */
#ifndef OMEN_CORE_MODEL_EXECUTOR_H
#define OMEN_CORE_MODEL_EXECUTOR_H

#include <omen/plugin/model.h>

/* Implements om_executor.initial() for an executor that has a model. */
void om_executor__initial(const om_executor *x, uint32_t *vector);

/* Returns the name of the executors that computed successors so far, for reports: a constant string
 * such as "vm", "native" or "vm, then native". Thread-safe. */
const char *om_executor__who(const om_executor *x);

#endif
