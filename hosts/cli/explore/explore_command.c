/* SPDX-License-Identifier: Apache-2.0 */
/* omen explore: counts the states of a model, or writes its state graph. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

/* Null if b is 0. */
static json_t *quotient_json(double a, double b)
{
    return b > 0 ? json_real(a / b) : json_null();
}

/* The composition and the work of the store; null if a device kept the states. */
static json_t *store_json(const cli *c, const om_exploration *e)
{
    const om_store_figures *f = &e->store;
    double states = (double) f->states;
    if (e->device != NULL)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f}", "kind",
        cli_store_name(c->set.plan.store), "bytes_per_state",
        quotient_json(
            (double) f->vector_bytes + (double) f->index_bytes + (double) f->side_bytes, states),
        "vector_bytes_per_state", quotient_json((double) f->vector_bytes, states),
        "index_bytes_per_state", quotient_json((double) f->index_bytes, states),
        "side_bytes_per_state", quotient_json((double) f->side_bytes, states), "nodes",
        cli_count_json(f->nodes), "index_entries", cli_count_json(f->entries), "index_load",
        quotient_json(states, (double) f->entries), "look_ups", cli_count_json(f->lookups),
        "probes_per_look_up", quotient_json((double) f->probes, (double) f->lookups), "growths",
        cli_count_json(f->growths), "longest_pause_seconds", (double) f->longest_pause_ns / 1e9,
        "longest_pause_cpu_seconds", (double) f->longest_pause_cpu_ns / 1e9);
}

/* The work of a device's queue; null without a device. */
static json_t *queue_json(const om_exploration *e)
{
    const om_device_figures *f = &e->on_device;
    if (e->device == NULL)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "devices", (json_int_t) f->devices,
        "steps", (json_int_t) f->steps, "idle_steps", (json_int_t) f->idle_steps, "step_launches",
        (json_int_t) f->step_launches, "launches", (json_int_t) f->launches, "read_backs",
        (json_int_t) f->read_backs, "exchanged", (json_int_t) f->exchanged);
}

static void put_queue(cli *c, const om_exploration *e)
{
    const om_device_figures *f = &e->on_device;
    om_text_printf(&c->out,
        "steps: %" PRIu64 " (%" PRIu64 " more were idle), launches: %" PRIu64
        ", read-backs: %" PRIu64 "\n",
        f->steps, f->idle_steps, f->launches, f->read_backs);
    if (f->devices > 1)
        om_text_printf(&c->out, "devices: %" PRIu32 ", candidates exchanged: %" PRIu64 "\n",
            f->devices, f->exchanged);
}

/* Prints the figures of the store as text. */
static void put_store(cli *c, const om_exploration *e, const om_plan *plan)
{
    const om_store_figures *f = &e->store;
    double states = f->states == 0 ? 1 : (double) f->states;
    om_text_printf(&c->out, "states per second: %.0f\ntransitions per second: %.0f\n",
        e->seconds > 0 ? (double) e->states / e->seconds : 0,
        e->seconds > 0 ? (double) e->transitions / e->seconds : 0);
    if (e->device != NULL) {
        put_queue(c, e);
        om_text_printf(&c->out, "verified: %" PRIu64 " states on the CPU%s\n",
            om_plan_verified(plan),
            c->set.plan.verify == OM_VERIFY_AGAIN && om_plan_verified(plan) != 0
                ? ", all states a second time on the device"
                : "");
        return;
    }
    om_text_printf(&c->out,
        "store: %s, bytes per state: %.1f vectors, %.1f index, %.1f side arrays\n",
        cli_store_name(c->set.plan.store), (double) f->vector_bytes / states,
        (double) f->index_bytes / states, (double) f->side_bytes / states);
    om_text_printf(&c->out,
        "index: load %.2f, probes per look-up %.2f, grown %" PRIu64
        " times, longest pause %.1f ms (%.1f ms of processor time)\n",
        f->entries == 0 ? 0 : (double) f->states / (double) f->entries,
        f->lookups == 0 ? 0 : (double) f->probes / (double) f->lookups, f->growths,
        (double) f->longest_pause_ns / 1e6, (double) f->longest_pause_cpu_ns / 1e6);
}

/* An exploration and its results */
typedef struct exploring {
    const om_frontend *frontend;
    om_model *model;
    om_plan *plan;
    om_exploration e;
    om_lasso trace; /* to a fault */
    om_failures failures;
    cli_coverage coverage;
    bool of_graph; /* the limit on states is the limit of the graph */
    bool explored; /* there is something to report */
} exploring;

static int put_exploration(cli *c, const exploring *x, const char *reason)
{
    const om_exploration *e = &x->e;
    const om_plan *plan = x->plan;
    om_model *model = x->model;
    const cli_coverage *coverage = c->set.coverage ? &x->coverage : NULL;
    cli_trace shown;
    const uint64_t stored = e->states - om_plan_hidden(plan);
    const cli_overflows overflows = cli_overflows_of(plan, model);
    const cli_member trace = cli_overflow_trace(&overflows, false, &shown);
    if (c->set.json)
        return cli_put_json_with(c,
            json_pack("{s:i, s:o, s:b, s:s?, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:f, s:o, s:o, "
                      "s:I, s:o, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                "schema", 1, "model", cli_text_json(c->set.positionals[0]), "complete",
                reason == NULL, "reason", reason, "states", (json_int_t) e->states, "stored",
                (json_int_t) stored, "transitions", (json_int_t) e->transitions, "deadlocks",
                (json_int_t) e->deadlocks, "levels", (json_int_t) e->levels, "failures",
                cli_failures_json(c, model, c->set.ignore_assertions ? NULL : &x->failures),
                "overflows", cli_overflows_json(c, &overflows), "seconds", e->seconds,
                "states_per_second", quotient_json((double) e->states, e->seconds),
                "transitions_per_second", quotient_json((double) e->transitions, e->seconds),
                "memory_bytes", (json_int_t) e->memory_bytes, "store", store_json(c, e), "executor",
                e->executor, "device", cli_text_json(e->device), "queue", queue_json(e), "counts",
                cli_costs_json(om_plan_costs(plan), e), "gave_up", cli_text_json(e->gave_up),
                "verified",
                cli_verified_json(e->device, reason == NULL, om_plan_verified(plan),
                    c->set.plan.verify == OM_VERIFY_AGAIN),
                "limit_seconds", e->overtime > 0 ? json_real(e->limit_after) : json_null(),
                "overtime_seconds", e->overtime > 0 ? json_real(e->overtime) : json_null(),
                "coverage", cli_coverage_json(c, coverage)),
            true, &trace, 1);
    int rc = cli_put_failures(c, model, &x->failures);
    if (rc != OM_OK)
        return rc;
    cli_put_overflows(c, &overflows);
    if (reason != NULL)
        om_text_printf(&c->out, "incomplete: %s\n", reason);
    om_text_printf(&c->out, "states: %" PRIu64 "\n", e->states);
    if (stored != e->states)
        om_text_printf(
            &c->out, "stored by SPIN: %" PRIu64 " (the others are inside atomic steps)\n", stored);
    om_text_printf(&c->out,
        "transitions: %" PRIu64 "\ndeadlocks: %" PRIu64 "\nlevels: %" PRIu32 "\n", e->transitions,
        e->deadlocks, e->levels);
    if (!c->set.quiet)
        om_text_printf(&c->out, "seconds: %.2f\nmemory: %.1f MB\n", e->seconds,
            (double) e->memory_bytes / 1e6);
    if (c->set.verbose && !c->set.quiet)
        put_store(c, e, plan);
    if (!c->set.quiet)
        cli_put_costs(c, om_plan_costs(plan), e);
    return coverage == NULL ? OM_OK : cli_put_coverage(c, coverage);
}

/* Limits the stored states to those of the graph, unless the limit is lower already. Returns true
 * if it was changed. */
static bool limit_graph(cli *c)
{
    uint64_t *most = &c->set.plan.limits.max_states;
    if (c->set.output_limit == 0)
        c->set.output_limit = CLI_GRAPH_STATES;
    if (*most != 0 && *most <= c->set.output_limit)
        return false;
    *most = c->set.output_limit;
    return true;
}

static int explore_graph(cli *c, om_plan *plan, om_exploration *e, om_lasso *trace)
{
    const char *file = c->set.output;
    cli_file f;
    int rc = cli_file_open(&f, c, file);
    if (rc == OM_OK)
        rc = om_plan_explore_graph(plan, om_graph_format_of(file), &f.text, e, trace);
    return cli_file_close(&f, rc);
}

/* Reports why there is no graph, if a limit ended the exploration. */
static void put_no_graph(cli *c, om_plan *plan, bool of_graph)
{
    om_stop_reason reason = om_control_stopped(om_plan_control(plan));
    if (of_graph && reason == OM_STOP_STATES)
        om_note(c->ctx, OM_NOTE_WARNING, NULL,
            "%s is not written: the model has more than %" PRIu64
            " states, and that is the limit on its graph (--output-limit)",
            c->set.output, c->set.output_limit);
    else
        om_note(c->ctx, OM_NOTE_WARNING, NULL, "%s is not written: %s", c->set.output,
            om_context_error(c->ctx));
}

static void end_exploring(cli *c, exploring *x)
{
    om_failures_free(c->heap, &x->failures);
    om_free(c->heap, x->e.fault_vector);
    om_free(c->heap, x->coverage.fired);
    om_lasso_free(&x->trace);
    om_plan_free(x->plan);
    om_model_free(x->model);
}

/* Explores until an assertion fails. */
static int explore_first(cli *c, exploring *x)
{
    om_plan_ignore_assertions(x->plan, c->set.ignore_assertions);
    if (c->set.coverage)
        return cli_explore_coverage(c, x->plan, x->model, &x->e, &x->coverage);
    return c->set.output == NULL ? om_plan_explore(x->plan, &x->e, &x->trace)
                                 : explore_graph(c, x->plan, &x->e, &x->trace);
}

/* Writes the graph of all states, ignoring failed assertions. */
static int explore_graph_beyond(cli *c, exploring *x)
{
    om_exploration e = { 0 };
    om_plan_ignore_assertions(x->plan, true);
    int rc = explore_graph(c, x->plan, &e, NULL);
    om_plan_ignore_assertions(x->plan, false);
    om_free(c->heap, e.fault_vector);
    return rc;
}

/* After an assertion has failed: explores all states and finds all assertions that fail. */
static int explore_beyond(cli *c, exploring *x)
{
    if (x->e.device != NULL)
        om_note(c->ctx, OM_NOTE_NOTICE, NULL,
            "an assertion fails: the CPU explores all states to find all failing assertions");
    om_context_clear(c->ctx);
    om_lasso_free(&x->trace);
    om_free(c->heap, x->e.fault_vector);
    int rc = om_plan_failures(x->plan, c->set.most_errors, x->coverage.fired, &x->failures, &x->e);
    return rc == OM_OK && c->set.output != NULL && !x->failures.ended ? explore_graph_beyond(c, x)
                                                                      : rc;
}

static int explore(cli *c, exploring *x)
{
    int rc = explore_first(c, x);
    return rc == OM_EMODEL && OM_FAULT_KIND(x->e.fault) == OM_FAULT_ASSERTION ? explore_beyond(c, x)
                                                                              : rc;
}

/* Returns why not all states were explored; NULL if they were. */
static const char *why_incomplete(const cli *c, const exploring *x, int rc)
{
    return rc == OM_EMODEL     ? "error in the model"
           : rc == OM_ELIMIT   ? om_context_error(c->ctx)
           : x->failures.ended ? "the limit on failed assertions was hit (--errors)"
                               : NULL;
}

/* Prints all results and returns the exit status. */
static int report_exploration(cli *c, exploring *x, int rc)
{
    int status = x->failures.count != 0 ? 10 : rc == OM_OK ? 0 : om_exit_status(rc);
    if (!x->explored || (rc != OM_OK && rc != OM_ELIMIT && rc != OM_EMODEL))
        return cli_failed(c, rc);
    if (rc == OM_ELIMIT && c->set.output != NULL)
        put_no_graph(c, x->plan, x->of_graph);
    if (rc == OM_EMODEL && x->trace.count != 0 && !c->set.quiet && !c->set.json)
        (void) om_lasso_write(&x->trace, x->model, "txt", NULL, &c->out);
    const int put = put_exploration(c, x, why_incomplete(c, x, rc));
    return put != OM_OK ? cli_failed(c, put) : rc == OM_EMODEL ? cli_failed(c, rc) : status;
}

/* *again: the model must be loaded again with more room; nothing was reported. */
static int explore_once(cli *c, bool *again)
{
    exploring x = { .of_graph = c->set.output != NULL && limit_graph(c) };
    cli_ticker ticker = { 0 };
    int status = 0, rc = cli_load_model(c, &x.frontend, &x.model);

    if (rc == OM_OK)
        rc = cli_new_plan(c, x.frontend, x.model, &x.plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, c, x.plan, "exploring");
    x.explored = rc == OM_OK;
    if (x.explored)
        rc = explore(c, &x);
    *again = x.explored && rc == OM_EMODEL && om_plan_lacks_room(x.plan) &&
             cli_grow(c, c->set.positionals[0], x.frontend, x.model);
    cli_ticker_stop(&ticker);
    if (!*again) {
        status = report_exploration(c, &x, rc);
        status = cli_leave(c, x.plan, status); /* it may end the program */
    }
    end_exploring(c, &x);
    return status;
}

int cli_run_explore(cli *c)
{
    bool again = false;
    int status;
    do
        status = explore_once(c, &again);
    while (again);
    return status;
}
