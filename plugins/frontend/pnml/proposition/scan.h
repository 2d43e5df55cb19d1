/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.h: the tokens of a proposition.
 *
 * Ids may have any character, and those of published nets contain "-" and ".". A name without
 * quotes is the longest one that the net knows: P-start_1 is that place if it exists, and
 * otherwise P minus start_1.
 */
#ifndef PNML_SCAN_H
#define PNML_SCAN_H

#include "symbols.h"

typedef enum pnml_token_kind {
    PNML_END,
    PNML_NUMBER,
    PNML_NAME, /* of a node, the longest that the net knows, or in quotes */
    PNML_SIGN, /* an operator or a bracket, as a sign or as a word */
    PNML_BAD   /* the message is recorded */
} pnml_token_kind;

typedef struct pnml_scan {
    om_net *net;
    const pnml_symbols *symbols;
    const char *origin;    /* name of the text in messages */
    const char *text, *at; /* the whole text, and the rest after the current token */
    pnml_token_kind kind;
    bool quoted;
    const char *token; /* for a name or a sign */
    size_t length;
    size_t run;        /* for a name: its length with all characters that may belong to it */
    om_value value;    /* for a number */
    const char *began; /* start of the token, including its quotes */
} pnml_scan;

void pnml_scan_start(pnml_scan *s, const char *text);
void pnml_scan_next(pnml_scan *s);
/* Returns true if the current token is that sign or word. */
bool pnml_scan_is(const pnml_scan *s, const char *sign);
/* Consumes the sign or word if it is the current token. */
bool pnml_scan_take(pnml_scan *s, const char *sign);
/* Records "expected WHAT, found ..." and returns OM_EINPUT. */
int pnml_scan_unexpected(pnml_scan *s, const char *what);
/* Returns the node, a place or a transition, that the current name denotes, and consumes the name.
 * If there is none, returns NULL and sets *rc; the message suggests the nearest name. */
const om_net_node *pnml_scan_node(pnml_scan *s, bool place, int *rc);
/* Returns the place of a position in the text. */
om_place pnml_scan_place(const pnml_scan *s, const char *at);

#endif
