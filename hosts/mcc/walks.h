/* SPDX-License-Identifier: Apache-2.0 */
/* walks.h: walks and searches with seeds of their own, which the user can interrupt. */
#ifndef OMEN_MCC_WALKS_H
#define OMEN_MCC_WALKS_H

#include "mcc.h"

#include <omen/host/walk.h>

/* om_net_walk() on the net, and om_net_seek(), for at most this time. They set the seed, the
 * deadline and the memory. As those; OM_ESTOP if the user interrupts. */
int mcc_walk(mcc *m, om_walk *walk, uint64_t ns);
int mcc_seek(mcc *m, const om_net *net, om_seek *seek, uint64_t ns);

#endif
