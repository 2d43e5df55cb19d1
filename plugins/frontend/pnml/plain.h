/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain.h: the objects of P/T nets, as the standard and as editors have them written: ProM, pm4py,
 * WoPeD, PIPE, TAPAAL.
 */
#ifndef PNML_PLAIN_H
#define PNML_PLAIN_H

#include "document.h"

/* The type of a net: whether it is a P/T net, and in whose words. The dialect is NULL where that is
 * the standard's. */
bool pnml_plain_type(const char *type, const char **dialect);

/* What stands in the element of a node, or arc, besides what every net has. OM_OK or OM_EINPUT. */
int pnml_plain_place(pnml_document *d, const pnml_element *e, pnml_node *out);
int pnml_plain_transition(pnml_document *d, const pnml_element *e);
int pnml_plain_arc(pnml_document *d, const pnml_element *e, pnml_arc *out);
/* Is that an arc, under one of the names that it has? */
bool pnml_plain_is_arc(const char *name);

#endif
