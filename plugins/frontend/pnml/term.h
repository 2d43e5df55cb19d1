/* SPDX-License-Identifier: Apache-2.0 */
/*
 * term.h: values of propositions, which never wrap.
 *
 * Of each value it is known between what it lies. Where an operation could leave om_value, its
 * operands are held to what it can take: with more tokens than that the proposition is a fault, and
 * what it would be is not claimed.
 */
#ifndef PNML_TERM_H
#define PNML_TERM_H

#include "net.h"

typedef struct pnml_term {
    om_expr e; /* 0: making it has failed, and the model knows why */
    om_wide low, high;
} pnml_term;

/* A list of terms that grows. Zero-initialise. */
typedef struct pnml_terms {
    pnml_term *at;
    size_t count, room;
} pnml_terms;

bool pnml_terms_add(const om_heap *heap, pnml_terms *list, pnml_term t);

pnml_term pnml_term_const(om_model *m, om_value value);
/* Tokens in all places of a node. */
pnml_term pnml_term_tokens(const om_net *net, om_model *m, const om_net_node *node);
/* What is added, less what is taken away. */
pnml_term pnml_term_sum(
    const om_heap *heap, om_model *m, const pnml_terms *add, const pnml_terms *take);
pnml_term pnml_term_product(om_model *m, pnml_term a, pnml_term b);
/* A comparison or an operator of logic: 0 or 1. */
pnml_term pnml_term_truth(om_model *m, om_op op, pnml_term a, pnml_term b);
pnml_term pnml_term_not(om_model *m, pnml_term a);
/* All of them joined by AND or OR. */
pnml_term pnml_term_all(const om_heap *heap, om_model *m, om_op op, const pnml_terms *list);

#endif
