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
#ifndef PNML_BOUNDS_H
#define PNML_BOUNDS_H

#include "net.h"

/*
 * Sets the bound of every place, to PNML_NO_BOUND where none was proved. Takes memory linear in the
 * net, and gives up on what is left when it has done some 10^8 simple steps. OM_ENOMEM; OM_ELIMIT
 * or OM_ESTOP when the context is stopped: bounds that were set until then hold.
 */
int pnml_bounds(pnml_net *net);

/* How often numbers were looked at, for who measures. */
typedef struct pnml_bounds_figures {
    uint64_t flows, invariants, simplex; /* entries of rows looked at */
    size_t invariant_count, impossible;  /* transitions that can never fire */
    uint32_t rounds;
} pnml_bounds_figures;
/* The same; figures may be NULL. */
int pnml_bounds_measured(pnml_net *net, pnml_bounds_figures *figures);

#endif
