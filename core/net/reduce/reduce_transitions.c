/* SPDX-License-Identifier: Apache-2.0 */
/* Passes that remove transitions and the places that become unused: see reduction.h. */
#include "reduction.h"

/* A work list of places or transitions. Each enters once. */
typedef struct waiting {
    uint32_t *list;
    size_t begin, end;
} waiting;

/* ---- dead ---- */

typedef struct siphon {
    waiting places;
    bool *marked;      /* by place */
    uint32_t *missing; /* by transition: places that are not marked yet */
} siphon;

static void mark(siphon *s, uint32_t place)
{
    if (!s->marked[place])
        s->places.list[s->places.end++] = place;
    s->marked[place] = true;
}

static void mark_given(const om_work *w, siphon *s, uint32_t t)
{
    const om_work_transition *of = &w->transitions[t];
    for (uint32_t i = 0; i < of->give_count; i++)
        mark(s, of->gives[i].place);
}

/* Returns true if a place's bound prevents the transition from ever firing. */
static bool takes_too_much(const om_work *w, uint32_t t)
{
    const om_work_transition *of = &w->transitions[t];
    for (uint32_t i = 0; i < of->take_count; i++)
        if (of->takes[i].count > w->places[of->takes[i].place].bound)
            return true;
    return false;
}

static void find_marked(om_work *w, siphon *s)
{
    for (uint32_t p = 0; p < w->net->place_count; p++)
        if (!w->places[p].removed && w->places[p].tokens > 0)
            mark(s, p);
    for (uint32_t t = 0; t < w->transition_count && om_work__go_on(w, 1); t++) {
        if (w->transitions[t].removed)
            continue;
        s->missing[t] = w->transitions[t].take_count + takes_too_much(w, t);
        if (s->missing[t] == 0)
            mark_given(w, s, t);
    }
    while (s->places.begin < s->places.end && om_work__go_on(w, 1)) {
        const uint32_t place = s->places.list[s->places.begin++];
        size_t count = 0;
        const uint32_t *users = om_work__users(w, place, &count);
        for (size_t i = 0; i < count; i++)
            if (om_work__takes(w, users[i], place) > 0 && --s->missing[users[i]] == 0)
                mark_given(w, s, users[i]);
    }
}

uint64_t om_reduce__dead(om_work *w)
{
    uint64_t times = 0;
    siphon s = { .places.list =
                     om_work__alloc(w, (size_t) w->net->place_count + 1, sizeof(uint32_t)),
        .marked = om_work__alloc(w, (size_t) w->net->place_count + 1, sizeof *s.marked),
        .missing = om_work__alloc(w, w->transition_count + 1, sizeof *s.missing) };
    const bool ready = s.places.list != NULL && s.marked != NULL && s.missing != NULL;
    if (ready)
        find_marked(w, &s);
    /* If the search was interrupted, missing[] is meaningless. */
    for (uint32_t t = 0; ready && t < w->transition_count && om_work__go_on(w, 1); t++)
        if (!w->transitions[t].removed && s.missing[t] > 0) {
            om_work__drop_transition(w, t);
            times++;
        }
    om_free(w->heap, s.places.list);
    om_free(w->heap, s.marked);
    om_free(w->heap, s.missing);
    return times;
}

/* ---- twins ---- */

static uint64_t key_of(const om_work_transition *t)
{
    uint64_t key = 0;
    om_effect_walk e = { .take = 0 };
    while (om_work__step(t, &e))
        if (e.takes != e.gives)
            key += om_work__mix(e.place, (uint64_t) ((om_wide) e.gives - e.takes));
    return key;
}

/* Removes the other transitions of the same key that t makes redundant. */
static uint64_t drop_twins(om_work *w, const om_keyed *list, size_t count, uint32_t t)
{
    uint64_t times = 0;
    for (size_t i = 0; i < count && om_work__go_on(w, 1); i++) {
        const om_work_transition *of = &w->transitions[t], *other = &w->transitions[list[i].at];
        if (list[i].at == t || other->removed || !om_work__takes_less(of, other) ||
            !om_work__same_effect(of, other))
            continue;
        om_work__drop_transition(w, list[i].at);
        times++;
    }
    return times;
}

uint64_t om_reduce__twins(om_work *w)
{
    enum { MOST_COMPARED = 128 };
    uint64_t times = 0;
    size_t count = 0;
    om_keyed *list = om_work__alloc(w, w->transition_count + 1, sizeof *list);
    for (uint32_t t = 0; list != NULL && t < w->transition_count && om_work__go_on(w, 1); t++) {
        if (w->transitions[t].removed)
            continue;
        w->work += w->transitions[t].take_count + w->transitions[t].give_count;
        list[count++] = (om_keyed){ key_of(&w->transitions[t]), t };
    }
    if (list != NULL)
        om_work__sort(list, count);
    for (size_t i = 0, end = 0; i < count && om_work__go_on(w, 1); i = end) {
        for (end = i + 1; end < count && list[end].key == list[i].key; end++)
            continue;
        const size_t near = end - i < MOST_COMPARED ? end - i : MOST_COMPARED;
        for (size_t k = i; near > 1 && k < i + near; k++)
            if (!w->transitions[list[k].at].removed)
                times += drop_twins(w, list + i, near, list[k].at);
    }
    om_free(w->heap, list);
    return times;
}

/* ---- losing ---- */

static bool adds_nothing(const om_work_transition *t)
{
    om_effect_walk e = { .take = 0 };
    while (om_work__step(t, &e))
        if (e.gives > e.takes)
            return false;
    return true;
}

uint64_t om_reduce__losing(om_work *w)
{
    uint64_t times = 0;
    for (uint32_t t = 0; t < w->transition_count && om_work__go_on(w, 1); t++) {
        if (w->transitions[t].removed)
            continue;
        w->work += w->transitions[t].take_count + w->transitions[t].give_count;
        if (!adds_nothing(&w->transitions[t]) || !om_work__is_silent(w, t))
            continue;
        om_work__drop_transition(w, t);
        times++;
    }
    return times;
}

/* ---- irrelevant ---- */

typedef struct slice {
    bool *place, *transition; /* relevant ones */
    waiting places;
    uint32_t *adders; /* by place: number of adding transitions that are neither relevant nor known
                         to be finite */
    bool *finite;     /* by transition */
    waiting ended;    /* finite ones */
} slice;

static bool open_slice(om_work *w, slice *s)
{
    const size_t places = (size_t) w->net->place_count + 1, transitions = w->transition_count + 1;
    *s = (slice){ .place = om_work__alloc(w, places, sizeof *s->place),
        .transition = om_work__alloc(w, transitions, sizeof *s->transition),
        .places.list = om_work__alloc(w, places, sizeof(uint32_t)),
        .adders = om_work__alloc(w, places, sizeof *s->adders),
        .finite = om_work__alloc(w, transitions, sizeof *s->finite),
        .ended.list = om_work__alloc(w, transitions, sizeof(uint32_t)) };
    return w->status == OM_OK;
}

static void close_slice(om_work *w, slice *s)
{
    om_free(w->heap, s->place);
    om_free(w->heap, s->transition);
    om_free(w->heap, s->places.list);
    om_free(w->heap, s->adders);
    om_free(w->heap, s->finite);
    om_free(w->heap, s->ended.list);
}

static void need_place(slice *s, uint32_t place)
{
    if (!s->place[place])
        s->places.list[s->places.end++] = place;
    s->place[place] = true;
}

static void need_transition(const om_work *w, slice *s, uint32_t t)
{
    const om_work_transition *of = &w->transitions[t];
    if (s->transition[t])
        return;
    s->transition[t] = true;
    for (uint32_t i = 0; i < of->take_count; i++)
        need_place(s, of->takes[i].place);
}

/* Makes the transitions that change relevant places relevant. */
static void follow(om_work *w, slice *s)
{
    while (s->places.begin < s->places.end && om_work__go_on(w, 1)) {
        const uint32_t place = s->places.list[s->places.begin++];
        size_t count = 0;
        const uint32_t *users = om_work__users(w, place, &count);
        for (size_t i = 0; i < count; i++)
            if (om_work__effect(w, users[i], place) != 0)
                need_transition(w, s, users[i]);
    }
}

static bool is_other(const om_work *w, const slice *s, uint32_t t)
{
    return !w->transitions[t].removed && !s->transition[t];
}

static void end(slice *s, uint32_t t)
{
    if (!s->finite[t])
        s->ended.list[s->ended.end++] = t;
    s->finite[t] = true;
}

/* Only finite transitions add to the place, so those that reduce it are finite. */
static void end_takers(om_work *w, slice *s, uint32_t place)
{
    size_t count = 0;
    const uint32_t *users = om_work__users(w, place, &count);
    for (size_t i = 0; i < count; i++)
        if (is_other(w, s, users[i]) && om_work__effect(w, users[i], place) < 0)
            end(s, users[i]);
}

static void find_finite(om_work *w, slice *s)
{
    s->ended.begin = s->ended.end = 0;
    for (uint32_t p = 0; p < w->net->place_count; p++)
        s->adders[p] = 0;
    for (uint32_t t = 0; t < w->transition_count; t++) {
        om_effect_walk e = { .take = 0 };
        s->finite[t] = false;
        while (is_other(w, s, t) && om_work__step(&w->transitions[t], &e))
            s->adders[e.place] += e.gives > e.takes;
    }
    for (uint32_t p = 0; p < w->net->place_count && om_work__go_on(w, 1); p++)
        if (!w->places[p].removed && s->adders[p] == 0)
            end_takers(w, s, p);
    while (s->ended.begin < s->ended.end && om_work__go_on(w, 1)) {
        om_effect_walk e = { .take = 0 };
        const om_work_transition *of = &w->transitions[s->ended.list[s->ended.begin++]];
        while (om_work__step(of, &e))
            if (e.gives > e.takes && --s->adders[e.place] == 0)
                end_takers(w, s, e.place);
    }
}

/* Makes transitions that are not finite relevant. Returns false if there are none. */
static bool need_endless(om_work *w, slice *s)
{
    bool any = false;
    find_finite(w, s);
    for (uint32_t t = 0; t < w->transition_count; t++)
        if (is_other(w, s, t) && !s->finite[t]) {
            need_transition(w, s, t);
            any = true;
        }
    return any;
}

static uint64_t cut(om_work *w, const slice *s)
{
    uint64_t times = 0;
    for (uint32_t t = 0; t < w->transition_count; t++)
        if (is_other(w, s, t)) {
            om_work__drop_transition(w, t);
            times++;
        }
    for (uint32_t p = 0; p < w->net->place_count; p++)
        if (!w->places[p].removed && !s->place[p]) {
            om_work__drop_place(w, p);
            times++;
        }
    return times;
}

uint64_t om_reduce__irrelevant(om_work *w)
{
    uint64_t times = 0;
    slice s;
    bool ready = open_slice(w, &s);
    for (uint32_t p = 0; ready && p < w->net->place_count; p++)
        if (w->places[p].observed)
            need_place(&s, p);
    do {
        if (ready)
            follow(w, &s);
    } while (ready && om_work__go_on(w, w->transition_count) && w->keep != OM_REDUCE_REACHABLE &&
             need_endless(w, &s));
    if (ready && om_work__go_on(w, 1))
        times = cut(w, &s);
    close_slice(w, &s);
    return times;
}
