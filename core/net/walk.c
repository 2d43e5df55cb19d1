/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/host/walk.h>

#include "goal.h"

#include <assert.h>
#include <string.h>

enum {
    FIRST_LENGTH = 256,    /* initial length limit of a walk */
    MOST_LENGTH = 1 << 20, /* maximum length: size of the recorded path */
    CANDIDATES = 6,        /* a guided walk takes the best of this many transitions */
    STRAY = 4,             /* and any one, once in this many steps */
    LOOK_WORK = 1 << 14    /* places of goals looked at between two reads of the clock */
};

typedef struct walking {
    const om_net *net;
    om_walk *walk;
    om_net_firing firing;
    om_random random;
    uint32_t *path;
    size_t length, most;        /* of the path, so far, and in this walk */
    uint32_t *first, *of_place; /* by place: the goals that depend on it */
    om_value *replayed;         /* by place: scratch marking */
    size_t open;                /* number of goals that are not met */
    size_t drawn;               /* the goal that guides this walk, or SIZE_MAX */
    uint32_t unfired;
    uint32_t *sizes; /* by goal: the number of its places */
    uint64_t work, looked_at;
    bool seen_enough;
    bool late; /* the time is over */
    int rc;
} walking;

/* ---- goals ---- */

/* Replays the path and records an error unless it leads to a marking that meets the goal (NULL: to
 * a deadlock). */
static void referee(walking *w, const om_walk_goal *g, om_wide value)
{
    bool right = om_net_firing__replay(w->net, w->path, w->length, w->replayed);
    if (right && g != NULL)
        right = g->predicate != NULL
                    ? om_predicate_holds(g->predicate, w->replayed)
                    : om_net_goal__sum(g->terms, g->term_count, w->replayed) == value;
    for (uint32_t t = 0; right && g == NULL && t < w->net->transition_count; t++)
        right = !om_net__can_fire(&w->net->transitions[t], w->replayed);
    if (!right)
        w->rc = om_fail(w->net->ctx, OM_EINTERNAL, NULL,
            "a walk found a marking that its transitions do not reach");
}

static void look_at_goal(walking *w, size_t number)
{
    om_walk_goal *g = &w->walk->goals[number];
    if (g->met)
        return;
    w->work += w->sizes[number];
    if (g->predicate != NULL) {
        g->met = om_predicate_holds(g->predicate, w->firing.marking);
        if (g->met)
            referee(w, g, 0);
    } else {
        const om_wide value = om_net_goal__sum(g->terms, g->term_count, w->firing.marking);
        if (value <= g->value)
            return;
        referee(w, g, value);
        g->value = value;
        g->met = value >= g->enough;
    }
    assert(w->open > 0);
    w->open -= g->met;
}

/* Counts work, and returns false if the walk has to end. */
static bool in_time(walking *w)
{
    w->work++;
    if (w->work - w->looked_at >= LOOK_WORK) {
        w->looked_at = w->work;
        w->late = w->late || om_clock_ns() >= w->walk->until_ns;
        if (w->rc == OM_OK)
            w->rc = om_context_stopped(w->net->ctx);
    }
    return !w->late && w->rc == OM_OK;
}

/* Checks the goals that depend on a place that the transition may have changed. */
static void look_at_goals(walking *w, const om_net_transition *t)
{
    om_net_arc_walk a = { .take = 0 };
    while (w->open > 0 && in_time(w) && om_net_arc_walk__step(t, &a))
        for (uint32_t k = w->first[a.place]; k < w->first[a.place + 1]; k++)
            look_at_goal(w, w->of_place[k]);
}

/* ---- steps ---- */

/* Returns the distance from the guiding goal after the transition. The marking is restored. */
static om_wide try_transition(walking *w, uint32_t transition)
{
    assert(w->drawn < w->walk->goal_count);
    const om_net_transition *t = &w->net->transitions[transition];
    if (!om_net_goal__try(t, w->firing.marking, w->replayed))
        return INT64_MAX;
    const om_wide lacks = om_net_goal__distance(&w->walk->goals[w->drawn], w->firing.marking);
    om_net_goal__undo(t, w->firing.marking, w->replayed);
    w->work += w->sizes[w->drawn];
    return lacks;
}

static uint32_t any_enabled(walking *w)
{
    return w->firing.enabled[om_random_below(&w->random, w->firing.enabled_count)];
}

static uint32_t choose(walking *w)
{
    uint32_t best = any_enabled(w);
    if (w->drawn == SIZE_MAX || om_random_below(&w->random, STRAY) == 0)
        return best;
    om_wide least = try_transition(w, best);
    for (unsigned i = 1; i < CANDIDATES && i < w->firing.enabled_count; i++) {
        const uint32_t other = any_enabled(w);
        const om_wide lacks = try_transition(w, other);
        if (lacks < least) {
            best = other;
            least = lacks;
        }
    }
    return best;
}

static void note_fired(walking *w, uint32_t transition)
{
    om_walk *walk = w->walk;
    if (w->seen_enough || walk->fired[transition] != 0)
        return;
    assert(w->unfired > 0);
    walk->fired[transition] = 1;
    w->seen_enough = --w->unfired == 0;
    if (walk->enough != NULL)
        w->seen_enough = walk->enough(walk->self, transition) || w->seen_enough;
}

/* Returns false if the walk ends. */
static bool step(walking *w)
{
    if (w->firing.enabled_count == 0) {
        if (w->walk->deadlock && !w->walk->stuck)
            referee(w, NULL, 0);
        w->walk->stuck = true;
        return false;
    }
    const uint32_t transition = choose(w);
    assert(w->length < w->most && w->most <= MOST_LENGTH);
    w->path[w->length++] = transition;
    if (!om_net_firing__fire(&w->firing, transition))
        return false;
    note_fired(w, transition);
    look_at_goals(w, &w->net->transitions[transition]);
    w->walk->steps++;
    return w->length < w->most;
}

static bool is_over(const walking *w)
{
    return w->rc != OM_OK ||
           (w->open == 0 && w->seen_enough && (w->walk->stuck || !w->walk->deadlock));
}

/* Returns an open goal to guide the walk, each in turn, or SIZE_MAX. */
static size_t next_drawn(const walking *w, size_t number)
{
    if (number % 2 == 0 || w->open == 0)
        return SIZE_MAX;
    size_t left = number / 2 % w->open;
    for (size_t i = 0; i < w->walk->goal_count; i++)
        if (!w->walk->goals[i].met && left-- == 0)
            return i;
    return SIZE_MAX;
}

static void walk_all(walking *w)
{
    const size_t goals = w->walk->goal_count;
    bool over = false;
    w->most = FIRST_LENGTH;
    for (size_t number = 0; !over && !is_over(w); number++) {
        om_net_firing__reset(&w->firing);
        w->length = 0;
        w->drawn = next_drawn(w, number);
        for (size_t i = 0; i < goals && number == 0; i++)
            look_at_goal(w, i);
        while (!is_over(w) && in_time(w) && step(w))
            continue;
        over = w->late || om_clock_ns() >= w->walk->until_ns;
        if (w->rc == OM_OK)
            w->rc = om_context_stopped(w->net->ctx);
        /* A number of walks of each length, then longer ones. */
        if (number % (2 * (goals + 1)) == 2 * (goals + 1) - 1 && w->most < MOST_LENGTH)
            w->most *= 2;
    }
}

/* ---- setup ---- */

/* Counts the pairs of a goal and a place or, if `fill`, writes them. */
static void index_goals(const walking *w, uint8_t *seen, uint32_t *next, bool fill)
{
    const uint32_t places = w->net->place_count;
    for (size_t i = 0; i < w->walk->goal_count; i++) {
        memset(seen, 0, places);
        om_net_goal__places(&w->walk->goals[i], seen);
        for (uint32_t p = 0; p < places; p++)
            if (seen[p] && fill) {
                w->of_place[next[p]++] = (uint32_t) i;
                w->sizes[i]++;
            } else {
                next[p] += seen[p];
            }
    }
}

static int make_index(walking *w)
{
    const om_heap *heap = w->net->region.heap;
    const size_t places = (size_t) w->net->place_count + 1;
    uint32_t *next = om_alloc(heap, places, sizeof *next);
    uint8_t *seen = om_alloc(heap, places, sizeof *seen);
    w->first = om_alloc(heap, places + 1, sizeof *w->first);
    w->sizes = om_alloc(heap, w->walk->goal_count + 1, sizeof *w->sizes);
    int rc = next == NULL || seen == NULL || w->first == NULL || w->sizes == NULL
                 ? om_fail_memory(w->net->ctx)
                 : OM_OK;
    if (rc == OM_OK) {
        index_goals(w, seen, next, false);
        for (uint32_t p = 0; p < w->net->place_count; p++) {
            w->first[p + 1] = w->first[p] + next[p];
            next[p] = w->first[p];
        }
        if (!OM_NEW(heap, w->of_place, (size_t) w->first[w->net->place_count] + 1))
            rc = om_fail_memory(w->net->ctx);
        else
            index_goals(w, seen, next, true);
    }
    OM_FREE_ALL(heap, next, seen);
    return rc;
}

int om_net_walk(const om_net *net, om_walk *walk)
{
    const om_heap *heap = net->region.heap;
    walking w = { .net = net,
        .walk = walk,
        .random = { walk->seed },
        .open = walk->goal_count,
        .unfired = net->transition_count,
        .seen_enough = walk->fired == NULL || net->transition_count == 0 };
    for (size_t i = 0; i < walk->goal_count; i++) {
        walk->goals[i].met = false;
        walk->goals[i].value = INT64_MIN;
    }
    walk->stuck = false;
    int rc = om_net_firing__open(&w.firing, net);
    if (rc == OM_OK && (!OM_NEW(heap, w.path, MOST_LENGTH) ||
                           !OM_NEW(heap, w.replayed, (size_t) net->place_count + 1)))
        rc = om_fail_memory(net->ctx);
    if (rc == OM_OK)
        rc = make_index(&w);
    if (rc == OM_OK) {
        walk_all(&w);
        rc = w.rc;
    }
    om_net_firing__close(&w.firing);
    OM_FREE_ALL(heap, w.path, w.replayed, w.first, w.of_place, w.sizes);
    return rc;
}
