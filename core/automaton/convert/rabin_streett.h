/* SPDX-License-Identifier: Apache-2.0 */
/* rabin_streett.h: conversions of acceptance that change marks only or add copies of states, and
 * clause counts for the planner, which uses them to choose a conversion. */
#ifndef OM_AUTOMATON_RABIN_STREETT_H
#define OM_AUTOMATON_RABIN_STREETT_H

#include <omen/plugin/automaton.h>

/* Clauses of the acceptance in each of these forms if only marks change; 0 if it has no such
 * form. */
typedef struct om_clause_counts {
    size_t rabin, streett;
} om_clause_counts;

int om_automaton__clauses(const om_automaton *a, om_context *ctx, om_clause_counts *out);

/* Puts one mark on the edges inside accepting SCCs. The automaton must have no strong SCC. */
int om_automaton__mark_sccs(
    const om_automaton *a, om_context *ctx, const om_sccs *sccs, om_automaton **out);
/* Converts a formula without Fin: one set for each clause of its conjunctive normal form. *out
 * stays NULL if there would be too many. */
int om_automaton__mark_clauses(const om_automaton *a, om_context *ctx, om_automaton **out);

/* Begins a conversion by copies: adds the initial states and all edges to `out`. An edge inside a
 * weak or terminal SCC gets all sets, the others get these marks. */
int om_automaton__add_originals(om_automaton *out, const om_automaton *a, const om_sccs *sccs,
    const om_marks *marks, uint32_t sets);

enum { OM_MOST_PENDING = 1 << 16 };
/* Converts to generalized Buchi by copies of the strong SCCs that record which clauses are pending
 * (pending.c). *out stays NULL if a clause has several Fin, if there are more than 64 clauses, or
 * if there are more than `most` states before irrelevant states are removed. */
int om_automaton__pending(
    const om_automaton *a, om_context *ctx, const om_sccs *sccs, uint32_t most, om_automaton **out);

#endif
