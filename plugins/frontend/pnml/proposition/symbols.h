/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols.h: the places and transitions that ids and names denote. Ids are unique. A name may
 * denote a place and a transition, but a name that several places share denotes none of them.
 */
#ifndef PNML_SYMBOLS_H
#define PNML_SYMBOLS_H

#include "place_transition/make_net.h"

/* Not an id, but the name of several nodes. */
#define PNML_SHARED (OM_NONE - 1)

/* The nodes that a text denotes: numbers of nodes of the net, PNML_SHARED or OM_NONE. */
typedef struct pnml_symbol {
    uint32_t place, transition;
} pnml_symbol;

/* Zero-initialise with names.heap set. */
typedef struct pnml_symbols {
    pnml_names names;     /* ids, followed by names that are no ids */
    size_t ids;           /* number of ids, those of the places first */
    pnml_symbol *symbols; /* by number of the name */
} pnml_symbols;

/* Enters all ids and names of the net. Returns OM_OK, OM_ENOMEM, OM_ELIMIT or OM_ESTOP. */
int pnml_symbols_make(pnml_symbols *s, om_net *net);
void pnml_symbols_free(pnml_symbols *s);

/* Returns the symbol of the n bytes, or NULL. */
const pnml_symbol *pnml_symbols_find(const pnml_symbols *s, const char *text, size_t n);

#endif
