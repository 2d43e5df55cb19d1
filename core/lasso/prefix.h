/* SPDX-License-Identifier: Apache-2.0 */
/* prefix.h: where a run has violated its property for good. */
#ifndef OM_LASSO_PREFIX_H
#define OM_LASSO_PREFIX_H

#include <omen/host/lasso.h>

/*
 * *states becomes what om_lasso.bad_prefix says of this run of the obligation's model: the least
 * number of states such that every run that begins with them violates the formula, or is accepted
 * by the automaton of forbidden runs. Words are meant, over all labels, whatever the model can do.
 * For a formula it takes obligation->allowed, and it is exact. For an automaton it is exact or 0: 0
 * may mean that it was not found out. OM_OK; OM_ENOMEM; OM_EINPUT where a proposition cannot be
 * evaluated; a stop.
 */
int om_lasso__bad_prefix(
    om_context *ctx, const om_lasso *l, const om_obligation *obligation, size_t *states);

#endif
