/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a checker on a task: checks soundness, runs the workers, draws the conclusion. */
#include "plugin_options.h"
#include "product.h"
#include "task_impl.h"
#include "convert/to_testing.h"
#include "threads.h"

#include <omen/plugin/guide.h>

#include <assert.h>
#include <string.h>

typedef struct run {
    om_task *task;
    const om_checker *checker;
    int *rc; /* status of each worker */
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

/* Fails if a verdict of this checker on this task would not be sound. */
static int check_sound(const om_task *t, const om_checker *c)
{
    const char *name = c->head.name;
    om_strength strength = t->spec.strength;
    uint32_t classes = om_automaton_acceptance_classes(t->spec.product.automaton);

    if (strength != OM_NON_ACCEPTING && (c->strengths & (1u << strength)) == 0)
        return om_fail(t->ctx, OM_EUSAGE, NULL, "checker %s is not sound for %s automata", name,
            om_strength_name(strength));
    if (((c->product & OM_PRODUCT_TESTING) != 0) !=
        om_automaton__is_testing(t->spec.product.automaton))
        return om_fail(t->ctx, OM_EUSAGE, NULL, "checker %s takes %s testing automata", name,
            (c->product & OM_PRODUCT_TESTING) != 0 ? "only" : "no");
    if ((c->acceptance & classes) == 0)
        return om_fail(t->ctx, OM_EUSAGE, NULL, "checker %s does not take %s acceptance", name,
            acceptance_name(classes));
    if ((c->flags & OM_CHECKER_NEEDS_STUTTER) != 0 && !t->spec.product.stutter)
        return om_fail(t->ctx, OM_EUSAGE, NULL,
            "checker %s is not sound when finite runs are ignored: reaching a terminal state does "
            "not prove an infinite run",
            name);
    if (om_product__lacks(c->product) != NULL)
        return om_fail(t->ctx, OM_EUNSUPPORTED, NULL, "checker %s cannot run: %s", name,
            om_product__lacks(c->product));
    if ((c->flags & OM_CHECKER_DEVICE) != 0 && t->spec.device == NULL)
        return om_fail(t->ctx, OM_EUNSUPPORTED, NULL, "checker %s needs a device", name);
    return OM_OK;
}

static void work(void *self, unsigned worker)
{
    run *r = self;
    assert(worker < r->task->workers);
    int rc = r->checker->work(r->task->run, worker);
    if (r->task->cursors[worker] != NULL)
        om_cursor__note_use(r->task->cursors[worker]);
    r->rc[worker] = rc;
    if (rc != OM_OK && rc != OM_ESTOP && rc != OM_EMODEL)
        atomic_store_explicit(&r->task->stop, true, memory_order_relaxed);
}

/* Returns the first failure of a worker, or OM_OK. A fault of the model is not a failure: the task
 * has recorded it. */
static int first_failure(const run *r, unsigned workers)
{
    for (unsigned i = 0; i < workers; i++)
        if (r->rc[i] != OM_OK && r->rc[i] != OM_ESTOP && r->rc[i] != OM_EMODEL)
            return r->rc[i];
    return OM_OK;
}

static int explain_fault(const om_task *t)
{
    const om_model *model = t->spec.product.executor->model;
    return model != NULL ? om_model_fault(model, t->fault)
                         : om_fail(t->ctx, OM_EMODEL, NULL, "the model has an error");
}

/* Derives the verdict from the evidence, the statuses of the workers and their reports. No worker
 * is running any more. */
static int conclude(om_task *t, int rc, om_task_result *result)
{
    result->fault = t->fault;
    assert(!t->found || (t->evidence.length > 0 && t->evidence.path != NULL));
    if (t->found || OM_FAULT_KIND(t->fault) == OM_FAULT_ASSERTION) {
        result->verdict = OM_VIOLATED;
        return OM_OK;
    }
    result->reason = om_control_stopped(t->control);
    if (t->fault != 0) {
        result->reason = OM_STOP_ERROR;
        return explain_fault(t);
    }
    if (rc == OM_ENOMEM && result->reason == OM_STOP_NONE)
        result->reason = OM_STOP_MEMORY; /* a limit, too: the user gets partial results */
    if (rc == OM_ENOMEM || rc == OM_ELIMIT)
        return OM_OK;
    if (rc != OM_OK)
        return rc;
    if (result->reason == OM_STOP_NONE && t->covered) {
        result->reason = OM_STOP_BITSTATE;
        result->coverage = t->coverage;
    } else if (result->reason == OM_STOP_NONE && t->complete)
        result->verdict = OM_HOLDS;
    else if (result->reason == OM_STOP_NONE)
        return om_fail(t->ctx, OM_EINTERNAL, NULL,
            "a checker ended without evidence and without reporting that its search is complete");
    return OM_OK;
}

static void fill_figures(om_task *t, om_task_result *result)
{
    om_task_progress(t, &result->states, &result->transitions);
    result->memory_bytes = t->bytes + (t->product == NULL ? 0 : om_product__bytes(t->product));
    result->sccs = t->sccs_counted;
    result->verified = t->verified;
    /* States are verified only while the search is repeated. */
    result->again = t->complete && t->verified != 0 && t->spec.verify == OM_VERIFY_AGAIN;
    memcpy(result->counts, t->counts, sizeof result->counts);
    if (t->product != NULL)
        result->counts[OM_COUNT_EXPANSIONS] += om_product__expansion_count(t->product);
    result->auxiliary_bytes = t->bytes;
}

void om_task__end_run(om_task *t)
{
    assert(t->run == NULL || t->checker != NULL);
    if (t->run != NULL)
        t->checker->destroy(t->run);
    om_free(t->heap, t->run);
    t->checker = NULL;
    t->run = NULL;
}

static int run_workers(run *r, const int64_t *options)
{
    om_task *t = r->task;
    assert(t->run == NULL && t->checker == r->checker);
    unsigned workers = (r->checker->flags & OM_CHECKER_PARALLEL) != 0 ? t->spec.product.workers : 1;
    if (r->checker->most_workers != 0 && workers > r->checker->most_workers)
        workers = r->checker->most_workers;
    bool late = (r->checker->flags & OM_CHECKER_LATE_WORKERS) != 0 && t->spec.first_workers != 0;
    om_admission__open(&t->admission, late ? t->spec.first_workers : workers);
    t->workers = workers;
    assert(workers == 1 || om_control__turn(t->control) == NULL);
    t->run = om_alloc(t->heap, 1, r->checker->run_size);
    int rc = t->run == NULL ? om_fail_memory(t->ctx) : r->checker->create(t->run, t, options);
    if (rc == OM_OK)
        rc = om_threads__run(t->ctx, workers, late ? &t->admission : NULL, work, r);
    if (rc == OM_OK)
        rc = first_failure(r, workers);
    om_task__gather_faults(t);
    if (t->product != NULL)
        t->overflows += om_product__overflows(t->product, NULL);
    /* Data that belongs to the evidence stays. */
    if (t->evidence.same == NULL)
        om_task__end_run(t);
    return rc;
}

/* Makes a steady guide order the successors for a depth-first search. The automaton's word of a
 * product with a testing automaton is another one than that of the guide's rows. */
static void guide(const om_task *t)
{
    const om_going *g = t->spec.going;
    if ((t->checker->flags & OM_CHECKER_GOES_DEEP) == 0 && g != NULL && g->guide_count > 0 &&
        (om_product_spec_of(t->product)->variants & OM_PRODUCT_TESTING) == 0)
        om_product__guide(t->product, &g->guides[0]);
}

int om_task_run(om_task *t, const om_checker *checker, const char *options, om_task_result *result)
{
    om_turn *turn = om_control__turn(t->control);
    uint64_t begin = om_turn__clock_ns(turn);
    run r = { .task = t, .checker = checker };
    int64_t *values = NULL;
    int rc;

    *result = (om_task_result){ .verdict = OM_UNKNOWN, .sccs = UINT64_MAX };
    rc = check_sound(t, checker);
    if (rc != OM_OK)
        return rc;
    values = om_alloc(t->heap, om_plugin_options__count(checker->head.options), sizeof *values);
    r.rc = om_alloc(t->heap, t->spec.product.workers, sizeof *r.rc);
    if (values == NULL || r.rc == NULL) {
        rc = om_fail_memory(t->ctx);
        goto done;
    }
    rc = om_plugin_options__parse(
        t->ctx, checker->head.name, checker->head.options, checker->head.names, options, values);
    if (rc != OM_OK)
        goto done;
    om_task__reset(t);
    t->turn = turn;
    t->checker = checker;
    /* A device has its own store: states that it finds enter a product on demand. */
    if ((checker->flags & OM_CHECKER_DEVICE) == 0)
        rc = om_task__open_product(t);
    if (rc == OM_OK && t->product != NULL)
        guide(t);
    if (rc == OM_OK)
        rc = run_workers(&r, values);
    fill_figures(t, result);
    rc = conclude(t, rc, result);
    if (t->product != NULL)
        om_product__guide(t->product, NULL); /* it may be gone when evidence is extracted */
done:
    result->seconds = (double) (om_turn__clock_ns(turn) - begin) * 1e-9;
    OM_FREE_ALL(t->heap, r.rc, values);
    return rc;
}
