/* SPDX-License-Identifier: Apache-2.0 */
/* barrier.h: a barrier of a task's workers that heeds stops: nobody waits for who will not come. */
#ifndef OMEN_BARRIER_H
#define OMEN_BARRIER_H

#include <omen/plugin/check.h>

typedef struct om_barrier om_barrier;

/* For all workers of the task's run; made in create() or by one of them. The task must outlive it.
 * OM_OK, OM_ENOMEM. */
OM_API int om_barrier_new(om_barrier **out, om_task *task);
/* Nobody waits there any more. NULL is fine. */
OM_API void om_barrier_free(om_barrier *b);

/*
 * Waits until all workers are there; as often as they like. What any of them wrote before, all see
 * afterwards. *last (may be NULL) is true for one of them, which may do what one alone has to do
 * before all meet again.
 *
 * OM_OK: all came. OM_ESTOP: the task was stopped, by a limit, by evidence, or because a worker
 * failed or said that it is complete; that wakes everybody who waits, within some milliseconds, and
 * so it will be at each later call. A worker that has nothing more to do while the others go on
 * must therefore keep coming, or end the task.
 */
OM_API int om_barrier_wait(om_barrier *b, bool *last);

#endif
