/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Testing automata, for checkers that ask for a product with one. They are sound only for
 * stutter-invariant properties, so this is verified first. For a formula, the automaton of its
 * translation is the complement of the automaton of forbidden runs. An automaton given by the user
 * is complemented if it is deterministic; otherwise HOA's "properties: stutter-invariant" is
 * trusted. All other automata are rejected.
 */
#include "try.h"

#include "convert/to_testing.h"

#include <inttypes.h>

bool om_plan__wants_testing(const om_checker *c)
{
    return (c->product & OM_PRODUCT_TESTING) != 0;
}

void om_plan__automaton_size(const om_automaton *a, uint32_t *states, uint32_t *edges)
{
    uint64_t transitions = om_automaton_edge_count(a);
    *states = om_automaton_state_count(a);
    if (om_automaton__is_testing(a))
        om_automaton__testing_size(a, states, &transitions);
    *edges = transitions < UINT32_MAX ? (uint32_t) transitions : UINT32_MAX;
}

static int refuse(const om_attempt *t, const char *why)
{
    const om_plan *p = t->part->try->plan;
    const om_need need = om_part__need(t->part, p->threads, false);
    return om_plan__refuse(p, OM_EUSAGE, &need, t->checker->head.name, why);
}

/* Returns a reason against it that does not depend on the language; or NULL. */
static const char *why_not(const om_try *try)
{
    if (try->target == NULL)
        return " runs on a product with a model, but there is no model";
    if (try->target->trace)
        return " looks for infinite runs, not for a state";
    if (try->fair != NULL)
        return " follows one of many equivalent steps, so it does not know which process moves: it "
               "does not support fairness";
    if (try->options.checker == NULL)
        return " takes the automaton as a whole (--checker), not a part of it";
    return NULL;
}

static int vet_language(const om_attempt *t)
{
    const om_plan *p = t->part->try->plan;
    om_stuttering said = OM_STUTTER_NOT_KNOWN;
    int rc = om_plan__stutter(p, t->part->try->target, &said);
    if (rc != OM_OK)
        return rc;
    switch (said) {
    case OM_STUTTER_INVARIANT:
        return OM_OK;
    case OM_STUTTER_DECLARED:
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
            "the automaton is not deterministic: it is assumed to be stutter-invariant, as its "
            "properties declare");
        return OM_OK;
    case OM_STUTTER_COUNTS:
        return refuse(t,
            ": the property is not stutter-invariant (it distinguishes runs that differ only in "
            "how often states are repeated)");
    case OM_STUTTER_NOT_KNOWN:
        break;
    }
    return refuse(t,
        ": it is not known whether the automaton is stutter-invariant: it is not deterministic and "
        "does not declare it (properties: stutter-invariant); use a formula");
}

int om_attempt__to_testing(om_attempt *t)
{
    const om_plan *p = t->part->try->plan;
    const char *why = why_not(t->part->try);
    uint32_t how = OM_TESTING_BEST;
    int64_t *values = NULL;
    int rc = why != NULL ? refuse(t, why) : vet_language(t);
    if (rc == OM_OK)
        rc = om_plugin_options(p->ctx, &t->checker->head, t->options, &values);
    if (rc == OM_OK && t->checker->single_pass != NULL && t->checker->single_pass(values))
        how |= OM_TESTING_SINGLE_PASS;
    if (rc == OM_OK)
        rc = om_automaton__to_testing(t->part->automaton, p->ctx, how, &t->owned);
    om_free(p->heap, values);
    if (rc != OM_OK)
        return rc;
    t->automaton = t->owned;
    t->conversion = "testing automaton";
    return OM_OK;
}

void om_attempt__why(const om_attempt *t, om_text *out)
{
    uint32_t states = 0;
    uint64_t transitions = 0;
    if (t->how != NULL) {
        om_plan__conversion_why(&t->part->forms, t->how, out);
        return;
    }
    om_automaton__testing_size(t->automaton, &states, &transitions);
    om_text_printf(
        out, "the checker reads changes of propositions; %" PRIu64 " transitions", transitions);
}
