/* SPDX-License-Identifier: Apache-2.0 */
/* proofs.h: what om_net_bound() is made of. Each lowers bounds that it proves too high, and returns
 * OM_OK, OM_ENOMEM, or OM_ELIMIT or OM_ESTOP when the context is stopped. */
#ifndef OMEN_NET_PROOFS_H
#define OMEN_NET_PROOFS_H

#include "bounds.h"
#include "invariants.h"
#include "rows.h"

/* tokens: no more than this; at least 0. */
static inline bool om_net__lower_bound_to(om_net_place *p, int64_t tokens)
{
    if (tokens >= p->bound)
        return false;
    p->bound = (om_value) tokens;
    return true;
}

/* Is there a place that may have more than a token, and more than at first? What is left then is to
 * prove that places which look as if they can be marked cannot: seldom so, and saves one bit. */
bool om_net__has_more_to_prove(const om_net *net);

/* Which transitions may fire (possible[t]), given what bounds are known; places that can never be
 * marked have bound 0, and those that nothing adds to what they had first. */
int om_net__possible(om_net *net, bool *possible);

/* If the row bounds places (none of its factors is negative): lowers their bounds. */
bool om_net__bound_by_row(om_net *net, const om_net_rows *m, uint32_t row);

/* Weighted sums that never grow, by elimination without growth of the number of rows. */
int om_net__bound_by_flows(om_net *net, const om_net_changes *changes, uint64_t *work);

/* By the invariants, and the bounds of the other places in them, until nothing changes. */
int om_net__bound_by_invariants(om_net *net, const om_net_invariants *invariants);

/* The best bound that equations give, place by place: linear programs. */
int om_net__bound_by_programs(om_net *net, const om_net_changes *changes, uint64_t *work);

#endif
