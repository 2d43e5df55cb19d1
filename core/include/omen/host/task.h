/* SPDX-License-Identifier: Apache-2.0 */
/* task.h: the interface of tasks for planners and tests: create a task, run a checker on it, read
 * the result. check.h has the interface for checkers. */
#ifndef OMEN_TASK_H
#define OMEN_TASK_H

#include <omen/plugin/check.h>

/* Verification of a device that found no violation: om_engine_verify(). */
enum { OM_VERIFY_DEFAULT = 1024 }; /* default number of states */
/* In place of a number of states: the device first repeats the whole search, and then the default
 * number of states is verified. */
#define OM_VERIFY_AGAIN (UINT64_MAX - 1)

typedef struct om_task_spec {
    /* Includes the part's automaton, and the number of workers. */
    om_product_spec product;
    om_strength strength; /* of the whole automaton of the spec */
    om_model *model;      /* for devices; NULL without one */
    const om_expr *aps;
    uint32_t ap_count;
    struct om_device *device; /* or NULL */
    uint64_t verify;          /* om_task_verify(): a number of states, or OM_VERIFY_AGAIN */
    /* Number of workers that start at once; om_task_admit() starts more. 0: all, as for checkers
     * without OM_CHECKER_LATE_WORKERS. */
    unsigned first_workers;
    const struct om_fair_processes *fair_processes; /* for om_product_fair_processes(); or NULL */
    const struct om_going *going;                   /* om_task_going(); NULL: level by level */
} om_task_spec;

typedef enum om_verdict { OM_HOLDS, OM_VIOLATED, OM_UNKNOWN } om_verdict;
/* "holds", "violated", "unknown" */
OM_API const char *om_verdict_name(om_verdict v);

/* The result of a task. */
typedef struct om_task_result {
    om_verdict verdict;    /* HOLDS: empty */
    om_stop_reason reason; /* for UNKNOWN; NONE: see the message of the context */
    uint64_t states, transitions, sccs /* UINT64_MAX: not counted */, memory_bytes;
    double seconds;
    /* Not 0: a fault of the model was met; the verdict is VIOLATED if it is a failed assertion. */
    om_fault fault;
    /* Number of states of a device that the CPU expanded again: om_task_verified(). */
    uint64_t verified;
    /* The device repeated its search first, with the same result: OM_VERIFY_AGAIN. */
    bool again;
    uint64_t counts[OM_COUNTERS]; /* om_task_count() */
    /* part of memory_bytes: data of the checker, without the states */
    uint64_t auxiliary_bytes;
    double coverage; /* om_task_covered(), if the reason is OM_STOP_BITSTATE */
} om_task_result;

/* Creates a task. Members of the spec are borrowed for the task's life. A task may run again, from
 * the beginning; if its control was stopped, which evidence does, the result of the next run is
 * UNKNOWN. Fails with om_context_stopped() if the context is already stopped. */
OM_API int om_task_new(om_task **out, om_context *ctx, const om_task_spec *spec);
OM_API void om_task_free(om_task *t);
/*
 * Runs a checker on the task: create, workers, destroy. `options` is as for om_plugin_options()
 * (registry.h). Refuses (OM_EUSAGE, with the reason) a checker that is not sound for the task's
 * strength or acceptance. OM_OK with a result (limits yield UNKNOWN); OM_EMODEL with result->fault
 * if a fault is all that was found; other errors. The checker's data that the evidence needs lives
 * until the task runs again or is freed.
 */
OM_API int om_task_run(
    om_task *t, const om_checker *checker, const char *options, om_task_result *result);
/* Lets the first `workers` workers run, from now on, in the current run; never fewer than before.
 * Any thread, while the task exists. */
OM_API void om_task_admit(om_task *t, unsigned workers);
/* Returns the evidence of the last run, as it was reported, or NULL; borrowed. */
OM_API const om_evidence *om_task_evidence_of(const om_task *t);
/* Returns the fault of the last run, or 0; *path (NULL if unknown) leads to the state *at. */
OM_API om_fault om_task_fault_of(
    const om_task *t, om_id *at, const om_id **path, size_t *length, bool *shortest);
/* Likewise: returns om_evidence.ruled_out of that path. */
OM_API uint64_t om_task_fault_ruled_out(const om_task *t);
/* Returns the number of overflows of assignments in the last run. If it is not 0, *vector is a
 * state (model words) whose outgoing step has one of the first; borrowed until the task runs again
 * or is freed. */
OM_API uint64_t om_task_overflows_of(const om_task *t, const uint32_t **vector);

#endif
