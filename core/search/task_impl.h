/* SPDX-License-Identifier: Apache-2.0 */
/* task_impl.h: the internals of a task, for task.c, task_run.c, evidence.c and code that hands over
 * paths. */
#ifndef OM_SEARCH_TASK_IMPL_H
#define OM_SEARCH_TASK_IMPL_H

#include "control/control.h"
#include "threads.h"

#include <omen/host/task.h>

#include <pthread.h>
#include <stdatomic.h>

struct om_task {
    om_context *ctx;
    const om_heap *heap;
    om_task_spec spec;
    om_control *control; /* of the context */
    om_turn *turn;       /* of a single worker that shares its thread's time; or NULL */
    om_sccs sccs;        /* SCCs of the automaton */
    om_marks all_marks;
    unsigned workers;       /* of the current run; before any: all workers */
    om_product *product;    /* NULL until it is needed: om_task_product() */
    om_admission admission; /* of workers that may begin late */
    om_cursor **cursors;    /* each used by its worker alone until the workers are done */
    /* The running checker, or the last one if its evidence may still be needed. */
    const om_checker *checker;
    om_run *run;
    /* Set when a run has ended: evidence, completeness or a failure. Publishes no data. */
    atomic_bool stop;
    pthread_mutex_t lock; /* guards everything below */
    bool complete;
    bool covered; /* complete, except for states that the search may have missed */
    bool found;
    double coverage;
    om_evidence evidence; /* first evidence */
    om_id *evidence_path; /* its path, owned by the task */
    om_fault fault;       /* first fault, in fault_at, which ends fault_path if that is not NULL */
    om_id fault_at, *fault_path;
    size_t fault_length;
    bool fault_shortest;
    uint64_t fault_ruled_out;                          /* as om_evidence.ruled_out */
    uint64_t states, transitions, bytes, sccs_counted; /* reported by checkers */
    uint64_t verified;                                 /* likewise: states of a device */
    uint64_t counts[OM_COUNTERS];                      /* likewise */
    uint64_t overflows;        /* likewise; at the end also those of the product */
    uint32_t *overflow_vector; /* reported by checkers */
};

/* Discards the results of an earlier run: its checker, product, cursors, evidence and faults. */
void om_task__reset(om_task *t);
/* Creates the product if there is none. Returns OM_OK, OM_ENOMEM, OM_ELIMIT or OM_EINVAL. */
int om_task__open_product(om_task *t);
/* As om_task_stopped(), but never waits. */
bool om_task__is_stopped(const om_task *t);
/* Destroys the checker of the last run. */
void om_task__end_run(om_task *t);
/* Frees evidence and faults. No other thread may be working on the task. */
void om_task__forget(om_task *t);

/* Minimum size of evidence: that of its first version. */
enum { OM_EVIDENCE_LEAST = offsetof(om_evidence, shortest) + 1 };
/* As om_task_evidence() and om_task_fault(), but take ownership of the path (NULL: unknown), which
 * is freed with the task's heap. */
int om_task__take_evidence(om_task *t, const om_evidence *e, om_id *path);
int om_task__take_fault(om_task *t, om_fault fault, om_id *path, size_t n, bool shortest);
/* Returns true if this fault adds nothing to the one that the task knows. */
bool om_task__knows_fault(om_task *t, om_fault fault);
/* Collects the faults that cursors have met and no checker has reported. The workers are done. */
void om_task__gather_faults(om_task *t);

#endif
