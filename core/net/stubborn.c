/* SPDX-License-Identifier: Apache-2.0 */
#include "stubborn.h"

#include <assert.h>

enum { MOST_TRIES = 16 }; /* sets that are made for a deadlock, to use the smallest */

/* ---- which transitions change a place ---- */

/* Marks the takers that leave fewer tokens. They are in the order of transitions. */
static void mark_lowering(om_net_stubborn *s, uint32_t *next)
{
    const om_net *net = s->firing->net;
    for (uint32_t p = 0; p < net->place_count; p++)
        next[p] = s->firing->first[p];
    for (uint32_t t = 0; t < net->transition_count; t++) {
        om_net_arc_walk a = { .take = 0 };
        while (om_net_arc_walk__step(&net->transitions[t], &a)) {
            if (a.takes == 0)
                continue;
            assert(s->firing->takers[next[a.place]].transition == t);
            s->lowers[next[a.place]++] = a.gives < a.takes;
        }
    }
}

static void index_adders(om_net_stubborn *s)
{
    const om_net *net = s->firing->net;
    uint32_t *first = s->first_adder; /* two entries ahead, as in om_net__index_takers() */
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (om_net_arc_walk a = { .take = 0 }; om_net_arc_walk__step(&net->transitions[t], &a);)
            first[a.place + 2] += a.gives > a.takes;
    for (uint32_t p = 2; p < net->place_count + 2; p++)
        first[p] += first[p - 1];
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (om_net_arc_walk a = { .take = 0 }; om_net_arc_walk__step(&net->transitions[t], &a);)
            if (a.gives > a.takes)
                s->adders[first[a.place + 1]++] = t;
}

int om_net_stubborn__open(om_net_stubborn *s, const om_net_firing *f, const om_seek *seek)
{
    const om_net *net = f->net;
    const om_heap *heap = net->region.heap;
    const size_t places = (size_t) net->place_count + 2,
                 transitions = (size_t) net->transition_count + 1;
    uint32_t *next = NULL;
    size_t gives = 0;
    assert(om_net__is_plain(net));
    *s = (om_net_stubborn){ .firing = f, .seek = seek };
    s->start = (uint32_t) (seek->seed % ((uint64_t) net->transition_count + 1));
    for (uint32_t t = 0; t < net->transition_count; t++)
        gives += net->transitions[t].give_count;
    if (gives > UINT32_MAX || !OM_NEW(heap, s->first_adder, places) ||
        !OM_NEW(heap, s->adders, gives + 1) || !OM_NEW(heap, s->factor, places) ||
        !OM_NEW(heap, s->lowers, (size_t) f->first[net->place_count] + 1) ||
        !OM_NEW(heap, s->member, transitions) || !OM_NEW(heap, s->list, transitions) ||
        !OM_NEW(heap, s->best, transitions) || !OM_NEW(heap, next, places))
        return om_fail_memory(net->ctx);
    index_adders(s);
    mark_lowering(s, next);
    om_free(heap, next);
    return OM_OK;
}

void om_net_stubborn__close(om_net_stubborn *s)
{
    if (s->firing != NULL)
        OM_FREE_ALL(s->firing->net->region.heap, s->lowers, s->first_adder, s->adders, s->factor,
            s->member, s->list, s->best);
    s->firing = NULL;
}

/* ---- the closure ---- */

static void include(om_net_stubborn *s, uint32_t transition)
{
    if (s->member[transition] == s->set)
        return;
    s->member[transition] = s->set; /* A1 */
    s->list[s->count++] = transition;
}

static void include_adders(om_net_stubborn *s, uint32_t place)
{
    const uint32_t end = s->first_adder[place + 1];
    for (uint32_t i = s->first_adder[place]; i < end; i++)
        include(s, s->adders[i]);
    s->work += end - s->first_adder[place];
}

static void include_takers(om_net_stubborn *s, uint32_t place, bool only_lowering)
{
    const om_net_firing *f = s->firing;
    for (uint32_t i = f->first[place]; i < f->first[place + 1]; i++)
        if (!only_lowering || s->lowers[i])
            include(s, f->takers[i].transition);
    s->work += f->first[place + 1] - f->first[place];
}

/* B2 */
static void follow_enabled(om_net_stubborn *s, const om_net_transition *t)
{
    om_net_arc_walk a = { .take = 0 };
    while (om_net_arc_walk__step(t, &a))
        if (a.takes > 0)
            include_takers(s, a.place, a.gives >= a.takes);
}

/* B1, for the place with the fewest adders that are new. */
static void follow_disabled(om_net_stubborn *s, const om_net_transition *t)
{
    uint32_t best = OM_NONE, least = UINT32_MAX;
    for (uint32_t i = 0; i < t->take_count && least > 0; i++) {
        const uint32_t place = t->takes[i].place;
        uint32_t fresh = 0;
        if (s->firing->marking[place] >= t->takes[i].count)
            continue;
        for (uint32_t k = s->first_adder[place]; k < s->first_adder[place + 1]; k++)
            fresh += s->member[s->adders[k]] != s->set;
        s->work += s->first_adder[place + 1] - s->first_adder[place];
        if (fresh < least) {
            least = fresh;
            best = place;
        }
    }
    assert(best != OM_NONE);
    include_adders(s, best);
}

static bool is_enabled(const om_net_stubborn *s, uint32_t transition)
{
    return s->firing->lacks[transition] == 0;
}

/* Completes the set, and keeps it if it has fewer enabled transitions than s->best. */
static void complete(om_net_stubborn *s)
{
    const om_net *net = s->firing->net;
    uint32_t enabled = 0;
    for (uint32_t i = 0; i < s->count && enabled < s->best_count; i++) {
        const uint32_t t = s->list[i];
        s->work++;
        enabled += is_enabled(s, t);
        if (is_enabled(s, t))
            follow_enabled(s, &net->transitions[t]);
        else
            follow_disabled(s, &net->transitions[t]);
    }
    if (enabled >= s->best_count)
        return;
    s->best_count = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (is_enabled(s, s->list[i]))
            s->best[s->best_count++] = s->list[i];
}

static void begin(om_net_stubborn *s)
{
    s->set++;
    s->count = 0;
}

/* ---- goals ---- */

static om_wide change_of(om_net_stubborn *s, uint32_t transition)
{
    om_wide sum = 0;
    om_net_arc_walk a = { .take = 0 };
    while (om_net_arc_walk__step(&s->firing->net->transitions[transition], &a)) {
        sum += s->factor[a.place] * ((om_wide) a.gives - a.takes);
        s->work++;
    }
    return sum;
}

/* Includes the transitions that raise the sum: each adds to a place with a positive factor, or
 * takes from one with a negative factor. */
static void include_raising(om_net_stubborn *s, const om_net_term *terms, uint32_t count)
{
    const om_net_firing *f = s->firing;
    for (uint32_t i = 0; i < count; i++)
        s->factor[terms[i].place] = terms[i].factor;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t p = terms[i].place;
        for (uint32_t k = s->first_adder[p]; k < s->first_adder[p + 1] && terms[i].factor > 0; k++)
            if (change_of(s, s->adders[k]) > 0)
                include(s, s->adders[k]);
        for (uint32_t k = f->first[p]; k < f->first[p + 1] && terms[i].factor < 0; k++)
            if (s->lowers[k] && change_of(s, f->takers[k].transition) > 0)
                include(s, f->takers[k].transition);
    }
    for (uint32_t i = 0; i < count; i++)
        s->factor[terms[i].place] = 0;
}

static uint32_t terms_of(const om_predicate *p)
{
    uint32_t terms = p->kind == OM_PREDICATE_LINEAR ? p->count : 0;
    for (uint32_t i = 0; p->kind != OM_PREDICATE_LINEAR && i < p->count; i++)
        terms += terms_of(p->args[i]);
    return terms;
}

/* B3 for a predicate that does not hold. The recursion is as deep as the predicate. */
static void include_for(om_net_stubborn *s, const om_predicate *p)
{
    const om_predicate *chosen = NULL;
    if (p->kind == OM_PREDICATE_LINEAR)
        include_raising(s, p->terms, p->count);
    for (uint32_t i = 0; p->kind == OM_PREDICATE_OR && i < p->count; i++)
        include_for(s, p->args[i]);
    for (uint32_t i = 0; p->kind == OM_PREDICATE_AND && i < p->count; i++)
        if (!om_predicate_holds(p->args[i], s->firing->marking) &&
            (chosen == NULL || terms_of(p->args[i]) < terms_of(chosen)))
            chosen = p->args[i];
    if (chosen != NULL)
        include_for(s, chosen);
}

/* Tries sets with one enabled transition each, always in the same order: a search that prefers some
 * transitions comes back to markings it has seen sooner than one that changes its mind. */
static void find_for_deadlock(om_net_stubborn *s)
{
    const uint32_t all = s->firing->net->transition_count;
    unsigned tries = 0;
    for (uint32_t i = 0; i < all && tries < MOST_TRIES && s->best_count > 1; i++) {
        const uint32_t t = (uint32_t) (((uint64_t) s->start + i) % all);
        if (!is_enabled(s, t))
            continue;
        begin(s);
        include(s, t);
        complete(s);
        tries++;
    }
}

const uint32_t *om_net_stubborn__find(om_net_stubborn *s, uint32_t *count)
{
    const om_walk_goal *g = &s->seek->goal;
    s->best_count = OM_NONE;
    if (s->seek->deadlock) {
        find_for_deadlock(s);
    } else {
        begin(s);
        if (g->predicate != NULL)
            include_for(s, g->predicate);
        else
            include_raising(s, g->terms, g->term_count);
        complete(s);
    }
    *count = s->best_count == OM_NONE ? 0 : s->best_count;
    return s->best;
}
