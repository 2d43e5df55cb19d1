/* SPDX-License-Identifier: Apache-2.0 */
/* predicate_lower.h: predicates over markings as expressions of a model. */
#ifndef OM_NET_PREDICATE_LOWER_H
#define OM_NET_PREDICATE_LOWER_H

#include <omen/host/predicate.h>

/*
 * The predicate as an expression over a lowered net (om_net_lower()); what the bounds of the places
 * decide is constant there. OM_OK; OM_ENOMEM; OM_EUNSUPPORTED where a sum may leave the range of
 * om_value; what om_model_expr_check() says.
 */
int om_predicate__lower(const om_predicate *p, const om_net *net, om_model *m, om_expr *out);

#endif
