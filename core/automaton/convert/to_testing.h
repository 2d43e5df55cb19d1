/* SPDX-License-Identifier: Apache-2.0 */
/*
 * to_testing.h: testing automata; internal interface for other modules of core.
 *
 * Ben Salem, Duret-Lutz, Kordon, "Generalized Buchi automata versus testing automata for model
 * checking", SUMo 2011, section 2.3. A testing automaton reads the propositions that change from
 * one letter to the next, and stays in its state as long as none changes. Here it is an
 * om_automaton whose labels are over changes: bit i is set if proposition i has changed.
 * Conventions:
 *
 *  T1  There is one initial state. No edge leads to it; the edges that leave it read the first
 *      letter itself, as if all propositions had been false before. It is not a state of the paper:
 *      its edges are the function U.
 *  T2  The first edge of any other state is its stuttering step: a self-loop whose label is "no
 *      change". No other edge has this label.
 *  T3  Set OM_TESTING_BUCHI contains all edges that make changes and leave a state of F. It may
 *      also contain only some of the edges that leave a state, as transition-based acceptance
 *      allows.
 *  T4  Set OM_TESTING_BUSY contains all edges that make changes, and the stuttering steps of states
 *      that are not in G. Acceptance is Inf(OM_TESTING_BUCHI) | Fin(OM_TESTING_BUSY): a run accepts
 *      if it makes changes infinitely often and passes F infinitely often, or if it stutters in G
 *      forever.
 *
 * A single-pass automaton (Ben Salem, Duret-Lutz, Kordon, "Model checking using generalized testing
 * automata", ToPNoC VI, 2012, section 5) has one more state, the artificial livelock state. Each
 * edge to a state of G is duplicated with the livelock state as its target. The only edge of the
 * livelock state is its stuttering step, which is in OM_TESTING_BUCHI; acceptance is that set
 * alone.
 */
#ifndef OM_AUTOMATON_TO_TESTING_H
#define OM_AUTOMATON_TO_TESTING_H

#include <omen/plugin/automaton.h>

enum { OM_TESTING_BUCHI = 0, OM_TESTING_BUSY = 1 }; /* acceptance sets */

enum {
    OM_TESTING_OBSERVED = 1u << 0, /* a state knows only propositions that a later edge may read */
    OM_TESTING_TRIVIAL = 1u << 1,  /* states on no cycle join F if that helps (section 2.3) */
    OM_TESTING_MINIMAL = 1u << 2,  /* bisimilar states are merged */
    OM_TESTING_BEST = OM_TESTING_OBSERVED | OM_TESTING_TRIVIAL | OM_TESTING_MINIMAL,
    OM_TESTING_SINGLE_PASS = 1u << 3
};

/*
 * Creates the testing automaton of the language of `a`, which must be stutter-invariant; otherwise
 * the result accepts another language. `how`: OM_TESTING_... Returns OM_ELIMIT, with a message, if
 * there would be more than 2^21 transitions; a status of the context's limits; or OM_ENOMEM. The
 * caller frees *out. Any thread.
 */
int om_automaton__to_testing(
    const om_automaton *a, om_context *ctx, uint32_t how, om_automaton **out);
bool om_automaton__is_testing(const om_automaton *a);
/* Gives the sizes as the paper counts them: states without the initial one, and one transition for
 * each change, without stuttering steps. */
void om_automaton__testing_size(const om_automaton *a, uint32_t *states, uint64_t *transitions);

/* ---- stutter invariance ---- */

/*
 * Sets *invariant to true if the language is closed under repetition of letters, finitely often
 * each, and under its inverse. `complement` accepts the words that `a` does not. Returns OM_ELIMIT,
 * with a message, if there are too many propositions; otherwise as above.
 */
int om_automaton__stutter_invariant(
    const om_automaton *a, const om_automaton *complement, om_context *ctx, bool *invariant);
/* Returns true if a word may have the letter. */
typedef bool om_letter_fn(const void *self, om_label letter);
/* Sets *repeats to true if the form of the automaton shows that the language is closed in this way,
 * in words of possible letters (NULL: of all). False: that is not known. OM_OK, OM_ENOMEM, or the
 * status of a limit. */
int om_automaton__repeats(const om_automaton *a, om_context *ctx, om_letter_fn *possible,
    const void *self, bool *repeats);
/* Creates the automaton of all other words. *out is NULL if `a` is not deterministic or has 64
 * acceptance sets. */
int om_automaton__complement(const om_automaton *a, om_context *ctx, om_automaton **out);
/* Returns true if the automaton's text declares it stutter-invariant (HOA's properties:). */
bool om_automaton__declares_stutter_invariant(const om_automaton *a);

/* ---- shared by the files of this folder ---- */

/* Returns the propositions that some edge reads, as bits. */
om_label om_testing__used(const om_automaton *a);
/* Scatters the lowest bits of `dense` to the bit positions of `mask`, and the inverse. */
om_label om_testing__deposit(uint64_t dense, om_label mask);
uint64_t om_testing__extract(om_label bits, om_label mask);
/* Converts an automaton with acceptance T4 to the single-pass form. */
int om_testing__single_pass(const om_automaton *a, om_context *ctx, om_automaton **out);
/* Creates the quotient by the coarsest bisimulation that keeps the initial state apart. `used`: all
 * propositions in labels. A transition without OM_TESTING_BUCHI is dropped beside one with it. */
int om_testing__minimise(const om_automaton *a, om_context *ctx, om_label used, om_automaton **out);

#endif
