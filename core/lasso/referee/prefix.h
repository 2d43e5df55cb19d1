/* SPDX-License-Identifier: Apache-2.0 */
/* prefix.h: bad prefixes: the point of a run after which its property is violated for good. */
#ifndef OM_LASSO_PREFIX_H
#define OM_LASSO_PREFIX_H

#include <omen/host/lasso.h>

/*
 * Sets *states to om_lasso.bad_prefix for this run of the obligation's model: the minimum number of
 * states such that every run that begins with them violates the formula, or is accepted by the
 * automaton of forbidden runs. "Run" means a word over all labels, whether or not the model can
 * produce it. For a formula the function uses obligation->allowed and is exact. For an automaton
 * the result is exact or 0, which may mean "unknown". OM_OK; OM_ENOMEM; OM_EINPUT if a proposition
 * cannot be evaluated; a stop.
 */
int om_lasso__bad_prefix(
    om_context *ctx, const om_lasso *l, const om_obligation *obligation, size_t *states);

#endif
