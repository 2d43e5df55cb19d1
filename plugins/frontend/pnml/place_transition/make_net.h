/* SPDX-License-Identifier: Apache-2.0 */
/* make_net.h: the net of a P/T net's document. */
#ifndef PNML_MAKE_NET_H
#define PNML_MAKE_NET_H

#include "document/pnml_document.h"

#include <omen/plugin/net.h>

/* Makes the net of a P/T net's document, without bounds. Returns OM_EINPUT if the weights of
 * parallel arcs add up to more than OM_VALUE_MAX; OM_ENOMEM; OM_ELIMIT or OM_ESTOP when stopped. */
int pnml_net_make(om_net *net, const pnml_document *d);

#endif
