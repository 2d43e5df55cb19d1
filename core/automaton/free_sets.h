/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free_sets.h: acceptance sets whose edges are unknown until the product is built, such as those of
 * fairness: in the product, any edge may be in any of them.
 *
 * Analyses of an automaton (strength, facts about sets, a checker that tests whether two sets have
 * the same edges) must stay correct without special cases for free sets. So each edge inside an SCC
 * gets a copy for each free set, which is in that set: the automaton then shows infinitely often
 * all that the product may show. The copies read one more proposition, which is always false, so no
 * product has moves by them.
 */
#ifndef OM_AUTOMATON_FREE_SETS_H
#define OM_AUTOMATON_FREE_SETS_H

#include <omen/plugin/automaton.h>

/*
 * Creates the automaton with `sets` free sets after its own sets, one more proposition (its last
 * one), and the conjunction of its acceptance and `formula`. `formula` is over the free sets,
 * counted from 0. Returns OM_EUNSUPPORTED, with a message, if the result needs more than 64
 * propositions or sets; OM_ENOMEM; or a stop.
 */
int om_automaton__with_free_sets(const om_automaton *a, om_context *ctx, uint32_t sets,
    const om_acc *formula, size_t length, om_automaton **out);

/*
 * `free` is the result of om_automaton__with_free_sets() for an automaton with `own` sets, and
 * `marked` the result of a conversion of `free`. images[i] becomes the sets of `marked` that an
 * edge is in because it is in free set i. Returns false if `marked` has other edges: then the
 * conversion has changed more than marks.
 */
bool om_automaton__free_images(
    const om_automaton *free, uint32_t own, const om_automaton *marked, om_marks *images);

/* Returns the number of edges of an automaton with free sets, without those copies. */
uint32_t om_automaton__bound_edges(const om_automaton *free);

#endif
