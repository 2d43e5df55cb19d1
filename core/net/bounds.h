/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds.h: how many tokens a place can come to hold, proved from the structure of the net.
 *
 * Every bound follows from equations that hold in every reachable marking (rows.h): where
 * y_p m_p + sum of f_v v = k with y_p > 0 and every f_v >= 0, counts of tokens and of firings being
 * no less than 0, m_p is at most k / y_p. T. Murata, "Petri nets: properties, analysis and
 * applications", Proc. IEEE 77(4), 1989, sections IV.B and IV.C.5 (invariants), V.A (structural
 * boundedness: y >= 0 with y C <= 0; the least of these bounds for a place is what the linear
 * program max m_p, m = m0 + C x, m >= 0, x >= 0 comes to).
 */
#ifndef OMEN_NET_BOUNDS_H
#define OMEN_NET_BOUNDS_H

#include <omen/plugin/net.h>

/* How often numbers were looked at, for who measures. */
typedef struct om_net_bound_figures {
    uint64_t flows, invariants, simplex; /* entries of rows looked at */
    size_t invariant_count, impossible;  /* transitions that can never fire */
    uint32_t rounds;
} om_net_bound_figures;
/* om_net_bound(); figures may be NULL. */
int om_net__bound_measured(om_net *net, om_net_bound_figures *figures);

#endif
