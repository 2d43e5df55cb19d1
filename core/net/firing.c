/* SPDX-License-Identifier: Apache-2.0 */
#include "firing.h"

#include <string.h>

static int index_takers(om_net_firing *f)
{
    const om_net *net = f->net;
    const om_heap *heap = net->region.heap;
    size_t arcs = 0;
    for (uint32_t t = 0; t < net->transition_count; t++)
        arcs += net->transitions[t].take_count;
    f->first = om_alloc(heap, (size_t) net->place_count + 2, sizeof *f->first);
    f->takers = om_alloc(heap, arcs + 1, sizeof *f->takers);
    if (f->first == NULL || f->takers == NULL || arcs > UINT32_MAX)
        return om_fail_memory(net->ctx);
    /* Counts are stored two entries ahead, so that filling advances each start to its final
     * value. */
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (uint32_t i = 0; i < net->transitions[t].take_count; i++)
            f->first[net->transitions[t].takes[i].place + 2]++;
    for (uint32_t p = 2; p < net->place_count + 2; p++)
        f->first[p] += f->first[p - 1];
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (uint32_t i = 0; i < net->transitions[t].take_count; i++) {
            const om_net_arc *a = &net->transitions[t].takes[i];
            f->takers[f->first[a->place + 1]++] = (om_net_taker){ t, a->count };
        }
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
    f->limit_first = om_alloc(heap, (size_t) net->place_count + 2, sizeof *f->limit_first);
    f->limiters = om_alloc(heap, limits, sizeof *f->limiters);
    if (f->limit_first == NULL || f->limiters == NULL || limits > UINT32_MAX)
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
    f->marking = om_alloc(heap, (size_t) net->place_count + 1, sizeof *f->marking);
    f->lacks = om_alloc(heap, transitions, sizeof *f->lacks);
    f->enabled = om_alloc(heap, transitions, sizeof *f->enabled);
    f->at = om_alloc(heap, transitions, sizeof *f->at);
    if (f->marking == NULL || f->lacks == NULL || f->enabled == NULL || f->at == NULL)
        return om_fail_memory(net->ctx);
    int rc = index_takers(f);
    if (rc == OM_OK)
        rc = index_limits(f);
    if (rc == OM_OK)
        om_net_firing__reset(f);
    return rc;
}

void om_net_firing__close(om_net_firing *f)
{
    const om_heap *heap = f->net->region.heap;
    om_free(heap, f->marking);
    om_free(heap, f->first);
    om_free(heap, f->takers);
    om_free(heap, f->limit_first);
    om_free(heap, f->limiters);
    om_free(heap, f->lacks);
    om_free(heap, f->enabled);
    om_free(heap, f->at);
}

static void enable(om_net_firing *f, uint32_t t)
{
    f->at[t] = f->enabled_count;
    f->enabled[f->enabled_count++] = t;
}

static void disable(om_net_firing *f, uint32_t t)
{
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
    if (met && !meets && f->lacks[transition]++ == 0)
        disable(f, transition);
    if (!met && meets && --f->lacks[transition] == 0)
        enable(f, transition);
}

static void set(om_net_firing *f, uint32_t place, om_value tokens)
{
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
