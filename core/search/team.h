/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team.h: a fork-join team: a leader and helpers who work in rounds, as the levels of a
 * breadth-first search.
 *
 * The leader alone starts a round, takes part in it, and waits for the helpers; between rounds it
 * may do by itself what is too little to share, while the helpers sleep. What the leader wrote
 * before om_team__start() a helper sees after om_team__wait(); what helpers wrote before
 * om_team__done() the leader sees after om_team__join().
 */
#ifndef OM_SEARCH_TEAM_H
#define OM_SEARCH_TEAM_H

#include <pthread.h>
#include <stdatomic.h>

typedef struct om_team {
    unsigned helpers;
    unsigned spins;    /* looks before somebody goes to sleep; 0 where threads share processors */
    atomic_uint round; /* rounds started */
    atomic_uint busy;  /* helpers who are not done with the last one */
    pthread_mutex_t lock;
    pthread_cond_t started, done; /* round and busy changed, told under the lock */
} om_team;

void om_team__init(om_team *g, unsigned helpers);
void om_team__destroy(om_team *g);

/* The leader. */
void om_team__start(om_team *g);
void om_team__join(om_team *g);

/* A helper: waits for a round after *seen (0 at first), which it counts up; then says it is done,
 * unless it knows that there will be no more rounds. */
void om_team__wait(om_team *g, unsigned *seen);
void om_team__done(om_team *g);

#endif
