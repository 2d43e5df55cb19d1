/* SPDX-License-Identifier: Apache-2.0 */
/* task_impl.h: the inside of a task, for task.c and task_run.c. */
#ifndef OM_PRODUCT_TASK_IMPL_H
#define OM_PRODUCT_TASK_IMPL_H

#include <omen/check.h>

#include <pthread.h>
#include <stdatomic.h>

struct om_task {
    om_context *ctx;
    const om_heap *heap;
    om_task_spec spec;
    om_control *control; /* the context's */
    om_sccs sccs;        /* of the automaton */
    om_marks all_marks;
    om_product *product;
    om_cursor **cursors; /* each used by its worker alone, until the workers are done */
    bool used;           /* the product holds states of an earlier run */
    /* Set once a run has its end: evidence, a fault or a failure. It carries no data. */
    atomic_bool stop;
    pthread_mutex_t lock; /* guards everything below */
    uint32_t *path;       /* first evidence, or the state of a fault */
    size_t path_length;
    bool found;
    om_fault fault;
    uint64_t states, transitions, bytes, sccs_counted; /* given by checkers */
};

/* Takes the product and cursors of an earlier run away and makes new ones. */
int om_task__renew(om_task *t);

#endif
