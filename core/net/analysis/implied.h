/* SPDX-License-Identifier: Apache-2.0 */
/* implied.h: places that need no room in a state, because an invariant determines their tokens. */
#ifndef OMEN_NET_IMPLIED_H
#define OMEN_NET_IMPLIED_H

#include "invariants.h"

/* Finds the invariants of two or more places; none if all counts fit one word. Invariants of a
 * single place are omitted: that nothing changes the place is visible directly. *out is
 * zero-initialised. Returns OM_OK, OM_ENOMEM, OM_ELIMIT or OM_ESTOP. */
int om_net_implied__find(om_net_invariants *out, const om_net *net);

/*
 * Declares implied slots of a model that the net was lowered to: for each of these invariants that
 * is short, one place that is in no other. Also lets the model leave out constant places. Returns
 * OM_OK or OM_ENOMEM.
 */
int om_net_implied__add(const om_net *net, const om_net_invariants *found, om_model *m);

#endif
