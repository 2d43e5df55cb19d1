/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which form of acceptance a checker gets. What it takes as it is stays; next comes what other
 * marks on the same edges can do: generalized Buchi where the formula has no Fin, then generalized
 * Rabin or Streett by the smaller number of clauses; last what needs copies of states. Parity
 * acceptance, and any that mixes Rabin with Streett, so goes to whichever of the two is shorter.
 */
#include "clauses.h"
#include "session.h"

#include <stdio.h>

/* Efforts: as it is 0, marks 1, clauses from 2 on, states from COPIES on. */
#define COPIES (UINT64_C(1) << 32)

/* Of the same effort, the first. */
static const om_conversion conversions[] = {
    { OM_ACCEPT_GENERALIZED_BUCHI, "generalized Buchi", om_automaton_to_generalized_buchi },
    { OM_ACCEPT_RABIN, "generalized Rabin", om_automaton_to_rabin },
    { OM_ACCEPT_STREETT, "Streett", om_automaton_to_streett },
    { OM_ACCEPT_FIN_LESS, "Fin-less", om_automaton_to_fin_less },
    { OM_ACCEPT_BUCHI, "Buchi", om_automaton_to_buchi },
};

int om_plan__forms(const om_plan *p, const om_automaton *a, om_strength strength, om_forms *out)
{
    const size_t sets = om_automaton_set_count(a);
    om_clause_counts counts = { 1, sets == 0 ? 1 : sets }; /* of generalized Buchi */
    int rc = OM_OK;
    *out = (om_forms){ .classes = om_automaton_acceptance_classes(a), .strength = strength };
    if ((out->classes & OM_ACCEPT_GENERALIZED_BUCHI) == 0)
        rc = om_automaton__clauses(a, p->ctx, &counts);
    out->rabin = counts.rabin;
    out->streett = counts.streett;
    return rc;
}

/* How much of the automaton the conversion changes. */
static uint64_t effort_of(const om_forms *f, uint32_t class)
{
    const bool no_fin = (f->classes & OM_ACCEPT_FIN_LESS) != 0;
    if (f->strength != OM_STRONG && (class & (OM_ACCEPT_GENERALIZED_BUCHI | OM_ACCEPT_BUCHI)) != 0)
        return 1;
    if (class == OM_ACCEPT_GENERALIZED_BUCHI && no_fin && f->streett != 0)
        return 1;
    if (class == OM_ACCEPT_RABIN && f->rabin != 0)
        return 2 * (uint64_t) f->rabin;
    if (class == OM_ACCEPT_STREETT && f->streett != 0)
        return 2 * (uint64_t) f->streett + 1;
    return COPIES;
}

uint64_t om_plan__effort(const om_forms *f, uint32_t takes, const om_conversion **how)
{
    uint64_t least = UINT64_MAX;
    *how = NULL;
    if ((f->classes & takes) != 0)
        return 0;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        const om_conversion *c = &conversions[i];
        uint64_t effort = effort_of(f, c->class);
        if ((takes & c->class) != 0 && effort < least) {
            least = effort;
            *how = c;
        }
    }
    return least;
}

void om_plan__conversion_why(const om_forms *f, const om_conversion *c, char out[OM_WHY_BYTES])
{
    const uint64_t effort = effort_of(f, c->class);
    const bool rabin = c->class == OM_ACCEPT_RABIN;
    const size_t other = rabin ? f->streett : f->rabin;
    if (effort >= COPIES)
        (void) snprintf(
            out, OM_WHY_BYTES, "the checker takes no form that other marks alone can give");
    else if (effort == 1)
        (void) snprintf(out, OM_WHY_BYTES, "marks alone change");
    else if (other == 0)
        (void) snprintf(out, OM_WHY_BYTES, "marks alone change; %zu clauses, and none as %s",
            rabin ? f->rabin : f->streett, rabin ? "Streett" : "generalized Rabin");
    else
        (void) snprintf(out, OM_WHY_BYTES, "marks alone change; %zu clause%s, %zu as %s",
            rabin ? f->rabin : f->streett, (rabin ? f->rabin : f->streett) == 1 ? "" : "s", other,
            rabin ? "Streett" : "generalized Rabin");
}
