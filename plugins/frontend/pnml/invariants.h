/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invariants.h: place invariants, weighted sums of tokens that no firing changes (T. Murata,
 * "Petri nets: properties, analysis and applications", Proc. IEEE 77(4), 1989, section IV.C.5).
 *
 * They are independent, and each has a place of its own that stands in no other: what the places
 * that are nobody's own hold determines all of them (implied places).
 */
#ifndef PNML_INVARIANTS_H
#define PNML_INVARIANTS_H

#include "net.h"

typedef struct pnml_weight {
    uint32_t place;
    int64_t factor; /* not 0; at most 2^62 */
} pnml_weight;

/* In every reachable marking the sum of factor * tokens over the terms is the constant. */
typedef struct pnml_invariant {
    const pnml_weight *terms; /* the first is that of its own place, with a factor > 0 */
    uint32_t term_count;
    int64_t constant;
} pnml_invariant;

/* Zero-initialise. Independent of the net once made. */
typedef struct pnml_invariants {
    const om_heap *heap;
    pnml_invariant *rows;
    pnml_weight *terms; /* of all of them */
    size_t count, term_count;
    bool complete; /* a basis of all that hold by the structure of the transitions that may fire */
    uint64_t work; /* entries looked at */
} pnml_invariants;

/* possible[t]: transition t may fire; NULL: any may. Not complete where numbers would become too
 * large, or where it took too much work or memory. OM_ENOMEM, OM_ELIMIT, OM_ESTOP. */
int pnml_invariants_find(pnml_invariants *out, const pnml_net *net, const bool *possible);
void pnml_invariants_free(pnml_invariants *i);

#endif
