/* SPDX-License-Identifier: Apache-2.0 */
/*
 * round_robin.h: pieces of work that share one thread's time.
 *
 * Each piece runs in a thread, but only the holder of the turn goes on; the others sleep. A piece
 * calls om_turn__spend() wherever it polls for a stop. When its turn is over, that call passes the
 * turn to the next piece and returns when it comes back.
 *
 * A turn is FIRST_STATES states long, in each later round GROWTH times as many up to MOST_STATES:
 * few turns, because caches are cold after each change, but a piece that ends after n states waits
 * for few times n states of each piece before it. It is never longer than TURN_NS, for states that
 * take long. The first piece gets turns that are as long as those of all others together: it would
 * run first without turns, and takes at most about twice as long with them. Turns are counted in
 * states so that a short run is the same on all machines.
 *
 * A piece whose control is stopped does not wait for its turn, because it is going to end.
 *
 * U1  Exactly one piece that has begun and not ended is the holder, unless all those are stopped.
 *
 * U2  A piece begins once, in a new thread or in the thread of a piece that has ended.
 *
 * U3  om_control_stop() wakes the piece of that control: the lock of the tree of controls is taken
 *     before the lock of the turns.
 */
#ifndef OM_BASE_ROUND_ROBIN_H
#define OM_BASE_ROUND_ROBIN_H

#include <omen/plugin/control.h>

#include <pthread.h>

typedef struct om_round_robin om_round_robin;

typedef enum om_turn_state {
    OM_TURN_TO_COME,
    OM_TURN_REFUSED, /* no thread could be created: it begins in the thread of another piece */
    OM_TURN_BEGUN,
    OM_TURN_ENDED
} om_turn_state;

/* One piece of work */
typedef struct om_turn {
    om_round_robin *turns;
    om_control *control;
    /* Used by the holder only: states until the clock is read again, states of the turn after
     * those, the end of the turn, and the time that the piece has waited. */
    uint64_t at_once, left, until_ns, waited_ns;
    struct om_turn *heir; /* see om_turn__leave() */
    bool had_company;     /* another piece had begun, and not ended, when this one ended */
    /* under the lock */
    om_turn_state state;
    unsigned rounds; /* turns that it has had */
} om_turn;

struct om_round_robin {
    om_turn *members;
    size_t count;
    /* Starts a thread for a piece, which calls om_turn__leave() at its end. Returns false if there
     * can be no thread. Called without the lock, by the thread whose turn has ended. */
    bool (*start)(void *self, size_t member);
    void *self;
    pthread_mutex_t lock; /* guards the members that are marked so, and: */
    pthread_cond_t passed;
    om_turn *holder; /* U1; NULL: none */
};

/* Prepares pieces, whose `control` the caller has set; all others of their members are 0. Returns
 * false if no lock can be made. */
bool om_round_robin__init(om_round_robin *t, om_turn *members, size_t count,
    bool (*start)(void *self, size_t member), void *self);
/* All pieces that have begun have ended. */
void om_round_robin__destroy(om_round_robin *t);
/* Begins the first piece in the calling thread. */
void om_round_robin__begin(om_round_robin *t);

/*
 * Ends the piece, and passes the turn on. If no thread runs the next piece, that becomes the heir:
 * the calling thread must run it after this one. A second call does nothing. NULL is allowed.
 */
void om_turn__leave(om_turn *t);
/* Wakes the piece if it waits: its control was stopped. Any thread. */
void om_turn__wake(om_turn *t);
/* Reads the clock; passes the turn on if it is over. For om_turn__spend(). */
void om_turn__look(om_turn *t, uint64_t states);
/* Returns om_clock_ns() without the time that the piece has waited. NULL: without turns. */
uint64_t om_turn__clock_ns(const om_turn *t);

/* Counts states that the piece has expanded, and waits if its turn is over. The thread of the piece
 * only, which must hold no lock that a thread other than its own may take. NULL: without turns. */
static inline void om_turn__spend(om_turn *t, uint64_t states)
{
    if (t == NULL)
        return;
    if (t->at_once > states)
        t->at_once -= states;
    else
        om_turn__look(t, states);
}

#endif
