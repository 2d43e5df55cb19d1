/* SPDX-License-Identifier: Apache-2.0 */
#include "round_robin.h"

#include <assert.h>

enum { FIRST_STATES = 1 << 14, MOST_STATES = 1 << 20, TURN_NS = 1000 * 1000 * 1000 };
enum { GROWTH = 4 };
enum { AT_ONCE = 256 }; /* states between two looks at the clock */

bool om_round_robin__init(om_round_robin *t, om_turn *members, size_t count,
    bool (*start)(void *self, size_t member), void *self)
{
    *t = (om_round_robin){ .members = members, .count = count, .start = start, .self = self };
    assert(count > 0);
    for (size_t i = 0; i < count; i++) {
        assert(members[i].control != NULL && members[i].state == OM_TURN_TO_COME);
        members[i].turns = t;
    }
    if (pthread_mutex_init(&t->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&t->passed, NULL) == 0)
        return true;
    (void) pthread_mutex_destroy(&t->lock);
    return false;
}

void om_round_robin__destroy(om_round_robin *t)
{
    (void) pthread_cond_destroy(&t->passed);
    (void) pthread_mutex_destroy(&t->lock);
}

static bool is_stopped(const om_turn *t)
{
    return om_control_stopped(t->control) != OM_STOP_NONE;
}

/* ---- under the lock ---- */

/* Returns the number of pieces other than this one that may still want a turn. */
static uint64_t others_of(const om_turn *t)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->turns->count; i++) {
        const om_turn *other = &t->turns->members[i];
        n += other != t && other->state != OM_TURN_ENDED && !is_stopped(other);
    }
    return n;
}

/* Gives the turn to a piece, which begins if it has not. */
static void give(om_turn *t)
{
    om_round_robin *all = t->turns;
    const uint64_t others = t == all->members ? others_of(t) : 1, share = others < 2 ? 1 : others;
    uint64_t states = FIRST_STATES;
    for (unsigned i = 0; i < t->rounds && states < MOST_STATES; i++)
        states *= GROWTH;
    assert(t->state != OM_TURN_ENDED);
    t->state = OM_TURN_BEGUN;
    t->rounds++;
    t->at_once = 0;
    t->left = states * share;
    t->until_ns = om_clock_ns() + TURN_NS * share;
    all->holder = t;
}

/* Returns the next piece after this one that wants a turn, or NULL. `refused`: pieces for which no
 * thread could be created count, too. */
static om_turn *next_of(const om_turn *t, bool refused)
{
    const om_round_robin *all = t->turns;
    const size_t own = (size_t) (t - all->members);
    for (size_t i = 1; i < all->count; i++) {
        om_turn *next = &all->members[(own + i) % all->count];
        if (next->state != OM_TURN_ENDED && (refused || next->state != OM_TURN_REFUSED) &&
            !is_stopped(next))
            return next;
    }
    return NULL;
}

/* Waits for the turn or for a stop. */
static void await(om_turn *t)
{
    om_round_robin *all = t->turns;
    const uint64_t since_ns = om_clock_ns();
    while (all->holder != t && !is_stopped(t))
        (void) pthread_cond_wait(&all->passed, &all->lock);
    t->waited_ns += om_clock_ns() - since_ns;
}

/* ---- any piece ---- */

void om_round_robin__begin(om_round_robin *t)
{
    pthread_mutex_lock(&t->lock);
    give(&t->members[0]);
    pthread_mutex_unlock(&t->lock);
}

/* Starts a thread for the piece that has just got the turn; takes the turn back on failure. */
static bool start(om_turn *t, om_turn *next)
{
    om_round_robin *all = t->turns;
    if (all->start(all->self, (size_t) (next - all->members)))
        return true;
    pthread_mutex_lock(&all->lock);
    assert(all->holder == next); /* U1 */
    next->state = OM_TURN_REFUSED;
    next->rounds = 0;
    all->holder = t;
    pthread_mutex_unlock(&all->lock);
    return false;
}

/* Passes the turn on; returns when it is back, or at once if no other piece wants it. */
static void pass(om_turn *t)
{
    om_round_robin *all = t->turns;
    for (bool passed = false; !passed;) {
        pthread_mutex_lock(&all->lock);
        assert(t->state == OM_TURN_BEGUN && all->holder == t); /* U1 */
        om_turn *next = next_of(t, false);
        const bool begins = next != NULL && next->state == OM_TURN_TO_COME;
        give(next == NULL ? t : next);
        (void) pthread_cond_broadcast(&all->passed);
        pthread_mutex_unlock(&all->lock);
        passed = !begins || start(t, next);
    }
    pthread_mutex_lock(&all->lock);
    await(t);
    pthread_mutex_unlock(&all->lock);
}

void om_turn__look(om_turn *t, uint64_t states)
{
    if (is_stopped(t))
        return; /* it ends soon, and may not be the holder */
    states -= t->at_once;
    t->left -= states < t->left ? states : t->left;
    if (t->left == 0 || om_clock_ns() >= t->until_ns)
        pass(t);
    t->at_once = t->left < AT_ONCE ? t->left : AT_ONCE;
    t->left -= t->at_once;
}

void om_turn__leave(om_turn *t)
{
    if (t == NULL)
        return;
    om_round_robin *all = t->turns;
    pthread_mutex_lock(&all->lock);
    if (t->state == OM_TURN_BEGUN) {
        t->state = OM_TURN_ENDED;
        for (size_t i = 0; i < all->count; i++)
            t->had_company = t->had_company || all->members[i].state == OM_TURN_BEGUN;
        if (all->holder == t) {
            om_turn *next = next_of(t, true);
            t->heir = next != NULL && next->state != OM_TURN_BEGUN ? next : NULL;
            all->holder = NULL;
            if (next != NULL)
                give(next);
            (void) pthread_cond_broadcast(&all->passed);
        }
    }
    pthread_mutex_unlock(&all->lock);
}

void om_turn__wake(om_turn *t)
{
    om_round_robin *all = t->turns;
    pthread_mutex_lock(&all->lock);
    (void) pthread_cond_broadcast(&all->passed);
    pthread_mutex_unlock(&all->lock);
}

uint64_t om_turn__clock_ns(const om_turn *t)
{
    return om_clock_ns() - (t == NULL ? 0 : t->waited_ns);
}
