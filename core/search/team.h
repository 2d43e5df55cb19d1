/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team.h: a fork-join team: a leader and helpers who work in rounds, as the levels of a
 * breadth-first search.
 *
 * The leader alone starts a round, for as many helpers as the work is worth, takes part in it, and
 * waits for them; the others, and all between rounds, sleep. Which ones come is not said: a round
 * for k of them has k tickets, and each helper that comes takes one, once. What the leader wrote
 * before om_team__start() a helper sees after om_team__wait(); what helpers wrote before
 * om_team__done() the leader sees after om_team__join().
 */
#ifndef OM_SEARCH_TEAM_H
#define OM_SEARCH_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

typedef struct om_team {
    unsigned helpers;
    unsigned spins;  /* looks before somebody goes to sleep; 0 where threads share processors */
    uint32_t rounds; /* started; the leader's */
    _Atomic uint64_t tickets; /* the last round, and how many of its tickets nobody has taken */
    atomic_uint busy;         /* tickets of it that are not done */
    pthread_mutex_t lock;
    pthread_cond_t started, done; /* tickets and busy changed, told under the lock */
} om_team;

void om_team__init(om_team *g, unsigned helpers);
void om_team__destroy(om_team *g);

/* The leader. For `helpers` of them, or all where there are fewer. */
void om_team__start(om_team *g, unsigned helpers);
void om_team__join(om_team *g);
/* The leader, when nothing is left to do in a round: takes back the tickets that nobody has taken,
 * so that nobody is waited for who is still waking up. How many. */
unsigned om_team__withdraw(om_team *g);

/* A helper: waits for a ticket of another round than *seen (0 at first), which it remembers there;
 * then says it is done, unless it knows that there will be no more rounds. */
void om_team__wait(om_team *g, uint32_t *seen);
void om_team__done(om_team *g);

#endif
