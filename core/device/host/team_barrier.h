/* SPDX-License-Identifier: Apache-2.0 */
/* team_barrier.h: a barrier for the threads of a stream, its team. */
#ifndef OM_HOST_TEAM_BARRIER_H
#define OM_HOST_TEAM_BARRIER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A barrier for threads that meet again soon and outnumber the cores: a waiting thread yields for a
 * while before it sleeps, which takes a fraction of the time of a sleep and a wake-up. */
typedef struct om_team_barrier {
    uint32_t size; /* changed only while no thread waits */
    atomic_uint arrived, phase;
    pthread_mutex_t lock; /* of sleeping threads */
    pthread_cond_t next;
} om_team_barrier;
/* Opens a barrier for `size` threads. Returns false if no lock can be made; there is then nothing
 * to close. */
bool om_team_barrier__open(om_team_barrier *b, uint32_t size);
void om_team_barrier__close(om_team_barrier *b);
/* Waits until all threads have arrived; their earlier writes are then visible to all. */
void om_team_barrier__wait(om_team_barrier *b);

#endif
