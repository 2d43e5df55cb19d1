/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.h: statement merging: a form of a model in which each transition is a sequence of one or
 * more transitions of the model. It has the same slots, and its states are states of the model. It
 * omits some states in which a process is about to take a step that no other process can observe.
 */
#ifndef OM_MODEL_MERGE_H
#define OM_MODEL_MERGE_H

#include <omen/plugin/model.h>

typedef struct om_merged om_merged;

/*
 * Makes the merged form of the model in its present form (form, guards), for these propositions.
 * Stutter-invariant properties over them, deadlocks and failed assertions are preserved. `movers`:
 * set it if it matters which processes move in a step (fairness); then only steps of processes that
 * move are appended to a step. *out is NULL if nothing can be merged. Returns OM_OK, OM_ENOMEM,
 * OM_ELIMIT or OM_ESTOP. The model must outlive the merged form.
 */
int om_merged__new(
    om_merged **out, om_model *m, const om_expr *aps, uint32_t ap_count, bool movers);
void om_merged__free(om_merged *g);
/* Borrowed: valid as long as g. */
om_model *om_merged__model(const om_merged *g);
/* Returns the propositions as expressions of the merged form; borrowed. */
const om_expr *om_merged__aps(const om_merged *g);
/* Returns the number of locations of processes that have no state of their own any more. */
uint32_t om_merged__passed(const om_merged *g);
/* Returns the sequence of the model's transitions that a merged transition stands for, *count of
 * them; borrowed. */
const uint32_t *om_merged__row(const om_merged *g, uint32_t transition, uint32_t *count);
/* Translates a fault of the merged form into a fault of the model. */
om_fault om_merged__fault(const om_merged *g, om_fault fault);
/* As om_model_find_overflow() for the merged form, with the result in terms of the model. */
int om_merged__find_overflow(const om_merged *g, const uint32_t *vector, om_overflow *out);

#endif
