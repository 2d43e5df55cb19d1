/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.h: what an acceptance condition asks to be searched for: the pairs of a generalized Rabin
 * condition, Fin(f) & Inf(i1) & ... & Inf(ip), or the one of a generalized Buchi condition, whose
 * Fin set is empty; Bloemen, Duret-Lutz, van de Pol 2019, sections 2 and 3.1.
 *
 * Where the Fin sets of two pairs have the same edges, the graphs that are left without them are
 * the same, too, and one search looks for both. Of several searches each is given the states of the
 * automaton that matter to its pairs, and one that none matters to is left out: the planner has
 * done the same for the whole automaton.
 */
#ifndef OMEN_FAVOID_PAIRS_H
#define OMEN_FAVOID_PAIRS_H

#include <omen/plugin/check.h>

enum {
    PAIR_GROUPS_ACCEPTANCE =
        OM_ACCEPT_RABIN | OM_ACCEPT_CO_BUCHI | OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI
};

/* One search. */
typedef struct pair_group {
    om_marks avoid; /* union of the Fin sets, which have the same edges */
    om_marks *see;  /* Inf sets of each pair */
    size_t see_count;
    om_marks seen; /* their union */
    /* By automaton state: can it reach a component without these edges in which one of the pairs
     * accepts? NULL: all do, or there is one search only. */
    bool *useful;
} pair_group;

typedef struct pair_groups {
    pair_group *at;
    size_t count; /* at least 1 */
} pair_groups;

/* Zero-initialise; the caller's to free in any case. OM_OK; OM_EUNSUPPORTED, where the acceptance
 * is none of these; OM_ENOMEM or OM_ELIMIT. */
int pair_groups_read(pair_groups *out, om_context *ctx, const om_automaton *a);
void pair_groups_free(pair_groups *g, const om_heap *heap);

#endif
