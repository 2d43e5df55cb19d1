/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition.h: emptiness by definition, for any acceptance, of an explicit product (oracle.h, of
 * which only arcs and initial states are used). For every subset of the marks that a Fin names,
 * remove the arcs with these marks; a component of the rest must satisfy the formula with its
 * marks. The Fin marks that an accepting cycle does not see are one of these subsets. Shares
 * nothing with the library.
 */
#ifndef OMEN_TESTS_DEFINITION_H
#define OMEN_TESTS_DEFINITION_H

#include "../oracle.h"

/* Returns true if the marks satisfy the formula. Independent of om_automaton_accepts_marks(). */
bool definition_holds(const om_acc *f, size_t length, om_marks marks);
/* Returns true if there is an accepting run. The formula has at most 16 different Fin. */
bool definition_nonempty(const oracle *o, const om_acc *f, size_t length);
/* Returns true if these states (NULL: all reachable ones) have a cycle with all marks of `see` and
 * none of `avoid`. */
bool definition_cycle(const oracle *o, const bool *within, om_marks see, om_marks avoid);

#endif
