/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clauses.h: a Streett condition as clauses, each of which every run must satisfy: what has the
 * mark of `fin` for ever has one of `inf` for ever, too (Duret-Lutz, Poitrenaud, Couvreur 2009,
 * Definition 5: `fin` is l, `inf` is u). A clause without `fin` asks for `inf` of every run, so
 * that generalized Buchi is a Streett condition (section 3.3); one without `inf` forbids `fin`.
 */
#ifndef OMEN_CHECK_CLAUSES_H
#define OMEN_CHECK_CLAUSES_H

#include <omen/plugin/automaton.h>

typedef struct clause {
    om_marks fin; /* one mark or none */
    om_marks inf; /* any of these */
} clause;

typedef struct clauses {
    clause *at;
    size_t count;
} clauses;

/* Of a formula that is a conjunction of clauses with one Fin at most each. The caller frees them
 * (clauses_free()), also after a failure. OM_OK, OM_ENOMEM; OM_EUSAGE: it is no such formula. */
int clauses_read(clauses *c, const om_automaton *a, om_context *ctx);
void clauses_free(clauses *c, const om_heap *heap);

/* Does a cycle with exactly these marks satisfy all of them? */
bool clauses_hold(const clauses *c, om_marks marks);
/* The marks of clauses without `inf`. */
om_marks clauses_forbidden(const clauses *c);
/* The marks that no accepting cycle among edges with these marks has: of `fin`, where `inf` is
 * missing (Figure 3, line 39). *hopeless: there is no accepting cycle at all. */
om_marks clauses_unmet(const clauses *c, om_marks marks, bool *hopeless);
/* Evidence for a cycle with these marks, which satisfy the clauses: it must see all of *see, and
 * avoid all of *avoid. */
void clauses_prove(const clauses *c, om_marks marks, om_marks *see, om_marks *avoid);

#endif
