/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.h: statement merging: another form of a model, whose transitions are one or several of its
 * own, one behind the other. It has the same slots, and its states are states of the model; of
 * those, it leaves out some in which a process is about to do what concerns nobody else.
 */
#ifndef OM_MODEL_MERGE_H
#define OM_MODEL_MERGE_H

#include <omen/plugin/model.h>

typedef struct om_merged om_merged;

/*
 * Makes it, of the model as it is at present (form, guards), for these propositions: what can be
 * said of runs over them without counting steps (a property that is stutter-invariant), deadlocks
 * and failed assertions are the same. `movers`: who moves along a step counts (fairness), so what
 * is put behind a step is done by who moves in it. *out is NULL where nothing could be merged.
 * OM_OK; OM_ENOMEM; OM_ELIMIT, OM_ESTOP. The model outlives it.
 */
int om_merged__new(
    om_merged **out, om_model *m, const om_expr *aps, uint32_t ap_count, bool movers);
void om_merged__free(om_merged *g);
/* Borrowed. */
om_model *om_merged__model(const om_merged *g);
/* The propositions, there. */
const om_expr *om_merged__aps(const om_merged *g);
/* How many locations of processes have no state of their own any more. */
uint32_t om_merged__passed(const om_merged *g);
/* The model's transitions that this one is, *count of them. */
const uint32_t *om_merged__row(const om_merged *g, uint32_t transition, uint32_t *count);
/* The model's word for a fault in a state. */
om_fault om_merged__fault(const om_merged *g, om_fault fault);
/* om_model_find_overflow() of the merged form, told as one of the model. */
int om_merged__find_overflow(const om_merged *g, const uint32_t *vector, om_overflow *out);

#endif
