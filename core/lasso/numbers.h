/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numbers.h: the numbers that processes have along a run in another tool's files of runs: one that
 * starts has that of how many run already (om_model_set_foreign()).
 */
#ifndef OMEN_LASSO_NUMBERS_H
#define OMEN_LASSO_NUMBERS_H

#include <omen/plugin/model.h>

typedef struct om_numbers {
    const om_heap *heap;
    const om_model *m;
    uint32_t *process_of; /* by slot: whose location it is, or OM_NONE */
    uint32_t *of;         /* by process: its number; OM_NONE: it does not run */
    uint32_t running;
} om_numbers;

/* In the model's initial state. OM_OK or OM_ENOMEM; to be closed, whatever is returned. */
int om_numbers__open(om_numbers *n, const om_heap *heap, const om_model *m);
/* After this transition of the model, from one state to the other. */
void om_numbers__step(
    om_numbers *n, uint32_t transition, const uint32_t *before, const uint32_t *after);
void om_numbers__close(om_numbers *n);

#endif
