/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.h: the process numbers along a run in another tool's run files: a process that starts
 * gets the number of running processes (om_model_set_foreign()). */
#ifndef OMEN_LASSO_NUMBERS_H
#define OMEN_LASSO_NUMBERS_H

#include <omen/plugin/model.h>

typedef struct om_numbers {
    const om_heap *heap;
    const om_model *m;
    /* By slot that is assigned: the first of the processes whose location it is; and by process,
     * the next one of the same slot (a family has several), or OM_NONE. */
    uint32_t *process_of, *next;
    uint32_t *of; /* by process: its number; OM_NONE: not running */
    uint32_t running;
} om_numbers;

/* Numbers the processes of the model's initial state. OM_OK or OM_ENOMEM; the caller closes it
 * whatever is returned. */
int om_numbers__open(om_numbers *n, const om_heap *heap, const om_model *m);
/* Updates the numbers after a transition of the model between two states. */
void om_numbers__step(
    om_numbers *n, uint32_t transition, const uint32_t *before, const uint32_t *after);
void om_numbers__close(om_numbers *n);

#endif
