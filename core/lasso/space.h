/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space.h: a sequential set of state vectors, and the graph of a product over it. Shares nothing
 * with the stores and products that the checkers use, so that a bug there shows here.
 */
#ifndef OMEN_LASSO_SPACE_H
#define OMEN_LASSO_SPACE_H

#include <omen/product.h>

/* Vectors one behind the other, numbered as they come; an open-addressing index of number + 1. */
typedef struct om_space {
    const om_heap *heap;
    uint32_t words;
    uint32_t *vectors;
    size_t count, room; /* room in vectors */
    uint32_t *index;
    size_t slots; /* a power of two, or 0 */
} om_space;

void om_space__free(om_space *s);
/* OM_OK or OM_ENOMEM. */
int om_space__intern(om_space *s, const uint32_t *vector, uint32_t *id, bool *fresh);
static inline const uint32_t *om_space__vector(const om_space *s, uint32_t id)
{
    return s->vectors + (size_t) id * s->words;
}

/* One edge of the graph; its source is known from where it was asked for. */
typedef struct om_hop {
    uint32_t to, transition;
    om_marks marks;
} om_hop;

/* The product of a spec, expanded state by state. */
typedef struct om_graph {
    om_context *ctx;
    const om_product_spec *spec;
    om_space space;
    om_successors next;
    uint32_t *from; /* the state that is being expanded, then a successor under construction */
    om_hop *hops;   /* of the last om_graph__expand() */
    size_t hop_count, hop_room;
    om_label label; /* likewise: of the state */
    om_fault fault; /* likewise: not 0 when the model went wrong there; no hops then */
    bool dead_end;  /* likewise: the model has no successor (and no fault) */
    om_fault met;   /* the first fault so far, or 0 */
    uint32_t met_at;
} om_graph;

int om_graph__open(om_graph *g, om_context *ctx, const om_product_spec *spec);
void om_graph__close(om_graph *g);
/* The initial states, as hops. */
int om_graph__initial(om_graph *g);
/* The edges of a state. OM_OK, OM_ENOMEM, OM_ELIMIT when the control was stopped. */
int om_graph__expand(om_graph *g, uint32_t id);

/* What a breadth-first search looks for. */
typedef struct om_goal {
    const uint8_t *within; /* NULL, or only states of the component: not 0, by state number */
    size_t within_count;   /* numbers from here on are outside */
    const uint8_t *target; /* a state of this set (as within), met behind a hop; or NULL */
    size_t target_count;
    uint32_t state; /* or this state, met behind a hop; or OM_NONE */
    om_marks marks; /* or a hop with one of these */
    /* or a state for which this holds when it has just been expanded; or NULL */
    bool (*at)(void *self, const om_graph *g, uint32_t id);
    void *self;
} om_goal;

/* A path: the state it starts in and its hops. */
typedef struct om_walk {
    const om_heap *heap;
    uint32_t start;
    om_hop *hops;
    size_t count, room;
} om_walk;

void om_walk__free(om_walk *w);
/* Appends the shortest way from one of the sources to the goal; sets *found. `start` is set where
 * the walk was empty. Stops looking, not found, once the graph has `most` states (0: never). */
int om_graph__search(om_graph *g, const uint32_t *sources, size_t source_count, const om_goal *goal,
    size_t most, om_walk *walk, bool *found);

/* States of a strongly connected set with all marks, found depth-first from a state; count is 0
 * when there is none. */
typedef struct om_component {
    uint32_t *states;
    size_t count;
} om_component;
int om_graph__component(om_graph *g, uint32_t from, om_marks all, om_component *out);

#endif
