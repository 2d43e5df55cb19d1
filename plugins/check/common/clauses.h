/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clauses.h: a Streett condition as clauses, each of which every run must satisfy: a run that sees
 * the mark `fin` infinitely often sees one of `inf` infinitely often, too (Duret-Lutz, Poitrenaud,
 * Couvreur 2009, Definition 5: `fin` is l, `inf` is u). A clause without `fin` demands `inf` of
 * every run, so generalized Buchi is a Streett condition (section 3.3); a clause without `inf`
 * forbids `fin`.
 */
#ifndef OMEN_CHECK_CLAUSES_H
#define OMEN_CHECK_CLAUSES_H

#include <omen/plugin/automaton.h>

typedef struct clause {
    om_marks fin; /* one mark or none */
    om_marks inf; /* any of these marks */
} clause;

typedef struct clauses {
    clause *at;
    size_t count;
} clauses;

/* Reads the clauses of a formula that is a conjunction of clauses with at most one Fin each. The
 * caller frees them with clauses_free(), also after a failure. Returns OM_OK, OM_ENOMEM, or
 * OM_EUSAGE if the formula has another form. */
int clauses_read(clauses *c, const om_automaton *a, om_context *ctx);
void clauses_free(clauses *c, const om_heap *heap);

/* Returns true if a cycle with exactly these marks satisfies all clauses. */
bool clauses_hold(const clauses *c, om_marks marks);
/* Returns the `fin` marks of the clauses without `inf`. */
om_marks clauses_forbidden(const clauses *c);
/* Returns the marks that no accepting cycle among edges with `marks` can have: those of `fin` whose
 * `inf` is missing (Figure 3, line 39). Sets *hopeless if there is no accepting cycle at all. */
om_marks clauses_unmet(const clauses *c, om_marks marks, bool *hopeless);
/* Computes the evidence for a cycle with `marks`, which satisfy the clauses: the cycle must see all
 * of *see and avoid all of *avoid. */
void clauses_prove(const clauses *c, om_marks marks, om_marks *see, om_marks *avoid);

#endif
