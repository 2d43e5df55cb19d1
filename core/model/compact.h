/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compact.h: an equivalent form of a model with shorter states and the same runs.
 *
 * A front end may know more about the model's variables than their types say. An *implied* slot is
 * determined by the other slots in every reachable state. An *open* slot has no known bound, but
 * its value stays small in most runs; its type has room for every value. The compact form has no
 * slot for an implied variable: expressions contain the term that determines it instead. An open
 * slot gets as many bits as the caller chooses. A state in which an open slot comes too close to
 * the limit of its bits is a fault: its assertion fails before any value can be wrong.
 *
 * Transitions and assertions keep their numbers, so a run of one form is a run of the other. A
 * counterexample found in the compact form is shown on the model, which has all variables.
 */
#ifndef OM_MODEL_COMPACT_H
#define OM_MODEL_COMPACT_H

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
/* Returns the value of a slot of the model in a state of the compact form. */
om_value om_compact__get(const om_compact *c, const uint32_t *vector, uint32_t slot);

#endif
