/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standing.h: what parts of an expression come to when a slot has one of many values, without a
 * look into those parts. An expression that goes through the locations of a process is a tree over
 * comparisons with them: most of it is constant in any one of them.
 */
#ifndef OM_MODEL_STANDING_H
#define OM_MODEL_STANDING_H

#include "form.h"

/* Zero-initialise with `m` set. One thread. */
typedef struct om_standing {
    const om_model *m;
    struct om_part *parts; /* by node */
    size_t count, room;
    uint32_t slot, stamp; /* parts with another stamp are of another slot */
} om_standing;

/* Asks about another slot from here on, or about the same one. OM_OK or OM_ENOMEM. The model may
 * have got more nodes; not more until the next call, as far as is asked about them. */
int om_standing__begin(om_standing *x, uint32_t slot);
/* Is the expression constant when the slot has this value, as it is for all values that it does not
 * mention? Its value then. False if that is not easily seen. */
bool om_standing__constant(om_standing *x, om_expr e, om_value at, om_value *value);
void om_standing__close(om_standing *x);

#endif
