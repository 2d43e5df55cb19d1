/* SPDX-License-Identifier: Apache-2.0 */
/* part.h: what the planner asks for before it divides an automaton (om_automaton_part()). */
#ifndef OM_AUTOMATON_PART_H
#define OM_AUTOMATON_PART_H

#include <omen/plugin/automaton.h>

/* The same automaton with its states in such an order that its parts give those that they have in
 * common the same numbers (of three parts: most of them). */
int om_automaton__align_parts(const om_automaton *a, om_context *ctx, om_automaton **out);

#endif
