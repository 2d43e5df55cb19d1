/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.h: a net as a model of guarded commands.
 *
 * Place i is slot i, and transition i is transition i. A place with a bound has a slot that holds
 * 0 .. bound and no more. One without has 32 bits, and an assertion that it has no more tokens than
 * those can count: the states from which on it is false are faults, so no wrong count is ever seen.
 */
#ifndef PNML_LOWER_H
#define PNML_LOWER_H

#include "net.h"

/* Adds slots, transitions and assertions to a new model. */
int pnml_lower(const pnml_net *net, om_model *m);

/* Are there enough tokens for the transition? 0 on failure, which the model remembers. */
om_expr pnml_enabled(const pnml_net *net, om_model *m, uint32_t transition);

/* What joins n > 0 expressions by an associative operator, as a tree that is as low as can be; 0 on
 * failure. The list is overwritten. */
om_expr pnml_join(om_model *m, om_op op, om_expr *list, size_t n);

#endif
