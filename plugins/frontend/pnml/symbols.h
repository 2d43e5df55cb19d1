/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols.h: the places and transitions that ids and names stand for. An id is there once; a name
 * that several have stands for none of them.
 */
#ifndef PNML_SYMBOLS_H
#define PNML_SYMBOLS_H

#include "net.h"

/* What a text stands for: numbers of nodes of the net, or OM_NONE. */
typedef struct pnml_symbol {
    uint32_t place, transition;
    bool shared; /* it is no id, and the name of several places, or of several transitions */
} pnml_symbol;

/* Zero-initialise with names.heap set. */
typedef struct pnml_symbols {
    pnml_names names;     /* ids, and then names that are no ids */
    size_t ids;           /* so many of them are ids: those of the places come first */
    pnml_symbol *symbols; /* by number of the name */
} pnml_symbols;

/* Enters all of the net. OM_ENOMEM, OM_ELIMIT or OM_ESTOP. */
int pnml_symbols_make(pnml_symbols *s, pnml_net *net);
void pnml_symbols_free(pnml_symbols *s);

/* What the n bytes stand for, or NULL. */
const pnml_symbol *pnml_symbols_find(const pnml_symbols *s, const char *text, size_t n);

#endif
