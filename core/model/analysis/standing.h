/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standing.h: evaluates parts of an expression for a slot with one of many values, without
 * traversing these parts. An expression over the locations of a process is a tree of comparisons
 * with them: in any one location, most of it is constant.
 */
#ifndef OM_MODEL_STANDING_H
#define OM_MODEL_STANDING_H

#include "form/form.h"

/* Zero-initialise with `m` set. For one thread. */
typedef struct om_standing {
    const om_model *m;
    struct om_part *parts; /* by node */
    size_t count, room;
    uint32_t slot, stamp; /* parts with another stamp are for another slot */
} om_standing;

/* Selects the slot for the following queries. Returns OM_OK or OM_ENOMEM. The model may have got
 * more nodes since the last call; nodes added after this call cannot be queried until the next
 * one. */
int om_standing__begin(om_standing *x, uint32_t slot);
/* Returns true if the expression does not mention this value of the slot and is constant for all
 * values that it does not mention; sets *value. Returns false if that is not easily seen. */
bool om_standing__constant(om_standing *x, om_expr e, om_value at, om_value *value);
void om_standing__close(om_standing *x);

#endif
