/* SPDX-License-Identifier: Apache-2.0 */
/* task_impl.h: the inside of a task, for task.c, task_run.c, evidence.c and what hands paths over.
 */
#ifndef OM_SEARCH_TASK_IMPL_H
#define OM_SEARCH_TASK_IMPL_H

#include "threads.h"

#include <omen/host/task.h>

#include <pthread.h>
#include <stdatomic.h>

struct om_task {
    om_context *ctx;
    const om_heap *heap;
    om_task_spec spec;
    om_control *control; /* the context's */
    om_sccs sccs;        /* of the automaton */
    om_marks all_marks;
    unsigned workers;       /* of the run that is under way; before any: all there are */
    om_product *product;    /* NULL until it is needed: see om_task_product() */
    om_admission admission; /* of workers that may begin late */
    om_cursor **cursors;    /* each used by its worker alone, until the workers are done */
    /* The checker at work, or whose evidence may still be asked for. */
    const om_checker *checker;
    om_run *run;
    /* Set once a run has its end: evidence, completeness or a failure. It carries no data. */
    atomic_bool stop;
    pthread_mutex_t lock; /* guards everything below */
    bool complete;
    bool covered; /* complete, but for what the search may have left out: */
    bool found;
    double coverage;
    om_evidence evidence; /* the first; */
    om_id *evidence_path; /* its path, which is the task's */
    om_fault fault;       /* the first; in fault_at, where fault_path leads if it is not NULL */
    om_id fault_at, *fault_path;
    size_t fault_length;
    bool fault_shortest;
    uint64_t states, transitions, bytes, sccs_counted; /* given by checkers */
    uint64_t verified;                                 /* likewise: states of a device */
    uint64_t counts[OM_COUNTERS];                      /* likewise */
    uint64_t overflows;        /* likewise, and at the end those of the product */
    uint32_t *overflow_vector; /* given by checkers */
};

/* Takes away what an earlier run left: its checker, its product and cursors, what it found. */
void om_task__reset(om_task *t);
/* Makes the product, where there is none yet. OM_OK, OM_ENOMEM, OM_ELIMIT, OM_EINVAL. */
int om_task__open_product(om_task *t);
/* Ends the checker of the last run. */
void om_task__end_run(om_task *t);
/* Frees what is known of evidence and faults. Nobody else is at work. */
void om_task__forget(om_task *t);

/* Bytes that evidence has at least: those of its first version. */
enum { OM_EVIDENCE_LEAST = offsetof(om_evidence, shortest) + 1 };
/* As om_task_evidence() and om_task_fault(), and take the path (NULL: not known) over, to be given
 * back to the task's heap. */
int om_task__take_evidence(om_task *t, const om_evidence *e, om_id *path);
int om_task__take_fault(om_task *t, om_fault fault, om_id *path, size_t n, bool shortest);
/* Is there nothing to be gained from this fault? */
bool om_task__knows_fault(om_task *t, om_fault fault);
/* The faults that cursors have met and nobody has told of. The workers are done. */
void om_task__gather_faults(om_task *t);

#endif
