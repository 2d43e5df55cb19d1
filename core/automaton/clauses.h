/* SPDX-License-Identifier: Apache-2.0 */
/* clauses.h: other acceptance for the same states and edges; for conversions, and for the planner,
 * which asks first. */
#ifndef OM_AUTOMATON_CLAUSES_H
#define OM_AUTOMATON_CLAUSES_H

#include <omen/plugin/automaton.h>

/* How many clauses the acceptance has in these forms, where marks alone change; 0: it has none. */
typedef struct om_clause_counts {
    size_t rabin, streett;
} om_clause_counts;

int om_automaton__clauses(const om_automaton *a, om_context *ctx, om_clause_counts *out);

/* One mark on the edges inside SCCs that accept; for automata without strong SCCs. */
int om_automaton__mark_sccs(
    const om_automaton *a, om_context *ctx, const om_sccs *sccs, om_automaton **out);
/* A formula without Fin: a set for each clause of its conjunctive normal form. *out stays NULL
 * where those would be too many. */
int om_automaton__mark_clauses(const om_automaton *a, om_context *ctx, om_automaton **out);

#endif
