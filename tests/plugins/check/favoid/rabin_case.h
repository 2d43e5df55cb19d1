/* SPDX-License-Identifier: Apache-2.0 */
/* rabin_case.h: random automata of generalized Rabin acceptance, and their emptiness by definition:
 * by components, and in each of these without the edges that a Fin forbids, and so on. */
#ifndef OMEN_TESTS_RABIN_CASE_H
#define OMEN_TESTS_RABIN_CASE_H

#include "oracle.h"

enum { RABIN_PAIRS = 5, RABIN_INFS = 3, RABIN_SETS = 20 };

typedef struct rabin {
    om_automaton *a;
    bool co_buchi; /* one Fin, and nothing else */
    unsigned pairs;
    struct {
        om_marks fin, inf;
    } pair[RABIN_PAIRS];
} rabin;

/* A model of which nearly all states can be reached, with fewer ends than graph_new() makes. */
void rabin_graph(graph *g, om_random *random, uint32_t most);
/* 1 to 5 pairs of one Fin and up to 3 Inf, some of which share sets, or have the same edges by
 * other sets. Propositions are those of random_case.h. */
void rabin_new(rabin *r, om_context *ctx, om_random *random, bool co_buchi);
void rabin_free(rabin *r);

/*
 * Is there no accepting run? By Emerson and Lei 1987: a component accepts if the formula is true of
 * its marks; else an accepting cycle in it does without the edges of a Fin that is among these
 * marks. Knows nothing of pairs.
 */
bool rabin_empty(const rabin *r, const oracle *o);
/* Are these states, without edges that have a mark of `avoid`, strongly connected, with an edge at
 * all, and all of `see`? */
bool rabin_connected(const oracle *o, const bool *set, om_marks see, om_marks avoid);

/* Is this state on a cycle without an edge in the set of co-Buchi acceptance, and does none need
 * fewer such edges on the way from an initial state? */
bool co_buchi_nearest(const rabin *r, const oracle *o, uint32_t state);

#endif
