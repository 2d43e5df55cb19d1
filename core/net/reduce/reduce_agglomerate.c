/* SPDX-License-Identifier: Apache-2.0 */
/* Agglomerations: see reduction.h. */
#include "reduction.h"

/* Transitions around a place, in one list: those that give to it, then those that take from it. */
typedef struct around {
    uint32_t place;
    uint32_t *list;
    size_t gives, takes;
    size_t room;
    om_value least_given, least_taken; /* the count of the first one, */
    bool same_given, same_taken;       /* and whether all have the same count */
} around;

static bool look_around(om_work *w, uint32_t place, around *a)
{
    size_t count = 0;
    const uint32_t *users = om_work__users(w, place, &count);
    uint32_t *list = om_grow(w->heap, a->list, &a->room, count, sizeof *list);
    if (list == NULL) {
        w->status = om_fail_memory(w->ctx);
        return false;
    }
    *a = (around){ .place = place, .list = list, .room = a->room };
    for (size_t i = 0; i < count; i++)
        if (om_work__gives(w, users[i], place) > 0)
            list[a->gives++] = users[i];
    for (size_t i = 0; i < count; i++)
        if (om_work__takes(w, users[i], place) > 0 && a->gives + a->takes < count)
            list[a->gives + a->takes++] = users[i];
        else if (om_work__takes(w, users[i], place) > 0)
            return false; /* one transition does both */
    if (a->gives == 0 || a->takes == 0)
        return false;
    a->least_given = om_work__gives(w, list[0], place);
    a->least_taken = om_work__takes(w, list[a->gives], place);
    a->same_given = a->same_taken = true;
    for (size_t i = 0; i < a->gives; i++)
        a->same_given = a->same_given && om_work__gives(w, list[i], place) == a->least_given;
    for (size_t i = a->gives; i < a->gives + a->takes; i++)
        a->same_taken = a->same_taken && om_work__takes(w, list[i], place) == a->least_taken;
    return true;
}

/* Sets *c to the composition of one h and one f. Returns false if they cannot be combined. */
static bool pair_of(
    om_work *w, const around *a, size_t h, size_t f, bool repeats_f, om_composition *c)
{
    const om_value given = om_work__gives(w, a->list[h], a->place);
    const om_value taken = om_work__takes(w, a->list[a->gives + f], a->place);
    *c = (om_composition){ a->list[h], a->list[a->gives + f], 1, 1 };
    if (given == taken)
        return true;
    if (repeats_f) {
        c->second_times = given / taken;
        return a->takes == 1 && given % taken == 0;
    }
    c->first_times = taken / given;
    return a->gives == 1 && taken % given == 0;
}

/* Returns true if all compositions are possible and not too many. */
static bool fits(om_work *w, const around *a, bool repeats_f)
{
    enum { MOST_PAIRS = 32 }; /* in addition to the transitions replaced */
    const size_t sum = a->gives + a->takes;
    om_composition c;
    if (a->gives > w->most_transitions || a->takes > w->most_transitions ||
        a->gives * a->takes > sum + MOST_PAIRS ||
        w->live_transitions - sum + a->gives * a->takes > w->most_transitions)
        return false;
    if ((!a->same_given && !(repeats_f && a->takes == 1)) ||
        (!a->same_taken && !(!repeats_f && a->gives == 1)))
        return false;
    for (size_t h = 0; h < a->gives; h++)
        for (size_t f = 0; f < a->takes; f++)
            if (!pair_of(w, a, h, f, repeats_f, &c) || !om_work__can_compose(w, &c))
                return false;
    return true;
}

static void agglomerate(om_work *w, const around *a, bool repeats_f)
{
    om_composition c;
    for (size_t h = 0; h < a->gives; h++)
        for (size_t f = 0; f < a->takes; f++) {
            (void) pair_of(w, a, h, f, repeats_f, &c);
            if (!om_work__add_composition(w, &c))
                return;
        }
    for (size_t i = 0; i < a->gives + a->takes; i++)
        om_work__drop_transition(w, a->list[i]);
    om_work__drop_place(w, a->place);
}

/* ---- post ---- */

static bool all_take_it_alone(const om_work *w, const around *a)
{
    for (size_t i = a->gives; i < a->gives + a->takes; i++)
        if (w->transitions[a->list[i]].take_count != 1 || !om_work__is_silent(w, a->list[i]))
            return false;
    return true;
}

static bool post(om_work *w, const around *a)
{
    const om_value tokens = w->places[a->place].tokens;
    if (!all_take_it_alone(w, a) || !fits(w, a, true))
        return false;
    if (tokens >= a->least_taken &&
        (a->takes != 1 || !om_work__fire_first(w, a->list[a->gives], tokens / a->least_taken)))
        return false;
    agglomerate(w, a, true);
    return true;
}

/* ---- pre, free ---- */

static bool gives(const om_work *w, const around *a, uint32_t t)
{
    return om_work__gives(w, t, a->place) > 0;
}

/* Returns true if only transitions that give to the place take from the places that h takes
 * from. */
static bool take_apart(om_work *w, const around *a, uint32_t h)
{
    const om_work_transition *of = &w->transitions[h];
    for (uint32_t i = 0; i < of->take_count; i++) {
        size_t count = 0;
        const uint32_t place = of->takes[i].place;
        const uint32_t *users = om_work__users(w, place, &count);
        for (size_t k = 0; k < count; k++)
            if (om_work__takes(w, users[k], place) > 0 && !gives(w, a, users[k]))
                return false;
    }
    return true;
}

static bool all_give_it_alone(om_work *w, const around *a)
{
    for (size_t i = 0; i < a->gives; i++)
        if (w->transitions[a->list[i]].give_count != 1 || !om_work__is_silent(w, a->list[i]))
            return false;
    return true;
}

static bool all_can_wait(om_work *w, const around *a)
{
    for (size_t i = 0; i < a->gives; i++)
        if (w->transitions[a->list[i]].take_count == 0 || !take_apart(w, a, a->list[i]))
            return false;
    return true;
}

static bool free_one(om_work *w, const around *a)
{
    if (w->places[a->place].tokens >= a->least_given || !all_give_it_alone(w, a) ||
        !fits(w, a, false))
        return false;
    agglomerate(w, a, false);
    return true;
}

static bool pre(om_work *w, const around *a)
{
    return all_give_it_alone(w, a) && all_can_wait(w, a) && free_one(w, a);
}

static uint64_t at_all_places(om_work *w, bool (*one)(om_work *w, const around *a))
{
    uint64_t times = 0;
    around a = { .list = NULL };
    for (uint32_t p = 0; p < w->net->place_count && om_work__go_on(w, 1); p++)
        if (!w->places[p].removed && !w->places[p].observed && look_around(w, p, &a))
            times += one(w, &a);
    om_free(w->heap, a.list);
    return times;
}

uint64_t om_reduce__post(om_work *w)
{
    return at_all_places(w, post);
}

uint64_t om_reduce__pre(om_work *w)
{
    return at_all_places(w, pre);
}

uint64_t om_reduce__free(om_work *w)
{
    return at_all_places(w, free_one);
}
