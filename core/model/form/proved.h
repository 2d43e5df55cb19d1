/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proved.h: facts about a model that its front end has proved, in addition to the types.
 *
 * A front end may know more about the model's variables than their types say. An *implied* slot is
 * determined by the other slots in every reachable state. An *open* slot has no known bound, but
 * its value stays small in most runs; its type has room for every value. The compact form of the
 * model (compact.h) makes use of both.
 */
#ifndef OM_MODEL_PROVED_H
#define OM_MODEL_PROVED_H

#include <omen/plugin/model.h>

/* ---- while a model is built ---- */

/* Declares a slot open. It has type OM_I32 and is never negative; no transition adds more than
 * `rise` > 0 to it. The assertion added last must state that the slot is not negative. */
int om_model__add_open(om_model *m, uint32_t slot, om_value rise);

typedef struct om_implied_term {
    uint32_t slot;
    om_value factor;
} om_implied_term;

/* Declares a slot implied: slot == (constant - sum of factor * slot over the terms) / divisor in
 * every reachable state. divisor > 0; slots of the terms are not implied themselves; no partial sum
 * exceeds om_value. The terms are copied. */
int om_model__add_implied(om_model *m, uint32_t slot, om_value constant, om_value divisor,
    const om_implied_term *terms, uint32_t count);

/* Also leaves out slots that no transition assigns: they keep their initial values. */
void om_model__leave_constants(om_model *m);

/* Tries to prove that a search of all states cannot terminate: sets *proved and appends the reason
 * to `why`. `self` must live as long as the model. Returns OM_OK, OM_ENOMEM, OM_ELIMIT or
 * OM_ESTOP. */
typedef int om_endless_fn(const void *self, om_text *why, bool *proved);
void om_model__set_endless(om_model *m, om_endless_fn *prove, const void *self);

/* ---- for a finished model ---- */

uint32_t om_model__open_count(const om_model *m);
/* Returns the number (among the open slots) of the slot that this assertion bounds, or OM_NONE. */
uint32_t om_model__open_of(const om_model *m, uint32_t assertion);
/* Returns the slot with this number among the open slots. */
uint32_t om_model__open_slot(const om_model *m, uint32_t open);
int om_model__endless(const om_model *m, om_text *why, bool *proved);

/* The widths that an open slot can have: powers of two in this range. */
enum { OM_OPEN_FIRST = 8, OM_OPEN_LAST = 32 };
/* Returns the smallest width that is sufficient initially. */
uint32_t om_model__open_bits(const om_model *m, uint32_t open);

#endif
