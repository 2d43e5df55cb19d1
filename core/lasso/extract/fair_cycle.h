/* SPDX-License-Identifier: Apache-2.0 */
/* fair_cycle.h: what a cycle under construction still lacks to be fair, if fairness is decided by
 * the moving processes (fair_processes.h). */
#ifndef OM_LASSO_FAIR_CYCLE_H
#define OM_LASSO_FAIR_CYCLE_H

#include <omen/plugin/fair_processes.h>

typedef struct om_fair_cycle {
    const om_heap *heap;
    const om_fair_processes *fair_processes; /* NULL: nothing is lacking */
    uint32_t words;                          /* words of a row */
    uint64_t *met, *must, *able;             /* rows; able: of the state that was looked at last */
    bool excuses; /* a lacking process cannot move in that state, which excuses it */
} om_fair_cycle;

/* `fair_processes` is that of the product, or NULL. OM_OK or OM_ENOMEM; close in any case. */
int om_fair_cycle__open(
    om_fair_cycle *c, const om_heap *heap, const om_fair_processes *fair_processes);
void om_fair_cycle__close(om_fair_cycle *c);
/* Returns the number of processes that must still be met. */
size_t om_fair_cycle__lacks(const om_fair_cycle *c);
/* Looks at a state with all of its steps. The functions below refer to this state. */
void om_fair_cycle__look(om_fair_cycle *c, const om_step *steps, size_t n);
/* helps: true if the state or this step of it meets a lacking process. moves: the number of lacking
 * processes that the step moves. */
bool om_fair_cycle__helps(const om_fair_cycle *c, const om_step *step);
size_t om_fair_cycle__moves(const om_fair_cycle *c, const om_step *step);
/* The cycle goes through the state. */
void om_fair_cycle__add_state(om_fair_cycle *c);
/* The cycle takes this step. */
void om_fair_cycle__add_step(om_fair_cycle *c, const om_step *step);

#endif
