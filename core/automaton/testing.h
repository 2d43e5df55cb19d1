/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testing.h: testing automata, for rooms above.
 *
 * Ben Salem, Duret-Lutz, Kordon, "Generalized Buchi automata versus testing automata for model
 * checking", SUMo 2011, section 2.3. A testing automaton reads what changes from one letter to the
 * next, and stays where it is as long as nothing does. Here it is an om_automaton whose labels are
 * over changes: bit i, proposition i is not as it was. Conventions:
 *
 *  T1  There is one initial state. No edge leads to it; those that leave it read the first letter
 *      itself, as if all propositions had been false before. It is none of the paper's states: its
 *      edges are the function U.
 *  T2  The first edge of any other state is its stuttering step: to itself, where nothing changes.
 *      No other edge is labelled so.
 *  T3  Set OM_TESTING_BUCHI has edges that make changes: all that leave a state of F. It may have
 *      some of those that leave a state, too, as transition-based acceptance allows.
 *  T4  Set OM_TESTING_BUSY has all edges that make changes, and the stuttering steps of states that
 *      are not in G. Acceptance is Inf(OM_TESTING_BUCHI) | Fin(OM_TESTING_BUSY): a run accepts that
 *      goes on making changes and passes F infinitely often, or that stutters in G for ever.
 *
 * In a single-pass automaton (Ben Salem, Duret-Lutz, Kordon, "Model checking using generalized
 * testing automata", ToPNoC VI, 2012, section 5) there is one more state, the artificial livelock
 * state. Each edge to a state of G is there once more and leads to it, which has only its
 * stuttering step, in OM_TESTING_BUCHI: acceptance is that set alone.
 */
#ifndef OM_AUTOMATON_TESTING_H
#define OM_AUTOMATON_TESTING_H

#include <omen/plugin/automaton.h>

enum { OM_TESTING_BUCHI = 0, OM_TESTING_BUSY = 1 }; /* acceptance sets */

enum {
    OM_TESTING_OBSERVED = 1u << 0, /* a state knows only propositions that it may look at later */
    OM_TESTING_TRIVIAL = 1u << 1,  /* states on no cycle go to F where that helps (section 2.3) */
    OM_TESTING_MINIMAL = 1u << 2,  /* bisimilar states are one */
    OM_TESTING_BEST = OM_TESTING_OBSERVED | OM_TESTING_TRIVIAL | OM_TESTING_MINIMAL,
    OM_TESTING_SINGLE_PASS = 1u << 3
};

/*
 * The testing automaton of the language of `a`, which must be stutter-invariant: of another one the
 * result accepts something else. `how`: OM_TESTING_... OM_ELIMIT, with a message, where there would
 * be more than 2^21 transitions; what the context's limits say; OM_ENOMEM. The caller's to free.
 * Any thread.
 */
int om_automaton__to_testing(
    const om_automaton *a, om_context *ctx, uint32_t how, om_automaton **out);
bool om_automaton__is_testing(const om_automaton *a);
/* Sizes as the paper has them: states without the initial one, and for each change one transition
 * of its own, without stuttering steps. */
void om_automaton__testing_size(const om_automaton *a, uint32_t *states, uint64_t *transitions);

/* ---- stutter-invariance ---- */

/*
 * Is a language the same when letters are repeated, finitely often each? `complement` accepts the
 * words that `a` does not. OM_ELIMIT, with a message, where the propositions are too many; as
 * above.
 */
int om_automaton__stutter_invariant(
    const om_automaton *a, const om_automaton *complement, om_context *ctx, bool *invariant);
/* The automaton of all other words, of one that is deterministic; *out is NULL where it is not. */
int om_automaton__complement(const om_automaton *a, om_context *ctx, om_automaton **out);
/* Does the text that it was read from declare it stutter-invariant? (HOA's properties:) */
bool om_automaton__declares_stutter_invariant(const om_automaton *a);

/* ---- for the files that do this ---- */

/* The propositions that some edge looks at, as bits. */
om_label om_testing__used(const om_automaton *a);
/* The lowest bits of `dense` go to the places of the bits of `mask`; and back. */
om_label om_testing__deposit(uint64_t dense, om_label mask);
uint64_t om_testing__extract(om_label bits, om_label mask);
/* From T4 to the form for one pass. */
int om_testing__single_pass(const om_automaton *a, om_context *ctx, om_automaton **out);
/* The quotient by the coarsest bisimulation that keeps the initial state apart. `used`: all that
 * labels speak of. Marks of OM_TESTING_BUCHI may be dropped beside an edge that has them. */
int om_testing__minimise(const om_automaton *a, om_context *ctx, om_label used, om_automaton **out);

#endif
