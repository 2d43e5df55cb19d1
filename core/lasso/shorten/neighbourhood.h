/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbourhood.h: explored states of a model nearest to its initial state, among those that the
 * prefix of an accepted run may reach: their edges, labels, and shortest paths to them.
 *
 * The possible continuations depend also on the states in which the automaton may be. A place is
 * therefore a state of the model with a set of states of the automaton. Of two places with the same
 * state, the one that is farther away is left out if the set of the other contains its set.
 */
#ifndef OMEN_LASSO_NEIGHBOURHOOD_H
#define OMEN_LASSO_NEIGHBOURHOOD_H

#include "profile.h"

#include <omen/plugin/product.h>

/* 40 bytes each, 4 in a side array, and 4 for each edge. */
typedef struct om_neighbourhood_state {
    om_id id;
    size_t first; /* first edge */
    uint32_t edges;
    uint32_t letter;
    uint32_t place; /* last place that was found with this state, or OM_NONE */
    bool expanded;  /* edges and letter are known */
    bool good;      /* on an accepting cycle, as far as the neighbourhood is known */
} om_neighbourhood_state;

/* Numbered in the order of discovery, breadth-first. 20 bytes each. */
typedef struct om_neighbourhood_place {
    uint32_t state, set;
    uint32_t parent; /* OM_NONE: an initial place */
    uint32_t depth;  /* minimum number of steps from an initial place */
    uint32_t other;  /* previous place with this state, or OM_NONE */
} om_neighbourhood_place;

typedef struct om_neighbourhood {
    om_context *ctx;
    const om_heap *heap;
    om_product *product; /* of the model alone */
    om_cursor *cursor;
    uint32_t deadlock_ap;
    om_profiles profiles;
    uint32_t *vector;
    om_side *numbers; /* uint32_t by id: number of the state + 1 */
    om_neighbourhood_state *states;
    size_t count, room;
    uint32_t *edges;
    size_t edge_count, edge_room;
    om_neighbourhood_place *places;
    size_t place_count, place_room;
    size_t done;       /* places whose successors are all known */
    uint64_t until_ns; /* deadline by om_clock_ns(); 0: none */
} om_neighbourhood;

/*
 * Opens a neighbourhood on a product made from the spec, but of the model alone and for one worker.
 * The automaton is that of the spec; its acceptance is generalized Buchi. The caller closes the
 * neighbourhood whatever is returned. This and the functions below return OM_OK, OM_ENOMEM,
 * OM_ELIMIT (stopped, or past the deadline), or a status of om_cursor_successors().
 */
int om_neighbourhood__open(
    om_neighbourhood *b, om_context *ctx, const om_product_spec *spec, uint64_t until_ns);
void om_neighbourhood__close(om_neighbourhood *b);
/* Explores until the successors of all places of depth at most `depth` are known. */
int om_neighbourhood__grow(om_neighbourhood *b, size_t depth);
/* Finds the good states: with some state of the automaton they are in an accepting component of the
 * product, restricted to expanded states. */
int om_neighbourhood__find_good(om_neighbourhood *b);
/* Returns true if the search was stopped or the deadline has passed. */
bool om_neighbourhood__must_stop(const om_neighbourhood *b);

#endif
