/* SPDX-License-Identifier: Apache-2.0 */
/* predicate_lower.h: converts predicates over markings to expressions of a model. */
#ifndef OM_NET_PREDICATE_LOWER_H
#define OM_NET_PREDICATE_LOWER_H

#include <omen/host/predicate.h>

/*
 * Converts the predicate to an expression over a lowered net (om_net_lower()). Parts that the
 * bounds of the places decide become constants. Returns OM_OK, OM_ENOMEM, OM_EUNSUPPORTED if a sum
 * may leave the range of om_value, or the status of om_model_expr_check().
 */
int om_predicate__lower(const om_predicate *p, const om_net *net, om_model *m, om_expr *out);

#endif
