/* SPDX-License-Identifier: Apache-2.0 */
/*
 * term.h: values of propositions, which never wrap.
 *
 * The bounds of each value are known. If an operation could leave the range of om_value, its
 * operands are restricted to a range in which it cannot: with more tokens than that, the
 * proposition is a fault instead of a wrong value.
 */
#ifndef PNML_TERM_H
#define PNML_TERM_H

#include "place_transition/make_net.h"

typedef struct pnml_term {
    om_expr e;         /* 0 after a failure, whose status the model keeps */
    om_wide low, high; /* B1: low <= value <= high */
} pnml_term;

/* A growing list of terms; zero-initialise it. */
typedef struct pnml_terms {
    pnml_term *at;
    size_t count, room;
} pnml_terms;

bool pnml_terms_add(const om_heap *heap, pnml_terms *list, pnml_term t);

pnml_term pnml_term_const(om_model *m, om_value value);
/* Returns the number of tokens in all places of a node. */
pnml_term pnml_term_tokens(const om_net *net, om_model *m, const om_net_node *node);
/* Returns the sum of `add` minus that of `take`. */
pnml_term pnml_term_sum(
    const om_heap *heap, om_model *m, const pnml_terms *add, const pnml_terms *take);
pnml_term pnml_term_product(om_model *m, pnml_term a, pnml_term b);
/* Returns a comparison or a logical operation: 0 or 1. */
pnml_term pnml_term_truth(om_model *m, om_op op, pnml_term a, pnml_term b);
pnml_term pnml_term_not(om_model *m, pnml_term a);
/* Joins all terms by AND or OR. */
pnml_term pnml_term_all(const om_heap *heap, om_model *m, om_op op, const pnml_terms *list);

#endif
