/* SPDX-License-Identifier: Apache-2.0 */
/* net_model.h: a Petri net with predicates, as a model for a plan. */
#ifndef OMEN_NET_MODEL_H
#define OMEN_NET_MODEL_H

#include <omen/host/predicate.h>
#include <omen/plugin/frontend.h>

/*
 * Creates a finished model of a net whose places have bounds (om_net_bound()): place i is slot i,
 * transition i is transition i. The expressions p0, p1, ... of om_net_model_frontend() are the
 * predicates. Net and predicates are borrowed and must outlive the model. OM_ENOMEM; OM_ELIMIT;
 * OM_ESTOP.
 */
OM_API int om_net_model_new(om_model **out, const om_net *net, const char *name,
    const om_predicate *const *predicates, size_t count);

/* Returns the front end that reads expressions of models made by om_net_model_new(), and nothing
 * else. */
OM_API const om_frontend *om_net_model_frontend(void);

#endif
