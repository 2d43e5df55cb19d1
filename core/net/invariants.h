/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invariants.h: place invariants, weighted sums of tokens that no firing changes (T. Murata,
 * "Petri nets: properties, analysis and applications", Proc. IEEE 77(4), 1989, section IV.C.5).
 *
 * They are independent, and each has a place of its own that stands in no other: what the places
 * that are nobody's own hold determines all of them (implied places).
 */
#ifndef OMEN_NET_INVARIANTS_H
#define OMEN_NET_INVARIANTS_H

#include <omen/plugin/net.h>

typedef struct om_net_weight {
    uint32_t place;
    int64_t factor; /* not 0; at most 2^62 */
} om_net_weight;

/* In every reachable marking the sum of factor * tokens over the terms is the constant. */
typedef struct om_net_invariant {
    const om_net_weight *terms; /* the first is that of its own place, with a factor > 0 */
    uint32_t term_count;
    int64_t constant;
} om_net_invariant;

/* Zero-initialise. Independent of the net once made. */
typedef struct om_net_invariants {
    const om_heap *heap;
    om_net_invariant *rows;
    om_net_weight *terms; /* of all of them */
    size_t count, term_count;
    bool complete; /* a basis of all that hold by the structure of the transitions that may fire */
    uint64_t work; /* entries looked at */
} om_net_invariants;

/* possible[t]: transition t may fire; NULL: any may. most_work: entries to look at at most; 0: as
 * many as om_net_bound() may. Not complete where numbers would become too large, or where it took
 * too much work or memory. OM_ENOMEM, OM_ELIMIT, OM_ESTOP. */
int om_net_invariants__find(
    om_net_invariants *out, const om_net *net, const bool *possible, uint64_t most_work);
void om_net_invariants__free(om_net_invariants *i);

#endif
