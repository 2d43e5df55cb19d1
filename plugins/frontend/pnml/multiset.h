/* SPDX-License-Identifier: Apache-2.0 */
/* multiset.h: what terms of a symmetric net come to, in a binding of their variables. */
#ifndef PNML_MULTISET_H
#define PNML_MULTISET_H

#include "colour_terms.h"

/* So many tokens of a colour in a place: one of om_net.place_nodes. */
typedef struct pnml_item {
    uint64_t colour;
    uint32_t place;
    om_value count;
} pnml_item;

/* Zero-initialise with sorts and heap set. */
typedef struct pnml_bag {
    const pnml_sorts *sorts;
    const om_heap *heap;
    pnml_item *items;
    size_t count, room;
    const pnml_scope *scope; /* for messages: whose binding it is */
} pnml_bag;

/* The colour that a term for one stands for. binding: by number in the scope. */
uint64_t pnml_colour_term_value(const pnml_colour_term *t, const uint32_t *binding);
bool pnml_guard_holds(const pnml_colour_term *t, const uint32_t *binding);

/* Appends what the term stands for, as tokens of that place. OM_EINPUT where more is subtracted
 * than there is, or a multiset is too large; OM_ENOMEM; OM_ELIMIT or OM_ESTOP when stopped. */
int pnml_bag_add(pnml_bag *b, const pnml_colour_term *t, const uint32_t *binding, uint32_t place);
/* Brings items into ascending order of place and colour, each there once. OM_EINPUT, at that
 * position, where they are more than OM_VALUE_MAX. */
int pnml_bag_settle(pnml_bag *b, om_written pos);
void pnml_bag_free(pnml_bag *b);

/* "x = 1, y = a": the variables of a scope. */
void pnml_binding_print(
    const pnml_sorts *s, const pnml_scope *scope, const uint32_t *binding, om_text *out);

#endif
