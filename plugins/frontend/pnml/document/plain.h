/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain.h: the objects of P/T nets, as written by the standard and by editors: ProM, pm4py, WoPeD,
 * PIPE, TAPAAL.
 */
#ifndef PNML_PLAIN_H
#define PNML_PLAIN_H

#include "pnml_document.h"

/* Returns true if that type is a P/T net. *dialect is the editor that writes it so, or NULL for
 * the standard. */
bool pnml_plain_type(const char *type, const char **dialect);

/* Read the element of a node or an arc, without the parts that every net has. Return OM_OK or
 * OM_EINPUT. */
int pnml_plain_place(pnml_document *d, const pnml_element *e, pnml_node *out);
int pnml_plain_transition(pnml_document *d, const pnml_element *e);
int pnml_plain_arc(pnml_document *d, const pnml_element *e, pnml_arc *out);
/* Returns true for the names of arcs. */
bool pnml_plain_is_arc(const char *name);

#endif
