/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules the work-items of a group. Unless they run together, one runs at a time, until it
 * arrives at a barrier or returns; after all have, an order is made for the next segment. That is
 * as good as any schedule for kernels whose work-items communicate only by atomics and barriers,
 * and detects kernels that do not: each order must produce the same states.
 *
 * In lockstep, a sub-group has the turn instead, which rotates among its work-items, each of which
 * proceeds to its next atomic. So all of them have read a word before the first has changed it, as
 * if all executed one instruction; in the other orders with turns, no work-item ever loses a
 * compare-and-swap. (Other reads and writes concern no other work-item: access_trace.c, W1 and W2.)
 * After a branch some are ahead of others, which no GPU need do: it is one more order, not a model
 * of a GPU.
 *
 * Turns also detect a barrier in divergent code: all of a group must arrive at the same one.
 */
#include "turns.h"

#include "team_barrier.h"

#include <assert.h>
#include <stdatomic.h>

enum { FEW = 8, YIELDS = 16 };

typedef struct seat {
    pthread_cond_t turn; /* signals the turn of a work-item */
} seat;

struct om_turns {
    const om_heap *heap;
    om_host_order order;
    om_random random;
    uint32_t size, width; /* of a group, of a sub-group that has the turn together */
    om_team_barrier team; /* for OM_HOST_TOGETHER */
    bool has_team, has_lock;
    pthread_mutex_t lock; /* guards the members below */
    seat *seats;
    uint32_t seat_count;     /* number of initialised seats */
    uint32_t *next;          /* the order of the sub-groups */
    uint32_t turn, who;      /* index in `next` of the running sub-group; its running work-item */
    uint64_t *done, segment; /* segments, between two barriers, completed by each; by all */
    uint32_t ended;          /* work-items that have completed the current segment */
    unsigned line;           /* where the first of them completed it */
    /* Set under the lock, by the work-item whose turn it is. Relaxed elsewhere: a thread that
     * continues without a turn has held the lock since. */
    atomic_bool diverged;
};

static uint32_t sub_groups(const om_turns *t)
{
    return (t->size + t->width - 1) / t->width;
}

/* Makes the order of the next segment. Under the lock, or before there are threads. */
static void make_order(om_turns *t)
{
    const uint32_t n = sub_groups(t);
    for (uint32_t i = 0; i < n; i++)
        t->next[i] = t->order == OM_HOST_BACKWARD ? n - 1 - i : i;
    for (uint32_t i = n; t->order >= OM_HOST_SHUFFLED && i > 1; i--) {
        uint32_t k = (uint32_t) om_random_below(&t->random, i), swap = t->next[k];
        t->next[k] = t->next[i - 1];
        t->next[i - 1] = swap;
    }
    t->turn = t->ended = 0;
    t->who = t->next[0] * t->width;
}

om_turns *om_turns__open(const om_heap *heap, uint32_t size, const om_host_setting *setting)
{
    om_turns *t = om_alloc(heap, 1, sizeof *t);
    if (t == NULL)
        return NULL;
    *t = (om_turns){
        .heap = heap, .order = setting->order, .random = { setting->seed }, .size = size
    };
    t->width = setting->order == OM_HOST_LOCKSTEP32   ? 32
               : setting->order == OM_HOST_LOCKSTEP64 ? 64
                                                      : 1;
    t->seats = om_alloc(heap, size, sizeof *t->seats);
    t->next = om_alloc(heap, size, sizeof *t->next);
    t->done = om_alloc(heap, size, sizeof *t->done);
    t->has_team = om_team_barrier__open(&t->team, size);
    t->has_lock = pthread_mutex_init(&t->lock, NULL) == 0;
    while (t->seats != NULL && t->seat_count < size &&
           pthread_cond_init(&t->seats[t->seat_count].turn, NULL) == 0)
        t->seat_count++;
    if (t->next == NULL || t->done == NULL || !t->has_team || !t->has_lock ||
        t->seat_count < size) {
        om_turns__close(t);
        return NULL;
    }
    make_order(t);
    return t;
}

void om_turns__resize(om_turns *t, uint32_t size)
{
    assert(size <= t->seat_count);
    t->team.size = t->size = size;
    for (uint32_t i = 0; i < size; i++)
        t->done[i] = t->segment;
    make_order(t);
}

void om_turns__close(om_turns *t)
{
    if (t == NULL)
        return;
    while (t->seats != NULL && t->seat_count > 0)
        (void) pthread_cond_destroy(&t->seats[--t->seat_count].turn);
    if (t->has_lock)
        (void) pthread_mutex_destroy(&t->lock);
    if (t->has_team)
        om_team_barrier__close(&t->team);
    OM_FREE_ALL(t->heap, t->seats, t->next, t->done, t);
}

bool om_turns__diverged(const om_turns *t)
{
    return atomic_load_explicit(&t->diverged, memory_order_relaxed);
}

static bool is_turn(const om_turns *t, uint32_t me)
{
    return om_turns__diverged(t) || (t->segment == t->done[me] && t->who == me);
}

/* Under the lock: waits for the turn of `me` in a segment that it has not completed. In a small
 * group the turn comes sooner than a thread falls asleep. */
static void wait_turn(om_turns *t, uint32_t me)
{
    bool quick = t->size <= FEW;
    for (uint32_t k = 0; k < YIELDS && quick && !is_turn(t, me); k++) {
        pthread_mutex_unlock(&t->lock);
        quick = om_yield(0);
        pthread_mutex_lock(&t->lock);
    }
    while (!is_turn(t, me))
        (void) pthread_cond_wait(&t->seats[me].turn, &t->lock);
}

/* Under the lock: returns the next work-item of the sub-group after `me` that has not completed the
 * segment; `me` if it is the only one; the size of the group if there is none. */
static uint32_t beside(const om_turns *t, uint32_t me)
{
    assert(me < t->size);
    const uint32_t first = me - me % t->width,
                   n = t->size - first < t->width ? t->size - first : t->width;
    for (uint32_t k = 1; k <= n; k++) {
        const uint32_t i = first + (me - first + k) % n;
        if (t->done[i] == t->segment)
            return i;
    }
    return t->size;
}

/* Under the lock: `me`, whose turn it is, has arrived at the end of a segment, at this line. */
static void end_segment(om_turns *t, uint32_t me, unsigned line)
{
    assert(t->who == me && t->ended < t->size);
    if (t->ended == 0)
        t->line = line;
    if (t->line != line) {
        /* No work-item waits for another any more. */
        atomic_store_explicit(&t->diverged, true, memory_order_relaxed);
        for (uint32_t i = 0; i < t->size; i++)
            (void) pthread_cond_signal(&t->seats[i].turn);
        return;
    }
    t->done[me]++;
    if (++t->ended == t->size) {
        t->segment++;
        make_order(t);
    } else if ((t->who = beside(t, me)) == t->size)
        t->who = t->next[++t->turn] * t->width;
    assert(t->who < t->size);
    (void) pthread_cond_signal(&t->seats[t->who].turn);
}

void om_turns__begin(om_turns *t, uint32_t me)
{
    if (t->order == OM_HOST_TOGETHER)
        return;
    pthread_mutex_lock(&t->lock);
    wait_turn(t, me);
    pthread_mutex_unlock(&t->lock);
}

void om_turns__meet(om_turns *t, uint32_t me, unsigned line)
{
    if (t->order == OM_HOST_TOGETHER) {
        om_team_barrier__wait(&t->team);
        return;
    }
    assert(line != 0);
    pthread_mutex_lock(&t->lock);
    if (!om_turns__diverged(t))
        end_segment(t, me, line);
    wait_turn(t, me);
    pthread_mutex_unlock(&t->lock);
}

void om_turns__step(om_turns *t, uint32_t id)
{
    const uint32_t me = id % t->size;
    if (t->width == 1)
        return;
    pthread_mutex_lock(&t->lock);
    if (!om_turns__diverged(t) && (t->who = beside(t, me)) != me) {
        (void) pthread_cond_signal(&t->seats[t->who].turn);
        wait_turn(t, me);
    }
    pthread_mutex_unlock(&t->lock);
}

void om_turns__end(om_turns *t, uint32_t me)
{
    if (t->order == OM_HOST_TOGETHER)
        return;
    pthread_mutex_lock(&t->lock);
    if (!om_turns__diverged(t))
        end_segment(t, me, 0);
    pthread_mutex_unlock(&t->lock);
}

/* Returns a step width, derived from `random`, that is coprime to n, so that it visits all n. */
static size_t stride_of(uint64_t random, size_t n)
{
    for (size_t step = 1 + (size_t) (random % n);; step++) {
        size_t a = step, b = n;
        while (b != 0) {
            size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return step;
    }
}

size_t om_turns__group(const om_turns *t, uint64_t launch, size_t i, size_t n)
{
    if (t->order == OM_HOST_BACKWARD)
        return n - 1 - i;
    if (t->order < OM_HOST_SHUFFLED)
        return i;
    om_random r = { launch };
    uint64_t random = om_random_next(&r);
    return (size_t) (((random >> 32) + i * (uint64_t) stride_of(random & UINT32_MAX, n)) % n);
}
