/* SPDX-License-Identifier: Apache-2.0 */
/* shortest_lasso.h: searches for shortest counterexamples, for the planner. */
#ifndef OM_LASSO_SHORTEST_LASSO_H
#define OM_LASSO_SHORTEST_LASSO_H

#include <omen/host/lasso.h>

/*
 * Finds a run of the spec's model that its automaton, which has generalized Buchi acceptance,
 * accepts: a lasso with the minimum number of states, stem and cycle together, below `below`. `out`
 * must be empty, and stays empty if none is found. *minimal: no accepted lasso has fewer states
 * than `out`, or fewer than `below` if `out` is empty. Otherwise the search ended early, at
 * until_ns (by om_clock_ns()) or by a limit.
 *
 * This is a separate search by one worker over its own states; it ignores the parts of the spec
 * about workers and storage. The context is for messages and limits. OM_OK; OM_EINTERNAL.
 */
int om_lasso__shortest(om_lasso *out, om_context *ctx, const om_product_spec *spec, size_t below,
    uint64_t until_ns, bool *minimal);

#endif
