/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net.h: Petri nets: places with tokens, and transitions that take and give them.
 *
 * A net is as it was written, or unfolded from a symmetric net. A node of the file stands for one
 * place (transition) of the net, or, where it is coloured, for one a colour (one a binding).
 * Formulas speak of nodes of the file: a node's places are next to each other, and so are its
 * transitions.
 *
 * A net is made by one thread; one that nobody changes may be read by any number.
 */
#ifndef OMEN_NET_H
#define OMEN_NET_H

#include <omen/plugin/model.h>
#include <omen/plugin/region.h>

/* Nothing is known of how many tokens a place can come to hold. */
#define OM_NET_NO_BOUND OM_VALUE_MAX

typedef struct om_net_place {
    uint32_t node;      /* in om_net.place_nodes */
    om_value initial;   /* tokens */
    om_value bound;     /* no reachable marking has more tokens there, or OM_NET_NO_BOUND */
    const char *colour; /* "(1, a)", or NULL where the node has one place without colour */
} om_net_place;

/* So many tokens, from or to a place; count >= 1. */
typedef struct om_net_arc {
    uint32_t place;
    om_value count;
} om_net_arc;

/* The transition cannot fire if the place has more than `most` tokens; below 0: it never can. An
 * inhibitor arc of weight n is the limit n - 1. A place of capacity K is a limit of each transition
 * that adds tokens to it: K less what it adds. */
typedef struct om_net_limit {
    uint32_t place;
    om_value most;
} om_net_limit;

/* Can fire if all its places have what it takes and no more than its limits. Then it takes, empties
 * the places of `resets`, and gives, in this order. Each list is in ascending order of its places,
 * each there once. */
typedef struct om_net_transition {
    uint32_t node; /* in om_net.transition_nodes */
    const om_net_arc *takes, *gives;
    uint32_t take_count, give_count;
    const char *binding; /* "x = 1, y = a", or NULL */
    /* NULL if the count is 0; a net where all counts are 0 is a plain P/T net. */
    const om_net_limit *limits;
    const uint32_t *resets; /* places */
    uint32_t limit_count, reset_count;
} om_net_transition;

/* A place or transition of the file. */
typedef struct om_net_node {
    const char *id, *name; /* name: NULL where there is none */
    om_written pos;
    uint32_t first,
        count; /* its places or transitions; count 0: none can ever be marked, or fire */
} om_net_node;

/* Zero-initialise with ctx, file (borrowed) and region.heap set, and give back with om_net_clear();
 * or om_net_new(). Everything lives in the region. */
typedef struct om_net {
    om_context *ctx;
    const char *file, *name;
    om_region region;
    om_net_place *places;
    om_net_transition *transitions;
    om_net_node *place_nodes, *transition_nodes;
    uint32_t place_count, transition_count, place_node_count, transition_node_count;
} om_net;

/* An empty net; file, for messages, is copied. OM_OK or OM_ENOMEM. */
OM_API int om_net_new(om_net **out, om_context *ctx, const char *file);
/* NULL is allowed. */
OM_API void om_net_free(om_net *net);
/* Gives back all that the net holds, but not the struct. */
OM_API void om_net_clear(om_net *net);

/*
 * Sets the bound of every place, to OM_NET_NO_BOUND where none was proved from the structure of the
 * net (core/net/bounds.h). Takes memory linear in the net, and gives up on what is left when it has
 * done some 10^8 simple steps. OM_ENOMEM; OM_ELIMIT or OM_ESTOP when the context is stopped: bounds
 * that were set until then hold.
 */
OM_API int om_net_bound(om_net *net);

/*
 * Adds a net to a new model as slots, transitions and assertions: place i is slot i, and transition
 * i is transition i, whose guard has its limits and whose assignments have its resets. A place with
 * a bound has a slot that holds 0 .. bound and no more. One without has 32 bits, and an assertion
 * that it has no more tokens than those can count: the states from which on it is false are faults,
 * so no wrong count is ever seen. (Searches begin with fewer bits: core/model/compact.h.) The net
 * is borrowed, and outlives what is made of the model.
 */
OM_API int om_net_lower(const om_net *net, om_model *m);

/* Of a lowered net: can the transition fire? 0 on failure, which the model
 * remembers. */
OM_API om_expr om_net_enabled(const om_net *net, om_model *m, uint32_t transition);

/* What joins n > 0 expressions by an associative operator, as a tree that is as low as can be; 0 on
 * failure. The list is overwritten. */
OM_API om_expr om_expr_join(om_model *m, om_op op, om_expr *list, size_t n);

#endif
