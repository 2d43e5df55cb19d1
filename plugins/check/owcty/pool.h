/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h: states that the workers of a task have to expand, in any order. Each worker has a stack
 * of its own; a worker with many states gives half of them away while another has none.
 *
 * A phase ends when all workers have reached its end and no state is left to expand, which the last
 * of them detects. All workers then see everything that any worker did in the phase.
 */
#ifndef OMEN_CHECK_POOL_H
#define OMEN_CHECK_POOL_H

#include <omen/plugin/barrier.h>

#include <pthread.h>
#include <stdatomic.h>

typedef struct id_list {
    om_id *ids;
    size_t count, capacity;
} id_list;

typedef struct pool {
    om_task *task;
    unsigned workers;
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t changed;
    id_list given;
    uint64_t over;         /* number of phases that have ended */
    atomic_uint idle;      /* number of waiting workers; written under the lock */
    atomic_bool has_given; /* true if `given` is not empty; written under the lock */
} pool;

/* Callbacks of one worker in a phase */
typedef struct pool_phase {
    void *self;
    /* Expands a state, and adds others. */
    int (*expand)(void *self, om_id id);
    /* Called when no state is left, by one worker while all others wait. Returns true if it has set
     * *id to a state to continue with. NULL: there is none. */
    bool (*more)(void *self, om_id *id);
} pool_phase;

typedef struct pool_worker {
    pool *pool;
    id_list stack;
    uint64_t phases; /* number of phases that it took part in */
    uint64_t waited; /* in nanoseconds */
    size_t peak;     /* maximum number of states on the stack */
} pool_worker;

void pool_open(pool *p, om_task *task);
void pool_close(pool *p);

/* Appends to a list. Returns OM_OK or OM_ENOMEM. */
int id_list_add(om_task *task, id_list *l, om_id id);
/* Adds a state to expand in this phase or, between two phases, in the next. Returns OM_OK or
 * OM_ENOMEM. */
static inline int pool_add(pool_worker *w, om_id id)
{
    return id_list_add(w->pool->task, &w->stack, id);
}

/* Waits at a barrier of the task, and counts the time as waiting. */
int pool_meet(pool_worker *w, om_barrier *b);
/* Runs a phase; all workers call it. Returns OM_OK at its end, OM_ESTOP if the task was stopped, or
 * the worker's own error, which must end the task. */
int pool_run(pool_worker *w, const pool_phase *phase);

#endif
