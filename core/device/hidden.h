/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.h: how many states of a model properties do not see (om_model_set_visible()). */
#ifndef OM_DEVICE_HIDDEN_H
#define OM_DEVICE_HIDDEN_H

#include <omen/plugin/engine.h>

/* Of an engine with APs and without an automaton: stored and expanded states, in the last
 * om_engine_explore(), in which AP 0 does not hold. */
uint64_t om_engine__hidden(const om_engine *e);

#endif
