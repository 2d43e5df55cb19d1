/* SPDX-License-Identifier: Apache-2.0 */
/* intervals.h: ranges of slots in the runs of a model. */
#ifndef OM_MODEL_INTERVALS_H
#define OM_MODEL_INTERVALS_H

#include "form/interval.h"

/*
 * Sets box[], by slot, to an interval that contains all values of the slot (of all elements of an
 * array) in the reachable states, and records which assignments fit. *known is false if that would
 * take too long: box[] is then meaningless. Returns OM_OK or OM_ENOMEM. Call before
 * om_model_finish().
 */
int om_intervals__find(om_model *m, om_interval *box, bool *known);

/* Returns true if assignment i of transition t is known to store a value of the slot's declared
 * type in every run. `number` counts all assignments of the model, in the order of the
 * transitions. */
bool om_intervals__fits(const om_model *m, uint32_t t, uint32_t i, size_t number);

#endif
