/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds.h: upper bounds for the tokens of places, proved from the structure of the net.
 *
 * Every bound follows from equations that hold in every reachable marking (rows.h): if y_p m_p +
 * sum of f_v v = k with y_p > 0 and every f_v >= 0, then m_p is at most k / y_p, because counts of
 * tokens and of firings are at least 0. T. Murata, "Petri nets: properties, analysis and
 * applications", Proc. IEEE 77(4), 1989, sections IV.B and IV.C.5 (invariants), V.A (structural
 * boundedness: y >= 0 with y C <= 0; the least of these bounds for a place is the value of the
 * linear program max m_p, m = m0 + C x, m >= 0, x >= 0).
 */
#ifndef OMEN_NET_BOUNDS_H
#define OMEN_NET_BOUNDS_H

#include <omen/plugin/net.h>

/* Work counters for measurements. */
typedef struct om_net_bound_figures {
    uint64_t flows, invariants, simplex; /* entries of rows visited */
    size_t invariant_count, impossible;  /* impossible: transitions that can never fire */
    uint32_t rounds;
} om_net_bound_figures;
/* As om_net_bound(), and sets *figures; figures may be NULL. */
int om_net__bound_measured(om_net *net, om_net_bound_figures *figures);

#endif
