/* SPDX-License-Identifier: Apache-2.0 */
/* Builds what estimates of the distance to a deadlock need (stalls.h). */
#include "stalls.h"

#include <assert.h>
#include <stdlib.h>

enum {
    MOST_PLACES = 1 << 14,     /* processes with more locations have none */
    MOST_CONDITIONS = 1 << 12, /* more: measuring would take too long */
    MOST_ALONE = 1 << 9,       /* of them at place 0: all count for each state */
    MOST_NEAR = 32,            /* near places of a place */
    SOME_GUARDS = 4            /* a condition of so many guards always counts */
};

/* A step from a place to another: guard number i is that of step number i. */
typedef struct step {
    uint32_t from, to, transition;
} step;

typedef struct steps {
    step *list;
    size_t count, room;
} steps;

static int add_step(const stalls *s, steps *out, step one)
{
    if (!OM_ROOM(s->locations->heap, out->list, &out->room, out->count + 1))
        return OM_ENOMEM;
    out->list[out->count++] = one;
    return OM_OK;
}

static int in_order(const void *a, const void *b)
{
    const step *x = a, *y = b;
    const uint32_t one[] = { x->from, x->to, x->transition };
    const uint32_t other[] = { y->from, y->to, y->transition };
    for (size_t i = 0; i < 3; i++)
        if (one[i] != other[i])
            return one[i] < other[i] ? -1 : 1;
    return 0;
}

/* ---- places (S1) ---- */

/* Numbers the locations of the processes. */
static int number_places(stalls *s)
{
    const om_model *m = s->locations->model;
    const uint32_t all = om_model_process_count(m);
    s->place_count = 1;
    if (!OM_NEW(s->locations->heap, s->processes, (size_t) all + 1) ||
        !OM_NEW(s->locations->heap, s->process_of, (size_t) all + 1))
        return OM_ENOMEM;
    for (uint32_t i = 0; i < all; i++) {
        const uint32_t slot = om_model_process(m, i)->location;
        const om_slot *at = slot == OM_NONE ? NULL : om_model_slot(m, slot);
        s->process_of[i] = OM_NONE;
        if (at == NULL || at->length != 0 ||
            (om_wide) at->high - at->low >= (om_wide) (MOST_PLACES - s->place_count))
            continue;
        const uint32_t count = (uint32_t) (at->high - at->low) + 1;
        s->process_of[i] = s->process_count;
        s->processes[s->process_count++] =
            (stall_process){ stall_cell_of(at, 0), at->low, s->place_count, count };
        s->place_count += count;
    }
    return OM_NEW(s->locations->heap, s->places, s->place_count) ? OM_OK : OM_ENOMEM;
}

/* Returns the place of a process at a location; 0: it has none. */
static uint32_t place_of(const stalls *s, uint32_t process, om_value location)
{
    const uint32_t i = process == OM_NONE ? OM_NONE : s->process_of[process];
    if (i == OM_NONE)
        return 0;
    const stall_process *p = &s->processes[i];
    const om_wide at = (om_wide) location - p->low;
    return at < 0 || at >= p->count ? 0 : p->first + (uint32_t) at;
}

/* Describes the step of a process that a transition takes; false: the transition does not need the
 * process to be at one location. */
static bool is_step(const stalls *s, uint32_t transition, uint32_t process, step *out)
{
    const om_model *m = s->locations->model;
    const om_transition *t = om_model_transition(m, transition);
    om_value from = 0, to = 0;
    if (process == OM_NONE || s->process_of[process] == OM_NONE)
        return false;
    const uint32_t slot = om_model_process(m, process)->location;
    if (!locations_needs(m, t->guard, slot, &from))
        return false;
    *out = (step){ .from = place_of(s, process, from), .transition = transition };
    out->to = locations_moves(m, t, slot, &from, &to) ? place_of(s, process, to) : out->from;
    return out->from != 0;
}

/* ---- guards (S2, S3) ---- */

/* Lists the steps: one of each process that moves. */
static int list_steps(const stalls *s, steps *out)
{
    const om_model *m = s->locations->model;
    int rc = OM_OK;
    for (uint32_t i = 0; i < om_model_transition_count(m) && rc == OM_OK; i++) {
        const om_transition *t = om_model_transition(m, i);
        step one = { .transition = i }, other = one;
        const bool first = is_step(s, i, t->process, &one);
        const bool second = t->partner != t->process && is_step(s, i, t->partner, &other);
        if (first || !second)
            rc = add_step(s, out, one);
        if (rc == OM_OK && second)
            rc = add_step(s, out, other);
    }
    if (out->count > 0)
        qsort(out->list, out->count, sizeof *out->list, in_order);
    return rc;
}

/* Returns the slot of the location that a place belongs to. */
static uint32_t slot_of(const stalls *s, uint32_t place)
{
    const om_model *m = s->locations->model;
    for (uint32_t i = 0; place != 0 && i < om_model_process_count(m); i++) {
        const stall_process *p =
            s->process_of[i] == OM_NONE ? NULL : &s->processes[s->process_of[i]];
        if (p != NULL && place >= p->first && place - p->first < p->count)
            return om_model_process(m, i)->location;
    }
    return OM_NONE;
}

/* Adds the guards of all steps. */
static int add_guards(stall_reader *r, const steps *all)
{
    stalls *s = r->stalls;
    uint32_t location = OM_NONE;
    int rc = OM_OK;
    for (size_t i = 0; i < all->count && rc == OM_OK; i++) {
        const step *p = &all->list[i];
        stall_place *place = &s->places[p->from];
        if (i == 0 || p->from != p[-1].from) {
            place->begin = s->guard_count;
            location = slot_of(s, p->from);
        }
        rc = stall_add_guard(
            r, om_model_transition(s->locations->model, p->transition)->guard, location);
        if (rc != OM_OK)
            break;
        const stall_guard *last = &s->guards[s->guard_count - 1];
        place->open = place->open || last->begin == last->end;
        place->end = s->guard_count;
        if (p->from != 0 && (i + 1 == all->count || p[1].from != p->from))
            stall_mark_cases(s, place);
        if (s->condition_count > (p->from == 0 ? MOST_ALONE : MOST_CONDITIONS))
            rc = OM_EUNSUPPORTED;
    }
    return rc;
}

static int make_guards(stalls *s, om_expr hidden, steps *all)
{
    const om_model *m = s->locations->model;
    const uint32_t transitions = om_model_transition_count(m);
    stall_reader r = { .stalls = s, .hidden = hidden, .most_guards = transitions };
    int rc = list_steps(s, all);
    if (s->process_count > 1)
        r.most_guards = transitions / 2 > SOME_GUARDS ? transitions / 2 : SOME_GUARDS;
    for (uint32_t i = 0; i < transitions && rc == OM_OK; i++)
        rc = stall_count(&r, om_model_transition(m, i)->guard);
    if (rc == OM_OK)
        rc = add_guards(&r, all);
    om_free(s->locations->heap, r.uses);
    return rc;
}

/* ---- near places (S4) ---- */

static bool is_near(const stalls *s, const stall_place *from, uint32_t place)
{
    for (size_t i = from->near_begin; i < s->near_count; i++)
        if (s->near[i].place == place)
            return true;
    return false;
}

static int add_near(stalls *s, stall_near n)
{
    if (!OM_ROOM(s->locations->heap, s->near, &s->near_room, s->near_count + 1))
        return OM_ENOMEM;
    s->near[s->near_count++] = n;
    return OM_OK;
}

/* Adds the place to which a step leads, if it is new, after the way to place `before`. */
static int add_next(
    stalls *s, const stall_place *from, stall_near before, const steps *all, size_t i)
{
    stall_near n = before;
    assert(all->list != NULL && i < all->count && all->count == s->guard_count);
    n.place = all->list[i].to;
    if (n.place == 0 || is_near(s, from, n.place))
        return OM_OK;
    if (n.steps++ == 0)
        for (n.begin = n.end = i; n.end < from->end && all->list[n.end].to == n.place;)
            n.end++;
    return add_near(s, n);
}

/* Lists the places near a place: a breadth-first search. */
static int find_near(stalls *s, uint32_t place, const steps *all)
{
    stall_place *from = &s->places[place];
    from->near_begin = s->near_count;
    int rc = add_near(s, (stall_near){ .place = place });
    for (size_t at = from->near_begin; at < s->near_count && rc == OM_OK; at++) {
        const stall_near n = s->near[at];
        const stall_place *next = &s->places[n.place];
        for (size_t i = next->begin; i < next->end && rc == OM_OK; i++)
            if (s->near_count - from->near_begin < MOST_NEAR)
                rc = add_next(s, from, n, all, i);
    }
    from->near_end = s->near_count;
    return rc;
}

/* ---- the whole ---- */

int stalls_init(stalls *s, locations *l, om_expr hidden)
{
    s->locations = l;
    steps all = { 0 };
    int rc = number_places(s);
    if (rc == OM_OK)
        rc = make_guards(s, hidden, &all);
    if (rc == OM_OK && s->condition_count == 0)
        rc = OM_EUNSUPPORTED;
    for (uint32_t p = 1; p < s->place_count && rc == OM_OK; p++)
        rc = find_near(s, p, &all);
    om_free(l->heap, all.list);
    return rc;
}

void stalls_free(const stalls *s)
{
    if (s->locations != NULL)
        OM_FREE_ALL(s->locations->heap, s->processes, s->process_of, s->places, s->guards,
            s->conditions, s->near);
}
