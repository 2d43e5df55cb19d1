/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free_sets.h: acceptance sets whose edges are not known before the product is made, as those of
 * fairness are: there, any edge may turn out to be in any of them.
 *
 * What looks at an automaton (its strength, facts about its sets, a checker that asks whether two
 * sets have the same edges) must not be misled by that, nor need it know. So each edge inside an
 * SCC gets a copy for each free set, which is in it: what can be seen for ever in the automaton is
 * what may be seen in the product. The copies read one more proposition, which is nowhere true, so
 * no product has moves by them.
 */
#ifndef OM_AUTOMATON_FREE_SETS_H
#define OM_AUTOMATON_FREE_SETS_H

#include <omen/plugin/automaton.h>

/*
 * The automaton with so many free sets behind its own, one proposition more (its last one), and its
 * acceptance and `formula`, which is over the free sets, counted from 0. OM_EUNSUPPORTED, with a
 * message, where that is more than 64 propositions or sets; OM_ENOMEM; a stop.
 */
int om_automaton__with_free_sets(const om_automaton *a, om_context *ctx, uint32_t sets,
    const om_acc *formula, size_t length, om_automaton **out);

/*
 * `marked` is what a conversion made of `free`, which om_automaton__with_free_sets() made of an
 * automaton with `own` sets: images[i] are its sets that an edge is in for being in free set i.
 * False where it has other edges: then the conversion has changed more than marks.
 */
bool om_automaton__free_images(
    const om_automaton *free, uint32_t own, const om_automaton *marked, om_marks *images);

/* How many edges an automaton with free sets has, but for those copies. */
uint32_t om_automaton__bound_edges(const om_automaton *free);

#endif
