/* SPDX-License-Identifier: Apache-2.0 */
/* Running a checker on a task: is the combination sound, the workers, what came of it. */
#include "product_impl.h"
#include "task_impl.h"
#include "threads.h"

#include <string.h>

typedef struct run {
    om_task *task;
    const om_checker *checker;
    om_run *self;
    int *rc; /* of each worker */
} run;

static const char *acceptance_name(uint32_t classes)
{
    return (classes & OM_ACCEPT_BUCHI) != 0               ? "Buchi"
           : (classes & OM_ACCEPT_GENERALIZED_BUCHI) != 0 ? "generalized Buchi"
           : (classes & OM_ACCEPT_CO_BUCHI) != 0          ? "co-Buchi"
           : (classes & OM_ACCEPT_RABIN) != 0             ? "generalized Rabin"
           : (classes & OM_ACCEPT_STREETT) != 0           ? "Streett"
           : (classes & OM_ACCEPT_FIN_LESS) != 0          ? "Fin-less"
                                                          : "Emerson-Lei";
}

/* Would an answer of this checker on this task mean anything? */
static int check_sound(const om_task *t, const om_checker *c)
{
    const char *name = c->head.name;
    om_strength strength = t->spec.strength;
    uint32_t classes = om_automaton_acceptance_classes(t->spec.product.automaton);

    if (strength != OM_NON_ACCEPTING && (c->strengths & (1u << strength)) == 0)
        return om_fail(t->ctx, OM_EUSAGE, NULL, "checker %s is not sound for %s automata", name,
            om_strength_name(strength));
    if ((c->acceptance & classes) == 0)
        return om_fail(t->ctx, OM_EUSAGE, NULL, "checker %s does not take %s acceptance", name,
            acceptance_name(classes));
    if ((c->flags & OM_CHECKER_NEEDS_STUTTER) != 0 && !t->spec.product.stutter)
        return om_fail(t->ctx, OM_EUSAGE, NULL,
            "checker %s is not sound where finite runs are ignored: reaching a terminal state "
            "does not prove an infinite run",
            name);
    if ((c->flags & OM_CHECKER_DEVICE) != 0 && t->spec.device == NULL)
        return om_fail(t->ctx, OM_EUNSUPPORTED, NULL, "checker %s needs a device", name);
    return OM_OK;
}

/* A worker whose cursor met a fault need not report it itself. */
static int note_fault(om_task *t, unsigned worker)
{
    const om_cursor *c = t->cursors[worker];
    pthread_mutex_lock(&t->lock);
    bool known = t->fault != 0;
    pthread_mutex_unlock(&t->lock);
    if (known || c == NULL || om_cursor_fault(c, NULL) == 0)
        return OM_EMODEL;
    return om_task_fault(t, om_cursor_fault(c, NULL), c->fault_vector);
}

static void work(void *self, unsigned worker)
{
    run *r = self;
    int rc = r->checker->work(r->self, worker);
    if (rc == OM_EMODEL)
        rc = note_fault(r->task, worker);
    r->rc[worker] = rc;
    if (rc != OM_OK && rc != OM_ESTOP)
        atomic_store_explicit(&r->task->stop, true, memory_order_relaxed);
}

/* The first status of workers that is neither OM_OK nor OM_ESTOP, or OM_OK; *proof: one of them
 * knows the search to be complete. */
static int join_status(const run *r, unsigned workers, bool *proof)
{
    *proof = false;
    for (unsigned i = 0; i < workers; i++) {
        if (r->rc[i] != OM_OK && r->rc[i] != OM_ESTOP)
            return r->rc[i];
        *proof = *proof || r->rc[i] == OM_OK;
    }
    return OM_OK;
}

static void take_path(om_task *t, om_task_result *result)
{
    result->path = t->path;
    result->path_length = t->path_length;
    t->path = NULL;
}

static int explain_fault(const om_task *t)
{
    const om_model *model = t->spec.product.executor->model;
    return model != NULL ? om_model_fault(model, t->fault)
                         : om_fail(t->ctx, OM_EMODEL, NULL, "the model went wrong");
}

/* What the workers' statuses and the evidence mean together. Nobody is running any more. */
static int conclude(om_task *t, int rc, bool proof, om_task_result *result)
{
    if (t->found) {
        result->verdict = OM_VIOLATED;
        take_path(t, result);
        return OM_OK;
    }
    if (t->fault != 0) {
        result->fault = t->fault;
        result->reason = OM_STOP_ERROR;
        take_path(t, result);
        return explain_fault(t);
    }
    if (rc == OM_ENOMEM || rc == OM_ELIMIT) {
        /* Memory that ran out is a limit, too: the user gets what is known so far. */
        (void) om_control_stop(t->control, OM_STOP_MEMORY);
        result->reason = om_control_stopped(t->control);
        return OM_OK;
    }
    if (rc != OM_OK)
        return rc;
    if (proof) {
        result->verdict = OM_HOLDS;
        return OM_OK;
    }
    result->reason = om_control_stopped(t->control);
    if (result->reason == OM_STOP_NONE)
        return om_fail(t->ctx, OM_EINTERNAL, NULL, "a checker gave up without being told to");
    return OM_OK;
}

static void fill_figures(om_task *t, om_task_result *result)
{
    result->states = t->states + om_product_state_count(t->product);
    result->transitions = t->transitions + om_product_edge_count(t->product);
    result->memory_bytes = t->bytes + om_product_bytes(t->product);
    result->sccs = t->sccs_counted;
}

static int run_workers(run *r, const int64_t *options, bool *proof)
{
    om_task *t = r->task;
    unsigned workers = (r->checker->flags & OM_CHECKER_PARALLEL) != 0 ? t->spec.product.workers : 1;
    int rc = r->checker->create(&r->self, t, options);
    if (rc != OM_OK)
        return rc;
    rc = om_threads_run(t->ctx, workers, work, r);
    if (rc == OM_OK)
        rc = join_status(r, workers, proof);
    return rc;
}

int om_task_run(om_task *t, const om_checker *checker, const char *options, om_task_result *result)
{
    uint64_t begin = om_clock_ns();
    run r = { .task = t, .checker = checker };
    int64_t *values = NULL;
    bool proof = false;
    int rc;

    *result = (om_task_result){ .verdict = OM_UNKNOWN, .sccs = UINT64_MAX };
    rc = check_sound(t, checker);
    if (rc != OM_OK)
        return rc;
    values = om_alloc(t->heap, om_options_count(checker->head.options), sizeof *values);
    r.rc = om_alloc(t->heap, t->spec.product.workers, sizeof *r.rc);
    if (values == NULL || r.rc == NULL) {
        rc = om_fail_memory(t->ctx);
        goto done;
    }
    rc = om_options_parse(t->ctx, checker->head.name, checker->head.options, options, values);
    if (rc == OM_OK && t->used)
        rc = om_task__renew(t);
    if (rc != OM_OK)
        goto done;
    t->used = true;
    rc = run_workers(&r, values, &proof);
    checker->destroy(r.self);
    fill_figures(t, result);
    rc = conclude(t, rc, proof, result);
done:
    result->seconds = (double) (om_clock_ns() - begin) * 1e-9;
    om_free(t->heap, r.rc);
    om_free(t->heap, values);
    return rc;
}

void om_task_result_free(om_task_result *r, const om_heap *heap)
{
    om_free(heap, r->path);
    r->path = NULL;
    r->path_length = 0;
}
