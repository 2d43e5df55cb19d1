/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols.h: the places and transitions that ids and names stand for. An id is there once; a name
 * may be that of a place and of a transition, but where several places have it, it is none of
 * theirs.
 */
#ifndef PNML_SYMBOLS_H
#define PNML_SYMBOLS_H

#include "net.h"

/* It is no id, but the name of several. */
#define PNML_SHARED (OM_NONE - 1)

/* What a text stands for: numbers of nodes of the net, PNML_SHARED or OM_NONE. */
typedef struct pnml_symbol {
    uint32_t place, transition;
} pnml_symbol;

/* Zero-initialise with names.heap set. */
typedef struct pnml_symbols {
    pnml_names names;     /* ids, and then names that are no ids */
    size_t ids;           /* so many of them are ids: those of the places come first */
    pnml_symbol *symbols; /* by number of the name */
} pnml_symbols;

/* Enters all of the net. OM_ENOMEM, OM_ELIMIT or OM_ESTOP. */
int pnml_symbols_make(pnml_symbols *s, om_net *net);
void pnml_symbols_free(pnml_symbols *s);

/* What the n bytes stand for, or NULL. */
const pnml_symbol *pnml_symbols_find(const pnml_symbols *s, const char *text, size_t n);

#endif
