/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unfold.h: unfolds a symmetric net (ISO/IEC 15909-2) into a P/T net.
 *
 * A place becomes one place for each colour that it can ever hold. A transition becomes one for
 * each binding of its variables that satisfies its guard and whose tokens can all be present. What
 * can be present is over-approximated: a place can hold a colour if it holds it initially, or if
 * some possible binding gives it to the place (multiplicities are ignored). Everything left out is
 * therefore dead in each reachable marking, and the net behaves like the coloured one, firing by
 * firing.
 *
 * Decisions where several meanings are possible:
 * - Successor and predecessor wrap at both ends, in each enumeration and in integer ranges.
 * - lessthan and its like compare positions, in enumerations and partitions, too.
 * - As a term for tokens, an element of a partition stands for all its colours together.
 * - A possible binding that subtracts more from a multiset than it holds is an error of the net.
 * - An arc without an inscription is one token, if the place has one colour.
 */
#ifndef PNML_UNFOLD_H
#define PNML_UNFOLD_H

#include "place_transition/make_net.h"

/*
 * Makes the net of a symmetric net's document, without bounds. Places are in ascending order of
 * node and colour, transitions of node and binding. Returns OM_EINPUT, with the line and column,
 * if sorts or terms do not fit, if more is subtracted than there is, or if the net is larger than
 * any that can be explored; OM_ENOMEM; OM_ELIMIT or OM_ESTOP when stopped. Memory is linear in the
 * resulting net, its matched bindings and the document.
 */
int pnml_unfold(om_net *net, const pnml_document *d);

#endif
