/* SPDX-License-Identifier: Apache-2.0 */
/* automaton_text.h: automata as text: HOA, never claims, Graphviz. */
#ifndef OMEN_AUTOMATON_TEXT_H
#define OMEN_AUTOMATON_TEXT_H

#include <omen/plugin/automaton/components.h>

/* ---- HOA v1 ---- */

/*
 * Reads one automaton. `which` counts from 1; 0 requires that the file has exactly one. Alternation
 * (universal edges, conjunctions of initial states) is refused. Messages are "file:line:column:
 * ...". text need not be NUL-terminated. The Acceptance: header and the edges define the automaton;
 * acc-name: and properties: headers that contradict them cause a warning.
 */
OM_API int om_hoa_read(om_automaton **out, om_context *ctx, const char *file, const char *text,
    size_t length, uint32_t which);
OM_API int om_hoa_read_file(om_automaton **out, om_context *ctx, const char *path, uint32_t which);
/* Appends the automaton as HOA v1 text that ends with a newline. OM_OK, OM_ENOMEM, or the status of
 * `out`. */
OM_API int om_hoa_write(const om_automaton *a, om_text *out);

/* ---- HOA and never claims (the automata of Promela) ---- */

/*
 * Reads a never claim if the text begins with "never" (after comments and lines that begin with #),
 * otherwise HOA like om_hoa_read(). Claims may contain: if, do, goto, break, labels, else, atomic,
 * assert, skip, blocks, #define of expressions without parameters, and C comments. Expressions are
 * formulas (&& || !) of propositions, which are names and comparisons with their text kept except
 * for redundant blanks: x==3, P[2]:y, P@label, len(q)>1. A run is accepted if the claim terminates,
 * if an assertion fails, or if the run passes a statement with a label that begins with "accept"
 * infinitely often; the result has Buchi acceptance. Messages are "file:line:column: ...".
 * OM_EINPUT; OM_EUNSUPPORTED for Promela that claims do not need; OM_ELIMIT if an expression is too
 * large; OM_ENOMEM; the status of a stopped context.
 */
OM_API int om_automaton_read(om_automaton **out, om_context *ctx, const char *file,
    const char *text, size_t length, uint32_t which);
OM_API int om_automaton_read_file(
    om_automaton **out, om_context *ctx, const char *path, uint32_t which);

/*
 * Appends the automaton as a never claim that om_automaton_read() can read; the propositions are
 * written as expressions. OM_EUNSUPPORTED, with a message, if a proposition cannot occur in a
 * claim; errors of om_automaton_to_buchi() and of `out`.
 */
OM_API int om_never_write(const om_automaton *a, om_context *ctx, om_text *out);

/* ---- Graphviz ---- */

/* Appends the automaton as a graph for Graphviz (dot); if sccs is not NULL, the components are
 * boxes coloured by strength. OM_OK, OM_ENOMEM, or the status of `out`. */
OM_API int om_dot_write(const om_automaton *a, const om_sccs *sccs, om_text *out);

#endif
