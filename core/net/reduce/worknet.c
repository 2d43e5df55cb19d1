/* SPDX-License-Identifier: Apache-2.0 */
#include "reduction.h"

#include "extended.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A step visits an arc: some nanoseconds each. */
enum { ASK_EVERY = 4096, STEPS_PER_ARC = 400 };
#define SOME_STEPS UINT64_C(20000000)
#define MOST_STEPS UINT64_C(400000000)

/* ---- limits ---- */

static bool out_of_memory(om_work *w)
{
    if (w->status == OM_OK)
        w->status = om_fail_memory(w->ctx);
    return false;
}

bool om_work__go_on(om_work *w, uint64_t n)
{
    w->work += n;
    if (w->status == OM_OK && w->work - w->checked_at >= ASK_EVERY) {
        w->checked_at = w->work;
        w->status = om_context_stopped(w->ctx);
        if (w->until_ns != 0 && om_clock_ns() >= w->until_ns)
            w->budget = 0;
    }
    return w->status == OM_OK && w->work < w->budget;
}

void *om_work__alloc(om_work *w, size_t count, size_t size)
{
    void *p = om_alloc(w->heap, count, size);
    if (p == NULL)
        (void) out_of_memory(w);
    return p;
}

/* ---- arcs ---- */

static bool add_user(om_work *w, uint32_t place, uint32_t t)
{
    om_work_place *p = &w->places[place];
    if (!OM_ROOM(w->heap, p->users, &p->user_room, p->user_count + 1))
        return out_of_memory(w);
    p->users[p->user_count++] = t;
    return true;
}

bool om_work__step(const om_work_transition *t, om_effect_walk *e)
{
    uint32_t taken = e->take < t->take_count ? t->takes[e->take].place : OM_NONE;
    uint32_t given = e->give < t->give_count ? t->gives[e->give].place : OM_NONE;
    e->place = taken < given ? taken : given;
    e->takes = e->gives = 0;
    if (e->place == OM_NONE)
        return false;
    if (taken == e->place)
        e->takes = t->takes[e->take++].count;
    if (given == e->place)
        e->gives = t->gives[e->give++].count;
    return true;
}

/* Returns the index of the place in the list, or its insertion point. */
static uint32_t find(const om_net_arc *list, uint32_t count, uint32_t place)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static om_value count_of(const om_net_arc *list, uint32_t count, uint32_t place)
{
    uint32_t at = find(list, count, place);
    return at < count && list[at].place == place ? list[at].count : 0;
}

om_value om_work__takes(const om_work *w, uint32_t t, uint32_t place)
{
    return count_of(w->transitions[t].takes, w->transitions[t].take_count, place);
}

om_value om_work__gives(const om_work *w, uint32_t t, uint32_t place)
{
    return count_of(w->transitions[t].gives, w->transitions[t].give_count, place);
}

/* Removes transitions that are no longer users from the list first. */
const uint32_t *om_work__users(om_work *w, uint32_t place, size_t *count)
{
    om_work_place *p = &w->places[place];
    size_t kept = 0;
    for (size_t i = 0; i < p->user_count; i++) {
        uint32_t t = p->users[i];
        if (!w->transitions[t].removed &&
            (om_work__takes(w, t, place) > 0 || om_work__gives(w, t, place) > 0))
            p->users[kept++] = t;
    }
    w->work += p->user_count;
    p->user_count = kept;
    *count = kept;
    return p->users;
}

bool om_work__is_silent(const om_work *w, uint32_t t)
{
    om_effect_walk e = { .take = 0 };
    while (om_work__step(&w->transitions[t], &e))
        if (e.takes != e.gives && w->places[e.place].observed)
            return false;
    return true;
}

bool om_work__takes_less(const om_work_transition *a, const om_work_transition *b)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < a->take_count; i++) {
        while (k < b->take_count && b->takes[k].place < a->takes[i].place)
            k++;
        if (k == b->take_count || b->takes[k].place != a->takes[i].place ||
            b->takes[k].count < a->takes[i].count)
            return false;
    }
    return true;
}

/* Advances to the next place that the transition changes. */
static bool next_change(const om_work_transition *t, om_effect_walk *e)
{
    while (om_work__step(t, e))
        if (e->takes != e->gives)
            return true;
    return false;
}

bool om_work__same_effect(const om_work_transition *a, const om_work_transition *b)
{
    om_effect_walk x = { .take = 0 }, y = { .take = 0 };
    while (next_change(a, &x))
        if (!next_change(b, &y) || x.place != y.place || x.gives - x.takes != y.gives - y.takes)
            return false;
    return !next_change(b, &y);
}

/* ---- removal ---- */

void om_work__drop_transition(om_work *w, uint32_t t)
{
    om_work_transition *of = &w->transitions[t];
    assert(!of->removed && w->live_transitions > 0);
    w->work += of->take_count + of->give_count;
    of->removed = true;
    om_free(w->heap, of->takes);
    of->takes = of->gives = NULL;
    of->take_count = of->give_count = 0;
    w->live_transitions--;
}

static void remove_arc(om_net_arc *list, uint32_t *count, uint32_t place)
{
    const uint32_t at = find(list, *count, place);
    if (at == *count || list[at].place != place)
        return;
    memmove(list + at, list + at + 1, (*count - at - 1) * sizeof *list);
    --*count;
}

void om_work__drop_place(om_work *w, uint32_t place)
{
    om_work_place *p = &w->places[place];
    assert(!p->removed && w->live_places > 0);
    size_t users = 0;
    const uint32_t *list = om_work__users(w, place, &users);
    for (size_t i = 0; i < users; i++) {
        om_work_transition *t = &w->transitions[list[i]];
        w->work += (t->take_count + t->give_count) / 16;
        remove_arc(t->takes, &t->take_count, place);
        remove_arc(t->gives, &t->give_count, place);
    }
    om_free(w->heap, p->users);
    p->users = NULL;
    p->user_count = p->user_room = 0;
    p->removed = true;
    p->observed = false;
    w->live_places--;
}

bool om_work__replace_place(
    om_work *w, uint32_t place, om_wide constant, om_value factor, uint32_t by)
{
    enum { MOST_SCALE = 1024 }; /* keeps images of images small */
    om_work_place *p = &w->places[place];
    assert(by == OM_NONE || (by != place && !w->places[by].removed));
    if (p->observed) {
        if (by != OM_NONE && factor > MOST_SCALE / p->scale)
            return false;
        if (!OM_ROOM(w->heap, w->removed, &w->removed_room, w->removed_count + 1))
            return out_of_memory(w);
        w->removed[w->removed_count++] = (om_removed_place){ place, by, constant, factor };
    }
    if (p->observed && by != OM_NONE) {
        om_work_place *q = &w->places[by];
        q->observed = true;
        if (q->scale < factor * p->scale)
            q->scale = factor * p->scale;
    }
    om_work__drop_place(w, place);
    return true;
}

/* ---- construction ---- */

/* Copies the list with `value` tokens for the place. */
static uint32_t copy_with(
    om_net_arc *to, const om_net_arc *list, uint32_t count, uint32_t place, om_value value)
{
    uint32_t n = 0, i = 0;
    for (; i < count && list[i].place < place; i++)
        to[n++] = list[i];
    if (i < count && list[i].place == place)
        i++;
    if (value > 0)
        to[n++] = (om_net_arc){ place, value };
    for (; i < count; i++)
        to[n++] = list[i];
    return n;
}

bool om_work__set_arcs(om_work *w, uint32_t t, uint32_t place, om_value takes, om_value gives)
{
    om_work_transition *of = &w->transitions[t];
    assert(!of->removed && !w->places[place].removed && takes >= 0 && gives >= 0);
    const bool known = om_work__takes(w, t, place) > 0 || om_work__gives(w, t, place) > 0;
    om_net_arc *block =
        om_alloc(w->heap, (size_t) of->take_count + of->give_count + 2, sizeof *block);
    if (block == NULL)
        return out_of_memory(w);
    if (!known && (takes > 0 || gives > 0)) {
        size_t users = 0; /* it may be an outdated entry, which is removed first */
        (void) om_work__users(w, place, &users);
        if (!add_user(w, place, t)) {
            om_free(w->heap, block);
            return false;
        }
    }
    uint32_t n = copy_with(block, of->takes, of->take_count, place, takes);
    uint32_t m = copy_with(block + n, of->gives, of->give_count, place, gives);
    om_free(w->heap, of->takes);
    of->takes = block;
    of->gives = block + n;
    of->take_count = n;
    of->give_count = m;
    w->work += n + m;
    return true;
}

uint32_t om_work__add_piece(om_work *w, om_piece p)
{
    if (p.a == OM_NONE || p.b == OM_NONE)
        return OM_NONE;
    assert(p.kind == OM_PIECE_ONE || p.a < w->piece_count);                                 /* W2 */
    assert((p.kind != OM_PIECE_THEN && p.kind != OM_PIECE_EITHER) || p.b < w->piece_count); /* W2 */
    if (!OM_ROOM(w->heap, w->pieces, &w->piece_room, w->piece_count + 1) ||
        w->piece_count >= OM_NONE) {
        (void) out_of_memory(w);
        return OM_NONE;
    }
    w->pieces[w->piece_count] = p;
    return (uint32_t) w->piece_count++;
}

bool om_work__begin_with(om_work *w, uint32_t piece)
{
    assert(piece == OM_NONE || piece < w->piece_count);
    if (!OM_ROOM(w->heap, w->begin, &w->begin_room, w->begin_count + 1))
        return out_of_memory(w);
    w->begin[w->begin_count++] = piece;
    return true;
}

static void copy(om_net_arc *to, const om_net_arc *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = from[i];
}

bool om_work__add_transition(om_work *w, uint32_t take_count, uint32_t give_count, uint32_t piece)
{
    assert(take_count <= w->net->place_count && give_count <= w->net->place_count);
    om_net_arc *block = om_alloc(w->heap, (size_t) take_count + give_count + 1, sizeof *block);
    const bool grown =
        OM_ROOM(w->heap, w->transitions, &w->transition_room, w->transition_count + 1);
    if (block == NULL || !grown || piece == OM_NONE || w->transition_count >= OM_NONE) {
        om_free(w->heap, block);
        return out_of_memory(w);
    }
    const uint32_t t = (uint32_t) w->transition_count++;
    om_work_transition *of = &w->transitions[t];
    *of = (om_work_transition){ block, block + take_count, take_count, give_count, piece, false };
    copy(block, w->scratch[0], take_count);
    copy(block + take_count, w->scratch[1], give_count);
    w->live_transitions++;
    w->work += take_count + give_count;
    bool fits = true;
    om_effect_walk e = { .take = 0 };
    while (fits && om_work__step(of, &e))
        fits = add_user(w, e.place, t);
    return fits;
}

/* ---- sorting ---- */

static int compare_keyed(const void *a, const void *b)
{
    const om_keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

void om_work__sort(om_keyed *list, size_t count)
{
    if (count > 1)
        qsort(list, count, sizeof *list, compare_keyed);
}

/* ---- opening and closing ---- */

static bool fill(om_work *w, const uint8_t *observed)
{
    const om_net *net = w->net;
    bool fits = true;
    for (uint32_t p = 0; p < net->place_count; p++)
        w->places[p] = (om_work_place){ .tokens = net->places[p].initial,
            .scale = 1,
            .bound = net->places[p].bound,
            .observed = observed != NULL && observed[p] != 0 };
    for (uint32_t t = 0; t < net->transition_count && fits; t++) {
        const om_net_transition *of = &net->transitions[t];
        copy(w->scratch[0], of->takes, of->take_count);
        copy(w->scratch[1], of->gives, of->give_count);
        const uint32_t piece = om_work__add_piece(w, (om_piece){ .kind = OM_PIECE_ONE, .a = t });
        fits = om_work__add_transition(w, of->take_count, of->give_count, piece);
    }
    return fits;
}

int om_work__make(om_work *w, const om_net *net, const uint8_t *observed, om_reduce_keep keep)
{
    *w = (om_work){ .ctx = net->ctx,
        .heap = om_context_heap(net->ctx),
        .net = net,
        .plain = om_net__is_plain(net),
        .keep = keep };
    const size_t places = (size_t) net->place_count + 1;
    w->places = om_work__alloc(w, places, sizeof *w->places);
    w->scratch[0] = om_work__alloc(w, places, sizeof *w->scratch[0]);
    w->scratch[1] = om_work__alloc(w, places, sizeof *w->scratch[1]);
    if (w->status != OM_OK)
        return w->status;
    w->live_places = net->place_count;
    w->budget = UINT64_MAX;
    if (!fill(w, observed))
        return w->status;
    const uint64_t steps = SOME_STEPS + STEPS_PER_ARC * w->work;
    w->budget = w->work + (steps < MOST_STEPS ? steps : MOST_STEPS);
    const uint64_t most = (uint64_t) net->transition_count + net->transition_count / 4 + 64;
    w->most_transitions = most < OM_NONE ? (uint32_t) most : OM_NONE - 1;
    return w->status;
}

void om_work__free(om_work *w)
{
    for (uint32_t p = 0; w->places != NULL && p < w->net->place_count; p++)
        om_free(w->heap, w->places[p].users);
    for (size_t t = 0; t < w->transition_count; t++)
        om_free(w->heap, w->transitions[t].takes);
    OM_FREE_ALL(w->heap, w->places, w->transitions, w->pieces, w->begin, w->removed, w->scratch[0],
        w->scratch[1]);
    *w = (om_work){ .heap = NULL };
}
