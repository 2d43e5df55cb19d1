/* SPDX-License-Identifier: Apache-2.0 */
/* Exploration of a model, on the CPU or on a device. If the device fails, the CPU follows. */
#include "query.h"

#include "control/control.h"
#include "engine/hidden.h"
#include "execute/executor.h"
#include "explore.h"
#include "graph.h"
#include "model.h"
#include "plan_devices.h"
#include "product.h"
#include "supervise.h"
#include "finite_trace.h"
#include "verdict/verdict.h"

#include <omen/host/failures.h>

/* An exploration */
typedef struct exploring {
    om_plan *p;
    const om_plan_options *options;
    om_searched searched;
    const char *graph_format; /* format of the state graph, or NULL */
    om_text *graph;           /* receives the state graph; or NULL */
    om_exploration *out;
    om_lasso *trace; /* receives the trace to a fault; or NULL */
} exploring;

/* Builds the trace to the fault along a path of ids of the product. */
static void trace_on_cpu(const exploring *x, om_product *product)
{
    om_plan *p = x->p;
    om_cursor *c = NULL;
    om_text said = { .heap = p->heap };
    om_text_add(&said, om_context_error(p->ctx));
    om_context_clear(p->ctx);
    if (om_cursor__open(&c, product, 0) == OM_OK)
        (void) om_lasso__from_path(x->trace, p->ctx, product, c, x->out->fault_path,
            x->out->fault_path_length, OM_NO_LOOP);
    om_cursor__close(c);
    (void) om_searched__take_run(&x->searched, x->trace, OM_RUN_TO_FAULT);
    /* The fault is reported even if its trace is not available. */
    om_context_clear(p->ctx);
    (void) om_fail(p->ctx, OM_EMODEL, NULL, "%s", said.text == NULL ? "" : said.text);
    om_text_free(&said);
}

/* Number of states that properties do not see, per worker that stored them */
typedef struct hidden_count {
    uint64_t states;
    unsigned char padding[64];
} hidden_count;

typedef struct hiding {
    const om_executor *x; /* its AP 0 holds in the states that properties see */
    hidden_count *workers;
} hiding;

static bool count_hidden(void *self, unsigned worker, om_id id, const uint32_t *vector)
{
    const hiding *h = self;
    om_fault fault = 0;
    (void) id;
    h->workers[worker].states += (h->x->labels(h->x, vector, &fault) & 1) == 0;
    return false;
}

/* Explores the product, whose executor has the AP of visible states if `aps` is 1. */
static int explore_product(const exploring *x, om_product *product, uint32_t aps)
{
    om_plan *p = x->p;
    hiding h = { .x = om_product_spec_of(product)->executor };
    const om_bfs_spec search = { OM_BFS_SPEC(product), .self = &h,
        .wanted = aps == 0 ? NULL : count_hidden,
        .paths = om_model__may_fault(om_searched__model(&x->searched)), .faults_end = true };
    if (!OM_NEW(p->heap, h.workers, p->threads))
        return om_fail_memory(p->ctx);
    om_plan__show_product(p, product);
    int rc = om_explore__with(p->ctx, &search, NULL, NULL, x->out);
    om_plan__hide(p);
    for (unsigned i = 0; i < p->threads; i++)
        p->last.hidden += h.workers[i].states;
    om_free(p->heap, h.workers);
    return rc;
}

static bool may_reduce(const om_plan_options *o)
{
    return o->por != OM_POR_OFF && o->por != OM_POR_AUTO;
}

static int explore_on_cpu(const exploring *x)
{
    om_plan *p = x->p;
    om_exploration *out = x->out;
    om_executor *executor = NULL;
    om_product *product = NULL;
    om_expr seen = 0;
    const uint32_t aps = om_plan__seen(p, &seen);
    om_product_spec spec = {
        .deadlock_ap = OM_NONE, .workers = p->threads, .store = x->options->store
    };
    om_code_use use = { 0 };
    const uint64_t since_ns = om_clock_ns();
    int rc = om_executor_open(&executor, om_searched__model(&x->searched), x->options->exec,
        om_searched__aps(&x->searched, &seen), aps);
    if (rc == OM_OK)
        rc = om_searched__reduce(&x->searched, &executor,
            may_reduce(x->options) ? OM_REDUCE_TO_DEADLOCKS : OM_REDUCE_NOTHING, x->options->por,
            NULL, 0);
    if (rc == OM_OK && x->options->merge == OM_SWITCH_ON)
        rc = om_searched__leap(&x->searched, &executor);
    spec.executor = executor;
    if (rc == OM_OK)
        rc = om_product__new(&product, p->ctx, &spec);
    if (rc == OM_OK) {
        rc = explore_product(x, product, aps);
        om_product__add_use(product, &use);
        if (rc == OM_OK && x->graph != NULL)
            rc = om_graph__write(
                p->ctx, product, out->states, out->transitions, x->graph_format, x->graph);
        out->executor = om_executor__who(executor);
        if (rc == OM_EMODEL && x->trace != NULL && out->fault_path != NULL)
            trace_on_cpu(x, product);
        om_free(p->heap, out->fault_path);
        out->fault_path = NULL;
    }
    om_product__free(product);
    om_plan__close_executor(p, executor, since_ns, &use);
    return rc;
}

static void show_figures(void *self, uint64_t states, uint64_t transitions, const om_levels *levels)
{
    om_plan__show_figures(self, states, transitions, levels);
}

/* Paths more than double the size of a state on a device. An exploration needs them for a fault
 * only, so they are kept for the first states only. If the fault lies beyond these, the device
 * explores once more. In bytes. */
enum { PATH_BYTES = 8 << 20 };

/* A path on a device that is converted to a path of a product */
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
    if (!OM_ROOM(t->plan->heap, out->fault_path, &t->room, out->fault_path_length + 1))
        return om_fail_memory(t->plan->ctx);
    return om_cursor_intern(t->cursor, vector, &out->fault_path[out->fault_path_length++], &fresh);
}

/* Builds the trace to the fault that a device has met. */
static void trace_on_device(const exploring *x, om_engine *engine)
{
    om_plan *p = x->p;
    om_exploration *out = x->out;
    om_executor *executor = NULL;
    om_product *product = NULL;
    path t = { .plan = p, .out = out };
    om_product_spec spec = { .deadlock_ap = OM_NONE, .workers = 1, .store = x->options->store };
    int rc = om_executor_open(&executor, om_searched__model(&x->searched), OM_EXEC_VM, NULL, 0);
    spec.executor = executor;
    if (rc == OM_OK)
        rc = om_product__new(&product, p->ctx, &spec);
    if (rc == OM_OK)
        rc = om_cursor__open(&t.cursor, product, 0);
    if (rc == OM_OK)
        rc = om_engine_path(engine, out->fault_state, take_state, &t);
    if (rc == OM_OK)
        (void) om_lasso__from_path(x->trace, p->ctx, product, t.cursor, out->fault_path,
            out->fault_path_length, OM_NO_LOOP);
    (void) om_searched__take_run(&x->searched, x->trace, OM_RUN_TO_FAULT);
    om_free(p->heap, out->fault_path);
    out->fault_path = NULL;
    out->fault_path_length = 0;
    om_cursor__close(t.cursor);
    om_product__free(product);
    om_executor_close(executor);
    om_context_clear(p->ctx);
}

/* Explores on a device. Paths take at most path_bytes; 0: no limit. */
static int explore_on(const exploring *x, om_device *device, size_t path_bytes)
{
    om_plan *p = x->p;
    om_exploration *out = x->out;
    om_model *model = om_searched__model(&x->searched);
    om_engine *engine = NULL;
    om_id hit;
    om_expr seen = 0;
    const uint32_t aps = om_plan__seen(p, &seen);
    /* Without paths, the CPU cannot detect spurious states. */
    const bool paths = x->options->verify != 0 && x->options->verify != OM_VERIFY_AGAIN;
    om_engine_spec spec = { .size = sizeof spec,
        .device = device,
        .model = model,
        .aps = om_searched__aps(&x->searched, &seen),
        .ap_count = aps,
        .deadlock_ap = OM_NONE,
        .no_paths = !paths && (x->trace == NULL || !om_model__may_fault(model)),
        .path_bytes = paths ? 0 : path_bytes,
        .faults_end = true,
        .progress = show_figures,
        .progress_self = p };
    int rc = om_engine_open(&engine, p->ctx, &spec);
    if (rc == OM_OK)
        rc = om_engine_explore(engine, NULL, &hit, out);
    p->last.hidden = engine == NULL || aps == 0 ? 0 : om_engine__hidden(engine);
    int counted = engine == NULL ? OM_OK : om_engine_costs(engine, &p->last.costs);
    if (rc == OM_OK)
        rc = counted;
    if (rc == OM_OK)
        rc = om_engine_verify(engine, om_plan__verify(x->options), &p->last.verified);
    if (rc == OM_EMODEL) {
        if (x->trace != NULL && om_engine_has_paths(engine))
            trace_on_device(x, engine);
        rc = om_model_fault_in(model, out->fault, out->fault_vector);
    }
    out->executor = om_device_info_of(device)->backend;
    out->device = om_device_info_of(device)->name;
    om_engine_close(engine);
    return rc;
}

/* Returns true if the CPU could succeed after a device failed with `rc`. */
static bool left_undone(int rc)
{
    return rc != OM_OK && rc != OM_EMODEL && rc != OM_ELIMIT && rc != OM_ESTOP && rc != OM_ENOMEM;
}

void om_plan__forget_exploration(om_plan *p, om_exploration *out)
{
    om_context_clear(p->ctx);
    OM_FREE_ALL(p->heap, out->fault_vector, out->overflow_vector);
    *out = (om_exploration){ 0 };
    p->last.hidden = 0;
    p->last.costs.count = 0;
    om_plan__clear_figures(p);
}

/* Explores from the beginning on the CPU, after the device has given up. */
static int hand_over(const exploring *x, const om_device *device)
{
    om_plan *p = x->p;
    om_text why = { .heap = p->heap };
    const char *name = om_device_info_of(device)->name;
    om_text_printf(&why, "%s: %s", name, om_context_error(p->ctx));
    om_free(p->heap, p->last.gave_up);
    p->last.gave_up = why.text;
    if (why.failed)
        return om_fail_memory(p->ctx);
    om_note(p->ctx, OM_NOTE_NOTICE, NULL,
        "the exploration on %s gave up (%s): continuing on the CPU", name,
        om_context_error(p->ctx));
    om_plan__forget_exploration(p, x->out);
    int rc = explore_on_cpu(x);
    x->out->gave_up = p->last.gave_up;
    return rc;
}

/* A fault is known, but no trace to it: explores once more with paths, on the device or else on the
 * CPU. If that fails, too, the fault is reported without a trace. */
static int explore_for_trace(exploring *x, om_device *device)
{
    om_plan *p = x->p;
    om_exploration *const first = x->out;
    om_exploration again = { 0 };
    const om_device_costs costs = p->last.costs; /* of the first exploration */
    x->out = &again;
    om_plan__forget_exploration(p, &again);
    int rc = explore_on(x, device, 0);
    if (left_undone(rc)) {
        om_plan__forget_exploration(p, &again);
        rc = explore_on_cpu(x);
    }
    x->out = first;
    if (rc == OM_EMODEL && x->trace->count != 0) {
        const om_exploration without = *first;
        *first = again;
        again = without;
    } else {
        om_context_clear(p->ctx);
        p->last.costs = costs;
        rc = om_model_fault_in(om_searched__model(&x->searched), first->fault, first->fault_vector);
    }
    OM_FREE_ALL(p->heap, again.fault_vector, again.overflow_vector);
    return rc;
}

static int explore_somewhere(exploring *x, om_device *device)
{
    if (device == NULL)
        return explore_on_cpu(x);
    int rc = explore_on(x, device, PATH_BYTES);
    if (rc == OM_EMODEL && x->trace != NULL && x->trace->count == 0)
        return explore_for_trace(x, device);
    return left_undone(rc) ? hand_over(x, device) : rc;
}

/* Repeats the exploration each time a variable needs more bits. Fails if it provably cannot end and
 * the options do not limit the number of states. */
static int explore_all(exploring *x, om_device *device)
{
    om_plan *p = x->p;
    om_expr seen = 0;
    const uint32_t aps = om_plan__seen(p, &seen);
    if (x->options->limits.max_states == 0 && om_plan__endless(p) != NULL)
        return om_fail(p->ctx, OM_ELIMIT, NULL, "%s", om_plan__endless(p));
    for (;;) {
        int rc = x->graph != NULL ? OM_OK
                                  : om_searched__make(
                                        &x->searched, &seen, aps, om_plan__merging_all(x->options));
        if (rc == OM_OK)
            rc = explore_somewhere(x, device);
        if (rc != OM_EMODEL)
            return rc;
        if (!om_searched__overfull(&x->searched, x->out->fault) ||
            !om_searched__widen(&x->searched))
            return om_searched__unless_overfull(&x->searched, rc);
        om_searched__free(&x->searched);
        om_plan__forget_exploration(p, x->out);
        if (x->trace != NULL)
            om_lasso_free(x->trace);
    }
}

void om_plan_ignore_assertions(om_plan *p, bool ignore)
{
    p->memory.ignores_assertions = ignore;
}

/* Completes the result, and what the plan reports about its last exploration. */
static void complete(exploring *x, int rc)
{
    om_plan *p = x->p;
    om_exploration *out = x->out;
    om_overflows met = { 0 };
    out->fault = om_searched__take_fault(&x->searched, out->fault);
    om_overflows__add(&met, &x->searched, out->overflows, out->overflow_vector);
    out->overflow_vector = NULL;
    om_searched__free(&x->searched);
    if (rc == OM_OK || rc == OM_ELIMIT || rc == OM_EMODEL)
        om_plan__report_overflows(p, &met, x->options->no_overflow_trace);
    om_overflows__free(&met, p->heap);
    om_plan__show_traces(p, x->trace);
    if (rc == OM_ELIMIT) {
        uint64_t stopped = om_control__stopped_ns(om_context_control(p->ctx));
        (void) om_fail(p->ctx, rc, NULL, "%s", om_plan__why(p));
        out->limit_after = stopped == 0 ? 0 : (double) (stopped - p->supervisor.started_ns) / 1e9;
        out->overtime = stopped == 0 ? 0 : (double) (om_clock_ns() - stopped) / 1e9;
    }
    p->last.fault = rc == OM_EMODEL ? out->fault : 0;
}

static int explore(exploring *x)
{
    om_plan *p = x->p;
    const om_model_form form = { .reset_dead = x->options->reset_dead == OM_SWITCH_ON,
        .overflow = x->options->overflow };
    om_device *device = NULL;
    int rc = om_plan__begin(p, x->options, false);

    *x->out = (om_exploration){ 0 };
    p->last.verified = p->last.hidden = 0;
    p->last.costs.count = 0;
    if (rc != OM_OK)
        return rc;
    if (om_plan__device_named(p, x->options) && may_reduce(x->options))
        rc = om_fail(p->ctx, OM_EUSAGE, NULL,
            "orders of steps cannot be left out: a device searches all of them");
    else if (om_plan__device_named(p, x->options))
        rc = om_plan__device(p, x->options, NULL, &device);
    if (rc == OM_OK)
        rc = om_plan__shape(p, form, NULL, 0);
    x->searched = om_searched__model_itself(p);
    om_model__set_asserted(p->model, p->memory.ignores_assertions ? OM_UNASSERTED : OM_ASSERTED);
    if (rc == OM_OK)
        rc = explore_all(x, device);
    om_model__set_asserted(p->model, OM_ASSERTED);
    complete(x, rc);
    om_plan__end(p);
    return rc;
}

int om_plan__explore(
    om_plan *p, const om_plan_options *options, om_exploration *out, om_lasso *trace)
{
    return explore(&(exploring){ .p = p, .options = options, .out = out, .trace = trace });
}

int om_plan_explore(om_plan *p, om_exploration *out, om_lasso *trace)
{
    return om_plan__explore(p, &p->options, out, trace);
}

int om_plan_explore_graph(
    om_plan *p, const char *format, om_text *graph, om_exploration *out, om_lasso *trace)
{
    exploring x = { .p = p, .options = &p->options, .out = out, .trace = trace };
    *out = (om_exploration){ 0 };
    if (om_plan__device_named(p, &p->options))
        return om_fail(p->ctx, OM_EUSAGE, NULL,
            "a state graph needs the states stored on the CPU: leave out --device");
    x.graph_format = format;
    x.graph = graph;
    return explore(&x);
}
