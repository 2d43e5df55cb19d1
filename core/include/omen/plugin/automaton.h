/* SPDX-License-Identifier: Apache-2.0 */
/*
 * automaton.h: transition-based Emerson-Lei omega-automata, as in HOA v1.
 *
 * Edges carry a label (a disjunction of cubes over at most 64 atomic propositions) and marks (the
 * acceptance sets that contain the edge, at most 64). The acceptance condition is a positive
 * Boolean formula of Fin(i) and Inf(i). State-based acceptance becomes transition-based when it is
 * read: the marks of a state move to its outgoing edges.
 */
#ifndef OMEN_AUTOMATON_H
#define OMEN_AUTOMATON_H

#include <omen/plugin/automaton/automaton_form.h>
#include <omen/plugin/automaton/automaton_text.h>
#include <omen/plugin/automaton/components.h>
#include <omen/plugin/automaton/conversions.h>

#endif
