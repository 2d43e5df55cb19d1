/* SPDX-License-Identifier: Apache-2.0 */
/* fair_cycle.h: what a cycle that is being made still lacks to be fair, where that goes by who
 * moves (movers.h). */
#ifndef OM_LASSO_FAIR_CYCLE_H
#define OM_LASSO_FAIR_CYCLE_H

#include <omen/plugin/movers.h>

typedef struct om_fair_cycle {
    const om_heap *heap;
    const om_movers *movers;     /* NULL: nothing is lacking */
    uint32_t words;              /* of a row: */
    uint64_t *met, *must, *able; /* able: in the state that was looked at last */
    bool excuses; /* in that state somebody cannot move who lacks no more than that */
} om_fair_cycle;

/* Of the product, or NULL. OM_OK or OM_ENOMEM; freed in any case. */
int om_fair_cycle__open(om_fair_cycle *c, const om_heap *heap, const om_movers *movers);
void om_fair_cycle__close(om_fair_cycle *c);
/* How many processes must still be met. */
size_t om_fair_cycle__lacks(const om_fair_cycle *c);
/* A state with these steps, all of them, is looked at, and... */
void om_fair_cycle__look(om_fair_cycle *c, const om_step *steps, size_t n);
/* ... would this step of it meet somebody? How many does it move who must be met? */
bool om_fair_cycle__helps(const om_fair_cycle *c, const om_step *step);
size_t om_fair_cycle__moves(const om_fair_cycle *c, const om_step *step);
/* ... the cycle goes through it; */
void om_fair_cycle__come(om_fair_cycle *c);
/* ... and by this step. */
void om_fair_cycle__move(om_fair_cycle *c, const om_step *step);

#endif
