/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stutter invariance of a property. Testing automata (schedule/testing_automaton.c), statement
 * merging and partial order reduction, which leave states out, are unsound for a property that
 * counts steps.
 */
#include "target.h"

#include "convert/to_testing.h"
#include "next.h"
#include "plan_devices.h"

/* Maximum number of states of an automaton that is complemented without a request of the user */
enum { SMALL = 64 };

/* Makes the automaton of all runs that are not forbidden; NULL if there is no way to make it. */
static int complement(const om_plan *p, const om_target *t, om_automaton **out)
{
    *out = NULL;
    return t->ltl == NULL ? om_automaton__complement(t->automaton, p->ctx, out)
                          : om_translate(p->ctx, p->registry, t->options->translator, t->ltl,
                                t->obligation.formula, out);
}

/* ---- propositions that have to do with each other ---- */

enum { MOST_FACTS = 64 };

/* The conjuncts of the propositions, and of their negations, as *facts*, each with a bit. Equal
 * expressions are one node (core/model/form/form.h). */
typedef struct facts {
    om_model *m;
    uint32_t ap_count;
    om_expr at[MOST_FACTS];
    uint64_t denied[MOST_FACTS]; /* by fact: the facts that its negation consists of */
    uint64_t of[64];             /* by proposition: its facts; 0: nothing is known of it */
    uint32_t count;
    bool full;
} facts;

/* Returns the facts of an expression; adds those that are new. */
static uint64_t facts_of(facts *f, om_expr e)
{
    const om_node n = *om_model_node(f->m, e);
    uint32_t i = 0;
    if (n.op == OM_OP_AND)
        return facts_of(f, n.a) | facts_of(f, n.b);
    while (i < f->count && f->at[i] != e)
        i++;
    f->full = f->full || i == MOST_FACTS;
    if (f->full)
        return 0;
    f->at[i] = e;
    f->count += i == f->count;
    return UINT64_C(1) << i;
}

static int find_facts(facts *f, const om_target *t)
{
    f->ap_count = t->ap_count;
    for (uint32_t i = 0; i < t->ap_count; i++)
        if (t->aps[i] != 0 && i != t->deadlock_ap)
            f->of[i] = facts_of(f, t->aps[i]);
    for (uint32_t i = 0; i < f->count; i++) /* the negation of a new one is known */
        f->denied[i] = facts_of(f, om_expr_unary(f->m, OM_OP_NOT, f->at[i]));
    return om_model_expr_check(f->m, NULL);
}

/* Adds the facts that must hold because these hold and a proposition is false: if one of its facts
 * is left, the negation of that. Returns false if none is left. */
static bool add_denied(const facts *f, uint64_t of, uint64_t *hold)
{
    const uint64_t left = of & ~*hold;
    if (left != 0 && (left & (left - 1)) == 0)
        *hold |= f->denied[__builtin_ctzll(left)];
    return left != 0;
}

/* Returns true unless these propositions cannot be the ones that hold in a state. */
static bool is_possible(const void *self, om_label label)
{
    const facts *f = self;
    uint64_t hold = 0, before = 1;
    if (f->full)
        return true;
    for (uint32_t i = 0; i < f->ap_count; i++)
        hold |= (label >> i & 1) != 0 ? f->of[i] : 0;
    while (hold != before) {
        before = hold;
        for (uint32_t i = 0; i < f->ap_count; i++)
            if ((label >> i & 1) == 0 && f->of[i] != 0 && !add_denied(f, f->of[i], &hold))
                return false;
    }
    for (uint32_t i = 0; i < f->count; i++)
        if ((hold >> i & 1) != 0 && f->denied[i] != 0 && (f->denied[i] & ~hold) == 0)
            return false;
    return true;
}

/* Sets *out if the form of the automaton says that it is stutter-invariant. */
static int look_at_form(const om_plan *p, const om_target *t, om_stuttering *out)
{
    facts f = { .m = p->model };
    bool repeats = false;
    int rc = find_facts(&f, t);
    if (rc == OM_OK)
        rc = om_automaton__repeats(t->automaton, p->ctx, is_possible, &f, &repeats);
    *out = repeats ? OM_STUTTER_INVARIANT : *out;
    return rc;
}

/* Sets *out by the complement, or by the declaration if there is no way to make one. */
static int stutter_by_complement(const om_plan *p, const om_target *t, om_stuttering *out)
{
    om_automaton *others = NULL;
    bool invariant = false;
    int rc = complement(p, t, &others);
    if (rc == OM_OK && others != NULL)
        rc = om_automaton__stutter_invariant(t->automaton, others, p->ctx, &invariant);
    *out = invariant                                                ? OM_STUTTER_INVARIANT
           : others != NULL                                         ? OM_STUTTER_COUNTS
           : om_automaton__declares_stutter_invariant(t->automaton) ? OM_STUTTER_DECLARED
                                                                    : OM_STUTTER_NOT_KNOWN;
    om_automaton_free(others);
    return rc;
}

int om_plan__stutter(const om_plan *p, const om_target *t, om_stuttering *out)
{
    const int rc = stutter_by_complement(p, t, out);
    return rc == OM_OK && (*out == OM_STUTTER_DECLARED || *out == OM_STUTTER_NOT_KNOWN)
               ? look_at_form(p, t, out)
               : rc;
}

/* Determines stuttering without long computations. */
static int stutter_soon(const om_plan *p, const om_target *t, om_stuttering *out)
{
    bool next = false;
    *out = OM_STUTTER_NOT_KNOWN;
    if (t->trace || t->ends_apart)
        *out = OM_STUTTER_INVARIANT;
    else if (t->ltl != NULL) {
        if (om_ltl__has_next(t->ltl, t->obligation.formula, &next) != OM_OK)
            return om_fail_memory(p->ctx);
        *out = next ? OM_STUTTER_NOT_KNOWN : OM_STUTTER_INVARIANT;
    } else if (om_automaton__declares_stutter_invariant(t->automaton))
        *out = OM_STUTTER_DECLARED;
    else if (om_automaton_state_count(t->automaton) <= SMALL)
        return stutter_by_complement(p, t, out);
    return OM_OK;
}

/* Sets *count if assumed formulas count steps. */
static int assumptions_count(const om_plan *p, const om_target *t, bool *count)
{
    *count = false;
    return t->fair.ltl == NULL || t->fair.formula == 0 ||
                   om_ltl__has_next(t->fair.ltl, t->fair.formula, count) == OM_OK
               ? OM_OK
               : om_fail_memory(p->ctx);
}

/* Sets *why to the reason why the property may tell apart runs that differ only in how often states
 * are repeated; NULL: it does not. If `asked`, also by long computations. */
static int why_it_counts(const om_plan *p, const om_target *t, bool asked, const char **why)
{
    om_stuttering said = OM_STUTTER_NOT_KNOWN;
    bool count = false;
    int rc = stutter_soon(p, t, &said);
    if (rc == OM_OK && asked && said == OM_STUTTER_NOT_KNOWN)
        rc = om_plan__stutter(p, t, &said);
    if (rc == OM_OK)
        rc = assumptions_count(p, t, &count);
    *why = count ? "an assumption counts steps (X)"
           : said == OM_STUTTER_INVARIANT || said == OM_STUTTER_DECLARED ? NULL
           : said == OM_STUTTER_COUNTS
               ? "the property is not stutter-invariant (it distinguishes runs that differ only in "
                 "how often states are repeated)"
               : "it is not known whether the automaton is stutter-invariant: it is not "
                 "deterministic and does not declare it (properties: stutter-invariant)";
    return rc;
}

om_merging om_plan__merging_all(const om_plan_options *o)
{
    return o->merge == OM_SWITCH_ON ? OM_MERGE_ALL : OM_MERGE_NOTHING;
}

int om_plan__merging(const om_plan *p, const om_target *t, om_merging *out)
{
    const bool asked = t->options->merge == OM_SWITCH_ON;
    const char *why = "a shortest counterexample needs all states";
    int rc = OM_OK;
    *out = OM_MERGE_NOTHING;
    if (t->options->merge == OM_SWITCH_OFF || (t->options->shortest_ns != 0 && !asked))
        return OM_OK;
    if (t->options->shortest_ns == 0)
        rc = why_it_counts(p, t, asked, &why);
    if (rc == OM_OK && why == NULL)
        *out = t->is_fair && t->fair.processes != OM_FAIRNESS_NONE ? OM_MERGE_OWN : OM_MERGE_ALL;
    return rc != OM_OK || why == NULL || !asked
               ? rc
               : om_fail(p->ctx, OM_EUSAGE, NULL, "statements cannot be merged: %s", why);
}

int om_plan__reducing(const om_plan *p, const om_target *t, om_reduction *out)
{
    const bool asked = t->options->por != OM_POR_AUTO;
    const char *why = t->options->shortest_ns != 0 ? "a shortest counterexample needs all of them"
                      : om_plan__device_named(p, t->options) ? "a device searches all of them"
                      : t->is_fair ? "the assumption of fairness depends on which process moves"
                                   : NULL;
    int rc = OM_OK;
    *out = OM_REDUCE_NOTHING;
    if (t->options->por == OM_POR_OFF)
        return OM_OK;
    if (why == NULL)
        rc = why_it_counts(p, t, asked, &why);
    if (rc == OM_OK && why == NULL)
        *out = t->obligation.deadlock ? OM_REDUCE_TO_DEADLOCKS : OM_REDUCE_TO_RUNS;
    return rc != OM_OK || why == NULL || !asked
               ? rc
               : om_fail(p->ctx, OM_EUSAGE, NULL, "orders of steps cannot be left out: %s", why);
}
