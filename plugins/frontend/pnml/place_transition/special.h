/* SPDX-License-Identifier: Apache-2.0 */
/* special.h: inhibitor, reset and read arcs, and capacities, of a P/T net. */
#ifndef PNML_SPECIAL_H
#define PNML_SPECIAL_H

#include "document/pnml_document.h"

#include <omen/plugin/net.h>

/*
 * Adds them to a net that is otherwise complete; number: by node, its place or transition.
 * Inhibitor arcs and capacities become limits, read arcs tokens that are taken and given back.
 * Returns OM_EINPUT if numbers are too large; OM_ENOMEM; OM_ELIMIT or OM_ESTOP when stopped.
 */
int pnml_special_add(om_net *net, const pnml_document *d, const uint32_t *number);

#endif
