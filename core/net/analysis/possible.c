/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the transitions that may fire: the least set of marked places and possible transitions such
 * that a place is marked if it has tokens initially or a possible transition gives to it, and a
 * transition is possible if each place that it takes from is marked and may hold the tokens that it
 * takes. By induction over the length of a run, only possible transitions fire in it, and only
 * marked places get tokens.
 */
#include "firing.h"
#include "proofs.h"

typedef struct search {
    om_net *net;
    bool *possible;
    uint32_t *first; /* om_net__index_takers() */
    om_net_taker *takers;
    uint32_t *missing; /* by transition: number of places it takes from that are not marked yet */
    uint32_t *queue;   /* marked places */
    bool *marked, *growing; /* by place */
    uint32_t begin, end;    /* the unprocessed part of the queue */
} search;

static int allocate(search *s, const om_heap *heap)
{
    const om_net *net = s->net;
    return OM_NEW(heap, s->missing, net->transition_count) &&
                   OM_NEW(heap, s->queue, net->place_count) &&
                   OM_NEW(heap, s->marked, net->place_count) &&
                   OM_NEW(heap, s->growing, net->place_count)
               ? om_net__index_takers(net, &s->first, &s->takers)
               : om_fail_memory(net->ctx);
}

static void release(search *s, const om_heap *heap)
{
    OM_FREE_ALL(heap, s->first, s->takers, s->missing, s->queue, s->marked, s->growing);
}

static void mark(search *s, uint32_t place)
{
    if (s->marked[place])
        return;
    s->marked[place] = true;
    s->queue[s->end++] = place;
}

static void fire(search *s, uint32_t t)
{
    const om_net_transition *of = &s->net->transitions[t];
    s->possible[t] = true;
    for (uint32_t i = 0; i < of->give_count; i++)
        mark(s, of->gives[i].place);
}

/* Returns the initial number of missing places; OM_NONE if a bound is lower than the transition
 * takes. */
static uint32_t missing_at_first(const search *s, const om_net_transition *t)
{
    uint32_t missing = t->take_count;
    for (uint32_t i = 0; i < t->take_count; i++)
        if (t->takes[i].count > s->net->places[t->takes[i].place].bound)
            return OM_NONE;
    return missing;
}

static int run(search *s)
{
    const om_net *net = s->net;
    for (uint32_t t = 0; t < net->transition_count; t++) {
        s->possible[t] = false;
        s->missing[t] = missing_at_first(s, &net->transitions[t]);
    }
    for (uint32_t p = 0; p < net->place_count; p++)
        if (net->places[p].initial > 0)
            mark(s, p);
    for (uint32_t t = 0; t < net->transition_count; t++)
        if (s->missing[t] == 0)
            fire(s, t);
    while (s->begin < s->end) {
        uint32_t p = s->queue[s->begin++];
        for (uint32_t i = s->first[p]; i < s->first[p + 1]; i++) {
            const uint32_t t = s->takers[i].transition;
            if (s->missing[t] != OM_NONE && --s->missing[t] == 0)
                fire(s, t);
        }
        if (s->begin % 4096 == 0 && om_context_stopped(net->ctx) != OM_OK)
            return om_context_stopped(net->ctx);
    }
    return OM_OK;
}

/* Marks the places in which the transition leaves more tokens than before. */
static void note_growing(search *s, const om_net_transition *t)
{
    for (uint32_t k = 0, i = 0; k < t->give_count; k++) {
        while (i < t->take_count && t->takes[i].place < t->gives[k].place)
            i++;
        bool both = i < t->take_count && t->takes[i].place == t->gives[k].place;
        if (!both || t->takes[i].count < t->gives[k].count)
            s->growing[t->gives[k].place] = true;
    }
}

static void lower_bounds(search *s)
{
    om_net *net = s->net;
    for (uint32_t t = 0; t < net->transition_count; t++)
        if (s->possible[t])
            note_growing(s, &net->transitions[t]);
    for (uint32_t p = 0; p < net->place_count; p++)
        if (!s->marked[p] || !s->growing[p])
            (void) om_net__lower_bound_to(&net->places[p], net->places[p].initial);
}

int om_net__possible(om_net *net, bool *possible)
{
    const om_heap *heap = om_context_heap(net->ctx);
    search s = { .net = net };
    s.possible = possible;
    int rc = allocate(&s, heap);
    if (rc == OM_OK)
        rc = run(&s);
    if (rc == OM_OK)
        lower_bounds(&s);
    release(&s, heap);
    return rc;
}
