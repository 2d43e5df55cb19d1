/* SPDX-License-Identifier: Apache-2.0 */
/* part.h: preparation of an automaton that the planner divides with om_automaton_part(). */
#ifndef OM_AUTOMATON_PART_H
#define OM_AUTOMATON_PART_H

#include <omen/plugin/automaton.h>

/* Creates the same automaton with its states reordered, so that its parts give the same numbers to
 * the states that they have in common (with three parts: to most of them). */
int om_automaton__align_parts(const om_automaton *a, om_context *ctx, om_automaton **out);

#endif
