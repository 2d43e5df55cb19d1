/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inf_clauses.h: acceptance without Fin, as a checker by components tests it: Bloemen, Duret-Lutz,
 * van de Pol, "Explicit state model checking with generalized Buchi and Rabin automata", STTT 2019,
 * section 2 (Fin-less acceptance). A component accepts if it has edges of all sets of one of the
 * clauses. A partial component only gains marks, so it is known to accept as soon as one clause is
 * met. Generalized Buchi acceptance is one clause of all sets.
 *
 * If there would be more clauses than the formula is long, the formula itself is evaluated.
 *
 * Names here are private to the plug-in. The clauses do not change between inf_clauses_read() and
 * inf_clauses_free(), so any thread may read them.
 */
#ifndef OMEN_CHECK_INF_CLAUSES_H
#define OMEN_CHECK_INF_CLAUSES_H

#include <omen/plugin/check.h>

#include <assert.h>

#define INF_CLAUSES_ACCEPTANCE \
    ((uint32_t) OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI | OM_ACCEPT_FIN_LESS)

typedef struct inf_clauses {
    /* Marks that every clause needs: a component that lacks one of them does not accept. For
     * generalized Buchi acceptance these are the whole condition; otherwise they usually suffice to
     * reject. */
    om_marks common;
    const om_marks *see;
    size_t count;
    const om_automaton *formula; /* NULL if there are clauses */
    om_marks *owned;
} inf_clauses;

/* Returns clauses that borrow the array `see`, which must outlive them. */
static inline inf_clauses inf_clauses_of(const om_marks *see, size_t count)
{
    inf_clauses c = { .common = UINT64_MAX, .see = see, .count = count };
    for (size_t i = 0; i < count; i++)
        c.common &= see[i];
    return c;
}

/* Reads the clauses of the task's automaton. The caller frees *out* in any case. Returns OM_OK;
 * OM_EUNSUPPORTED, with a message, if the acceptance has a Fin; OM_ENOMEM; or the error of a limit
 * of the context. */
static inline int inf_clauses_read(inf_clauses *out, const om_task *task)
{
    const om_automaton *a = om_task_automaton(task);
    const om_marks all = om_task_all_marks(task);
    size_t length = 0, count = 0;
    (void) om_automaton_acceptance(a, &length);
    int rc = om_automaton_inf_clauses(a, om_task_context(task), length, &out->owned, &count);
    if (rc != OM_OK)
        return rc;
    *out = (inf_clauses){ .see = out->owned, .count = count, .owned = out->owned };
    if (out->owned == NULL)
        out->formula = a;
    for (om_marks rest = all; rest != 0; rest &= rest - 1)
        if (!om_automaton_accepts_marks(a, all & ~(rest & -rest)))
            out->common |= rest & -rest;
    return OM_OK;
}

static inline void inf_clauses_free(inf_clauses *c, const om_heap *heap)
{
    om_free(heap, c->owned);
    *c = (inf_clauses){ .owned = NULL };
}

/* Not inline: for generalized Buchi acceptance it is called once, for the component that
 * accepts. */
static __attribute__((noinline, unused)) bool inf_clauses_any(const inf_clauses *c, om_marks marks)
{
    if (c->formula != NULL)
        return om_automaton_accepts_marks(c->formula, marks);
    for (size_t i = 0; i < c->count; i++)
        if ((c->see[i] & ~marks) == 0)
            return true;
    return false;
}

/* Returns true if a component that has edges with these marks accepts. */
static inline bool inf_clauses_met(const inf_clauses *c, om_marks marks)
{
    return (c->common & ~marks) == 0 && inf_clauses_any(c, marks);
}

/* Returns the marks that a cycle must see in a component that accepts with these marks
 * (om_evidence.see): the smallest clause that is met or, for a formula, a set from which no mark
 * can be removed. */
static inline om_marks inf_clauses_see(const inf_clauses *c, om_marks marks)
{
    om_marks see = marks;
    assert(inf_clauses_met(c, marks));
    for (om_marks rest = c->formula == NULL ? 0 : marks; rest != 0; rest &= rest - 1)
        if (om_automaton_accepts_marks(c->formula, see & ~(rest & -rest)))
            see &= ~(rest & -rest);
    for (size_t i = 0; i < c->count; i++)
        if ((c->see[i] & ~marks) == 0 &&
            __builtin_popcountll(c->see[i]) <= __builtin_popcountll(see))
            see = c->see[i];
    assert((see & ~marks) == 0 && inf_clauses_met(c, see));
    return see;
}

#endif
