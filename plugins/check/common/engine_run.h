/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_run.h: the part that checkers on an OpenCL device share: a run that opens the engine of
 * engine.h for the task's product, reports progress to the task, and hands over a path. Such a
 * checker adds search() and its descriptor.
 */
#ifndef OMEN_CHECK_ENGINE_RUN_H
#define OMEN_CHECK_ENGINE_RUN_H

#include <omen/plugin/engine.h>

struct om_run {
    const om_heap *heap;
    om_task *task;
    uint8_t *accepting;                  /* by automaton state: om_task_accepting() */
    bool fixpoint;                       /* true if om_engine_fixpoint() will be called */
    uint64_t states, transitions, bytes; /* counts reported to the task so far */
};

/* Reports to the task the increase of the counts since the last report. */
static inline void engine_run_add_counts(
    om_run *r, uint64_t states, uint64_t transitions, uint64_t bytes)
{
    om_task_add_counts(r->task, states - r->states, transitions - r->transitions, bytes - r->bytes);
    r->states = states;
    r->transitions = transitions;
    r->bytes = bytes;
}

static inline void engine_run_progress(
    void *self, uint64_t states, uint64_t transitions, const om_levels *levels)
{
    om_run *r = self;
    (void) levels;
    engine_run_add_counts(r, states, transitions, r->bytes);
}

/* A path whose states are stored in the task's product one by one */
typedef struct engine_run_way {
    om_run *run;
    om_cursor *cursor;
    om_id *path;
    size_t length, capacity;
    uint64_t stored;
} engine_run_way;

static inline int engine_run_take(void *self, const uint32_t *vector)
{
    engine_run_way *w = self;
    bool fresh = false;
    if (!OM_ROOM(w->run->heap, w->path, &w->capacity, w->length + 1))
        return om_fail_memory(om_task_context(w->run->task));
    int rc = om_cursor_intern(w->cursor, vector, &w->path[w->length], &fresh);
    w->length += rc == OM_OK;
    w->stored += fresh;
    return rc;
}

/* Finds a shortest path to a state stored on the device. The caller frees w->path. */
static inline int engine_run_path(om_run *r, om_engine *e, om_id state, engine_run_way *w)
{
    *w = (engine_run_way){ .run = r };
    int rc = om_task_cursor(r->task, 0, &w->cursor);
    if (rc == OM_OK)
        rc = om_engine_path(e, state, engine_run_take, w);
    /* The device has already counted these states. */
    om_task_add_counts(r->task, -w->stored, 0, 0);
    return rc;
}

/* Reports the fault of the model to the task, with a shortest path or, if a limit prevents that,
 * with its state alone. */
static inline int engine_run_fault(om_run *r, om_engine *e, const om_exploration *x)
{
    engine_run_way w;
    om_id at = OM_NO_ID;
    bool fresh;
    int rc = engine_run_path(r, e, x->fault_state, &w);
    if (rc == OM_OK)
        rc = om_task_fault(r->task, x->fault, w.path, w.length, true);
    else if (rc == OM_ELIMIT && w.cursor != NULL &&
             om_cursor_intern(w.cursor, x->fault_vector, &at, &fresh) == OM_OK) {
        om_task_add_counts(r->task, -(uint64_t) fresh, 0, 0);
        (void) om_task_fault(r->task, x->fault, &at, 1, false);
    }
    om_free(r->heap, w.path);
    return rc;
}

/* Explores the product; `stop_at` and `hit` as for om_engine_explore(). Reports faults to the
 * task. */
static inline int engine_run_explore(om_run *r, om_engine *e, const uint8_t *stop_at, om_id *hit)
{
    om_exploration x;
    int rc = om_engine_explore(e, stop_at, hit, &x);
    engine_run_add_counts(r, x.states, x.transitions, x.memory_bytes);
    if (x.fault != 0) {
        int told = engine_run_fault(r, e, &x);
        /* An error in the report of a fault must not hide a violation. */
        if (told != OM_OK && (hit == NULL || *hit == OM_NO_ID) && (rc == OM_OK || rc == OM_EMODEL))
            rc = told;
    }
    if (om_task_add_overflows(r->task, x.overflows, x.overflow_vector) != OM_OK)
        rc = OM_ENOMEM;
    OM_FREE_ALL(r->heap, x.fault_vector, x.overflow_vector);
    return rc;
}

/* Reports a shortest path to a stored state as evidence. on_cycle: the state lies on an accepting
 * cycle; else it can reach one. */
static inline int engine_run_report(om_run *r, om_engine *e, om_id state, bool on_cycle)
{
    engine_run_way w;
    int rc = engine_run_path(r, e, state, &w);
    if (rc == OM_OK) {
        om_evidence found = OM_EVIDENCE(w.path, w.length);
        found.entry = w.length - on_cycle;
        found.shortest = true;
        rc = om_task_evidence(r->task, &found);
    }
    om_free(r->heap, w.path);
    return rc;
}

/* Verifies states of the device on the CPU, after nothing was found. */
static inline int engine_run_verify(om_run *r, om_engine *e)
{
    uint64_t verified = 0;
    int rc = om_engine_verify(e, om_task_verify(r->task), &verified);
    om_task_verified(r->task, verified);
    return rc;
}

/* Does the work of a checker. `accepting` as in om_engine_spec: the states whose in-degrees are
 * counted, or NULL. */
static inline int engine_run_work(
    om_run *run, unsigned worker, const uint8_t *accepting, int (*search)(om_run *r, om_engine *e))
{
    om_task *task = run->task;
    const om_product_spec *product = om_task_product_spec(task);
    om_engine_spec spec = { .size = sizeof spec,
        .device = om_task_device(task),
        .automaton = product->automaton,
        .stutter = product->stutter,
        .faults_repeat = product->faults_repeat,
        .deadlock_ap = product->deadlock_ap,
        .accepting = accepting,
        .fixpoint = run->fixpoint,
        .progress = engine_run_progress,
        .progress_self = run };
    om_engine *e = NULL;
    if (worker != 0)
        return OM_ESTOP;
    spec.model = om_task_model(task, &spec.aps, &spec.ap_count);
    int rc = om_engine_open(&e, om_task_context(task), &spec);
    if (rc == OM_OK)
        rc = search(run, e);
    if (rc == OM_OK)
        rc = engine_run_verify(run, e);
    if (rc == OM_OK)
        om_task_complete(task);
    om_engine_close(e);
    return rc;
}

static inline void engine_run_destroy(om_run *run)
{
    om_free(run->heap, run->accepting);
}

/* Creates the run. Its accepting automaton states are those in accepting components of at most this
 * strength. */
static inline int engine_run_create(om_run *run, om_task *task, om_strength strength)
{
    uint32_t states = om_automaton_state_count(om_task_automaton(task));
    run->heap = om_task_heap(task);
    run->task = task;
    run->accepting = om_alloc(run->heap, states, 1);
    if (run->accepting == NULL)
        return om_fail_memory(om_task_context(task));
    for (uint32_t q = 0; q < states; q++)
        run->accepting[q] = om_task_accepting(task, q, strength);
    return OM_OK;
}

#endif
