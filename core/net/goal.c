/* SPDX-License-Identifier: Apache-2.0 */
#include "goal.h"

om_wide om_net_goal__sum(const om_net_term *terms, uint32_t count, const om_value *marking)
{
    om_wide sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += terms[i].factor * marking[terms[i].place];
    return sum;
}

/* The recursion is as deep as the predicate. */
static om_wide distance(const om_predicate *p, const om_value *marking)
{
    if (p->kind == OM_PREDICATE_TRUE || p->kind == OM_PREDICATE_FALSE)
        return p->kind == OM_PREDICATE_FALSE;
    if (p->kind == OM_PREDICATE_LINEAR) {
        const om_wide sum = om_net_goal__sum(p->terms, p->count, marking);
        return sum >= p->least ? 0 : p->least - sum;
    }
    om_wide all = p->kind == OM_PREDICATE_AND ? 0 : INT64_MAX;
    for (uint32_t i = 0; i < p->count; i++) {
        const om_wide one = distance(p->args[i], marking);
        if (p->kind == OM_PREDICATE_AND)
            all = __builtin_add_overflow(all, one, &all) ? INT64_MAX : all;
        else
            all = one < all ? one : all;
        if (all == 0 && p->kind == OM_PREDICATE_OR)
            return 0;
    }
    return all;
}

om_wide om_net_goal__distance(const om_walk_goal *g, const om_value *marking)
{
    return g->predicate != NULL ? distance(g->predicate, marking)
                                : -om_net_goal__sum(g->terms, g->term_count, marking);
}

void om_net_goal__places(const om_walk_goal *g, uint8_t *seen)
{
    if (g->predicate != NULL)
        om_predicate_places(g->predicate, seen);
    for (uint32_t i = 0; g->predicate == NULL && i < g->term_count; i++)
        seen[g->terms[i].place] = 1;
}

/* Restores the places up to `last`, in the order of om_net_arc_walk__step(). */
static void restore(
    const om_net_transition *t, om_value *marking, const om_value *before, uint32_t last)
{
    om_net_arc_walk a = { .take = 0 };
    while (om_net_arc_walk__step(t, &a) && a.place <= last)
        marking[a.place] = before[a.place];
}

bool om_net_goal__try(const om_net_transition *t, om_value *marking, om_value *before)
{
    om_net_arc_walk a = { .take = 0 };
    while (om_net_arc_walk__step(t, &a)) {
        const om_wide after = om_net_arc_walk__after(&a, marking[a.place]);
        before[a.place] = marking[a.place];
        if (after > OM_VALUE_MAX) {
            restore(t, marking, before, a.place);
            return false;
        }
        marking[a.place] = (om_value) after;
    }
    return true;
}

void om_net_goal__undo(const om_net_transition *t, om_value *marking, const om_value *before)
{
    restore(t, marking, before, UINT32_MAX);
}
