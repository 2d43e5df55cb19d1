/* SPDX-License-Identifier: Apache-2.0 */
/* Composes several firings to one transition. */
#include "reduction.h"

static uint32_t add_repeat(om_work *w, uint32_t piece, om_value times)
{
    return times == 1 ? piece
                      : om_work__add_piece(
                            w, (om_piece){ OM_PIECE_REPEAT, piece, (uint32_t) times, OM_NONE });
}

/* The tokens that repeated firing requires at one place, and its effect there. */
typedef struct need {
    om_wide takes, effect;
} need;

static need repeat(const om_effect_walk *e, bool here, om_value times)
{
    if (!here)
        return (need){ 0, 0 };
    const om_wide each = (om_wide) e->gives - e->takes;
    return (need){ e->takes + (each < 0 ? -each * (times - 1) : 0), each * times };
}

/* Visits the places of both in order. Writes the result to w->scratch or, if counts is NULL, only
 * checks whether it fits. */
static bool compose(om_work *w, const om_composition *c, uint32_t counts[2])
{
    const om_work_transition *first = &w->transitions[c->first];
    const om_work_transition *second = &w->transitions[c->second];
    om_effect_walk x = { .take = 0 }, y = { .take = 0 };
    (void) om_work__step(first, &x);
    (void) om_work__step(second, &y);
    while (x.place != OM_NONE || y.place != OM_NONE) {
        const uint32_t place = x.place < y.place ? x.place : y.place;
        const need a = repeat(&x, x.place == place, c->first_times);
        const need b = repeat(&y, y.place == place, c->second_times);
        const om_wide more = b.takes - (a.takes + a.effect);
        const om_wide takes = a.takes + (more > 0 ? more : 0);
        const om_wide gives = takes + a.effect + b.effect;
        if (takes > OM_VALUE_MAX || gives > OM_VALUE_MAX)
            return false;
        if (counts != NULL && takes > 0)
            w->scratch[0][counts[0]++] = (om_net_arc){ place, (om_value) takes };
        if (counts != NULL && gives > 0)
            w->scratch[1][counts[1]++] = (om_net_arc){ place, (om_value) gives };
        if (x.place == place)
            (void) om_work__step(first, &x);
        if (y.place == place)
            (void) om_work__step(second, &y);
    }
    return true;
}

bool om_work__can_compose(om_work *w, const om_composition *c)
{
    const om_work_transition *a = &w->transitions[c->first], *b = &w->transitions[c->second];
    w->work += a->take_count + a->give_count + b->take_count + b->give_count;
    return compose(w, c, NULL);
}

bool om_work__add_composition(om_work *w, const om_composition *c)
{
    uint32_t counts[2] = { 0, 0 };
    const uint32_t first = add_repeat(w, w->transitions[c->first].piece, c->first_times);
    const uint32_t second = add_repeat(w, w->transitions[c->second].piece, c->second_times);
    const uint32_t piece =
        om_work__add_piece(w, (om_piece){ OM_PIECE_THEN, first, second, OM_NONE });
    (void) compose(w, c, counts);
    return om_work__add_transition(w, counts[0], counts[1], piece);
}

bool om_work__fire_first(om_work *w, uint32_t t, om_value times)
{
    const om_work_transition *of = &w->transitions[t];
    for (uint32_t i = 0; i < of->give_count; i++)
        if ((om_wide) of->gives[i].count * times + w->places[of->gives[i].place].tokens >
            OM_VALUE_MAX)
            return false;
    const uint32_t piece = add_repeat(w, of->piece, times);
    if (piece == OM_NONE || !om_work__begin_with(w, piece))
        return false;
    for (uint32_t i = 0; i < of->take_count; i++)
        w->places[of->takes[i].place].tokens -= of->takes[i].count * times;
    for (uint32_t i = 0; i < of->give_count; i++)
        w->places[of->gives[i].place].tokens += of->gives[i].count * times;
    return true;
}
