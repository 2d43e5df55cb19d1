/* SPDX-License-Identifier: Apache-2.0 */
/* implied.h: places that need no room in a state, for an invariant tells what they hold. */
#ifndef OMEN_NET_IMPLIED_H
#define OMEN_NET_IMPLIED_H

#include "invariants.h"

/* The invariants of two places or more; none where all that can be counted fits one word. What one
 * of a single place says, that nothing changes it, is to be seen at any place. *out is
 * zero-initialised. OM_OK; OM_ENOMEM; OM_ELIMIT, OM_ESTOP. */
int om_net_implied__find(om_net_invariants *out, const om_net *net);

/*
 * Tells a model that the net was lowered to which slots the others determine, as far as short ones
 * of these invariants say: one place of each, which is in no other; and that those which nothing
 * changes need no room. OM_OK; OM_ENOMEM.
 */
int om_net_implied__add(const om_net *net, const om_net_invariants *found, om_model *m);

#endif
