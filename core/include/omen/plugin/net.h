/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net.h: Petri nets: places with tokens, and transitions that consume and produce them.
 *
 * A net is either read as it is, or unfolded from a symmetric net. A node of the file stands for
 * one place (transition) of the net or, if it is coloured, for one place per colour (one transition
 * per binding). Formulas refer to nodes of the file: the places of a node are consecutive, and so
 * are its transitions.
 *
 * One thread builds a net; any number of threads may read a net that no thread changes.
 */
#ifndef OMEN_NET_H
#define OMEN_NET_H

#include <omen/plugin/model.h>
#include <omen/plugin/region.h>

/* No bound is known for the number of tokens on a place. */
#define OM_NET_NO_BOUND OM_VALUE_MAX

typedef struct om_net_place {
    uint32_t node;      /* index in om_net.place_nodes */
    om_value initial;   /* tokens */
    om_value bound;     /* upper bound of the tokens in reachable markings, or OM_NET_NO_BOUND */
    const char *colour; /* "(1, a)", or NULL if the node has one uncoloured place */
} om_net_place;

/* `count` tokens from or to a place; count >= 1. */
typedef struct om_net_arc {
    uint32_t place;
    om_value count;
} om_net_arc;

/* The transition is disabled if the place has more than `most` tokens; if `most` is negative, it is
 * never enabled. An inhibitor arc of weight n is the limit n - 1. A place of capacity K is a limit
 * of K - n for each transition that adds n tokens to it. */
typedef struct om_net_limit {
    uint32_t place;
    om_value most;
} om_net_limit;

/* Enabled if each place of `takes` has the tokens and each limit holds. Firing consumes `takes`,
 * empties the places of `resets`, and produces `gives`, in this order. Each list is in ascending
 * order of places, without repetition. */
typedef struct om_net_transition {
    uint32_t node; /* index in om_net.transition_nodes */
    const om_net_arc *takes, *gives;
    uint32_t take_count, give_count;
    const char *binding; /* "x = 1, y = a", or NULL */
    /* NULL if the count is 0; a net in which all these counts are 0 is a plain P/T net. */
    const om_net_limit *limits;
    const uint32_t *resets; /* places */
    uint32_t limit_count, reset_count;
} om_net_transition;

/* A place or transition of the file. */
typedef struct om_net_node {
    const char *id, *name; /* name: NULL if the node has none */
    om_written pos;
    uint32_t first,
        /* Its places or transitions. count 0: the node can never be marked, or can never fire. */
        count;
} om_net_node;

/* Initialise to zero with ctx, file (borrowed) and region.heap set, and release with
 * om_net_clear(); or use om_net_new(). All data is in the region. */
typedef struct om_net {
    om_context *ctx;
    const char *file, *name;
    om_region region;
    om_net_place *places;
    om_net_transition *transitions;
    om_net_node *place_nodes, *transition_nodes;
    uint32_t place_count, transition_count, place_node_count, transition_node_count;
} om_net;

/* Creates an empty net; file, for messages, is copied. OM_OK or OM_ENOMEM. */
OM_API int om_net_new(om_net **out, om_context *ctx, const char *file);
/* Frees a net, which may be NULL. */
OM_API void om_net_free(om_net *net);
/* Frees the contents of the net but not the struct. */
OM_API void om_net_clear(om_net *net);

/*
 * Sets the bound of every place; OM_NET_NO_BOUND if the structure of the net proves none
 * (core/net/analysis/bounds.h). Uses memory linear in the size of the net, and stops after about
 * 10^8 simple steps with the remaining places unbounded. OM_ENOMEM; OM_ELIMIT or OM_ESTOP if the
 * context is stopped: bounds that were set by then are valid.
 */
OM_API int om_net_bound(om_net *net);

/*
 * Adds a net to a new model as slots, transitions and assertions. Place i is slot i; transition i
 * is transition i, with its limits in the guard and its resets among the assignments. A place with
 * a bound has a slot of range 0 .. bound. A place without one has 32 bits and an assertion that its
 * tokens fit them: a state in which the assertion is false is a fault, so a wrong token count never
 * goes unnoticed. (Searches start with fewer bits: core/model/transform/compact.h.) The net is
 * borrowed and must outlive the model.
 */
OM_API int om_net_lower(const om_net *net, om_model *m);

/* Returns an expression that is true if the transition of a lowered net is enabled. 0 on failure,
 * which the model remembers. */
OM_API om_expr om_net_enabled(const om_net *net, om_model *m, uint32_t transition);

/* Joins n > 0 expressions by an associative operator, as a tree of minimum height. Returns 0 on
 * failure. Overwrites the list. */
OM_API om_expr om_expr_join(om_model *m, om_op op, om_expr *list, size_t n);

#endif
