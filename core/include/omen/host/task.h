/* SPDX-License-Identifier: Apache-2.0 */
/* task.h: what a planner or a test does with a task: make it, run a checker on it, see what came of
 * that. What the checker may ask of it is in check.h. */
#ifndef OMEN_TASK_H
#define OMEN_TASK_H

#include <omen/plugin/check.h>

/* How a device is verified that found nothing: om_engine_verify(). */
enum { OM_VERIFY_DEFAULT = 1024 }; /* states, if nobody says more */
/* Not so many states: the device searches all of them a second time, and so many are the default.
 */
#define OM_VERIFY_AGAIN (UINT64_MAX - 1)

typedef struct om_task_spec {
    om_product_spec product; /* with the part's automaton; workers as given here */
    om_strength strength;    /* of the whole automaton given */
    om_model *model;         /* for devices; NULL where there is none */
    const om_expr *aps;
    uint32_t ap_count;
    struct om_device *device; /* or NULL */
    uint64_t verify;          /* om_task_verify(): a number of states, or OM_VERIFY_AGAIN */
    /* Of the workers, those that begin at once; om_task_admit() lets others follow. 0: all, as of
     * checkers without OM_CHECKER_LATE_WORKERS. */
    unsigned first_workers;
    const struct om_movers *movers; /* of om_product_movers(); or NULL */
} om_task_spec;

typedef enum om_verdict { OM_HOLDS, OM_VIOLATED, OM_UNKNOWN } om_verdict;
/* "holds", "violated", "unknown" */
OM_API const char *om_verdict_name(om_verdict v);

/* What came of a task. */
typedef struct om_task_result {
    om_verdict verdict;    /* HOLDS: empty */
    om_stop_reason reason; /* of UNKNOWN; NONE: see the message of the context */
    uint64_t states, transitions, sccs /* UINT64_MAX: not counted */, memory_bytes;
    double seconds;
    om_fault fault;    /* not 0: a fault of the model was met; VIOLATED by itself if an assertion */
    uint64_t verified; /* states of a device that the CPU expanded again: om_task_verified() */
    bool again;        /* and before that it came to nothing a second time: OM_VERIFY_AGAIN */
    uint64_t counts[OM_COUNTERS]; /* om_task_count() */
    uint64_t auxiliary_bytes;     /* of memory_bytes, what the checker has beside the states */
    double coverage;              /* om_task_covered(), where the reason is OM_STOP_BITSTATE */
} om_task_result;

/* What the spec names is borrowed for the task's life. A task may run again, from nothing; where
 * its control was stopped, as evidence stops it, the answer is then UNKNOWN. Under a context that
 * is stopped already none is made (om_context_stopped()). */
OM_API int om_task_new(om_task **out, om_context *ctx, const om_task_spec *spec);
OM_API void om_task_free(om_task *t);
/*
 * Runs a checker on the task: create, workers, destroy. `options` as om_plugin_options() takes
 * them (registry.h). Refuses (OM_EUSAGE, with the reason) a checker that is not sound for the
 * task's strength or acceptance. OM_OK with a result (limits give UNKNOWN); OM_EMODEL with
 * result->fault where that is all that was found; other errors. What the evidence needs of the
 * checker lives until the task runs again or is freed.
 */
OM_API int om_task_run(
    om_task *t, const om_checker *checker, const char *options, om_task_result *result);
/* Lets so many workers work, the first ones, from now on in the run that is under way; never fewer
 * than before. Any thread, while the task is there. */
OM_API void om_task_admit(om_task *t, unsigned workers);
/* The evidence of the last run, as it was given, or NULL; borrowed. */
OM_API const om_evidence *om_task_evidence_of(const om_task *t);
/* The fault of the last run, or 0; *path (NULL where it is not known) leads to the state *at. */
OM_API om_fault om_task_fault_of(
    const om_task *t, om_id *at, const om_id **path, size_t *length, bool *shortest);
/* How many overflows of assignments the last run met; not 0: *vector is a state (model words) that
 * one of the first leaves, borrowed until the task runs again or is freed. */
OM_API uint64_t om_task_overflows_of(const om_task *t, const uint32_t **vector);

#endif
