/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h: states that the workers of a task have to expand, in an order that does not matter. Each
 * worker has a stack of its own; one that has many of them gives half away as long as another has
 * none.
 *
 * A phase ends when all workers have come to its end and nothing is left to expand, which the last
 * of them knows. What any worker did before that, all see afterwards.
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
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    id_list given;
    uint64_t over;       /* phases that have ended */
    atomic_uint idle;    /* workers that wait; written under the lock */
    atomic_bool to_have; /* is there anything given? Likewise */
} pool;

/* What one worker does in a phase. */
typedef struct pool_phase {
    void *self;
    /* Expands a state, and adds others. */
    int (*expand)(void *self, om_id id);
    /* Nothing is left: is there one to go on with? By one worker, while all others wait. NULL: no.
     */
    bool (*more)(void *self, om_id *id);
} pool_phase;

typedef struct pool_worker {
    pool *pool;
    id_list stack;
    uint64_t phases; /* that it took part in */
    uint64_t waited; /* nanoseconds */
    size_t peak;     /* states on the stack when they were most */
} pool_worker;

void pool_open(pool *p, om_task *task);
void pool_close(pool *p);

/* Appends to a list. OM_OK or OM_ENOMEM. */
int id_list_add(om_task *task, id_list *l, om_id id);
/* A state to expand, in this phase or, between two, the next. OM_OK or OM_ENOMEM. */
static inline int pool_add(pool_worker *w, om_id id)
{
    return id_list_add(w->pool->task, &w->stack, id);
}

/* Waits at a barrier of the task, and counts that as waiting. */
int pool_meet(pool_worker *w, om_barrier *b);
/* A phase, which all workers call. OM_OK: it is over. OM_ESTOP: the task was stopped. Else the
 * worker's own failure, which must end the task. */
int pool_run(pool_worker *w, const pool_phase *phase);

#endif
