/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compact.h: another form of a model, with shorter states and the same runs.
 *
 * Who makes a model may know more of its variables than their types say. That one is *implied*: in
 * every reachable state the others determine what it is. That one is *open*: nothing is known of
 * how large it can become, but in most runs it stays small; its type has room for whatever comes.
 * The compact form has no slot for the first, in whose place expressions have what determines it,
 * and as many bits for the second as whoever searches thinks fit. A state where one has come too
 * close to what these hold is a fault: its assertion fails before any value could be wrong.
 *
 * Transitions and assertions have the numbers that they have in the model, so that a run of the one
 * is a run of the other. What is found in the compact form is shown on the model, where all
 * variables are there.
 */
#ifndef OM_MODEL_COMPACT_H
#define OM_MODEL_COMPACT_H

#include <omen/plugin/model.h>

/* ---- while a model is made ---- */

/* The slot, of type OM_I32 and never less than 0, is open; no transition adds more than `rise` > 0
 * to it. The assertion that was added last is that it is no less than 0. */
int om_model__add_open(om_model *m, uint32_t slot, om_value rise);

typedef struct om_implied_term {
    uint32_t slot;
    om_value factor;
} om_implied_term;

/* slot == (constant - sum of factor * slot over the terms) / divisor, in every reachable state;
 * divisor > 0, slots of the terms are never implied themselves, and no part of the sum is ever too
 * large for om_value. Terms are copied. */
int om_model__add_implied(om_model *m, uint32_t slot, om_value constant, om_value divisor,
    const om_implied_term *terms, uint32_t count);

/* Slots that no transition assigns are left out, too: they are what they were in the beginning. */
void om_model__leave_constants(om_model *m);

/* Why a search of all states cannot end, appended to `why`: *proved. What it is about lives as long
 * as the model. OM_OK; OM_ENOMEM; OM_ELIMIT, OM_ESTOP. */
typedef int om_endless_fn(const void *self, om_text *why, bool *proved);
void om_model__set_endless(om_model *m, om_endless_fn *prove, const void *self);

/* ---- of a finished model ---- */

uint32_t om_model__open_count(const om_model *m);
/* The open slot whose assertion that is: its number among them, or OM_NONE. */
uint32_t om_model__open_of(const om_model *m, uint32_t assertion);
/* The slot of that number. */
uint32_t om_model__open_slot(const om_model *m, uint32_t open);
int om_model__endless(const om_model *m, om_text *why, bool *proved);

/* Bits for open slots: these, and no others. */
enum { OM_OPEN_FIRST = 8, OM_OPEN_LAST = 32 };
/* The fewest of them that are enough to begin with. */
uint32_t om_model__open_bits(const om_model *m, uint32_t open);

typedef struct om_compact om_compact;

/*
 * Makes the compact form, as the model is at present (form, guards), with so many bits for open
 * slots (by their number). *out is NULL where nothing is open and it would be no shorter. OM_OK;
 * OM_ENOMEM; OM_ELIMIT, OM_ESTOP. The model outlives it.
 */
int om_compact__new(om_compact **out, om_model *m, const uint8_t *bits);
void om_compact__free(om_compact *c);
/* Borrowed. */
om_model *om_compact__model(const om_compact *c);
/* How many slots are left out. */
uint32_t om_compact__left_out(const om_compact *c);
/* The model's expression, of the compact form; 0 is 0. OM_OK, or what went wrong. */
int om_compact__express(om_compact *c, om_expr e, om_expr *out);
/* What a slot of the model is in a state of the compact form. */
om_value om_compact__get(const om_compact *c, const uint32_t *vector, uint32_t slot);

#endif
