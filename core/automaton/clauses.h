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

/* What conversions by copies begin with: the initial states, and all edges with these marks, but
 * those inside weak SCCs with all sets. */
int om_automaton__add_originals(om_automaton *out, const om_automaton *a, const om_sccs *sccs,
    const om_marks *marks, uint32_t sets);

enum { OM_MOST_PENDING = 1 << 16 };
/* Generalized Buchi by copies of the strong SCCs that know which clauses are pending (pending.c).
 * *out stays NULL where a clause has several Fin, where there are more than 64, or more than `most`
 * states before those that do not matter are left out. */
int om_automaton__pending(
    const om_automaton *a, om_context *ctx, const om_sccs *sccs, uint32_t most, om_automaton **out);

#endif
