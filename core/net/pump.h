/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump.h: runs that show that a net is unbounded.
 *
 * Where a run leads from a marking M to one that has no fewer tokens anywhere and more in some
 * place, what was fired on the way can be fired again from there, and so on: that place comes to
 * hold any number of tokens (R. M. Karp and R. E. Miller, "Parallel program schemata", Journal of
 * Computer and System Sciences 3(2), 1969, section 4). In a net with limits and resets that is so
 * if no transition of the run has a limit of a place that has more tokens then, or resets one.
 */
#ifndef OMEN_NET_PUMP_H
#define OMEN_NET_PUMP_H

#include <omen/plugin/net.h>

/* Zero-initialise. */
typedef struct om_net_pump {
    const om_heap *heap;
    uint32_t *firings; /* to M, and on from there */
    size_t stem, count;
    uint32_t place; /* that has more tokens then */
} om_net_pump;

/*
 * Looks for such a run by short walks, for as long as some million steps take. *out has none
 * (count 0) where nothing was found, which says nothing, and where all places have bounds. What is
 * found was fired on the net once more. OM_OK; OM_ENOMEM; OM_ELIMIT, OM_ESTOP; OM_EINTERNAL: a
 * place has more tokens than was proved of it.
 */
int om_net_pump__find(om_net_pump *out, const om_net *net);
void om_net_pump__free(om_net_pump *p);
/* "the net is unbounded: firing t, u from a reachable marking adds tokens to place p" */
void om_net_pump__describe(const om_net_pump *p, const om_net *net, om_text *out);

/* All of it, for om_model__set_endless(); self is the net. */
int om_net_pump__prove(const void *self, om_text *why, bool *proved);

#endif
