/* SPDX-License-Identifier: Apache-2.0 */
/* omen simulate: a walk of a given length; omen-simulate is the session on a terminal. */
#include "base/json.h"
#include "base/output.h"
#include "base/plan_options.h"
#include "base/program.h"
#include "base/progress.h"
#include "base/safe_text.h"
#include "commands.h"
#include "runs/recorded.h"
#include "runs/simulate.h"

#include <inttypes.h>

static const char *const ends[] = { [OM_SIMULATION_STEPS] = "steps",
    [OM_SIMULATION_BREAKPOINT] = "breakpoint",
    [OM_SIMULATION_DEADLOCK] = "deadlock",
    [OM_SIMULATION_FAULT] = "fault",
    [OM_SIMULATION_STOPPED] = "limit" };

/* A walk to print */
typedef struct walk {
    cli *c;
    const simulate_settings *set;
    om_model *model;
    om_simulation *s;
    uint64_t steps;
    om_simulation_end end;
    const char *reason; /* additional text; or NULL */
    uint64_t breaking;  /* breakpoints that became true */
} walk;

/* ---- runs in files ---- */

int cli_load_run(cli *c, om_simulation *s, om_model *model, const char *path)
{
    om_lasso run = { 0 };
    int rc = cli_read_run(c, model, (cli_run_file){ path, false }, &run, NULL);
    if (rc == OM_OK)
        rc = om_simulation_load(s, &run);
    om_lasso_free(&run);
    return rc;
}

static int put_run(const om_simulation *s, om_model *model, const char *format,
    const om_lasso_style *style, om_text *out)
{
    om_lasso run = { 0 };
    int rc = om_simulation_trace(s, &run);
    if (rc == OM_OK)
        rc = om_lasso_write(&run, model, format, style, out);
    om_lasso_free(&run);
    return rc;
}

int cli_write_run(cli *c, const om_simulation *s, om_model *model, const char *path)
{
    const char *format = om_lasso_format_of(path);
    cli_file f;
    if (format == NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "'%s' is not a file name for a run", path);
    int rc = cli_file_open(&f, c, path);
    if (rc == OM_OK)
        rc = put_run(s, model, format, NULL, &f.text);
    return cli_file_close(&f, rc == OM_ENOMEM ? om_fail_memory(c->ctx) : rc);
}

/* ---- without a terminal ---- */

static json_t *breaking_json(const walk *w)
{
    json_t *list = json_array();
    for (size_t i = 0; i < om_simulation_breakpoint_count(w->s); i++)
        if (w->breaking >> i & 1)
            (void) json_array_append_new(list, cli_text_json(om_simulation_breakpoint(w->s, i)));
    return list;
}

static int put_member(void *self, om_text *out)
{
    const walk *w = self;
    return put_run(w->s, w->model, "json", NULL, out);
}

static int put_walk(walk *w)
{
    cli *c = w->c;
    const cli_member run = { "run", put_member, w };
    if (c->set.json)
        return cli_put_json_with(c,
            json_pack("{s:i, s:o, s:o, s:I, s:I, s:s, s:o, s:o}", "schema", 1, "model",
                cli_text_json(c->set.positionals[0]), "loaded", cli_text_json(w->set->load), "seed",
                (json_int_t) w->set->seed, "steps", (json_int_t) w->steps, "ended", ends[w->end],
                "reason", cli_text_json(w->reason), "breakpoints", breaking_json(w)),
            true, &run, 1);
    int rc = c->set.quiet ? OM_OK : put_run(w->s, w->model, "txt", NULL, &c->out);
    om_text_printf(&c->out, "%" PRIu64 " step%s", w->steps, w->steps == 1 ? "" : "s");
    if (w->end != OM_SIMULATION_STEPS)
        om_text_printf(&c->out, ", then: %s", ends[w->end]);
    if (w->reason != NULL)
        om_text_printf(&c->out, " (%s)", w->reason);
    const char *before = " ";
    for (size_t i = 0; i < om_simulation_breakpoint_count(w->s); i++)
        if (w->breaking >> i & 1) {
            om_text_add(&c->out, before);
            cli_put_plain(&c->out, om_simulation_breakpoint(w->s, i));
            before = ", ";
        }
    om_text_add(&c->out, "\n");
    return rc;
}

/* A breakpoint that is true in the initial state ends the walk there. */
static int take_steps(walk *w)
{
    uint64_t now;
    int rc = om_simulation_breaking(w->s, &now, &w->breaking);
    w->end = OM_SIMULATION_BREAKPOINT;
    if (rc == OM_OK && w->breaking == 0)
        rc = om_simulation_run(w->s, w->set->steps, true, &w->steps, &w->end);
    if (rc == OM_OK && w->end == OM_SIMULATION_BREAKPOINT)
        rc = om_simulation_breaking(w->s, &now, &w->breaking);
    if (rc == OM_ELIMIT) { /* memory ran out for further steps */
        w->end = OM_SIMULATION_STOPPED;
        rc = OM_OK;
    }
    return rc;
}

static int walk_along(cli *c, const simulate_settings *set, om_model *model, om_simulation *s)
{
    walk w = { .c = c, .set = set, .model = model, .s = s };
    cli_ticker ticker = { 0 };
    int rc = cli_ticker_start(&ticker, c, NULL, "walking");
    if (rc == OM_OK)
        rc = take_steps(&w);
    cli_ticker_stop(&ticker);
    if (rc != OM_OK)
        return cli_failed(c, rc);
    w.reason = w.end == OM_SIMULATION_FAULT ? om_context_error(c->ctx)
               : w.end == OM_SIMULATION_STOPPED
                   ? om_stop_reason_name(om_control_stopped(om_context_control(c->ctx)))
                   : NULL;
    rc = put_walk(&w);
    if (rc == OM_OK && set->lasso != NULL)
        rc = cli_write_run(c, s, model, set->lasso);
    if (rc == OM_OK && w.end == OM_SIMULATION_FAULT)
        rc = OM_EMODEL;
    if (rc != OM_OK)
        return cli_failed(c, rc);
    return w.end == OM_SIMULATION_STOPPED ? om_exit_status(OM_ELIMIT) : 0;
}

/* ---- with and without a terminal ---- */

static int prepare(cli *c, const simulate_settings *set, const om_frontend *frontend,
    om_model *model, om_simulation **s)
{
    int rc = om_model_set_overflow(model, set->overflow);
    if (rc == OM_OK)
        rc = om_simulation_new(s, c->ctx, frontend, model);
    for (size_t i = 0; i < set->break_count && rc == OM_OK; i++)
        rc = om_simulation_break(*s, set->breaks[i]);
    if (rc == OM_OK && set->load != NULL)
        rc = cli_load_run(c, *s, model, set->load);
    if (rc == OM_OK)
        om_simulation_seed(*s, set->seed);
    return rc;
}

/* Loads the model with enough room for the run to load; reports errors of that run, too. */
static int make_room(cli *c, simulate_settings *set, const om_frontend *frontend, om_model **model)
{
    om_lasso run = { 0 };
    int rc = cli_read_run_of(c, &set->model, c->set.positionals[0], frontend, model,
        (cli_run_file){ set->load, false }, &run, NULL);
    om_lasso_free(&run);
    return rc;
}

int cli_open_simulation(cli *c, simulate_settings *set, om_model **model, om_simulation **s)
{
    const om_frontend *frontend = NULL;
    int rc = cli_load_model(c, &set->model, c->set.positionals[0], &frontend, model, NULL);
    if (rc == OM_OK && set->load != NULL)
        rc = make_room(c, set, frontend, model);
    return rc == OM_OK ? prepare(c, set, frontend, *model, s) : rc;
}

static int run_simulate(cli *c, void *settings)
{
    simulate_settings *set = settings;
    om_model *model = NULL;
    om_simulation *s = NULL;
    if (!set->stepped && (c->set.json || set->lasso != NULL))
        return cli_failed(c, om_fail(c->ctx, OM_EUSAGE, NULL, "--%s needs --steps N",
                                 c->set.json ? "json" : "lasso"));
    if (!set->stepped)
        return cli_run_helper(c, "simulate", "ncurses; --steps N does without it");
    int rc = cli_open_simulation(c, set, &model, &s);
    int status = rc == OM_OK ? walk_along(c, set, model, s) : cli_failed(c, rc);
    om_simulation_free(s);
    om_model_free(model);
    return status;
}

/* ---- options ---- */

static int set_break(cli *c, const cli_option *o, void *at, const char *value)
{
    simulate_settings *set = at;
    (void) o;
    if (set->break_count == CLI_BREAKS)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "too many breakpoints: at most %d", CLI_BREAKS);
    set->breaks[set->break_count++] = value;
    return OM_OK;
}

static int set_steps(cli *c, const cli_option *o, void *at, const char *value)
{
    simulate_settings *set = at;
    set->stepped = true;
    return cli_read_number(c, o, "a number", value, cli_plain_units, &set->steps);
}

static const cli_option options[] = {
    CLI_MODEL_OPTIONS(simulate_settings),
    CLI_OVERFLOW_OPTION(simulate_settings, overflow),
    { "load", 0, CLI_WALK, "RUN.json", "start with this run and follow it", cli_set_text,
        CLI_AT(simulate_settings, load) },
    { "break", 0, CLI_WALK, "EXPR", "stop when the expression becomes true; may be repeated",
        set_break, 0 },
    { "steps", 0, CLI_WALK, "N", "take N steps, without a terminal", set_steps, 0 },
    { "seed", 0, CLI_WALK, "N", "seed of random choices (default: 0)", cli_set_seed,
        CLI_AT(simulate_settings, seed) },
    CLI_BOUND_OPTIONS,
    { "lasso", 0, CLI_OUTPUT, "FILE", "with --steps: write the run to this file", cli_set_lasso,
        CLI_AT(simulate_settings, lasso) },
    { "json", 0, CLI_OUTPUT, NULL, "with --steps: print the run as a JSON object", cli_set_flag,
        CLI_SHARED(json) },
    CLI_COMMON_OPTIONS,
};

const cli_command cli_simulate_command = { "simulate", "MODEL [--steps N]",
    "walks through a model step by step", 1, 1, options, sizeof(simulate_settings), run_simulate,
    NULL,
    { "omen simulate mutex.dve --steps 20 --seed 7",
        "omen simulate lossy.dve --steps 1000 --break 'received == 2'",
        "omen simulate starvation.dve --load run.json --steps 20" } };
