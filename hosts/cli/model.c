/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on a model: explore and replay. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

/* ---- explore ---- */

/* Null if b is 0. */
static json_t *quotient_json(double a, double b)
{
    return b > 0 ? json_real(a / b) : json_null();
}

static json_t *count_json(uint64_t n)
{
    return n > INT64_MAX ? json_null() : json_integer((json_int_t) n);
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
        count_json(f->nodes), "index_entries", count_json(f->entries), "index_load",
        quotient_json(states, (double) f->entries), "look_ups", count_json(f->lookups),
        "probes_per_look_up", quotient_json((double) f->probes, (double) f->lookups), "growths",
        count_json(f->growths), "longest_pause_seconds", (double) f->longest_pause_ns / 1e9,
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

/* ---- replay ---- */

int cli_read_run(cli *c, om_model *model, const char *path, om_lasso *out, char **recorded)
{
    const char *format = path == c->set.trail ? "trail" : om_lasso_format_of(path);
    return format != NULL && strcmp(format, "trail") == 0
               ? om_lasso_read_trail(out, c->ctx, model, path, recorded)
               : om_lasso_read_file(out, c->ctx, model, path, recorded);
}

int cli_read_run_of(cli *c, const char *file, const om_frontend *frontend, om_model **model,
    const char *path, om_lasso *out, char **recorded)
{
    int rc = cli_read_run(c, *model, path, out, recorded);
    while (rc == OM_EINPUT && cli_grow(c, file, frontend, *model)) {
        om_model_free(*model);
        *model = NULL;
        rc = om_frontend_load(c->ctx, c->registry, c->set.frontend, file, NULL, model);
        if (rc == OM_OK)
            rc = cli_read_run(c, *model, path, out, recorded);
    }
    return rc;
}

int cli_property_of(cli *c, const char *recorded, cli_property *made, const cli_property **out)
{
    if (c->set.property_count > 1)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "only one property can be given");
    if (c->set.property_count == 1) {
        *out = &c->set.properties[0];
        return OM_OK;
    }
    if (recorded == NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "the lasso records no property: give one");
    *out = made;
    return cli_recorded_property(c, recorded, made);
}

void cli_forget_mark(const cli_property *property, const cli_property *recorded, om_lasso *run)
{
    if (property != recorded)
        run->bad_prefix = 0;
}

/* Returns the path of the file with the run. */
static const char *replayed(const cli *c)
{
    return c->set.trail != NULL ? c->set.trail : c->set.positionals[1];
}

static void put_accepted(cli *c, const om_lasso *lasso)
{
    om_text_printf(&c->out, "lasso accepted: %zu states", lasso->count);
    if (lasso->loop != OM_NO_LOOP)
        om_text_printf(&c->out, ", cycle from state %zu", lasso->loop);
    if (lasso->bad_prefix != 0)
        om_text_printf(&c->out, ", violated from state %zu on", lasso->bad_prefix - 1);
    om_text_add(&c->out, "\n");
}

/* Prints the verdict as an object. If the lasso could not be read, property is NULL and there are
 * no states. */
static int put_replay(cli *c, const cli_property *property, const om_lasso *lasso, bool accepted)
{
    const char *about = property == NULL         ? NULL
                        : property->text != NULL ? property->text
                                                 : property->option;
    bool read = lasso->count != 0, endless = read && lasso->loop != OM_NO_LOOP;
    return cli_put_json(c,
        json_pack("{s:i, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "schema", 1, "model",
            cli_text_json(c->set.positionals[0]), "lasso", cli_text_json(replayed(c)), "property",
            cli_text_json(about), "verdict", accepted ? "accepted" : "rejected", "reason",
            accepted ? json_null() : cli_text_json(om_context_error(c->ctx)), "states",
            read ? json_integer((json_int_t) lasso->count) : json_null(), "loop",
            endless ? json_integer((json_int_t) lasso->loop) : json_null(), "violated_at",
            lasso->bad_prefix != 0 ? json_integer((json_int_t) (lasso->bad_prefix - 1))
                                   : json_null()),
        true);
}

/* Prints the fault at the end of a run that leads to a fault. */
static int put_fault(cli *c, om_model *model, om_lasso *run)
{
    om_executor *x = NULL;
    om_successors next = { .heap = c->heap };
    int rc = om_lasso_vectors(run, model);
    if (rc == OM_OK)
        rc = om_executor_open(&x, model, OM_EXEC_VM, NULL, 0);
    const uint32_t *last = rc == OM_OK ? run->vectors + (run->count - 1) * run->words : NULL;
    if (rc == OM_OK && om_executor_successors(x, last, &next) != OM_OK)
        rc = om_fail_memory(c->ctx);
    if (rc == OM_OK) {
        (void) om_model_fault_in(model, next.fault, last);
        om_text_printf(&c->out, "%s\n", om_context_error(c->ctx));
        om_context_clear(c->ctx);
    }
    om_successors_free(&next);
    om_executor_close(x);
    return rc;
}

static int replay(cli *c, const om_frontend *frontend, om_model **model)
{
    char *recorded = NULL;
    om_plan *plan = NULL;
    om_lasso lasso = { 0 };
    cli_property made = { 0 };
    const cli_property *property = NULL;
    cli_ticker ticker = { .running = false };
    int rc = cli_ticker_start(&ticker, c, NULL, "replaying");
    if (rc == OM_OK)
        rc = cli_read_run_of(
            c, c->set.positionals[0], frontend, model, replayed(c), &lasso, &recorded);
    bool judged = rc == OM_EINPUT; /* from here on, errors are errors of the lasso */

    if (rc == OM_OK)
        rc = cli_property_of(c, recorded, &made, &property);
    cli_forget_mark(property, &made, &lasso);
    if (rc == OM_OK)
        rc = cli_new_plan(c, frontend, *model, &plan);
    if (rc == OM_OK && property != NULL) {
        rc = om_plan_replay(plan, property->kind, property->text, &lasso);
        judged = rc == OM_OK || rc == OM_EINPUT;
    }
    cli_ticker_stop(&ticker);
    if (c->set.json && judged) {
        int put = put_replay(c, property, &lasso, rc == OM_OK);
        rc = put == OM_OK ? rc : put;
    } else if (rc == OM_OK) {
        if (c->set.trail != NULL && !c->set.quiet)
            (void) om_lasso_write(&lasso, *model, "txt", NULL, &c->out);
        if (property != NULL && property->kind == OM_PROPERTY_FAULT)
            rc = put_fault(c, *model, &lasso);
        put_accepted(c, &lasso);
    }
    om_plan_free(plan);
    om_lasso_free(&lasso);
    om_free(c->heap, made.text);
    om_free(c->heap, recorded);
    return rc;
}

int cli_run_replay(cli *c)
{
    const om_frontend *frontend = NULL;
    om_model *model = NULL;
    int rc = OM_OK;
    if (c->set.trail == NULL && c->set.positional_count < 2)
        rc = om_fail(c->ctx, OM_EUSAGE, NULL,
            "usage: omen replay MODEL LASSO.json [PROPERTY], or --trail FILE MODEL");
    else if (c->set.trail != NULL && c->set.positional_count > 1)
        rc = om_fail(c->ctx, OM_EUSAGE, NULL, "give only one run: '%s' or --trail '%s'",
            c->set.positionals[1], c->set.trail);
    if (rc == OM_OK)
        rc = cli_load_model(c, &frontend, &model);
    if (rc == OM_OK)
        rc = replay(c, frontend, &model);
    om_model_free(model);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}
