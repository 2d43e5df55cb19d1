/* SPDX-License-Identifier: Apache-2.0 */
/* visible.h: automata that do not see every state of a model, for rooms above. */
#ifndef OM_AUTOMATON_VISIBLE_H
#define OM_AUTOMATON_VISIBLE_H

#include <omen/plugin/automaton.h>

/*
 * The automaton of the words that `a` accepts once the letters without the new proposition `ap`,
 * its last one, are taken out. A word with finitely many letters left is accepted where a run of
 * `a` over those ends in a weak or terminal component (without Fin; with it, in a terminal one).
 * OM_EUNSUPPORTED, with a message: there are 64 propositions, or sets, already; OM_ENOMEM; what the
 * context's limits say. The caller's to free. Any thread.
 */
int om_automaton__visible(
    const om_automaton *a, om_context *ctx, const char *ap, om_automaton **out);

#endif
