/* SPDX-License-Identifier: Apache-2.0 */
/* visible.h: automata that ignore some states of a model; for other modules of core. */
#ifndef OM_AUTOMATON_VISIBLE_H
#define OM_AUTOMATON_VISIBLE_H

#include <omen/plugin/automaton.h>

/*
 * Creates the automaton of the words that `a` accepts after the letters without the new proposition
 * `ap`, its last one, are removed. A word with finitely many letters left is accepted if a run of
 * `a` over them ends in a weak or terminal component (if the formula has a Fin: in a terminal one).
 * Returns OM_EUNSUPPORTED, with a message, if there are 64 propositions or sets already; OM_ENOMEM;
 * or a status of the context's limits. The caller frees *out. Any thread.
 */
int om_automaton__visible(
    const om_automaton *a, om_context *ctx, const char *ap, om_automaton **out);

#endif
