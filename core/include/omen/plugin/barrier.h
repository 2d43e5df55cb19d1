/* SPDX-License-Identifier: Apache-2.0 */
/* barrier.h: a barrier for the workers of a task that returns when the task is stopped, so that no
 * worker waits for one that has ended. */
#ifndef OMEN_BARRIER_H
#define OMEN_BARRIER_H

#include <omen/plugin/check.h>

typedef struct om_barrier om_barrier;

/* Creates a barrier for all workers of the task's run; called in create() or by one of the workers.
 * The task must outlive it. OM_OK, OM_ENOMEM. */
OM_API int om_barrier_new(om_barrier **out, om_task *task);
/* Frees the barrier, which may be NULL; no worker may be waiting at it. */
OM_API void om_barrier_free(om_barrier *b);

/*
 * Waits until all workers have arrived; may be called any number of times. Everything that a worker
 * wrote before is visible to all workers afterwards. *last (may be NULL) is true for exactly one
 * worker, which can do sequential work before the next wait.
 *
 * OM_OK: all workers arrived. OM_ESTOP: the task was stopped by a limit, by evidence, or because a
 * worker failed or called om_task_complete(). A stop wakes all waiting workers within a few
 * milliseconds, and all later calls return OM_ESTOP, too. A worker that has nothing more to do
 * while others continue must therefore keep calling this function, or end the task.
 */
OM_API int om_barrier_wait(om_barrier *b, bool *last);

#endif
