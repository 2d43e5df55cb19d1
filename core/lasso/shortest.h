/* SPDX-License-Identifier: Apache-2.0 */
/* shortest.h: what the planner asks for where a counterexample is to be a shortest one. */
#ifndef OM_LASSO_SHORTEST_H
#define OM_LASSO_SHORTEST_H

#include <omen/host/lasso.h>

/*
 * A run of the spec's model that its automaton, which has generalized Buchi acceptance, accepts: a
 * lasso of fewer than `below` states, stem and cycle together, and of as few as there are. `out`,
 * which must be empty, stays so where none was found. *minimal: there is none of fewer states than
 * that in `out` or, where that is empty, than `below`. Else the search was ended: at until_ns (by
 * om_clock_ns()), or by a limit.
 *
 * A search of its own, by one worker, over states of its own; of the spec, what is about workers
 * and where states are kept does not count. The context is for messages and limits. OM_OK;
 * OM_EINTERNAL.
 */
int om_lasso__shortest(om_lasso *out, om_context *ctx, const om_product_spec *spec, size_t below,
    uint64_t until_ns, bool *minimal);

#endif
