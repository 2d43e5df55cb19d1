/* SPDX-License-Identifier: Apache-2.0 */
/* conversions.h: automata made of other automata, and the words that an automaton accepts. */
#ifndef OMEN_CONVERSIONS_H
#define OMEN_CONVERSIONS_H

#include <omen/plugin/automaton/automaton_form.h>

/* ---- conversions: each creates an automaton with the same language; the caller frees it ---- */

/* Keeps only states that are reachable and can reach an accepting SCC; at least one state. */
OM_API int om_automaton_prune(const om_automaton *a, om_context *ctx, om_automaton **out);
/*
 * The following conversions copy an automaton that already has the target class. They simplify the
 * formula with the marks of the edges inside SCCs. OM_ELIMIT, with a message, if a normal form has
 * more than 4,096 clauses (or takes too much work), or if more than 64 sets would be needed; the
 * status of a stopped context. Any thread.
 */
/* Converts any acceptance to generalized Buchi. If every SCC is weak, or if the formula has no Fin
 * and at most 64 clauses, only the marks change. Otherwise Fin is removed by copies of components,
 * one per disjunct (Bloemen, Duret-Lutz, van de Pol 2019, Proposition 1), or, for a Streett
 * condition, by copies that track the pending clauses if that makes fewer states. */
OM_API int om_automaton_to_generalized_buchi(
    const om_automaton *a, om_context *ctx, om_automaton **out);
typedef enum om_fin_removal {
    OM_FIN_BY_FEWER,     /* the method that makes fewer states */
    OM_FIN_BY_DISJUNCTS, /* one copy per disjunct */
    /* For a Streett condition: one copy per set of pairs whose Fin set was seen but not yet their
     * Inf set (Duret-Lutz, Poitrenaud, Couvreur 2009, section 3.3); q states and n pairs yield at
     * most q * (2^n + 1) states. OM_ELIMIT if it is not a Streett condition, or if there are more
     * than 2^16 states. */
    OM_FIN_BY_PENDING
} om_fin_removal;
/* The same by the given method. */
OM_API int om_automaton_to_generalized_buchi_by(
    const om_automaton *a, om_context *ctx, om_fin_removal how, om_automaton **out);
/* Converts any acceptance to Buchi: conversion to generalized Buchi, then degeneralisation. */
OM_API int om_automaton_to_buchi(const om_automaton *a, om_context *ctx, om_automaton **out);
/* Converts any acceptance to a formula without Fin, a disjunction of generalized Buchi conditions:
 * like the conversion to generalized Buchi, but disjuncts with the same Fin share a copy, and
 * copies that track pending clauses are used only if there are too many disjuncts. */
OM_API int om_automaton_to_fin_less(const om_automaton *a, om_context *ctx, om_automaton **out);
/* Converts any acceptance to generalized Rabin: the disjunctive normal form, with the Fin sets of
 * each clause united (same paper, section 2). States and edges stay, marks change; if there are too
 * many clauses or sets, the conversion goes through generalized Buchi. */
OM_API int om_automaton_to_rabin(const om_automaton *a, om_context *ctx, om_automaton **out);
/* Converts any acceptance to Streett: the conjunctive normal form, with the Inf sets of each clause
 * united. If no clause has several Fin (which marks cannot express as Streett) and the form is not
 * too large, states and edges stay and marks change; otherwise the conversion goes through
 * generalized Buchi. Parity acceptance has both forms. */
OM_API int om_automaton_to_streett(const om_automaton *a, om_context *ctx, om_automaton **out);

/* ---- words ---- */

/* Sets *accepted to true if the word labels[0 .. n-1], with labels[loop .. n-1] repeated for ever,
 * is accepted. Requires loop < n. */
OM_API int om_automaton_accepts_lasso(const om_automaton *a, om_context *ctx,
    const om_label *labels, size_t n, size_t loop, bool *accepted);
/* Sets *empty to true if no word is accepted. Otherwise, if word is not NULL, it receives an
 * accepted word as labels (the caller frees them). */
typedef struct om_word {
    om_label *labels;
    size_t n, loop;
} om_word;
OM_API int om_automaton_empty(const om_automaton *a, om_context *ctx, bool *empty, om_word *word);
/* Computes the synchronous product: the intersection of the two languages. APs are matched by
 * name. */
OM_API int om_automaton_intersection(
    const om_automaton *a, const om_automaton *b, om_context *ctx, om_automaton **out);

#endif
