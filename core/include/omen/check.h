/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h: what a checker (an emptiness check) exports, and the task it works on.
 *
 * A task is one automaton (often a part of the property's) to check against the model, with some
 * workers. The planner makes the task, calls create() once, work() once per worker, each in a
 * thread of its own, and destroy(). A checker asks for cursors, side arrays and union-finds, looks
 * at om_task_stopped() at least once per state, reports evidence, and never prints.
 *
 * The language is empty when every work() returned OM_OK (or OM_ESTOP) and none reported evidence:
 * a worker returns OM_OK only when it knows the whole search to be complete, OM_ESTOP when it was
 * stopped or gave way to others.
 */
#ifndef OMEN_CHECK_H
#define OMEN_CHECK_H

#include <omen/plugin.h>
#include <omen/product.h>
#include <omen/unionfind.h>

typedef struct om_task om_task;
typedef struct om_run om_run; /* the checker's own */
struct om_device;

/* Strengths a checker is sound and complete for, as bits. */
enum {
    OM_FOR_TERMINAL = 1u << OM_TERMINAL,
    OM_FOR_WEAK = 1u << OM_WEAK,
    OM_FOR_STRONG = 1u << OM_STRONG,
    OM_FOR_ALL = OM_FOR_TERMINAL | OM_FOR_WEAK | OM_FOR_STRONG
};

enum {
    OM_CHECKER_PARALLEL = 1u << 0, /* work() may run in several workers; else in worker 0 alone */
    OM_CHECKER_DEVICE = 1u << 1,   /* needs an OpenCL device; runs in worker 0 alone */
    OM_CHECKER_NEEDS_STUTTER =
        1u << 2 /* terminal evidence is an infinite run only if all runs are */
};

typedef struct om_checker {
    om_plugin head;
    uint32_t strengths;  /* OM_FOR_... */
    uint32_t acceptance; /* OM_ACCEPT_... that it takes */
    uint32_t flags;      /* OM_CHECKER_... */
    int (*create)(om_run **out, om_task *task, const int64_t *options);
    int (*work)(om_run *run, unsigned worker);
    void (*destroy)(om_run *run); /* NULL is fine */
} om_checker;

/* ---- what a checker may ask of its task (any thread) ---- */

/* As om_task_spec says; borrowed. */
OM_API om_context *om_task_context(const om_task *t);
OM_API const om_heap *om_task_heap(const om_task *t);
OM_API om_product *om_task_product(om_task *t);
OM_API unsigned om_task_workers(const om_task *t);
OM_API uint64_t om_task_seed(const om_task *t);
OM_API om_strength om_task_strength(const om_task *t);
/* The cursor of a worker: opened at the first call, closed with the task. */
OM_API int om_task_cursor(om_task *t, unsigned worker, om_cursor **out);
/* All marks of the generalized Buchi condition: a component that has them all accepts. */
OM_API om_marks om_task_all_marks(const om_task *t);
/* Is this automaton state in an accepting SCC of at most the given strength? (WEAK: terminal or
 * weak.) */
OM_API bool om_task_accepting(const om_task *t, uint32_t automaton_state, om_strength strength);
OM_API bool om_task_stopped(const om_task *t);
OM_API om_control *om_task_control(const om_task *t);
/* The device this task was given, or NULL; the model and APs for its kernels. */
OM_API struct om_device *om_task_device(const om_task *t);
OM_API om_model *om_task_model(const om_task *t, const om_expr **aps, uint32_t *ap_count);

/*
 * Evidence of a violation: a path of stored states of which the last can reach an accepting cycle.
 * Either it starts in an initial state, each state a successor of the one before, or it is that one
 * state alone (n = 1). The first evidence counts; all workers are told to stop. Returns OM_ESTOP.
 */
OM_API int om_task_found(om_task *t, unsigned worker, const om_id *path, size_t n);
/* The same with product vectors, one behind the other, for a search that has its own store. */
OM_API int om_task_found_vectors(om_task *t, const uint32_t *vectors, size_t n);
/* The same for a fault of the model in this state (model words). Returns OM_EMODEL. */
OM_API int om_task_fault(om_task *t, om_fault fault, const uint32_t *vector);

/* Figures for the report. Counts of the product's store and the cursors are added by the task. */
OM_API void om_task_add_counts(om_task *t, uint64_t states, uint64_t transitions, uint64_t bytes);
OM_API void om_task_add_sccs(om_task *t, uint64_t sccs);
/* Figures so far, for a progress line. */
OM_API void om_task_progress(om_task *t, uint64_t *states, uint64_t *transitions);

/* ---- what a planner or a test does with a task ---- */

typedef struct om_task_spec {
    om_product_spec product; /* with the part's automaton; workers as given here */
    om_strength strength;    /* of the whole automaton given */
    om_model *model;         /* for devices; NULL where there is none */
    const om_expr *aps;
    uint32_t ap_count;
    struct om_device *device; /* or NULL */
} om_task_spec;

typedef enum om_verdict { OM_HOLDS, OM_VIOLATED, OM_UNKNOWN } om_verdict;
/* "holds", "violated", "unknown" */
OM_API const char *om_verdict_name(om_verdict v);

/* What came of a task. Arrays are the caller's to free through om_task_result_free(). */
typedef struct om_task_result {
    om_verdict verdict;    /* HOLDS: empty */
    om_stop_reason reason; /* of UNKNOWN */
    uint64_t states, transitions, sccs /* UINT64_MAX: not counted */, memory_bytes;
    double seconds;
    uint32_t *path; /* evidence, as product vectors; path_length of them */
    size_t path_length;
    om_fault fault; /* not 0: the state that `path` ends in (model words only) is where */
} om_task_result;

/* What the spec names is borrowed for the task's life. A task may run again, from nothing; where
 * its control was stopped, as evidence stops it, the answer is then UNKNOWN. */
OM_API int om_task_new(om_task **out, om_context *ctx, const om_task_spec *spec);
OM_API void om_task_free(om_task *t);
/*
 * Runs a checker on the task: create, workers, destroy. `options` as om_options_parse() takes them.
 * Refuses (OM_EUSAGE, with the reason) a checker that is not sound for the task's strength or
 * acceptance. OM_OK with a result (limits give UNKNOWN); OM_EMODEL with result->fault; other
 * errors.
 */
OM_API int om_task_run(
    om_task *t, const om_checker *checker, const char *options, om_task_result *result);
OM_API void om_task_result_free(om_task_result *r, const om_heap *heap);

#endif
