/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.h: the tokens of a proposition.
 *
 * Ids may have any character, and those of published nets have "-" and ".". A name without quotes
 * goes as far as what the net knows: P-start_1 is that place where there is one, and else P minus
 * start_1.
 */
#ifndef PNML_SCAN_H
#define PNML_SCAN_H

#include "symbols.h"

typedef enum pnml_token_kind {
    PNML_END,
    PNML_NUMBER,
    PNML_NAME, /* of a node, as far as the net knows; in quotes or not */
    PNML_SIGN, /* of an operator or a bracket, or a word that is one */
    PNML_BAD   /* the message is recorded */
} pnml_token_kind;

typedef struct pnml_scan {
    om_net *net;
    const pnml_symbols *symbols;
    const char *origin;    /* what messages call the text */
    const char *text, *at; /* the whole, and what comes behind the token at hand */
    pnml_token_kind kind;
    bool quoted;
    const char *token; /* of a name or a sign */
    size_t length;
    size_t run;        /* of a name: how long it would be with all that may be a part of it */
    om_value value;    /* of a number */
    const char *began; /* where the token is, its quotes too */
} pnml_scan;

void pnml_scan_start(pnml_scan *s, const char *text);
void pnml_scan_next(pnml_scan *s);
/* Is that sign, or word, at hand? */
bool pnml_scan_is(const pnml_scan *s, const char *sign);
/* The same; if so it is stepped over. */
bool pnml_scan_take(pnml_scan *s, const char *sign);
/* Records "expected WHAT, found ..."; OM_EINPUT. */
int pnml_scan_unexpected(pnml_scan *s, const char *what);
/* The node that the name at hand stands for, a place or a transition; the name is stepped over.
 * NULL with *rc where there is none, and the message has the nearest one. */
const om_net_node *pnml_scan_node(pnml_scan *s, bool place, int *rc);
/* The place of something in the text. */
om_place pnml_scan_place(const pnml_scan *s, const char *at);

#endif
