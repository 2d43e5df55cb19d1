/* SPDX-License-Identifier: Apache-2.0 */
/*
 * colour.h: a symmetric net (ISO/IEC 15909-2) unfolded into a P/T net.
 *
 * A place becomes one for each colour that it can ever come to hold, a transition one for each
 * binding of its variables that its guard admits and whose tokens can all be there. What can be
 * there is over-approximated: a colour can be in a place that holds it in the beginning, or that
 * some binding gives it to which is possible itself (its multiplicities are not looked at). So what
 * is left out is dead in each reachable marking, and the net behaves as the coloured one does,
 * firing by firing.
 *
 * What was chosen where there is a choice:
 * - Successor and predecessor wrap at both ends, in each enumeration and in integer ranges.
 * - lessthan and its like compare positions, in enumerations and partitions, too.
 * - A partition's element stands for all its colours together where tokens are meant.
 * - A possible binding for which more is subtracted from a multiset than it holds is an error of
 * the net.
 * - An arc without inscription is one token, where the place has one colour.
 */
#ifndef PNML_COLOUR_H
#define PNML_COLOUR_H

#include "net.h"

/*
 * Makes the net of a document that is a symmetric net; bounds are not known yet. Places are in
 * ascending order of node and colour, transitions of node and binding. OM_EINPUT, with the line and
 * column, where sorts or terms do not fit, more is subtracted than there is, or the net is larger
 * than any that can be explored; OM_ENOMEM; OM_ELIMIT or OM_ESTOP when stopped. Memory is linear in
 * the net that is made, its matched bindings and the document.
 */
int pnml_unfold(om_net *net, const pnml_document *d);

#endif
