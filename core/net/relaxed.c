/* SPDX-License-Identifier: Apache-2.0 */
#include "relaxed.h"

#include <assert.h>

#define FAR OM_NET_UNREACHABLE

static om_wide add(om_wide a, om_wide b)
{
    return a >= FAR - b ? FAR : a + b;
}

/* a > 0, count > 0 */
static om_wide multiply(om_wide a, om_wide count)
{
    return count > FAR / a ? FAR : a * count;
}

int om_net_relaxed__open(om_net_relaxed *r, const om_net_firing *f)
{
    const om_net *net = f->net;
    const om_heap *heap = net->region.heap;
    const size_t places = (size_t) net->place_count + 1,
                 transitions = (size_t) net->transition_count + 1;
    *r = (om_net_relaxed){ .firing = f };
    return OM_NEW(heap, r->add, places) && OM_NEW(heap, r->remove, places) &&
                   OM_NEW(heap, r->cost, transitions) && OM_NEW(heap, r->missing, transitions)
               ? OM_OK
               : om_fail_memory(net->ctx);
}

void om_net_relaxed__close(om_net_relaxed *r)
{
    if (r->firing != NULL)
        OM_FREE_ALL(r->firing->net->region.heap, r->add, r->remove, r->cost, r->missing, r->queue);
    r->firing = NULL;
}

/* ---- the queue of places, the cheapest first ---- */

static bool put(om_net_relaxed *r, uint32_t place, om_wide cost)
{
    if (!OM_ROOM(r->firing->net->region.heap, r->queue, &r->queue_room, r->queue_count + 1))
        return false;
    size_t i = r->queue_count++;
    for (; i > 0 && cost < r->queue[(i - 1) / 2].cost; i = (i - 1) / 2)
        r->queue[i] = r->queue[(i - 1) / 2];
    r->queue[i] = (om_net_queued){ cost, place };
    return true;
}

static om_net_queued take(om_net_relaxed *r)
{
    assert(r->queue_count > 0);
    const om_net_queued first = r->queue[0], moved = r->queue[--r->queue_count];
    const size_t count = r->queue_count;
    size_t i = 0;
    for (size_t k = 1; k < count; k = 2 * i + 1) {
        k += k + 1 < count && r->queue[k + 1].cost < r->queue[k].cost;
        if (moved.cost <= r->queue[k].cost)
            break;
        r->queue[i] = r->queue[k];
        i = k;
    }
    r->queue[i] = moved;
    return first;
}

/* ---- costs ---- */

/* The cost of a transition is final: lowers those of the places that it changes. */
static bool settle(om_net_relaxed *r, uint32_t transition)
{
    const om_net_transition *t = &r->firing->net->transitions[transition];
    const om_wide cost = r->cost[transition];
    om_net_arc_walk a = { .take = 0 };
    while (om_net_arc_walk__step(t, &a)) {
        if ((a.gives < a.takes || a.resets) && cost < r->remove[a.place])
            r->remove[a.place] = cost;
        if (a.gives <= a.takes || cost >= r->add[a.place])
            continue;
        r->add[a.place] = cost;
        if (!put(r, a.place, cost))
            return false;
    }
    return true;
}

/* Sets the cost of transitions to 1, and settles those that are enabled. */
static bool begin(om_net_relaxed *r, const om_value *marking)
{
    const om_net *net = r->firing->net;
    r->queue_count = 0;
    for (uint32_t p = 0; p < net->place_count; p++)
        r->add[p] = r->remove[p] = FAR;
    for (uint32_t n = 0; n < net->transition_count; n++) {
        const om_net_transition *t = &net->transitions[n];
        r->cost[n] = 1;
        r->missing[n] = 0;
        for (uint32_t i = 0; i < t->take_count; i++)
            r->missing[n] += marking[t->takes[i].place] < t->takes[i].count;
        if (r->missing[n] == 0 && !settle(r, n))
            return false;
    }
    return true;
}

/* The cost of the place is final: adds it to the transitions that lack its tokens. */
static bool spread(om_net_relaxed *r, uint32_t place, const om_value *marking)
{
    const om_net_firing *f = r->firing;
    for (uint32_t i = f->first[place]; i < f->first[place + 1]; i++) {
        const om_net_taker *k = &f->takers[i];
        if (marking[place] >= k->count)
            continue;
        assert(r->missing[k->transition] > 0);
        r->cost[k->transition] = add(
            r->cost[k->transition], multiply(r->add[place], (om_wide) k->count - marking[place]));
        if (--r->missing[k->transition] == 0 && !settle(r, k->transition))
            return false;
    }
    return true;
}

/* Transitions settle with costs above those of their places, so the cheapest place is final. */
static bool compute(om_net_relaxed *r, const om_value *marking)
{
    if (!begin(r, marking))
        return false;
    while (r->queue_count > 0) {
        const om_net_queued q = take(r);
        if (q.cost == r->add[q.place] && !spread(r, q.place, marking))
            return false;
    }
    return true;
}

/* ---- goals ---- */

/* Returns the least cost by which the sum of the terms grows by `lacks` or more. */
static om_wide cost_of(const om_net_relaxed *r, const om_net_term *terms, uint32_t count,
    om_wide lacks, const om_value *marking)
{
    om_wide least = FAR;
    for (uint32_t i = 0; i < count; i++) {
        const om_net_term *t = &terms[i];
        const om_wide factor = t->factor < 0 ? -t->factor : t->factor;
        const om_wide one = t->factor > 0           ? r->add[t->place]
                            : marking[t->place] > 0 ? r->remove[t->place]
                                                    : FAR;
        assert(factor > 0);
        const om_wide all = one >= FAR ? FAR : multiply(one, (lacks + factor - 1) / factor);
        least = all < least ? all : least;
    }
    return least;
}

/* The recursion is as deep as the predicate. */
static om_wide distance(const om_net_relaxed *r, const om_predicate *p, const om_value *marking)
{
    if (p->kind == OM_PREDICATE_TRUE || p->kind == OM_PREDICATE_FALSE)
        return p->kind == OM_PREDICATE_TRUE ? 0 : FAR;
    if (p->kind == OM_PREDICATE_LINEAR) {
        const om_wide sum = om_net_goal__sum(p->terms, p->count, marking);
        return sum >= p->least ? 0 : cost_of(r, p->terms, p->count, p->least - sum, marking);
    }
    om_wide all = p->kind == OM_PREDICATE_AND ? 0 : FAR;
    for (uint32_t i = 0; i < p->count; i++) {
        const om_wide one = distance(r, p->args[i], marking);
        all = p->kind == OM_PREDICATE_AND ? add(all, one) : one < all ? one : all;
    }
    return all;
}

om_wide om_net_relaxed__distance(om_net_relaxed *r, const om_walk_goal *g, const om_value *marking)
{
    if (!compute(r, marking))
        return -1;
    return g->predicate != NULL ? distance(r, g->predicate, marking)
                                : cost_of(r, g->terms, g->term_count, 1, marking);
}
