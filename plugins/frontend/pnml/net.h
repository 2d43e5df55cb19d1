/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net.h: a P/T net, as it was written or unfolded from a symmetric net.
 *
 * A node of the file stands for one place (transition) of the net, or, where it is coloured, for
 * one a colour (one a binding). Formulas speak of nodes of the file: a node's places are next to
 * each other, and so are its transitions.
 */
#ifndef PNML_NET_H
#define PNML_NET_H

#include "document.h"

/* Nothing is known of how many tokens a place can come to hold. */
#define PNML_NO_BOUND OM_VALUE_MAX

typedef struct pnml_place {
    uint32_t node;      /* in pnml_net.place_nodes */
    om_value initial;   /* tokens */
    om_value bound;     /* no reachable marking has more tokens there, or PNML_NO_BOUND */
    const char *colour; /* "(1, a)", or NULL where the node has one place without colour */
} pnml_place;

/* So many tokens, from or to a place; count >= 1. */
typedef struct pnml_token {
    uint32_t place;
    om_value count;
} pnml_token;

/* Takes where there are enough, then gives. Each list is in ascending order of its places, each
 * there once. */
typedef struct pnml_transition {
    uint32_t node; /* in pnml_net.transition_nodes */
    const pnml_token *takes, *gives;
    uint32_t take_count, give_count;
    const char *binding; /* "x = 1, y = a", or NULL */
} pnml_transition;

/* A place or transition of the file. */
typedef struct pnml_net_node {
    const char *id, *name; /* name: NULL where there is none */
    pnml_pos pos;
    uint32_t first,
        count; /* its places or transitions; count 0: none can ever be marked, or fire */
} pnml_net_node;

/* Zero-initialise with ctx, file (borrowed) and arena.heap set. Everything lives in the arena. */
typedef struct pnml_net {
    om_context *ctx;
    const char *file, *name;
    arena arena;
    pnml_place *places;
    pnml_transition *transitions;
    pnml_net_node *place_nodes, *transition_nodes;
    uint32_t place_count, transition_count, place_node_count, transition_node_count;
} pnml_net;

/* Makes the net of a document that is a P/T net; bounds are not known yet. OM_EINPUT where the
 * weights of parallel arcs come to more than OM_VALUE_MAX; OM_ENOMEM; OM_ELIMIT or OM_ESTOP when
 * stopped. */
int pnml_net_make(pnml_net *net, const pnml_document *d);
void pnml_net_free(pnml_net *net);

#endif
