/* SPDX-License-Identifier: Apache-2.0 */
/* Automata of forbidden runs that need no translation. Both are deterministic, so that no state of
 * the model is stored twice. */
#include "target.h"

/* Makes an automaton with this many states, the first of them initial, and one AP. */
static int begin(const om_plan *p, const char *ap, uint32_t states, om_automaton **out)
{
    int rc = om_automaton_new(out, p->ctx, 1, &ap);
    if (rc == OM_OK)
        rc = om_automaton_add_states(*out, states, NULL);
    return rc == OM_OK ? om_automaton_add_initial(*out, 0) : rc;
}

/* Finishes the automaton, unless making it failed (`rc`), and gives it to the target, with room for
 * the expression of its AP. */
static int finish(const om_plan *p, om_target *t, int rc)
{
    if (rc == OM_OK)
        rc = om_automaton_finish(t->owned);
    t->automaton = t->owned;
    if (rc != OM_OK)
        return rc;
    if (!OM_NEW(p->heap, t->aps, 1))
        return om_fail_memory(p->ctx);
    t->ap_count = 1;
    return OM_OK;
}

int om_plan__forbid_ever(const om_plan *p, const char *ap, om_target *t)
{
    static const om_cube good = { 0, 1 }, bad = { 1, 0 }, any = { 0, 0 };
    int rc = begin(p, ap, 2, &t->owned);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(t->owned, 1);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(t->owned, 0, 0, 0, &good, 1);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(t->owned, 0, 1, 0, &bad, 1);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(t->owned, 1, 1, 1, &any, 1);
    t->trace = true;
    return finish(p, t, rc);
}

int om_plan__forbid_at_last_without(const om_plan *p, const char *ap, om_target *t)
{
    static const om_acc fin = { OM_ACC_FIN, 0 };
    static const om_cube with = { 1, 0 }, without = { 0, 1 };
    int rc = begin(p, ap, 1, &t->owned);
    if (rc == OM_OK)
        rc = om_automaton_set_acceptance(t->owned, 1, &fin, 1);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(t->owned, 0, 0, 1, &with, 1);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(t->owned, 0, 0, 0, &without, 1);
    return finish(p, t, rc);
}
