/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include "machine.h"

#include <string.h>
#include <time.h>

/* A lock, and a condition variable that waits by the monotonic clock. */
static bool make_locks(om_plan *p)
{
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0)
        return false;
    bool made = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(&p->news, &attr) == 0;
    (void) pthread_condattr_destroy(&attr);
    if (made && pthread_mutex_init(&p->lock, NULL) != 0) {
        (void) pthread_cond_destroy(&p->news);
        return false;
    }
    return made;
}

int om_plan_new(om_plan **out, om_context *ctx, const om_registry *registry,
    const om_frontend *frontend, om_model *model, const om_plan_options *options)
{
    static const om_plan_options none = { 0 };
    const om_heap *heap = om_context_heap(ctx);
    om_plan *p = om_alloc(heap, 1, sizeof *p);

    if (p == NULL)
        return om_fail_memory(ctx);
    p->ctx = ctx;
    p->heap = heap;
    p->registry = registry;
    p->frontend = frontend;
    p->model = model;
    p->options = options == NULL ? none : *options;
    p->threads = p->options.threads == 0 ? om_machine__processors() : p->options.threads;
    if (p->options.limits.memory_bytes == 0)
        p->options.limits.memory_bytes = om_default_memory_limit();
    int rc = om_context_new_below(&p->device_ctx, ctx) == OM_OK ? OM_OK : om_fail_memory(ctx);
    if (rc == OM_OK && !make_locks(p))
        rc = om_fail(ctx, OM_ELIMIT, NULL, "the system gives no lock");
    if (rc != OM_OK) {
        om_context_free(p->device_ctx);
        om_free(heap, p);
        return rc;
    }
    *out = p;
    return OM_OK;
}

void om_plan_free(om_plan *p)
{
    if (p == NULL)
        return;
    om_race__settle(p);
    om_devices_close(p->devices);
    om_plan__forget_overflows(p);
    om_free(p->heap, p->gave_up);
    om_context_free(p->device_ctx);
    pthread_cond_destroy(&p->news);
    pthread_mutex_destroy(&p->lock);
    om_free(p->heap, p);
}

om_control *om_plan_control(om_plan *p)
{
    return om_context_control(p->ctx);
}

bool om_plan_busy(om_plan *p)
{
    return om_race__busy(p);
}

/* Of two that race, the figures of the one that is further. */
static void add_progress(const om_job *job, om_progress *out)
{
    const om_job *both[] = { job, job->rival };
    uint64_t states = 0, transitions = 0;
    for (size_t i = 0; i < 2; i++) {
        uint64_t s = 0, t = 0;
        if (both[i] == NULL || both[i]->task == NULL)
            continue;
        om_task_progress(both[i]->task, &s, &t);
        if (s >= states) {
            states = s;
            transitions = t;
        }
    }
    out->states += states;
    out->transitions += transitions;
}

void om_plan_progress(om_plan *p, om_progress *out)
{
    pthread_mutex_lock(&p->lock);
    *out = (om_progress){
        .states = p->done_states, .transitions = p->done_transitions, .levels = p->levels
    };
    for (size_t i = 0; i < p->job_count; i++) {
        out->parts_running += p->jobs[i]->running;
        add_progress(p->jobs[i], out);
    }
    if (p->exploring != NULL) {
        out->states += om_product_state_count(p->exploring);
        out->transitions += om_product_edge_count(p->exploring);
        om_product_levels(p->exploring, &out->levels);
    }
    out->seconds = p->started_ns == 0 ? 0 : (double) (om_clock_ns() - p->started_ns) / 1e9;
    pthread_mutex_unlock(&p->lock);
}

int om_plan__shape(om_plan *p, om_model_form form, const om_expr *aps, uint32_t ap_count)
{
    uint32_t resets = 0;
    om_model_keep_dead(p->model);
    int rc = om_model_set_overflow(p->model, form.overflow);
    if (rc == OM_OK)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "assignments that may overflow: %u",
            om_model_overflow_sites(p->model));
    if (rc != OM_OK || !form.reset_dead)
        return rc;
    rc = om_model_reset_dead(p->model, aps, ap_count, &resets);
    if (rc == OM_OK)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "%u resets of dead variables", resets);
    return rc;
}

int om_plan_replay(om_plan *p, om_property_kind kind, const char *text, const om_lasso *lasso)
{
    om_target t = { 0 };
    int rc = om_plan__begin(p, false);
    if (rc != OM_OK)
        return rc;
    rc = om_plan__read(p, kind, text, &t);
    if (rc == OM_OK)
        rc = om_plan__translate(p, &t);
    if (rc == OM_OK)
        rc = om_plan__shape(p, lasso->form, t.aps, t.ap_count);
    if (rc == OM_OK)
        rc = om_lasso_replay(p->ctx, lasso, &t.obligation);
    om_plan__target_free(p, &t);
    om_plan__end(p);
    return rc;
}

/* ---- exploring ---- */

static void show_product(om_plan *p, om_product *product)
{
    pthread_mutex_lock(&p->lock);
    p->exploring = product;
    pthread_mutex_unlock(&p->lock);
}

/* The product goes; its figures stay. */
static void hide_product(om_plan *p)
{
    pthread_mutex_lock(&p->lock);
    p->done_states = om_product_state_count(p->exploring);
    p->done_transitions = om_product_edge_count(p->exploring);
    om_product_levels(p->exploring, &p->levels);
    p->exploring = NULL;
    pthread_mutex_unlock(&p->lock);
}

/* The trace along a path of a search, which is no more than the product knows of it. */
static void trace_on_cpu(om_plan *p, om_product *product, const om_exploration *e, om_lasso *out)
{
    om_cursor *c = NULL;
    om_text said = { .heap = p->heap };
    om_text_add(&said, om_context_error(p->ctx));
    om_context_clear(p->ctx);
    if (om_cursor_open(&c, product, 0) == OM_OK)
        (void) om_lasso_from_path(out, p->ctx, product, c, e->fault_path, e->fault_path_length);
    om_cursor_close(c);
    /* The fault is the failure, not that its trace could not be had. */
    om_context_clear(p->ctx);
    (void) om_fail(p->ctx, OM_EMODEL, NULL, "%s", said.text == NULL ? "" : said.text);
    om_text_free(&said);
}

static int explore_on_cpu(om_plan *p, om_exploration *out, om_lasso *trace)
{
    om_executor *x = NULL;
    om_product *product = NULL;
    om_product_spec spec = {
        .deadlock_ap = OM_NONE, .workers = p->threads, .store = p->options.store
    };
    int rc = om_executor_open(&x, p->model, p->options.exec, NULL, 0);
    spec.executor = x;
    if (rc == OM_OK)
        rc = om_product_new(&product, p->ctx, &spec);
    if (rc == OM_OK) {
        show_product(p, product);
        rc = om_explore(p->ctx, product, NULL, NULL, out);
        hide_product(p);
        out->executor = om_executor_who(x);
        if (rc == OM_EMODEL && trace != NULL)
            trace_on_cpu(p, product, out, trace);
        om_free(p->heap, out->fault_path);
        out->fault_path = NULL;
    }
    om_product_free(product);
    om_executor_close(x);
    return rc;
}

static void show_figures(void *self, uint64_t states, uint64_t transitions, const om_levels *levels)
{
    om_plan *p = self;
    pthread_mutex_lock(&p->lock);
    p->done_states = states;
    p->done_transitions = transitions;
    p->levels = *levels;
    pthread_mutex_unlock(&p->lock);
}

/* Paths on a device more than double what a state takes there. So those of an exploration, which
 * are for a fault alone, are kept for the first states only; where the fault lies behind them, the
 * device explores once more. */
enum { PATH_BYTES = 8 << 20 };

/* A path on a device, which becomes one of a product. */
typedef struct path {
    om_plan *plan;
    om_cursor *cursor;
    om_exploration *out;
    size_t room;
} path;

static int take_state(void *self, const uint32_t *vector)
{
    path *t = self;
    om_exploration *out = t->out;
    bool fresh = false;
    om_id *ids =
        om_grow(t->plan->heap, out->fault_path, &t->room, out->fault_path_length + 1, sizeof *ids);
    if (ids == NULL)
        return om_fail_memory(t->plan->ctx);
    out->fault_path = ids;
    return om_cursor_intern(t->cursor, vector, &ids[out->fault_path_length++], &fresh);
}

/* The trace to the fault that a device has met. */
static void trace_on_device(om_plan *p, om_engine *engine, om_exploration *out, om_lasso *trace)
{
    om_executor *x = NULL;
    om_product *product = NULL;
    path t = { .plan = p, .out = out };
    om_product_spec spec = { .deadlock_ap = OM_NONE, .workers = 1, .store = p->options.store };
    int rc = om_executor_open(&x, p->model, OM_EXEC_VM, NULL, 0);
    spec.executor = x;
    if (rc == OM_OK)
        rc = om_product_new(&product, p->ctx, &spec);
    if (rc == OM_OK)
        rc = om_cursor_open(&t.cursor, product, 0);
    if (rc == OM_OK)
        rc = om_engine_path(engine, out->fault_state, take_state, &t);
    if (rc == OM_OK)
        (void) om_lasso_from_path(
            trace, p->ctx, product, t.cursor, out->fault_path, out->fault_path_length);
    om_free(p->heap, out->fault_path);
    out->fault_path = NULL;
    out->fault_path_length = 0;
    om_cursor_close(t.cursor);
    om_product_free(product);
    om_executor_close(x);
    om_context_clear(p->ctx);
}

/* Paths are kept within path_bytes; 0: whatever they take. */
static int explore_on(
    om_plan *p, om_device *device, size_t path_bytes, om_exploration *out, om_lasso *trace)
{
    om_engine *engine = NULL;
    om_id hit;
    om_engine_spec spec = { .device = device,
        .model = p->model,
        .deadlock_ap = OM_NONE,
        .no_paths = trace == NULL,
        .path_bytes = path_bytes,
        .faults_end = true,
        .progress = show_figures,
        .progress_self = p };
    int rc = om_engine_open(&engine, p->ctx, &spec);
    if (rc == OM_OK)
        rc = om_engine_explore(engine, NULL, &hit, out);
    if (rc == OM_EMODEL) {
        if (trace != NULL && om_engine_has_paths(engine))
            trace_on_device(p, engine, out, trace);
        rc = om_model_fault_in(p->model, out->fault, out->fault_vector);
    }
    out->executor = "opencl";
    out->device = om_device_info_of(device)->name;
    om_engine_close(engine);
    return rc;
}

/* Could the CPU do what a device could not? */
static bool left_undone(int rc)
{
    return rc != OM_OK && rc != OM_EMODEL && rc != OM_ELIMIT && rc != OM_ESTOP && rc != OM_ENOMEM;
}

/* As if nothing had been explored yet. */
static void forget_exploration(om_plan *p, om_exploration *out)
{
    static const om_levels none = { 0 };
    om_context_clear(p->ctx);
    om_free(p->heap, out->fault_vector);
    om_free(p->heap, out->overflow_vector);
    *out = (om_exploration){ 0 };
    show_figures(p, 0, 0, &none);
}

/* From the beginning, with new limits of what is left, on the CPU. */
static int hand_over(om_plan *p, const om_device *device, om_exploration *out, om_lasso *trace)
{
    om_text why = { .heap = p->heap };
    const char *name = om_device_info_of(device)->name;
    om_text_printf(&why, "%s: %s", name, om_context_error(p->ctx));
    om_free(p->heap, p->gave_up);
    p->gave_up = why.text;
    if (why.failed)
        return om_fail_memory(p->ctx);
    om_note(p->ctx, OM_NOTE_NOTICE, NULL, "exploring on %s was given up (%s): going on on the CPU",
        name, om_context_error(p->ctx));
    forget_exploration(p, out);
    int rc = explore_on_cpu(p, out, trace);
    out->gave_up = p->gave_up;
    return rc;
}

/* A fault is known, but not the way there: the device explores once more, with paths, or the CPU
 * does. Where that fails, too, the fault stands without its trace. */
static int explore_for_trace(om_plan *p, om_device *device, om_exploration *out, om_lasso *trace)
{
    om_exploration again = { 0 };
    forget_exploration(p, &again);
    int rc = explore_on(p, device, 0, &again, trace);
    if (left_undone(rc)) {
        forget_exploration(p, &again);
        rc = explore_on_cpu(p, &again, trace);
    }
    if (rc == OM_EMODEL && trace->count != 0) {
        om_exploration first = *out;
        *out = again;
        again = first;
    } else {
        om_context_clear(p->ctx);
        rc = om_model_fault_in(p->model, out->fault, out->fault_vector);
    }
    om_free(p->heap, again.fault_vector);
    om_free(p->heap, again.overflow_vector);
    return rc;
}

static int explore_somewhere(om_plan *p, om_device *device, om_exploration *out, om_lasso *trace)
{
    if (device == NULL)
        return explore_on_cpu(p, out, trace);
    int rc = explore_on(p, device, PATH_BYTES, out, trace);
    if (rc == OM_EMODEL && trace != NULL && trace->count == 0)
        return explore_for_trace(p, device, out, trace);
    return left_undone(rc) ? hand_over(p, device, out, trace) : rc;
}

int om_plan_explore(om_plan *p, om_exploration *out, om_lasso *trace)
{
    const char *which = p->options.device;
    bool named = which != NULL && strcmp(which, "auto") != 0 && strcmp(which, "none") != 0;
    const om_model_form form = { p->options.reset_dead == OM_SWITCH_ON, p->options.overflow };
    om_device *device = NULL;
    int rc = om_plan__begin(p, false);

    *out = (om_exploration){ 0 };
    if (rc != OM_OK)
        return rc;
    if (named)
        rc = om_plan__device(p, NULL, &device);
    if (rc == OM_OK)
        rc = om_plan__shape(p, form, NULL, 0);
    if (rc == OM_OK)
        rc = explore_somewhere(p, device, out, trace);
    om_plan__met_overflows(p, out->overflows, out->overflow_vector);
    out->overflow_vector = NULL;
    if (rc == OM_OK || rc == OM_ELIMIT || rc == OM_EMODEL)
        om_plan__report_overflows(p);
    if (rc == OM_ELIMIT) {
        uint64_t stopped = om_control_stopped_ns(om_context_control(p->ctx));
        (void) om_fail(p->ctx, rc, NULL, "%s", om_plan__why(p));
        out->limit_after = stopped == 0 ? 0 : (double) (stopped - p->started_ns) / 1e9;
        out->overtime = stopped == 0 ? 0 : (double) (om_clock_ns() - stopped) / 1e9;
    }
    om_plan__end(p);
    return rc;
}
