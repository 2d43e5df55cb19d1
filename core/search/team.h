/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team.h: a fork-join team: a leader and helpers that work in rounds, such as the levels of a
 * breadth-first search.
 *
 * Only the leader starts a round, for as many helpers as the work is worth. The leader takes part
 * in it and waits for the helpers. Idle helpers sleep. A round for k helpers has k tickets; any
 * helpers may take them, each at most one. Writes of the leader before om_team__start() are visible
 * to a helper after om_team__wait(); writes of helpers before om_team__done() are visible to the
 * leader after om_team__join().
 */
#ifndef OM_SEARCH_TEAM_H
#define OM_SEARCH_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

typedef struct om_team {
    unsigned helpers;
    unsigned spins;           /* polls before a thread sleeps; 0 if threads share processors */
    uint32_t rounds;          /* rounds started; leader only */
    _Atomic uint64_t tickets; /* the last round, and the number of its tickets that are left */
    atomic_uint busy;         /* tickets of it that are not done */
    pthread_mutex_t lock;
    pthread_cond_t started, done; /* changes of tickets and busy, signalled under the lock */
} om_team;

void om_team__init(om_team *g, unsigned helpers);
void om_team__destroy(om_team *g);

/* Starts a round for `helpers` helpers, or all if there are fewer. Leader only. */
void om_team__start(om_team *g, unsigned helpers);
void om_team__join(om_team *g);
/* Withdraws the tickets that no helper has taken, so that the leader does not wait for helpers that
 * are still waking up. Returns their number. Leader only, when no work is left in a round. */
unsigned om_team__withdraw(om_team *g);

/*
 * om_team__wait() waits for a ticket of a round other than *seen (0 at first) and stores that round
 * there. The helper calls om_team__done() afterwards, unless it knows that there will be no more
 * rounds.
 */
void om_team__wait(om_team *g, uint32_t *seen);
void om_team__done(om_team *g);

#endif
