/* SPDX-License-Identifier: Apache-2.0 */
/* multiset.h: the values of a symmetric net's terms in a binding of their variables. */
#ifndef PNML_MULTISET_H
#define PNML_MULTISET_H

#include "colour_terms.h"

/* A number of tokens of a colour in a place, which is an index into om_net.place_nodes. */
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
    const pnml_scope *scope; /* for messages: scope of the binding */
} pnml_bag;

/* Returns the colour of a term for one colour. The binding is indexed by number in the scope. */
uint64_t pnml_colour_term_value(const pnml_colour_term *t, const uint32_t *binding);
bool pnml_guard_holds(const pnml_colour_term *t, const uint32_t *binding);

/* Appends the value of the term, as tokens of that place. Returns OM_EINPUT if more is subtracted
 * than there is, or if a multiset is too large; OM_ENOMEM; OM_ELIMIT or OM_ESTOP when stopped. */
int pnml_bag_add(pnml_bag *b, const pnml_colour_term *t, const uint32_t *binding, uint32_t place);
/* Sorts the items in ascending order of place and colour, and merges equal ones. Returns
 * OM_EINPUT, at that position, if a count exceeds OM_VALUE_MAX. */
int pnml_bag_settle(pnml_bag *b, om_written pos);
void pnml_bag_free(pnml_bag *b);

/* Appends "x = 1, y = a": the values of the scope's variables. */
void pnml_binding_print(
    const pnml_sorts *s, const pnml_scope *scope, const uint32_t *binding, om_text *out);

#endif
