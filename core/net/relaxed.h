/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relaxed.h: the distance of a marking from a goal if firings removed no tokens.
 *
 * The cost of a transition is 1 plus the costs of the tokens that it lacks; that of a token on a
 * place is the least cost of a transition that adds tokens to it. This is the additive heuristic of
 * planning (Bonet and Geffner, "Planning as heuristic search", Artificial Intelligence 129, 2001,
 * section 4), for places with numbers of tokens. In the same way, a place has the cost of removing
 * a token. Limits and resets are ignored.
 */
#ifndef OM_NET_RELAXED_H
#define OM_NET_RELAXED_H

#include "goal.h"

/* The distance from a goal that cannot be reached, not even if firings removed no tokens */
#define OM_NET_UNREACHABLE (INT64_C(1) << 40)

typedef struct om_net_queued {
    om_wide cost;
    uint32_t place;
} om_net_queued;

typedef struct om_net_relaxed {
    const om_net_firing *firing; /* borrowed, for its index of takers */
    om_wide *add, *remove;       /* by place: the cost of one token more, or less */
    om_wide *cost;               /* by transition */
    uint32_t *missing;    /* by transition: the places that lack tokens, without a cost yet */
    om_net_queued *queue; /* a heap; cheaper entries of a place make older ones void */
    size_t queue_count, queue_room;
} om_net_relaxed;

/* Opens the computation for the firing's net. Call om_net_relaxed__close() in any case. OM_OK or
 * OM_ENOMEM. */
int om_net_relaxed__open(om_net_relaxed *r, const om_net_firing *f);
void om_net_relaxed__close(om_net_relaxed *r);
/* Returns the distance of the marking; for a sum, that of any larger value. 0: the predicate holds;
 * at most OM_NET_UNREACHABLE; less than 0: memory ran out. */
om_wide om_net_relaxed__distance(om_net_relaxed *r, const om_walk_goal *g, const om_value *marking);

#endif
