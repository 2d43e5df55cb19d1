/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invariants.h: place invariants, weighted sums of tokens that no firing changes (T. Murata, "Petri
 * nets: properties, analysis and applications", Proc. IEEE 77(4), 1989, section IV.C.5).
 *
 * They are independent, and each has a place of its own that is in no other invariant. The tokens
 * of the places that are no invariant's own determine all the others (implied places).
 */
#ifndef OMEN_NET_INVARIANTS_H
#define OMEN_NET_INVARIANTS_H

#include <omen/plugin/net.h>

typedef struct om_net_weight {
    uint32_t place;
    int64_t factor; /* not 0; absolute value at most 2^62 */
} om_net_weight;

/* In every reachable marking the sum of factor * tokens over the terms is the constant. */
typedef struct om_net_invariant {
    const om_net_weight *terms; /* the first is that of its own place, with a factor > 0 */
    uint32_t term_count;
    int64_t constant;
} om_net_invariant;

/* Zero-initialise. Independent of the net after it is made. */
typedef struct om_net_invariants {
    const om_heap *heap;
    om_net_invariant *rows;
    om_net_weight *terms; /* of all of them */
    size_t count, term_count;
    bool complete; /* they are a basis of all invariants implied by the structure of the possible
                      transitions */
    uint64_t work; /* entries visited */
} om_net_invariants;

/* Finds invariants. possible[t]: transition t may fire; NULL: any may. most_work: maximum number of
 * entries to visit; 0: as many as om_net_bound() may. The result is incomplete if numbers become
 * too large or the work or memory exceeds its limit. Returns OM_OK, OM_ENOMEM, OM_ELIMIT or
 * OM_ESTOP. */
int om_net_invariants__find(
    om_net_invariants *out, const om_net *net, const bool *possible, uint64_t most_work);
void om_net_invariants__free(om_net_invariants *i);

#endif
