/* SPDX-License-Identifier: Apache-2.0 */
#include "firing.h"

#include <assert.h>
#include <string.h>

int om_net__index_takers(const om_net *net, uint32_t **first, om_net_taker **takers)
{
    const om_heap *heap = om_context_heap(net->ctx);
    size_t arcs = 0;
    for (uint32_t t = 0; t < net->transition_count; t++)
        arcs += net->transitions[t].take_count;
    if (arcs > UINT32_MAX || !OM_NEW(heap, *first, (size_t) net->place_count + 2) ||
        !OM_NEW(heap, *takers, arcs + 1))
        return om_fail_memory(net->ctx);
    /* Counts are stored two entries ahead, so that filling advances each start to its final
     * value. */
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (uint32_t i = 0; i < net->transitions[t].take_count; i++)
            (*first)[net->transitions[t].takes[i].place + 2]++;
    for (uint32_t p = 2; p < net->place_count + 2; p++)
        (*first)[p] += (*first)[p - 1];
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (uint32_t i = 0; i < net->transitions[t].take_count; i++) {
            const om_net_arc *a = &net->transitions[t].takes[i];
            (*takers)[(*first)[a->place + 1]++] = (om_net_taker){ t, a->count };
        }
    assert((*first)[net->place_count] == arcs);
    return OM_OK;
}

/* Indexes the limits, if the net has any. */
static int index_limits(om_net_firing *f)
{
    const om_net *net = f->net;
    const om_heap *heap = net->region.heap;
    size_t limits = 0;
    for (uint32_t t = 0; t < net->transition_count; t++)
        limits += net->transitions[t].limit_count;
    if (limits == 0)
        return OM_OK;
    if (limits > UINT32_MAX || !OM_NEW(heap, f->limit_first, (size_t) net->place_count + 2) ||
        !OM_NEW(heap, f->limiters, limits))
        return om_fail_memory(net->ctx);
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (uint32_t i = 0; i < net->transitions[t].limit_count; i++)
            f->limit_first[net->transitions[t].limits[i].place + 2]++;
    for (uint32_t p = 2; p < net->place_count + 2; p++)
        f->limit_first[p] += f->limit_first[p - 1];
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (uint32_t i = 0; i < net->transitions[t].limit_count; i++) {
            const om_net_limit *l = &net->transitions[t].limits[i];
            f->limiters[f->limit_first[l->place + 1]++] = (om_net_taker){ t, l->most };
        }
    return OM_OK;
}

int om_net_firing__open(om_net_firing *f, const om_net *net)
{
    const om_heap *heap = net->region.heap;
    const size_t transitions = (size_t) net->transition_count + 1;
    *f = (om_net_firing){ .net = net };
    if (!OM_NEW(heap, f->marking, (size_t) net->place_count + 1) ||
        !OM_NEW(heap, f->lacks, transitions) || !OM_NEW(heap, f->enabled, transitions) ||
        !OM_NEW(heap, f->at, transitions))
        return om_fail_memory(net->ctx);
    int rc = om_net__index_takers(net, &f->first, &f->takers);
    if (rc == OM_OK)
        rc = index_limits(f);
    if (rc == OM_OK)
        om_net_firing__reset(f);
    return rc;
}

void om_net_firing__close(om_net_firing *f)
{
    const om_heap *heap = f->net->region.heap;
    OM_FREE_ALL(heap, f->marking, f->first, f->takers, f->limit_first, f->limiters, f->lacks,
        f->enabled, f->at);
}

static void enable(om_net_firing *f, uint32_t t)
{
    assert(f->lacks[t] == 0 && f->enabled_count < f->net->transition_count); /* F1 */
    f->at[t] = f->enabled_count;
    f->enabled[f->enabled_count++] = t;
}

static void disable(om_net_firing *f, uint32_t t)
{
    assert(f->enabled_count > 0 && f->enabled[f->at[t]] == t); /* F1 */
    const uint32_t last = f->enabled[--f->enabled_count];
    f->enabled[f->at[t]] = last;
    f->at[last] = f->at[t];
}

void om_net_firing__reset(om_net_firing *f)
{
    const om_net *net = f->net;
    f->enabled_count = 0;
    for (uint32_t p = 0; p < net->place_count; p++)
        f->marking[p] = net->places[p].initial;
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const om_net_transition *x = &net->transitions[t];
        f->lacks[t] = 0;
        for (uint32_t i = 0; i < x->take_count; i++)
            f->lacks[t] += f->marking[x->takes[i].place] < x->takes[i].count;
        for (uint32_t i = 0; i < x->limit_count; i++)
            f->lacks[t] += f->marking[x->limits[i].place] > x->limits[i].most;
        if (f->lacks[t] == 0)
            enable(f, t);
    }
}

/* Updates a transition whose need at some place was met before (`met`) or is met now (`meets`). */
static void update(om_net_firing *f, uint32_t transition, bool met, bool meets)
{
    assert(met || f->lacks[transition] > 0); /* F1 */
    if (met && !meets && f->lacks[transition]++ == 0)
        disable(f, transition);
    if (!met && meets && --f->lacks[transition] == 0)
        enable(f, transition);
}

static void set(om_net_firing *f, uint32_t place, om_value tokens)
{
    assert(tokens >= 0);
    const om_value before = f->marking[place];
    f->marking[place] = tokens;
    for (uint32_t i = f->first[place]; i < f->first[place + 1]; i++) {
        const om_net_taker *k = &f->takers[i];
        update(f, k->transition, before >= k->count, tokens >= k->count);
    }
    if (f->limiters == NULL)
        return;
    for (uint32_t i = f->limit_first[place]; i < f->limit_first[place + 1]; i++) {
        const om_net_taker *k = &f->limiters[i];
        update(f, k->transition, before <= k->count, tokens <= k->count);
    }
}

bool om_net_firing__fire(om_net_firing *f, uint32_t transition)
{
    assert(f->lacks[transition] == 0); /* F1 */
    const om_net_transition *t = &f->net->transitions[transition];
    om_net_arc_walk w = { .take = 0 };
    while (om_net_arc_walk__step(t, &w)) {
        const om_wide tokens = om_net_arc_walk__after(&w, f->marking[w.place]);
        if (tokens > OM_VALUE_MAX)
            return false;
        if (tokens != f->marking[w.place])
            set(f, w.place, (om_value) tokens);
    }
    return true;
}

void om_net_firing__move(om_net_firing *f, const om_value *marking)
{
    for (uint32_t p = 0; p < f->net->place_count; p++)
        if (f->marking[p] != marking[p])
            set(f, p, marking[p]);
}

bool om_net_firing__replay(
    const om_net *net, const uint32_t *transitions, size_t count, om_value *marking)
{
    for (uint32_t p = 0; p < net->place_count; p++)
        marking[p] = net->places[p].initial;
    for (size_t n = 0; n < count; n++) {
        const om_net_transition *t = &net->transitions[transitions[n]];
        if (!om_net__can_fire(t, marking))
            return false;
        for (uint32_t i = 0; i < t->take_count; i++)
            marking[t->takes[i].place] -= t->takes[i].count;
        for (uint32_t i = 0; i < t->reset_count; i++)
            marking[t->resets[i]] = 0;
        for (uint32_t i = 0; i < t->give_count; i++)
            if (__builtin_add_overflow(
                    marking[t->gives[i].place], t->gives[i].count, &marking[t->gives[i].place]))
                return false;
    }
    return true;
}
