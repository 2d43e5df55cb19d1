/* SPDX-License-Identifier: Apache-2.0 */
/* proofs.h: the steps of om_net_bound(). Each lowers bounds that it proves too high, and returns
 * OM_OK, OM_ENOMEM, or OM_ELIMIT or OM_ESTOP if the context is stopped. */
#ifndef OMEN_NET_PROOFS_H
#define OMEN_NET_PROOFS_H

#include "bounds.h"
#include "invariants.h"
#include "rows.h"

/* Lowers the bound of a place to `tokens` >= 0. Returns true if it was higher. */
static inline bool om_net__lower_bound_to(om_net_place *p, int64_t tokens)
{
    if (tokens >= p->bound)
        return false;
    p->bound = (om_value) tokens;
    return true;
}

/* Returns true if a place may have more than one token, and more than initially. Otherwise the only
 * remaining task is to prove that places that seem markable are not: rarely the case, and it saves
 * one bit. */
bool om_net__has_more_to_prove(const om_net *net);

/* Finds the transitions that may fire (possible[t]), given the known bounds. Sets the bounds of
 * places that can never be marked to 0, and of places that no transition adds to, to their initial
 * tokens. */
int om_net__possible(om_net *net, bool *possible);

/* Lowers the bounds of the row's places if no factor of the row is negative. Returns true if a
 * bound was lowered. */
bool om_net__bound_by_row(om_net *net, const om_net_rows *m, uint32_t row);

/* Uses weighted sums that never grow, by elimination that does not increase the number of rows. */
int om_net__bound_by_flows(om_net *net, const om_net_changes *changes, uint64_t *work);

/* Uses the invariants, and the bounds of the other places in them, until nothing changes. */
int om_net__bound_by_invariants(om_net *net, const om_net_invariants *invariants);

/* Finds the best bound that the equations imply, place by place, by linear programs. */
int om_net__bound_by_programs(om_net *net, const om_net_changes *changes, uint64_t *work);

#endif
