/* SPDX-License-Identifier: Apache-2.0 */
/* omen explore: counts the states of a model, or writes its state graph. */
#include "base/model_options.h"
#include "base/output.h"
#include "base/overflows.h"
#include "base/plan_options.h"
#include "base/progress.h"
#include "commands.h"
#include "explore/exploration.h"

#include <inttypes.h>
#include <string.h>

typedef struct explore_settings {
    cli_model_settings model;
    om_plan_options plan;
    const char *graph;    /* --output: file of the state graph; or NULL */
    uint64_t graph_limit; /* --output-limit: maximum number of its states; 0: GRAPH_STATES */
    uint64_t most_errors; /* ends after this many failed assertions; 0: no limit */
    bool ignore_assertions, coverage;
} explore_settings;

enum { GRAPH_STATES = 1000000 };

/* Null if b is 0. */
static json_t *quotient_json(double a, double b)
{
    return b > 0 ? json_real(a / b) : json_null();
}

/* The composition and the work of the store; null if a device kept the states. */
static json_t *store_json(const explore_settings *set, const om_exploration *e)
{
    const om_store_figures *f = &e->store;
    double states = (double) f->states;
    if (e->device != NULL)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f}", "kind",
        cli_store_name(set->plan.store), "bytes_per_state",
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
static void put_store(
    cli *c, const explore_settings *set, const om_exploration *e, const om_plan *plan)
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
            set->plan.verify == OM_VERIFY_AGAIN && om_plan_verified(plan) != 0
                ? ", all states a second time on the device"
                : "");
        return;
    }
    om_text_printf(&c->out,
        "store: %s, bytes per state: %.1f vectors, %.1f index, %.1f side arrays\n",
        cli_store_name(set->plan.store), (double) f->vector_bytes / states,
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
    explore_settings *set;
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
    const explore_settings *set = x->set;
    const om_exploration *e = &x->e;
    const om_plan *plan = x->plan;
    om_model *model = x->model;
    const cli_coverage *coverage = set->coverage ? &x->coverage : NULL;
    cli_trace shown;
    const uint64_t stored = e->states - om_plan_hidden(plan);
    const cli_overflows overflows = cli_overflows_of(plan, model);
    const cli_member trace = cli_overflow_trace(&overflows, false, &shown);
    if (c->set.json)
        return cli_put_json_with(c,
            json_pack("{s:i, s:o, s:b, s:s?, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:f, s:o, s:o, "
                      "s:I, s:o, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                "schema", 1, "model", cli_text_json(c->set.positionals[0]), "complete",
                reason == NULL, "reason", reason, "states", (json_int_t) e->states, "stored",
                (json_int_t) stored, "transitions", (json_int_t) e->transitions, "deadlocks",
                (json_int_t) e->deadlocks, "levels", (json_int_t) e->levels, "failures",
                cli_failures_json(model, set->ignore_assertions ? NULL : &x->failures), "overflows",
                cli_overflows_json(c, &overflows), "seconds", e->seconds, "states_per_second",
                quotient_json((double) e->states, e->seconds), "transitions_per_second",
                quotient_json((double) e->transitions, e->seconds), "memory_bytes",
                (json_int_t) e->memory_bytes, "store", store_json(set, e), "executor", e->executor,
                "code", cli_code_json(om_plan_code(plan)), "device", cli_text_json(e->device),
                "queue", queue_json(e), "counts", cli_costs_json(om_plan_costs(plan), e), "gave_up",
                cli_text_json(e->gave_up), "verified",
                cli_verified_json(e->device, reason == NULL, om_plan_verified(plan),
                    set->plan.verify == OM_VERIFY_AGAIN),
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
        put_store(c, x->set, e, plan);
    if (c->set.verbose && !c->set.quiet)
        cli_put_code(c, om_plan_code(plan));
    if (!c->set.quiet)
        cli_put_costs(c, om_plan_costs(plan), e);
    return coverage == NULL ? OM_OK : cli_put_coverage(c, coverage);
}

/* Limits the stored states to those of the graph, unless the limit is lower already. Returns true
 * if it was changed. */
static bool limit_graph(cli *c, explore_settings *set)
{
    uint64_t *most = &c->set.limits.max_states;
    if (set->graph_limit == 0)
        set->graph_limit = GRAPH_STATES;
    if (*most != 0 && *most <= set->graph_limit)
        return false;
    *most = set->graph_limit;
    return true;
}

static int explore_graph(
    cli *c, const char *file, om_plan *plan, om_exploration *e, om_lasso *trace)
{
    cli_file f;
    int rc = cli_file_open(&f, c, file);
    if (rc == OM_OK)
        rc = om_plan_explore_graph(plan, om_graph_format_of(file), &f.text, e, trace);
    return cli_file_close(&f, rc);
}

/* Reports why there is no graph, if a limit ended the exploration. */
static void put_no_graph(cli *c, const exploring *x)
{
    om_stop_reason reason = om_control_stopped(om_plan_control(x->plan));
    if (x->of_graph && reason == OM_STOP_STATES)
        om_note(c->ctx, OM_NOTE_WARNING, NULL,
            "%s is not written: the model has more than %" PRIu64
            " states, and that is the limit on its graph (--output-limit)",
            x->set->graph, x->set->graph_limit);
    else
        om_note(c->ctx, OM_NOTE_WARNING, NULL, "%s is not written: %s", x->set->graph,
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
    om_plan_ignore_assertions(x->plan, x->set->ignore_assertions);
    if (x->set->coverage)
        return cli_explore_coverage(c, x->plan, x->model, &x->e, &x->coverage);
    return x->set->graph == NULL ? om_plan_explore(x->plan, &x->e, &x->trace)
                                 : explore_graph(c, x->set->graph, x->plan, &x->e, &x->trace);
}

/* Writes the graph of all states, ignoring failed assertions. */
static int explore_graph_beyond(cli *c, exploring *x)
{
    om_exploration e = { 0 };
    om_plan_ignore_assertions(x->plan, true);
    int rc = explore_graph(c, x->set->graph, x->plan, &e, NULL);
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
    int rc = om_plan_failures(x->plan, x->set->most_errors, x->coverage.fired, &x->failures, &x->e);
    return rc == OM_OK && x->set->graph != NULL && !x->failures.ended ? explore_graph_beyond(c, x)
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
    if (rc == OM_ELIMIT && x->set->graph != NULL)
        put_no_graph(c, x);
    if (rc == OM_EMODEL && x->trace.count != 0 && !c->set.quiet && !c->set.json)
        (void) om_lasso_write(&x->trace, x->model, "txt", NULL, &c->out);
    const int put = put_exploration(c, x, why_incomplete(c, x, rc));
    return put != OM_OK ? cli_failed(c, put) : rc == OM_EMODEL ? cli_failed(c, rc) : status;
}

/* *again: the model must be loaded again with more room; nothing was reported. */
static int explore_once(cli *c, explore_settings *set, bool *again)
{
    exploring x = { .set = set, .of_graph = set->graph != NULL && limit_graph(c, set) };
    const char *file = c->set.positionals[0];
    cli_ticker ticker = { 0 };
    int status = 0, rc = cli_load_model(c, &set->model, file, &x.frontend, &x.model, NULL);

    set->plan.leave_compilers = cli_leaves_compilers();
    if (rc == OM_OK)
        cli_expect_growth(&set->model, file, x.model);
    if (rc == OM_OK)
        rc = cli_new_plan(c, &set->plan, x.frontend, x.model, &x.plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, c, x.plan, "exploring");
    x.explored = rc == OM_OK;
    if (x.explored)
        rc = explore(c, &x);
    *again = x.explored && rc == OM_EMODEL && om_plan_lacks_room(x.plan) &&
             cli_grow(c, &set->model, file, x.frontend, x.model);
    cli_ticker_stop(&ticker);
    if (!*again) {
        status = report_exploration(c, &x, rc);
        status = cli_leave(c, x.plan, status); /* it may end the program */
    }
    end_exploring(c, &x);
    return status;
}

/* ---- the command ---- */

/* Rejects contradictory options. */
static int vet(cli *c, const explore_settings *s)
{
    if (s->graph_limit != 0 && s->graph == NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--output-limit is only for --output");
    if (s->ignore_assertions && s->most_errors != 0)
        return om_fail(
            c->ctx, OM_EUSAGE, NULL, "--errors and --ignore-assertions contradict each other");
    if (s->coverage && s->graph != NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--coverage cannot be combined with --output");
    if (s->plan.merge == OM_SWITCH_ON && (s->coverage || s->graph != NULL))
        return om_fail(c->ctx, OM_EUSAGE, NULL,
            "--merge on omits states and statements that --%s must show",
            s->coverage ? "coverage" : "output");
    if (s->plan.por != OM_POR_AUTO && s->plan.por != OM_POR_OFF &&
        (s->coverage || s->graph != NULL))
        return om_fail(c->ctx, OM_EUSAGE, NULL,
            "--por omits states and statements that --%s must show",
            s->coverage ? "coverage" : "output");
    const char *device = s->plan.device;
    if (s->coverage && device != NULL && strcmp(device, "none") != 0 && strcmp(device, "auto") != 0)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--coverage needs the CPU: leave out --device");
    return OM_OK;
}

static int run(cli *c, void *settings)
{
    bool again = false;
    int rc = vet(c, settings), status;
    if (rc != OM_OK)
        return cli_failed(c, rc);
    do
        status = explore_once(c, settings, &again);
    while (again);
    return status;
}

static const cli_option options[] = {
    CLI_MODEL_OPTIONS(explore_settings),
    CLI_OVERFLOW_OPTION(explore_settings, plan.overflow),
    CLI_DEVICE_OPTION(explore_settings),
    CLI_VERIFY_OPTION(explore_settings),
    CLI_STORE_OPTIONS(explore_settings),
    CLI_RESET_OPTION("off", explore_settings),
    CLI_MERGE_OPTION("off", explore_settings),
    CLI_POR_OPTION("off", explore_settings),
    { "ignore-assertions", 0, CLI_SEARCH, NULL, "do not check the model's assertions", cli_set_flag,
        CLI_AT(explore_settings, ignore_assertions) },
    CLI_LIMIT_OPTIONS(explore_settings),
    { "errors", 0, CLI_LIMITS, "N", "failed assertions (default: no limit)", cli_set_count,
        CLI_AT(explore_settings, most_errors) },
    { "output-limit", 0, CLI_LIMITS, "N", "states of --output (default: 1000000)", cli_set_count,
        CLI_AT(explore_settings, graph_limit) },
    { "output", 0, CLI_OUTPUT, "FILE", "write the state graph to this file", cli_set_graph,
        CLI_AT(explore_settings, graph) },
    { "coverage", 0, CLI_OUTPUT, NULL, "list the statements that no run executes", cli_set_flag,
        CLI_AT(explore_settings, coverage) },
    CLI_JSON_OPTION,
    CLI_PROGRESS_OPTION,
    CLI_COMMON_OPTIONS,
};

const cli_command cli_explore_command = { "explore", "MODEL [OPTIONS]",
    "counts or writes its state graph", 1, 1, options, sizeof(explore_settings), run, NULL,
    { "omen explore mutex.dve", "omen explore mutex.dve --output graph.aut",
        "omen explore lossy.dve --coverage" } };
