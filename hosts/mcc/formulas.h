/* SPDX-License-Identifier: Apache-2.0 */
/*
 * formulas.h: formulas of the contest's properties.
 *
 *  F1  An MCC_ATOM has no arguments, MCC_AND and MCC_OR at least two, MCC_UNTIL two, others one.
 *  F2  Formulas of a target name its predicates by their index.
 */
#ifndef OMEN_MCC_FORMULAS_H
#define OMEN_MCC_FORMULAS_H

#include "net_target.h"

/* Make formulas in the region; NULL if memory runs out. Constants are propagated, and subformulas
 * without temporal operators become predicates. */
const mcc_formula *mcc_formula_atom(om_region *r, const om_predicate *p);
const mcc_formula *mcc_formula_make(
    om_region *r, mcc_kind kind, const mcc_formula *const *args, uint32_t count);
/* Simplifies the formula by the least and the most tokens of the net's places. */
const mcc_formula *mcc_formula_bounded(mcc *m, const mcc_formula *f);
/* Returns the number of connectives. */
size_t mcc_formula_size(const mcc_formula *f);
/* Returns true if the formula has a "next", so that the number of repetitions of a marking
 * matters. */
bool mcc_formula_counts_steps(const mcc_formula *f);
/* Writes the formula over p0, p1, ...: predicates of the target, to which new ones are added.
 * OM_OK, OM_ENOMEM. */
int mcc_formula_put(mcc *m, mcc_target *t, const mcc_formula *f, om_text *out);

#endif
