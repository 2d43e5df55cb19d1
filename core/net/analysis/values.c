/* SPDX-License-Identifier: Apache-2.0 */
/*
 *  V1  The transitions that take from place p or give to it are uses[first[p]] .. uses[first[p + 1]
 *      - 1].
 *  V2  reached[v] is set for each number v in list[0] .. list[count - 1], and no other, while a
 *      place is examined.
 */
#include "values.h"

#include "extended.h"

#include <assert.h>

enum {
    MOST_BOUND = 1 << 16, /* places with higher bounds are left out */
    ROUNDS = 4,           /* each without the transitions that the one before has excluded */
    LOOK_WORK = 1 << 16   /* steps between two checks of the context */
};
#define MOST_WORK UINT64_C(40000000)

/* A transition at a place */
typedef struct use {
    uint32_t transition;
    om_value takes, gives;
} use;

/* a m(place) + b m(partner) = c */
typedef struct complement {
    uint32_t partner; /* OM_NONE: none is known */
    int64_t a, b, c;
} complement;

typedef struct values {
    om_net *net;
    bool *possible;
    om_value *least;
    uint32_t *first; /* [place] */
    use *uses;
    complement *complements; /* [place] */
    bool *reached;           /* [number] */
    om_value *list;
    size_t count;
    uint64_t work, looked_at;
    bool excluded; /* a transition, in this round */
} values;

/* ---- setup ---- */

static void add_complement(values *v, const om_net_weight *p, const om_net_weight *q, int64_t c)
{
    complement *k = &v->complements[p->place];
    if (k->partner == OM_NONE)
        *k = (complement){ q->place, p->factor, q->factor, c };
}

static void find_complements(values *v, const om_net_invariants *invariants)
{
    for (uint32_t p = 0; p < v->net->place_count; p++)
        v->complements[p].partner = OM_NONE;
    for (size_t i = 0; i < invariants->count; i++) {
        const om_net_invariant *row = &invariants->rows[i];
        const om_net_weight *t = row->terms;
        if (row->term_count != 2 || t[0].factor <= 0 || t[1].factor <= 0)
            continue;
        add_complement(v, &t[0], &t[1], row->constant);
        add_complement(v, &t[1], &t[0], row->constant);
    }
}

static bool index_uses(values *v)
{
    const om_net *net = v->net;
    const om_heap *heap = om_context_heap(net->ctx);
    size_t arcs = 0;
    for (uint32_t t = 0; t < net->transition_count; t++)
        arcs += (size_t) net->transitions[t].take_count + net->transitions[t].give_count;
    if (arcs > UINT32_MAX || !OM_NEW(heap, v->first, (size_t) net->place_count + 2) ||
        !OM_NEW(heap, v->uses, arcs + 1))
        return false;
    /* Counts are stored two entries ahead, so that filling advances each start to its final
     * value. */
    for (uint32_t t = 0; t < net->transition_count; t++) {
        om_net_arc_walk a = { .take = 0 };
        while (om_net_arc_walk__step(&net->transitions[t], &a))
            v->first[a.place + 2]++;
    }
    for (uint32_t p = 2; p < net->place_count + 2; p++)
        v->first[p] += v->first[p - 1];
    for (uint32_t t = 0; t < net->transition_count; t++) {
        om_net_arc_walk a = { .take = 0 };
        while (om_net_arc_walk__step(&net->transitions[t], &a))
            v->uses[v->first[a.place + 1]++] = (use){ t, a.takes, a.gives };
    }
    return true; /* V1 */
}

/* ---- one place ---- */

static om_value taken(const om_net_transition *t, uint32_t place)
{
    for (uint32_t i = 0; i < t->take_count; i++)
        if (t->takes[i].place == place)
            return t->takes[i].count;
    return 0;
}

/* Returns the most tokens of the place with which the transition can fire. */
static int64_t most_for(const values *v, uint32_t place, uint32_t transition)
{
    const complement *k = &v->complements[place];
    int64_t needed = 0, left = 0;
    const int64_t bound = v->net->places[place].bound;
    if (k->partner == OM_NONE)
        return bound;
    const om_value takes = taken(&v->net->transitions[transition], k->partner);
    if (__builtin_mul_overflow(k->b, takes, &needed) || __builtin_sub_overflow(k->c, needed, &left))
        return bound;
    if (left < 0)
        return -1;
    return left / k->a < bound ? left / k->a : bound;
}

static void reach(values *v, int64_t number, int64_t bound)
{
    /* The bound is proved, so a larger number is not reachable. */
    if (number < 0 || number > bound || v->reached[number])
        return;
    v->reached[number] = true;
    v->list[v->count++] = (om_value) number;
}

/* Finds the numbers of the place. */
static void find_numbers(values *v, uint32_t place)
{
    const om_net_place *p = &v->net->places[place];
    v->count = 0;
    reach(v, p->initial, p->bound);
    for (uint32_t i = v->first[place]; i < v->first[place + 1]; i++)
        v->work += v->net->transitions[v->uses[i].transition].take_count;
    for (size_t n = 0; n < v->count; n++)
        for (uint32_t i = v->first[place]; i < v->first[place + 1]; i++) {
            const use *u = &v->uses[i];
            const int64_t number = v->list[n];
            v->work++;
            if (u->gives != u->takes && v->possible[u->transition] && number >= u->takes &&
                number <= most_for(v, place, u->transition))
                reach(v, number - u->takes + u->gives, p->bound);
        }
}

/* Excludes transitions whose need none of the numbers meets. */
static void exclude(values *v, uint32_t place)
{
    for (uint32_t i = v->first[place]; i < v->first[place + 1]; i++) {
        const use *u = &v->uses[i];
        int64_t number = u->takes;
        const int64_t most = most_for(v, place, u->transition);
        if (!v->possible[u->transition])
            continue;
        while (number <= most && !v->reached[number])
            number++;
        v->work += (uint64_t) (number - u->takes) + 1;
        if (number <= most)
            continue;
        v->possible[u->transition] = false;
        v->excluded = true;
    }
}

static void take_bounds(values *v, uint32_t place)
{
    om_value least = OM_VALUE_MAX, most = 0;
    for (size_t i = 0; i < v->count; i++) {
        least = v->list[i] < least ? v->list[i] : least;
        most = v->list[i] > most ? v->list[i] : most;
    }
    assert(v->count > 0 && least <= most);
    (void) om_net__lower_bound_to(&v->net->places[place], most);
    if (v->least != NULL && v->least[place] < least)
        v->least[place] = least;
}

static bool is_small(const om_net_place *p)
{
    return p->bound <= MOST_BOUND && p->initial <= p->bound;
}

static int one_round(values *v)
{
    v->excluded = false;
    for (uint32_t p = 0; p < v->net->place_count && v->work < MOST_WORK; p++) {
        if (!is_small(&v->net->places[p]))
            continue;
        find_numbers(v, p);
        exclude(v, p);
        take_bounds(v, p);
        for (size_t i = 0; i < v->count; i++)
            v->reached[v->list[i]] = false; /* V2 */
        if (v->work - v->looked_at < LOOK_WORK)
            continue;
        v->looked_at = v->work;
        const int rc = om_context_stopped(v->net->ctx);
        if (rc != OM_OK)
            return rc;
    }
    return OM_OK;
}

/* ---- all places ---- */

int om_net__bound_by_values(
    om_net *net, const om_net_invariants *invariants, bool *possible, om_value *least)
{
    const om_heap *heap = om_context_heap(net->ctx);
    values v = { .net = net, .excluded = true };
    v.possible = possible;
    v.least = least;
    int rc = OM_NEW(heap, v.complements, (size_t) net->place_count + 1) &&
                     OM_NEW(heap, v.reached, (size_t) MOST_BOUND + 1) &&
                     OM_NEW(heap, v.list, (size_t) MOST_BOUND + 1) && index_uses(&v)
                 ? OM_OK
                 : om_fail_memory(net->ctx);
    if (rc == OM_OK)
        find_complements(&v, invariants);
    for (unsigned i = 0; i < ROUNDS && v.excluded && rc == OM_OK && v.work < MOST_WORK; i++)
        rc = one_round(&v);
    OM_FREE_ALL(heap, v.first, v.uses, v.complements, v.reached, v.list);
    return rc;
}
