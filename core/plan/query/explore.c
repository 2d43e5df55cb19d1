/* SPDX-License-Identifier: Apache-2.0 */
/* Exploration of a model, on the CPU or on a device. If the device fails, the CPU follows. */
#include "control/control.h"
#include "executor.h"
#include "explore.h"
#include "graph.h"
#include "engine/hidden.h"
#include "model.h"
#include "product.h"
#include "model/model_form.h"
#include "property/property.h"
#include "schedule/attempt.h"
#include "schedule/supervise.h"
#include "verdict/verdict.h"
#include "finite_trace.h"

#include <omen/host/failures.h>

#include <string.h>

/* Builds the trace to the fault along a path of ids of the product. */
static void trace_on_cpu(om_plan *p, om_product *product, const om_exploration *e, om_lasso *out)
{
    om_cursor *c = NULL;
    om_text said = { .heap = p->heap };
    om_text_add(&said, om_context_error(p->ctx));
    om_context_clear(p->ctx);
    if (om_cursor__open(&c, product, 0) == OM_OK)
        (void) om_lasso__from_path(
            out, p->ctx, product, c, e->fault_path, e->fault_path_length, OM_NO_LOOP);
    om_cursor__close(c);
    (void) om_plan__take_run(p, out, OM_RUN_TO_FAULT);
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
static int explore_product(om_plan *p, om_product *product, uint32_t aps, om_exploration *out)
{
    hiding h = { .x = om_product_spec_of(product)->executor };
    const om_bfs_spec search = { OM_BFS_SPEC(product), .self = &h,
        .wanted = aps == 0 ? NULL : count_hidden,
        .paths = om_model__may_fault(om_plan__searched(p)), .faults_end = true };
    h.workers = om_alloc(p->heap, p->threads, sizeof *h.workers);
    if (h.workers == NULL)
        return om_fail_memory(p->ctx);
    om_plan__show_product(p, product);
    int rc = om_explore__with(p->ctx, &search, NULL, out);
    om_plan__hide_product(p);
    for (unsigned i = 0; i < p->threads; i++)
        p->hidden += h.workers[i].states;
    om_free(p->heap, h.workers);
    return rc;
}

static int explore_on_cpu(om_plan *p, om_exploration *out, om_lasso *trace)
{
    om_executor *x = NULL;
    om_product *product = NULL;
    om_expr seen = 0;
    const uint32_t aps = om_plan__seen(p, &seen);
    om_product_spec spec = {
        .deadlock_ap = OM_NONE, .workers = p->threads, .store = p->options.store
    };
    int rc = om_executor_open(
        &x, om_plan__searched(p), p->options.exec, om_plan__searched_aps(p, &seen), aps);
    spec.executor = x;
    if (rc == OM_OK)
        rc = om_product__new(&product, p->ctx, &spec);
    if (rc == OM_OK) {
        rc = explore_product(p, product, aps, out);
        if (rc == OM_OK && p->graph != NULL)
            rc = om_graph__write(
                p->ctx, product, out->states, out->transitions, p->graph_format, p->graph);
        out->executor = om_executor__who(x);
        if (rc == OM_EMODEL && trace != NULL && out->fault_path != NULL)
            trace_on_cpu(p, product, out, trace);
        om_free(p->heap, out->fault_path);
        out->fault_path = NULL;
    }
    om_product__free(product);
    om_executor_close(x);
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
    om_id *ids =
        om_grow(t->plan->heap, out->fault_path, &t->room, out->fault_path_length + 1, sizeof *ids);
    if (ids == NULL)
        return om_fail_memory(t->plan->ctx);
    out->fault_path = ids;
    return om_cursor_intern(t->cursor, vector, &ids[out->fault_path_length++], &fresh);
}

/* Builds the trace to the fault that a device has met. */
static void trace_on_device(om_plan *p, om_engine *engine, om_exploration *out, om_lasso *trace)
{
    om_executor *x = NULL;
    om_product *product = NULL;
    path t = { .plan = p, .out = out };
    om_product_spec spec = { .deadlock_ap = OM_NONE, .workers = 1, .store = p->options.store };
    int rc = om_executor_open(&x, om_plan__searched(p), OM_EXEC_VM, NULL, 0);
    spec.executor = x;
    if (rc == OM_OK)
        rc = om_product__new(&product, p->ctx, &spec);
    if (rc == OM_OK)
        rc = om_cursor__open(&t.cursor, product, 0);
    if (rc == OM_OK)
        rc = om_engine_path(engine, out->fault_state, take_state, &t);
    if (rc == OM_OK)
        (void) om_lasso__from_path(
            trace, p->ctx, product, t.cursor, out->fault_path, out->fault_path_length, OM_NO_LOOP);
    (void) om_plan__take_run(p, trace, OM_RUN_TO_FAULT);
    om_free(p->heap, out->fault_path);
    out->fault_path = NULL;
    out->fault_path_length = 0;
    om_cursor__close(t.cursor);
    om_product__free(product);
    om_executor_close(x);
    om_context_clear(p->ctx);
}

/* Explores on a device. Paths take at most path_bytes; 0: no limit. */
static int explore_on(
    om_plan *p, om_device *device, size_t path_bytes, om_exploration *out, om_lasso *trace)
{
    om_engine *engine = NULL;
    om_id hit;
    om_expr seen = 0;
    const uint32_t aps = om_plan__seen(p, &seen);
    /* Without paths, the CPU cannot detect spurious states. */
    const bool paths = p->options.verify != 0 && p->options.verify != OM_VERIFY_AGAIN;
    om_engine_spec spec = { .size = sizeof spec,
        .device = device,
        .model = om_plan__searched(p),
        .aps = om_plan__searched_aps(p, &seen),
        .ap_count = aps,
        .deadlock_ap = OM_NONE,
        .no_paths = !paths && (trace == NULL || !om_model__may_fault(om_plan__searched(p))),
        .path_bytes = paths ? 0 : path_bytes,
        .faults_end = true,
        .progress = show_figures,
        .progress_self = p };
    int rc = om_engine_open(&engine, p->ctx, &spec);
    if (rc == OM_OK)
        rc = om_engine_explore(engine, NULL, &hit, out);
    p->hidden = engine == NULL || aps == 0 ? 0 : om_engine__hidden(engine);
    int counted = engine == NULL ? OM_OK : om_engine_costs(engine, &p->costs);
    if (rc == OM_OK)
        rc = counted;
    if (rc == OM_OK)
        rc = om_engine_verify(engine, om_plan__verify(p), &p->verified);
    if (rc == OM_EMODEL) {
        if (trace != NULL && om_engine_has_paths(engine))
            trace_on_device(p, engine, out, trace);
        rc = om_model_fault_in(om_plan__searched(p), out->fault, out->fault_vector);
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

/* Resets the results of an exploration. */
static void forget_exploration(om_plan *p, om_exploration *out)
{
    static const om_levels none = { 0 };
    om_context_clear(p->ctx);
    om_free(p->heap, out->fault_vector);
    om_free(p->heap, out->overflow_vector);
    *out = (om_exploration){ 0 };
    p->hidden = 0;
    p->costs.count = 0;
    show_figures(p, 0, 0, &none);
}

/* Explores from the beginning on the CPU, after the device has given up. */
static int hand_over(om_plan *p, const om_device *device, om_exploration *out, om_lasso *trace)
{
    om_text why = { .heap = p->heap };
    const char *name = om_device_info_of(device)->name;
    om_text_printf(&why, "%s: %s", name, om_context_error(p->ctx));
    om_free(p->heap, p->gave_up);
    p->gave_up = why.text;
    if (why.failed)
        return om_fail_memory(p->ctx);
    om_note(p->ctx, OM_NOTE_NOTICE, NULL,
        "the exploration on %s gave up (%s): continuing on the CPU", name,
        om_context_error(p->ctx));
    forget_exploration(p, out);
    int rc = explore_on_cpu(p, out, trace);
    out->gave_up = p->gave_up;
    return rc;
}

/* A fault is known, but no trace to it: explores once more with paths, on the device or else on the
 * CPU. If that fails, too, the fault is reported without a trace. */
static int explore_for_trace(om_plan *p, om_device *device, om_exploration *out, om_lasso *trace)
{
    om_exploration again = { 0 };
    const om_device_costs costs = p->costs; /* of the first exploration */
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
        p->costs = costs;
        rc = om_model_fault_in(om_plan__searched(p), out->fault, out->fault_vector);
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

/* Repeats the exploration each time a variable needs more bits. Fails if it provably cannot end and
 * the options do not limit the number of states. */
static int explore_all(om_plan *p, om_device *device, om_exploration *out, om_lasso *trace)
{
    int rc = OM_OK;
    om_expr seen = 0;
    const uint32_t aps = om_plan__seen(p, &seen);
    if (p->options.limits.max_states == 0 && om_plan__endless(p) != NULL)
        return om_fail(p->ctx, OM_ELIMIT, NULL, "%s", om_plan__endless(p));
    do {
        if (p->searched.overfull != OM_NONE)
            forget_exploration(p, out);
        if (p->searched.overfull != OM_NONE && trace != NULL)
            om_lasso_free(trace);
        if (p->graph == NULL)
            rc = om_plan__make_searched(p, &seen, aps, om_plan__merging_all(p));
        if (rc == OM_OK)
            rc = explore_somewhere(p, device, out, trace);
    } while (rc == OM_EMODEL && om_plan__overfull(p, out->fault) && om_plan__widen(p));
    return rc == OM_EMODEL ? om_plan__unless_overfull(p, rc) : rc;
}

bool om_plan_lacks_room(const om_plan *p)
{
    return p->fault != 0 && om_model__lacks_room(p->model, p->fault);
}

void om_plan_ignore_assertions(om_plan *p, bool ignore)
{
    p->ignores_assertions = ignore;
}

uint64_t om_plan_hidden(const om_plan *p)
{
    return p->hidden;
}

uint64_t om_plan_verified(const om_plan *p)
{
    return p->verified;
}

const om_device_costs *om_plan_costs(const om_plan *p)
{
    return p->costs.count == 0 ? NULL : &p->costs;
}

int om_plan_explore_graph(
    om_plan *p, const char *format, om_text *graph, om_exploration *out, om_lasso *trace)
{
    *out = (om_exploration){ 0 };
    if (om_plan__device_named(p))
        return om_fail(p->ctx, OM_EUSAGE, NULL,
            "a state graph needs the states stored on the CPU: leave out --device");
    p->graph_format = format;
    p->graph = graph;
    int rc = om_plan_explore(p, out, trace);
    p->graph = NULL;
    return rc;
}

int om_plan_explore(om_plan *p, om_exploration *out, om_lasso *trace)
{
    const char *which = p->options.device;
    bool named = which != NULL && strcmp(which, "auto") != 0 && strcmp(which, "none") != 0;
    const om_model_form form = { .reset_dead = p->options.reset_dead == OM_SWITCH_ON,
        .overflow = p->options.overflow };
    om_device *device = NULL;
    int rc = om_plan__begin(p, false);

    *out = (om_exploration){ 0 };
    p->verified = p->hidden = 0;
    p->costs.count = 0;
    if (rc != OM_OK)
        return rc;
    if (named)
        rc = om_plan__device(p, NULL, &device);
    if (rc == OM_OK)
        rc = om_plan__shape(p, form, NULL, 0);
    om_plan__forget_searched(p);
    om_model__set_asserted(p->model, p->ignores_assertions ? OM_UNASSERTED : OM_ASSERTED);
    if (rc == OM_OK)
        rc = explore_all(p, device, out, trace);
    om_model__set_asserted(p->model, OM_ASSERTED);
    out->fault = om_plan__take_fault(p, out->fault);
    om_plan__met_overflows(p, out->overflows, out->overflow_vector);
    out->overflow_vector = NULL;
    if (rc == OM_OK || rc == OM_ELIMIT || rc == OM_EMODEL)
        om_plan__report_overflows(p);
    om_plan__show_traces(p, trace);
    if (rc == OM_ELIMIT) {
        uint64_t stopped = om_control__stopped_ns(om_context_control(p->ctx));
        (void) om_fail(p->ctx, rc, NULL, "%s", om_plan__why(p));
        out->limit_after = stopped == 0 ? 0 : (double) (stopped - p->supervisor.started_ns) / 1e9;
        out->overtime = stopped == 0 ? 0 : (double) (om_clock_ns() - stopped) / 1e9;
    }
    p->fault = rc == OM_EMODEL ? out->fault : 0;
    om_plan__end(p);
    return rc;
}
