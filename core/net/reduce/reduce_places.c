/* SPDX-License-Identifier: Apache-2.0 */
/* Passes that remove only places: see reduction.h. */
#include "reduction.h"

/* ---- constant ---- */

typedef struct change {
    bool grows, shrinks;
} change;

static change changes_of(om_work *w, uint32_t place)
{
    size_t count = 0;
    const uint32_t *users = om_work__users(w, place, &count);
    change c = { false, false };
    for (size_t i = 0; i < count; i++) {
        const om_value effect = om_work__effect(w, users[i], place);
        c.grows |= effect > 0;
        c.shrinks |= effect < 0;
    }
    return c;
}

/* No transition reduces the place's tokens: removes the tests of transitions that take at most its
 * initial tokens. */
static bool forget_enough(om_work *w, uint32_t place)
{
    size_t count = 0;
    bool any = false;
    const om_value tokens = w->places[place].tokens;
    const uint32_t *users = om_work__users(w, place, &count);
    for (size_t i = 0; i < count; i++) {
        const om_value takes = om_work__takes(w, users[i], place);
        if (takes == 0 || takes > tokens)
            continue;
        /* The list stays unchanged if the transition still gives to the place. Otherwise it is no
         * user any more, which the next call of om_work__users() finds. */
        any = om_work__set_arcs(w, users[i], place, 0, om_work__effect(w, users[i], place)) || any;
    }
    return any;
}

static void drop_never_enabled(om_work *w, uint32_t place)
{
    size_t count = 0;
    const uint32_t *users = om_work__users(w, place, &count);
    for (size_t i = 0; i < count; i++)
        if (om_work__takes(w, users[i], place) > w->places[place].tokens)
            om_work__drop_transition(w, users[i]);
}

uint64_t om_reduce__constant(om_work *w)
{
    uint64_t times = 0;
    for (uint32_t p = 0; p < w->net->place_count && om_work__go_on(w, 1); p++) {
        if (w->places[p].removed)
            continue;
        const change c = changes_of(w, p);
        if (!c.grows && !c.shrinks) {
            drop_never_enabled(w, p);
            times += om_work__replace_place(w, p, w->places[p].tokens, 0, OM_NONE);
        } else if (!c.shrinks) {
            times += forget_enough(w, p);
        }
    }
    return times;
}

/* ---- unread ---- */

static bool is_read(om_work *w, uint32_t place)
{
    size_t count = 0;
    const uint32_t *users = om_work__users(w, place, &count);
    for (size_t i = 0; i < count; i++)
        if (om_work__takes(w, users[i], place) > 0)
            return true;
    return false;
}

uint64_t om_reduce__unread(om_work *w)
{
    uint64_t times = 0;
    for (uint32_t p = 0; p < w->net->place_count && om_work__go_on(w, 1); p++)
        if (!w->places[p].removed && !w->places[p].observed && !is_read(w, p)) {
            om_work__drop_place(w, p);
            times++;
        }
    return times;
}

/* ---- proportional ---- */

static om_value divisor(om_value a, om_value b)
{
    while (b != 0) {
        const om_value rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The changes of a place by transitions, in multiples of `unit`; 0 if there are none. */
typedef struct column {
    uint64_t key;
    om_value unit;
} column;

static column column_of(om_work *w, uint32_t place)
{
    size_t count = 0;
    const uint32_t *users = om_work__users(w, place, &count);
    column c = { 0, 0 };
    for (size_t i = 0; i < count; i++) {
        const om_value effect = om_work__effect(w, users[i], place);
        c.unit = divisor(effect < 0 ? -effect : effect, c.unit);
    }
    for (size_t i = 0; i < count && c.unit != 0; i++) {
        const om_value effect = om_work__effect(w, users[i], place);
        if (effect != 0)
            c.key += om_work__mix(users[i], (uint64_t) (effect / c.unit));
    }
    return c;
}

static bool same_changes(om_work *w, uint32_t p, om_value unit, uint32_t q, om_value other_unit)
{
    size_t count = 0, both = 0;
    const uint32_t *users = om_work__users(w, p, &count);
    for (size_t i = 0; i < count; i++) {
        const om_value effect = om_work__effect(w, users[i], p);
        if (effect != 0 && effect / unit != om_work__effect(w, users[i], q) / other_unit)
            return false;
        both += effect != 0;
    }
    users = om_work__users(w, q, &count);
    for (size_t i = 0; i < count; i++)
        both -= om_work__effect(w, users[i], q) != 0;
    return both == 0;
}

/* Returns the number of tokens of q from which p has at least `tokens`, with m(p) = m0(p) + a k,
 * m(q) = m0(q) + b k. */
static om_wide wanted_of(
    const om_work *w, uint32_t p, om_value a, uint32_t q, om_value b, om_value tokens)
{
    const om_wide lacks = (om_wide) tokens - w->places[p].tokens;
    const om_wide k = lacks > 0 ? (lacks + a - 1) / a : -(-lacks / a);
    return w->places[q].tokens + k * b;
}

/* Replaces p's arcs by arcs of q. */
static bool take_over(om_work *w, uint32_t p, om_value a, uint32_t q, om_value b)
{
    size_t count = 0;
    const uint32_t *users = om_work__users(w, p, &count);
    for (size_t i = 0; i < count; i++)
        if (wanted_of(w, p, a, q, b, om_work__takes(w, users[i], p)) >
            OM_VALUE_MAX - om_work__gives(w, users[i], q))
            return false;
    const om_wide constant =
        w->places[p].tokens - (om_wide) (a / b) * w->places[q].tokens; /* if b divides a */
    for (size_t i = 0; i < count; i++) {
        const uint32_t t = users[i];
        const om_value effect = om_work__effect(w, t, q);
        const om_wide wanted = wanted_of(w, p, a, q, b, om_work__takes(w, t, p));
        if (om_work__takes(w, t, p) > 0 && wanted > om_work__takes(w, t, q) &&
            !om_work__set_arcs(w, t, q, (om_value) wanted, (om_value) (wanted + effect)))
            return false;
    }
    return om_work__replace_place(w, p, constant, a / b, q);
}

static bool join_places(om_work *w, uint32_t p, om_value a, uint32_t q, om_value b)
{
    enum { MOST_RATIO = 1024 };
    if (!same_changes(w, p, a, q, b))
        return false;
    const bool p_fits = !w->places[p].observed ||
                        (a % b == 0 && (om_wide) a / b * w->places[p].scale <= MOST_RATIO);
    return p_fits && take_over(w, p, a, q, b);
}

uint64_t om_reduce__proportional(om_work *w)
{
    uint64_t times = 0;
    const uint32_t places = w->net->place_count;
    om_keyed *list = om_work__alloc(w, (size_t) places + 1, sizeof *list);
    om_value *unit = om_work__alloc(w, (size_t) places + 1, sizeof *unit);
    size_t count = 0;
    for (uint32_t p = 0; list != NULL && unit != NULL && p < places && om_work__go_on(w, 1); p++) {
        if (w->places[p].removed)
            continue;
        const column c = column_of(w, p);
        unit[p] = c.unit;
        if (c.unit != 0)
            list[count++] = (om_keyed){ c.key, p };
    }
    if (list != NULL)
        om_work__sort(list, count);
    for (size_t i = 0; i + 1 < count && om_work__go_on(w, 1); i++) {
        const uint32_t p = list[i].at, q = list[i + 1].at;
        if (list[i].key != list[i + 1].key)
            continue;
        /* The remaining place is tried with the next one. */
        if (join_places(w, p, unit[p], q, unit[q])) {
            times++;
        } else if (join_places(w, q, unit[q], p, unit[p])) {
            times++;
            list[i + 1].at = p;
        }
    }
    om_free(w->heap, list);
    om_free(w->heap, unit);
    return times;
}
