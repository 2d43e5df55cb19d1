/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compact.h: an equivalent form of a model with shorter states and the same runs.
 *
 * The compact form has no slot for an implied variable (proved.h): expressions contain the term
 * that determines it instead. An open slot gets as many bits as the caller chooses. A state in
 * which an open slot comes too close to the limit of its bits is a fault: its assertion fails
 * before any value can be wrong.
 *
 * Transitions and assertions keep their numbers, so a run of one form is a run of the other. A
 * counterexample found in the compact form is shown on the model, which has all variables.
 */
#ifndef OM_MODEL_COMPACT_H
#define OM_MODEL_COMPACT_H

#include <omen/plugin/model.h>

typedef struct om_compact om_compact;

/*
 * Makes the compact form of the model in its present form (form, guards). bits: the width of each
 * open slot, by its number. *out is NULL if no slot is open and the compact form would be no
 * shorter. Returns OM_OK, OM_ENOMEM, OM_ELIMIT or OM_ESTOP. The model must outlive the compact
 * form.
 */
int om_compact__new(om_compact **out, om_model *m, const uint8_t *bits);
void om_compact__free(om_compact *c);
/* Borrowed: valid as long as c. */
om_model *om_compact__model(const om_compact *c);
/* Returns the number of slots that are left out. */
uint32_t om_compact__left_out(const om_compact *c);
/* Sets *out to an expression of the model in terms of the compact form; 0 stays 0. Returns OM_OK,
 * or the error. */
int om_compact__express(om_compact *c, om_expr e, om_expr *out);
/* Returns the slot of the compact form that has the values of a scalar of the model; NULL: none
 * has, because they are implied or constant. */
const om_slot *om_compact__field(const om_compact *c, uint32_t slot);
/* Returns the value of a slot of the model in a state of the compact form. */
om_value om_compact__get(const om_compact *c, const uint32_t *vector, uint32_t slot);

#endif
