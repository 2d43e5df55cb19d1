/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ball.h: the states of a model that are nearest to its initial one, of those that the beginning of
 * a run that an automaton accepts may come to, written out: edges, labels, and shortest ways there.
 *
 * What can follow depends on the states in which the automaton may be, too. So there are places: a
 * state of the model with such a set. Of two places with one state, the one that is farther away is
 * left out if the other has all of its set.
 */
#ifndef OMEN_LASSO_BALL_H
#define OMEN_LASSO_BALL_H

#include "profile.h"

#include <omen/plugin/product.h>

/* 40 bytes each, 4 in a side array, and 4 for each edge. */
typedef struct om_ball_state {
    om_id id;
    size_t first; /* edge; */
    uint32_t edges;
    uint32_t letter;
    uint32_t place; /* the last one that was met with it, or OM_NONE */
    bool expanded;  /* edges and letter are known */
    bool good;      /* on a cycle that accepts, as far as anything is known */
} om_ball_state;

/* Numbered in the order in which they were met, breadth-first. 20 bytes each. */
typedef struct om_ball_place {
    uint32_t state, set;
    uint32_t parent; /* OM_NONE: the initial one */
    uint32_t depth;  /* steps from there, and no fewer */
    uint32_t other;  /* the one before with this state, or OM_NONE */
} om_ball_place;

typedef struct om_ball {
    om_context *ctx;
    const om_heap *heap;
    om_product *product; /* of the model alone */
    om_cursor *cursor;
    uint32_t deadlock_ap;
    om_profiles profiles;
    uint32_t *vector;
    om_side *numbers; /* uint32_t by id: number of the state + 1 */
    om_ball_state *states;
    size_t count, room;
    uint32_t *edges;
    size_t edge_count, edge_room;
    om_ball_place *places;
    size_t place_count, place_room;
    size_t done;       /* places of which all that follow are known */
    uint64_t until_ns; /* by om_clock_ns(): then it is time to give up; 0: never */
} om_ball;

/*
 * The product is made as the spec says, but of the model alone and for one worker; the automaton is
 * that of the spec, with generalized Buchi acceptance. What was opened is to be closed, whatever is
 * returned. Statuses of all that follow: OM_OK; OM_ENOMEM; OM_ELIMIT, where it was stopped or it is
 * time to give up; as om_cursor_successors().
 */
int om_ball__open(om_ball *b, om_context *ctx, const om_product_spec *spec, uint64_t until_ns);
void om_ball__close(om_ball *b);
/* Goes on until what follows all places of at most this depth is known. */
int om_ball__grow(om_ball *b, size_t depth);
/* Finds out which states are good: with some state of the automaton they are in an accepting
 * component of the product, as far as it goes through states that are expanded. */
int om_ball__find_good(om_ball *b);
/* Is it time to give up? */
bool om_ball__late(const om_ball *b);

#endif
