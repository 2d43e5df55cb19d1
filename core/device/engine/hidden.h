/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.h: the number of states of a model that properties do not see (om_model_set_visible()). */
#ifndef OM_DEVICE_HIDDEN_H
#define OM_DEVICE_HIDDEN_H

#include <omen/plugin/engine.h>

/* Returns the number of stored and expanded states of the last om_engine_explore() in which AP 0
 * does not hold. The engine must have APs and no automaton. */
uint64_t om_engine__hidden(const om_engine *e);

#endif
