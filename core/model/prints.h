/* SPDX-License-Identifier: Apache-2.0 */
/* prints.h: what the steps of a run print (om_model_set_prints()). */
#ifndef OMEN_MODEL_PRINTS_H
#define OMEN_MODEL_PRINTS_H

#include <omen/plugin/model.h>

/* Does any transition print something? */
bool om_model__has_prints(const om_model *m);
/*
 * Does the transition's assignments in `state` (model words), those that are its own and no resets
 * of dead variables, and adds what it prints to `out`. So a caller that takes a run from the
 * initial state on has values that are printed last, too. False where something cannot be
 * evaluated.
 */
bool om_model__print(const om_model *m, uint32_t transition, uint32_t *state, om_text *out);

#endif
