/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the automaton of a part to the form that a checker takes. */
#include "try.h"

#include <assert.h>

int om_attempt__normalise(om_attempt *t)
{
    const om_part *part = t->part;
    const om_plan *p = part->try->plan;
    const om_conversion *how = NULL;

    assert(t->automaton == NULL && t->owned == NULL);
    if (part->unfair != NULL)
        return om_fair__normalise(t);
    t->automaton = part->automaton;
    if (om_plan__wants_testing(t->checker))
        return om_attempt__to_testing(t);
    if (om_plan__effort(&part->forms, t->checker->acceptance, &how) == 0)
        return OM_OK;
    if (how == NULL) {
        const om_need need = om_part__need(part, p->threads, false);
        return om_plan__refuse(p, OM_EUSAGE, &need, t->checker->head.name,
            " takes no acceptance that the automaton can be converted to");
    }
    int rc = how->convert(part->automaton, p->ctx, &t->owned);
    if (rc != OM_OK)
        return rc;
    t->automaton = t->owned;
    t->conversion = how->name;
    t->how = how;
    return OM_OK;
}

void om_attempt__forget(om_attempt *t, const om_heap *heap)
{
    om_automaton_free(t->owned);
    om_free(heap, t->fairness);
    t->owned = NULL;
    t->automaton = NULL;
    t->fairness = NULL;
}
