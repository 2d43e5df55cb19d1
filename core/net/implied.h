/* SPDX-License-Identifier: Apache-2.0 */
/* implied.h: places that need no room in a state, for an invariant tells what they hold. */
#ifndef OMEN_NET_IMPLIED_H
#define OMEN_NET_IMPLIED_H

#include <omen/plugin/net.h>

/*
 * Tells a model that the net was lowered to which slots the others determine, as far as short
 * invariants say: one place of each, which is in no other invariant. Nothing where all that can be
 * counted fits one word. OM_OK; OM_ENOMEM; OM_ELIMIT, OM_ESTOP.
 */
int om_net__add_implied(const om_net *net, om_model *m);

#endif
