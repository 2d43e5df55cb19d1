/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unread.h: slots that nothing reads: neither a guard, an assertion or a proposition, nor an
 * assignment to a slot that is read. reset.c resets them wherever they are assigned.
 */
#ifndef OM_MODEL_UNREAD_H
#define OM_MODEL_UNREAD_H

#include "form/rewrite.h"

/* Zero-initialise. */
typedef struct om_unread {
    om_model *m;
    om_reading reading;
    bool *is; /* by slot: nothing reads it, and all assignments to it have a reset */
    uint32_t count;
} om_unread;

/* Finds the unread slots of a finished model for searches with these propositions, in its mode of
 * overflows (om_model_set_overflow()). Returns OM_OK, OM_ENOMEM (without a message), or the status
 * of a stopped context. Call om_unread__close() in any case. */
int om_unread__open(om_unread *u, om_model *m, const om_expr *aps, uint32_t ap_count);
void om_unread__close(om_unread *u);

/*
 * Sets *out to the assignment that gives the element to which an assignment of the transition
 * writes its initial value, if it runs after all of them. Returns false if there is none: the
 * element has an index that the transition changes, or the elements begin with different values.
 */
bool om_unread__reset(om_unread *u, uint32_t transition, uint32_t assign, om_assign *out);

#endif
