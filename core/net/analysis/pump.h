/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump.h: runs that prove that a net is unbounded.
 *
 * If a run leads from a marking M to one that has no fewer tokens anywhere and more in some place,
 * its firings can be repeated from there without end: that place can hold any number of tokens (R.
 * M. Karp and R. E. Miller, "Parallel program schemata", Journal of Computer and System Sciences
 * 3(2), 1969, section 4). In a net with limits and resets, this holds if no transition of the run
 * has a limit at a place that has gained tokens, or resets one.
 */
#ifndef OMEN_NET_PUMP_H
#define OMEN_NET_PUMP_H

#include <omen/plugin/net.h>

/* Zero-initialise. */
typedef struct om_net_pump {
    const om_heap *heap;
    uint32_t *firings; /* the run to M, then the repeatable part */
    size_t stem, count;
    uint32_t place; /* the place that gains tokens */
} om_net_pump;

/*
 * Searches for such a run by short walks, limited to some million steps. *out is empty (count 0) if
 * none was found, which proves nothing, or if all places have bounds. A run that is found was
 * replayed on the net. Returns OM_OK, OM_ENOMEM, OM_ELIMIT, OM_ESTOP, or OM_EINTERNAL if a place
 * has more tokens than its proved bound.
 */
int om_net_pump__find(om_net_pump *out, const om_net *net);
void om_net_pump__free(om_net_pump *p);
/* Appends a message: "the net is unbounded: firing t, u from a reachable marking adds tokens to
 * place p". */
void om_net_pump__describe(const om_net_pump *p, const om_net *net, om_text *out);

/* Does all of this, as the callback of om_model__set_endless(); self is the net. */
int om_net_pump__prove(const void *self, om_text *why, bool *proved);

#endif
