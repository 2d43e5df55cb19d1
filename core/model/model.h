/* SPDX-License-Identifier: Apache-2.0 */
/* model.h: what other rooms ask of a finished model that is nobody else's business. */
#ifndef OM_MODEL_MODEL_H
#define OM_MODEL_MODEL_H

#include <omen/plugin/model.h>

/* What the model is made into, by om_model__reset_dead() or by om_model_set_overflow(). */
om_model_form om_model__form_of(const om_model *m);

/* May a reachable state, or a transition from one, be a fault? False where intervals tell that none
 * is. (Evaluating an atomic proposition may be one all the same.) Any thread. */
bool om_model__may_fault(const om_model *m);

#endif
