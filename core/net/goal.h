/* SPDX-License-Identifier: Apache-2.0 */
/* goal.h: the distance of a marking from a goal, and the effect of a firing on it. */
#ifndef OM_NET_GOAL_H
#define OM_NET_GOAL_H

#include "firing.h"

#include <omen/host/walk.h>

/* Returns the sum of factor * tokens. */
om_wide om_net_goal__sum(const om_net_term *terms, uint32_t count, const om_value *marking);

/* Returns the distance of the marking from the goal. For a predicate, this is the number of tokens
 * that its inequalities lack (their sum for "and", the least for "or"), and 0 if it holds. For a
 * sum, it is the negated sum. */
om_wide om_net_goal__distance(const om_walk_goal *g, const om_value *marking);

/* Sets seen[place] for all places that the distance depends on. */
void om_net_goal__places(const om_walk_goal *g, uint8_t *seen);

/* Fires a transition on a marking and stores the tokens that the changed places had in `before`
 * (indexed by place). Returns false if a count would be too large; then nothing has changed. */
bool om_net_goal__try(const om_net_transition *t, om_value *marking, om_value *before);
/* Restores the marking after om_net_goal__try() returned true. */
void om_net_goal__undo(const om_net_transition *t, om_value *marking, const om_value *before);

#endif
