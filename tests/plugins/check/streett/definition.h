/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition.h: emptiness by the definition, for any acceptance, of a product that is written out
 * (oracle.h, of which only arcs and initial states are looked at): of all sets of marks that a Fin
 * names, take the arcs with them away, and look whether the marks of a component of what is left
 * satisfy the formula. Whatever a cycle does not see is in one of those sets. Shares nothing with
 * the library.
 */
#ifndef OMEN_TESTS_DEFINITION_H
#define OMEN_TESTS_DEFINITION_H

#include "../oracle.h"

/* Do the marks satisfy the formula? (Not om_automaton_accepts_marks().) */
bool definition_holds(const om_acc *f, size_t length, om_marks marks);
/* Is there an accepting run? A formula with 16 different Fin at most. */
bool definition_nonempty(const oracle *o, const om_acc *f, size_t length);
/* Among these states (NULL: all that an initial one reaches): is there a cycle with all marks of
 * `see` and none of `avoid`? */
bool definition_cycle(const oracle *o, const bool *within, om_marks see, om_marks avoid);

#endif
