/* SPDX-License-Identifier: Apache-2.0 */
/* net.h: the net of a document that is a P/T net. */
#ifndef PNML_NET_H
#define PNML_NET_H

#include "document.h"

#include <omen/plugin/net.h>

/* Makes the net of a document that is a P/T net; bounds are not known yet. OM_EINPUT where the
 * weights of parallel arcs come to more than OM_VALUE_MAX; OM_ENOMEM; OM_ELIMIT or OM_ESTOP when
 * stopped. */
int pnml_net_make(om_net *net, const pnml_document *d);

#endif
