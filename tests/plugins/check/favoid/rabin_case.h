/* SPDX-License-Identifier: Apache-2.0 */
/* rabin_case.h: random automata with generalized Rabin acceptance, and their emptiness by
 * definition: the components of the product, then the components of each without the edges that a
 * Fin forbids, and so on recursively. */
#ifndef OMEN_TESTS_RABIN_CASE_H
#define OMEN_TESTS_RABIN_CASE_H

#include "oracle.h"

enum { RABIN_PAIRS = 5, RABIN_INFS = 3, RABIN_SETS = 20 };

typedef struct rabin {
    om_automaton *a;
    bool co_buchi; /* the acceptance is a single Fin */
    unsigned pairs;
    struct {
        om_marks fin, inf;
    } pair[RABIN_PAIRS];
} rabin;

/* Makes a model most of whose states are reachable, with fewer deadlocks than graph_new() makes. */
void rabin_graph(graph *g, om_random *random, uint32_t most);
/* Makes an automaton with 1 to 5 pairs of one Fin and up to 3 Inf. Some pairs share sets or have
 * different sets with the same edges. The propositions are those of random_case.h. */
void rabin_new(rabin *r, om_context *ctx, om_random *random, bool co_buchi);
void rabin_free(rabin *r);

/*
 * Returns true if there is no accepting run. By Emerson and Lei 1987: a component accepts if its
 * marks satisfy the formula; otherwise an accepting cycle in it avoids the edges of some Fin among
 * these marks. Does not use the pairs.
 */
bool rabin_empty(const rabin *r, const oracle *o);
/* Returns true if these states are strongly connected by edges without a mark of `avoid`, with at
 * least one edge, and those edges have all marks of `see`. */
bool rabin_connected(const oracle *o, const bool *set, om_marks see, om_marks avoid);

/* Returns true if the state is on a cycle without an edge in the co-Buchi set, and no state on such
 * a cycle needs fewer edges of the set on a path from an initial state. */
bool co_buchi_nearest(const rabin *r, const oracle *o, uint32_t state);

#endif
