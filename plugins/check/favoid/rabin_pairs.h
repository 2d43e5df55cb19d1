/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rabin_pairs.h: the searches that an acceptance condition needs: the pairs of a generalized Rabin
 * condition, Fin(f) & Inf(i1) & ... & Inf(ip), or the one pair of a generalized Buchi condition,
 * whose Fin set is empty; Bloemen, Duret-Lutz, van de Pol 2019, sections 2 and 3.1.
 *
 * If the Fin sets of two pairs have the same edges, the graphs without them are the same, too, and
 * one search covers both. If there are several searches, each gets the automaton states that are
 * useful for its pairs, and a search without such states is left out. (The planner has done the
 * same for the whole automaton.)
 */
#ifndef OMEN_FAVOID_RABIN_PAIRS_H
#define OMEN_FAVOID_RABIN_PAIRS_H

#include <omen/plugin/check.h>

enum {
    PAIR_GROUPS_ACCEPTANCE =
        OM_ACCEPT_RABIN | OM_ACCEPT_CO_BUCHI | OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI
};

/* A group of pairs for one search */
typedef struct pair_group {
    om_marks avoid; /* union of the Fin sets, which have the same edges */
    om_marks *see;  /* Inf sets of each pair */
    size_t see_count;
    om_marks seen; /* union of the Inf sets */
    /* By automaton state: true if the state can reach a component without these edges in which one
     * of the pairs accepts. NULL if all can, or if there is only one search. */
    bool *useful;
} pair_group;

typedef struct pair_groups {
    pair_group *at;
    size_t count; /* at least 1 */
} pair_groups;

/* Reads the groups. Zero-initialise *out; the caller frees it in any case. Returns OM_OK;
 * OM_EUNSUPPORTED if the acceptance is none of these; OM_ENOMEM or OM_ELIMIT. */
int pair_groups_read(pair_groups *out, om_context *ctx, const om_automaton *a);
void pair_groups_free(pair_groups *g, const om_heap *heap);

#endif
