/* SPDX-License-Identifier: Apache-2.0 */
/* reset.h: variables that will not be read are given their initial values (reset.c). */
#ifndef OM_MODEL_RESET_H
#define OM_MODEL_RESET_H

#include <omen/plugin/model.h>

/*
 * Makes transitions of a finished model give their initial values to variables that are dead where
 * they lead: local to a process that moves, and on every way written before they are read. The
 * runs over these atomic propositions stay the same, as do deadlocks and faults; states get fewer.
 * Takes back what an earlier call did. `resets` (may be NULL) gets how many were added. While no
 * executor is open; lassos are of the model as it is then.
 */
int om_model__reset_dead(om_model *m, const om_expr *aps, uint32_t ap_count, uint32_t *resets);
/* Takes back what om_model__reset_dead() did; likewise. */
void om_model__keep_dead(om_model *m);

#endif
