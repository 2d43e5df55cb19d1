/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects the form of acceptance that a checker gets, and estimates the effort: a checker that
 * needs less effort precedes one that needs more, whatever their ranks. Acceptance that the checker
 * takes as it is costs nothing. Next comes generalized Buchi by other marks on the same edges, if
 * the formula has no Fin or the automaton is weak. For other forms the clauses are counted, as
 * generalized Rabin and as Streett; parity acceptance, and any formula that mixes the two, has both
 * forms. A checker that takes several forms gets one that needs other marks only, if there is one,
 * else copies of states.
 *
 * k Rabin clauses need up to k searches of a product, or one search of a Fin-less product that has
 * up to k copies of each component. m Streett clauses need one search that visits a component up to
 * m times. A clause counts one in the form without Fin, and two in the other forms. These weights
 * follow from measurements: thousands of states expanded for strong parts of automata of Bloemen,
 * Duret-Lutz, van de Pol 2019 (ltl3dra, rabinizer3, ltl3tela; bakery.4, elevator.4 and, if there is
 * a run, bopdp.3; of elevator.4 without a run every third):
 *
 *                             one thread: Fin-less  Streett  favoid    two: Fin-less  favoid
 *   several pairs, no run  (20 automata)     4,082    5,442   4,043   (29)     5,459   6,253
 *                   a run  (63)                454      451   2,344   (75)       555   4,029
 *   one pair,      no run  (24)              7,353    5,852   5,852   (23)     4,604   3,923
 *                   a run  (80)                352    1,028   1,981   (80)       452   1,916
 *
 * One pair is Streett acceptance as it is, which one worker takes. Without a run, favoid is best
 * with one pair and never worse than the others. If there is a run, it takes four times as long to
 * find it. Since the outcome is not known in advance, favoid is not a default.
 */
#include "choose.h"

#include "convert/rabin_streett.h"

/* Efforts: 0 without a conversion, 1 for generalized Buchi by marks, from 3 for clauses; TOO_MANY
 * if the clauses could not be counted. */
#define TOO_MANY (UINT64_C(1) << 32)

/* Among conversions of the same effort, the first is chosen. */
static const om_conversion conversions[] = {
    { OM_ACCEPT_FIN_LESS, "Fin-less", om_automaton_to_fin_less },
    { OM_ACCEPT_GENERALIZED_BUCHI, "generalized Buchi", om_automaton_to_generalized_buchi },
    { OM_ACCEPT_RABIN, "generalized Rabin", om_automaton_to_rabin },
    { OM_ACCEPT_STREETT, "Streett", om_automaton_to_streett },
    { OM_ACCEPT_BUCHI, "Buchi", om_automaton_to_buchi },
};

int om_plan__forms(const om_plan *p, const om_fair_sets *fair, const om_automaton *a,
    om_strength strength, om_forms *out)
{
    const size_t sets = om_automaton_set_count(a);
    om_clause_counts counts = { 1, sets == 0 ? 1 : sets }; /* of generalized Buchi */
    int rc = OM_OK;
    *out = (om_forms){ .classes = om_automaton_acceptance_classes(a), .strength = strength };
    out->fair = fair != NULL;
    out->unmarked = fair != NULL && fair->unmarked;
    for (size_t i = 0; out->fair && i < fair->acc_length; i++)
        out->fins = out->fins || fair->acc[i].op == OM_ACC_FIN;
    if ((out->classes & OM_ACCEPT_GENERALIZED_BUCHI) == 0)
        rc = om_automaton__clauses(a, p->ctx, &counts);
    out->rabin = counts.rabin;
    out->streett = counts.streett;
    return rc;
}

/* Returns true if marks alone give the class without clauses. */
static bool is_marked(const om_forms *f, uint32_t class)
{
    const bool no_fin = (f->classes & OM_ACCEPT_FIN_LESS) != 0;
    if (f->strength != OM_STRONG && (class & (OM_ACCEPT_GENERALIZED_BUCHI | OM_ACCEPT_BUCHI)) != 0)
        return true;
    return class == OM_ACCEPT_GENERALIZED_BUCHI && no_fin && f->streett != 0;
}

/* Returns the number of Rabin or Streett clauses that marks alone give. */
static size_t marked_clauses(const om_forms *f, uint32_t class)
{
    return class == OM_ACCEPT_RABIN ? f->rabin : class == OM_ACCEPT_STREETT ? f->streett : 0;
}

bool om_plan__copies(const om_forms *f, uint32_t class)
{
    return !is_marked(f, class) && marked_clauses(f, class) == 0;
}

/* Under fairness, only the property's automaton is copied, as generalized Buchi; the sets of
 * fairness are the same in the copies. */
static bool is_impossible(const om_forms *f, uint32_t class)
{
    return f->fair && om_plan__copies(f, class) && class != OM_ACCEPT_STREETT &&
           (f->fins || class == OM_ACCEPT_RABIN || class == OM_ACCEPT_BUCHI);
}

static uint64_t effort_of(const om_forms *f, uint32_t class)
{
    const size_t marked = marked_clauses(f, class);
    if (is_marked(f, class))
        return 1;
    if (is_impossible(f, class))
        return UINT64_MAX;
    if (marked != 0)
        return 2 + 2 * (uint64_t) marked;
    return f->rabin == 0 ? TOO_MANY : 2 + (uint64_t) f->rabin;
}

uint64_t om_plan__effort(const om_forms *f, uint32_t takes, const om_conversion **how)
{
    uint64_t least = UINT64_MAX;
    *how = NULL;
    if ((f->classes & takes) != 0)
        return 0;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        const om_conversion *c = &conversions[i];
        const uint64_t effort = effort_of(f, c->class);
        const uint64_t key = effort + (om_plan__copies(f, c->class) ? 2 * TOO_MANY : 0);
        if ((takes & c->class) != 0 && effort != UINT64_MAX && key < least) {
            least = key;
            *how = c;
        }
    }
    return *how == NULL ? UINT64_MAX : effort_of(f, (*how)->class);
}

/* Writes "1 clause as NAME", "2 clauses as NAME"; "none as NAME" if there are none, or too many. */
static void put_clauses(om_text *out, size_t count, const char *name)
{
    if (count == 0)
        om_text_printf(out, "none as %s", name);
    else
        om_text_printf(out, "%zu clause%s as %s", count, count == 1 ? "" : "s", name);
}

void om_plan__conversion_why(const om_forms *f, const om_conversion *c, om_text *out)
{
    const bool rabin = c->class == OM_ACCEPT_RABIN, streett = c->class == OM_ACCEPT_STREETT;
    if (is_marked(f, c->class)) {
        om_text_add(out, "only marks change");
        return;
    }
    if (effort_of(f, c->class) == TOO_MANY) {
        om_text_add(out, "the checker takes no acceptance that new marks alone can express");
        return;
    }
    om_text_printf(out, "%s; ",
        rabin || streett ? "only marks change" : "states are copied without the Fin of a clause");
    put_clauses(out, streett ? f->streett : f->rabin, streett ? "Streett" : "Rabin");
    om_text_add(out, ", ");
    put_clauses(out, streett ? f->rabin : f->streett, streett ? "Rabin" : "Streett");
}
