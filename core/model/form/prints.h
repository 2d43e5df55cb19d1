/* SPDX-License-Identifier: Apache-2.0 */
/* prints.h: output printed by the steps of a run (om_model_set_prints()). */
#ifndef OMEN_MODEL_PRINTS_H
#define OMEN_MODEL_PRINTS_H

#include <omen/plugin/model.h>

/* Returns true if any transition prints something. */
bool om_model__has_prints(const om_model *m);
/*
 * Executes the transition's own assignments (not resets of dead variables) in `state` (words of the
 * model) and appends its output to `out`. A caller that replays a run from the initial state thus
 * gets the values that were current when they were printed. Returns false if an assignment cannot
 * be evaluated.
 */
bool om_model__print(const om_model *m, uint32_t transition, uint32_t *state, om_text *out);

#endif
