/* SPDX-License-Identifier: Apache-2.0 */
/* net_model.h: a Petri net with predicates, as a model that a plan takes. */
#ifndef OMEN_NET_MODEL_H
#define OMEN_NET_MODEL_H

#include <omen/host/predicate.h>
#include <omen/plugin/frontend.h>

/*
 * A finished model of a net whose places have bounds (om_net_bound()): place i is slot i,
 * transition i is transition i. Its expressions, for om_net_model_frontend(), are p0, p1, ...: the
 * predicates. Net and predicates are borrowed, and outlive the model. OM_ENOMEM; OM_ELIMIT;
 * OM_ESTOP.
 */
OM_API int om_net_model_new(om_model **out, const om_net *net, const char *name,
    const om_predicate *const *predicates, size_t count);

/* Reads the expressions of models that om_net_model_new() has made, and nothing else. */
OM_API const om_frontend *om_net_model_frontend(void);

#endif
