/* SPDX-License-Identifier: Apache-2.0 */
/* reset.h: resets variables that will not be read to their initial values (reset.c). */
#ifndef OM_MODEL_RESET_H
#define OM_MODEL_RESET_H

#include <omen/plugin/model.h>

/*
 * Adds assignments to transitions of a finished model that reset variables that are dead at the
 * target to their initial values. A dead variable is local to a process that moves and is written
 * before it is read on every path, or nothing reads it at all. The runs over these atomic
 * propositions, deadlocks and faults stay the same; the number of states decreases. First undoes an
 * earlier call. Sets `resets` (may be NULL) to the number of added resets. Call while no executor
 * is open; lassos are of the model in its present form.
 */
int om_model__reset_dead(om_model *m, const om_expr *aps, uint32_t ap_count, uint32_t *resets);
/* Returns true if nothing read the slot when om_model__reset_dead() was called last: neither a
 * guard, an assertion or one of the propositions, nor an assignment to a slot that is read. */
bool om_model__is_unread(const om_model *m, uint32_t slot);
/* Undoes om_model__reset_dead(). Call while no executor is open. */
void om_model__keep_dead(om_model *m);

#endif
