/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `omen --server URL check ...`: submits a job, follows its events, and prints the results as a
 * local check would.
 */
#include "base/output.h"
#include "base/program.h"
#include "base/progress.h"
#include "base/safe_text.h"
#include "commands.h"
#include "remote_session.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MODEL_BYTES = 64 << 20, EVENT_BYTES = 257 << 20 };

/* Without a property option, the model's own properties are checked; the server lists them. */
static const cli_property own = { OM_PROPERTY_DEFAULT, "default", NULL };

static bool all_answered(const remote_session *s)
{
    return s->output.properties != 0 && s->answered >= s->output.properties;
}

/* Returns the property of the next result, or during whose check an assertion failed. */
static const cli_property *next_property(const remote_session *s)
{
    const size_t count = s->set->properties.count;
    return count == 0            ? &own
           : s->answered < count ? &s->set->properties.at[s->answered]
                                 : &s->set->properties.at[count - 1];
}

static void on_tick(void *self)
{
    remote_session *s = self;
    if (!s->begun)
        cli_show_progress(s->c, s->id == 0 ? "asking the server" : "waiting for the server", NULL);
}

/* ---- events ---- */

static int nonsense(const remote_session *s, const char *what)
{
    return om_fail(
        s->c->ctx, OM_EINTERNAL, NULL, "%s sent an invalid answer: %s", s->names.server, what);
}

static void put_note(remote_session *s, const char *text)
{
    static const char name[] = "omen: ";
    om_text here = { .heap = s->c->heap }, line = { .heap = s->c->heap };
    bool ours = strncmp(text, name, sizeof name - 1) == 0;
    if (ours)
        om_text_add(&here, name);
    remote_names_put(&s->names, ours ? text + sizeof name - 1 : text, &here);
    cli_put_plain(&line, here.text == NULL ? "" : here.text);
    if (!line.failed && line.text != NULL)
        cli_put_line(s->c, line.text);
    om_text_free(&here);
    om_text_free(&line);
}

static int on_note(remote_session *s, const json_t *value)
{
    const char *text = NULL;
    if (!remote_text(value, "text", true, &text) || text == NULL)
        return nonsense(s, "malformed note");
    put_note(s, text);
    return OM_OK;
}

static int on_progress(remote_session *s, const json_t *value)
{
    om_progress now = { 0 };
    uint64_t memory = 0, parts = 0;
    if (!remote_count(value, "states", &now.states) ||
        !remote_count(value, "transitions", &now.transitions) ||
        !remote_real(value, "seconds", &now.seconds) ||
        !remote_count(value, "memory_bytes", &memory) ||
        !remote_count(value, "parts_running", &parts) || parts > UINT32_MAX)
        return nonsense(s, "malformed progress");
    now.parts_running = (unsigned) parts;
    s->c->remote_memory = memory;
    cli_show_progress(s->c, "checking", &now);
    s->broken =
        s->c->set.json_lines && cli_writable(STDOUT_FILENO) && !cli_put_progress(&now, memory);
    return !s->broken ? OM_OK
                      : om_fail(s->c->ctx, OM_EIO, NULL, "cannot write to standard output: %s",
                            strerror(errno));
}

/* An earlier attempt may have reported some of the results: each result is printed once. */
static int on_state(remote_session *s, const json_t *value)
{
    const char *state = NULL;
    uint64_t attempt = 0;
    if (!remote_text(value, "state", false, &state) || state == NULL ||
        !remote_count(value, "attempt", &attempt) || attempt > INT32_MAX)
        return nonsense(s, "malformed state");
    bool queued = strcmp(state, "queued") == 0, running = strcmp(state, "running") == 0;
    s->begun = !queued;
    s->over = !queued && !running;
    assert(s->begun || !s->over); /* R3 */
    if ((int) attempt != s->attempt) {
        if (s->attempt != 0)
            cli_put_message(s->c, "", "the server restarted the job");
        s->attempt = (int) attempt;
        s->seen = 0;
    }
    return OM_OK;
}

/* Returns true if the result answers a property. A failed assertion answers the model's assertions,
 * which come first by default; otherwise it accompanies the property of the next result. */
static bool answers(const remote_session *s, const check_found *f)
{
    const bool own_first = f->property->kind == OM_PROPERTY_DEFAULT && s->put == 0;
    return f->r->about == OM_ABOUT_PROPERTY || own_first ||
           f->property->kind == OM_PROPERTY_ASSERTION;
}

static int put_result(remote_session *s, const check_found *f)
{
    int put = check_put_result(&s->output, f);
    s->status = check_worse(s->status, check_status(f->r));
    s->interruption =
        f->r->reason != NULL && strcmp(f->r->reason, om_stop_reason_name(OM_STOP_INTERRUPT)) == 0;
    s->answered += answers(s, f);
    s->put++;
    assert(s->answered <= s->put); /* R2 */
    if (put == OM_ELIMIT) {
        (void) cli_failed(s->c, put);
        put = OM_OK;
    }
    s->broken = put != OM_OK;
    return put;
}

/* Reads the model locally for formats of lassos that contain facts about the model that the run
 * lacks. The server has reported messages about the model; if the model cannot be read, the run is
 * written without it. */
static bool know_model(remote_session *s)
{
    cli *c = s->c;
    const om_frontend *f = NULL;
    if (s->model != NULL || s->language == NULL)
        return s->model != NULL;
    const om_plugin *plugin = NULL;
    int64_t *options = NULL;
    om_context_on_note(c->ctx, NULL, NULL);
    int rc = cli_open_registry(c);
    if (rc == OM_OK)
        rc = om_registry_find(c->registry, OM_PLUGIN_FRONTEND, s->language, &plugin);
    f = (const om_frontend *) (const void *) plugin;
    if (rc == OM_OK)
        rc = om_plugin_options(c->ctx, plugin, NULL, &options);
    if (rc == OM_OK)
        rc =
            f->load(c->ctx, c->set.positionals[0], s->output.source, s->length, options, &s->model);
    om_free(c->heap, options);
    s->language = NULL; /* only one attempt */
    om_context_clear(c->ctx);
    cli_take_notes(c);
    return rc == OM_OK && s->model != NULL;
}

static int on_result(remote_session *s, const remote_event *e)
{
    remote_result result;
    if (s->seen++ < s->put)
        return OM_OK;
    assert(s->seen == s->put + 1); /* R1 */
    if (all_answered(s))
        return nonsense(s, "too many results");
    const cli_property *p = next_property(s);
    int rc = remote_result_read(
        &result, s->c->ctx, &s->names, p, s->set->plan.fair_count, e->data, e->length);
    bool kept = rc == OM_OK && result.r.has_lasso && s->set->lasso != NULL && know_model(s);
    if (kept)
        rc = remote_result_know(&result, s->c->ctx, s->model);
    const check_found found = { .property = p,
        .r = &result.r,
        .model = result.model_known != NULL ? s->model : result.model,
        .read = true,
        .recorded = result.recorded,
        .overflows = result.overflows };
    if (rc == OM_OK && s->set->properties.count == 0)
        s->output.properties = (size_t) result.properties;
    if (rc == OM_OK)
        rc = put_result(s, &found);
    remote_result_free(&result);
    return rc;
}

static int take_event(remote_session *s, const remote_event *e)
{
    static const struct {
        const char *type;
        int (*take)(remote_session *s, const json_t *value);
    } table[] = { { "note", on_note }, { "progress", on_progress }, { "state", on_state } };
    int rc = OM_OK;
    if (e->id != NULL) {
        (void) snprintf(s->last_id, sizeof s->last_id, "%s", e->id);
        s->begun = true;
    }
    if (strcmp(e->type, "result") == 0)
        return on_result(s, e);
    for (size_t i = 0; rc == OM_OK && i < sizeof table / sizeof *table; i++) {
        if (strcmp(e->type, table[i].type) != 0)
            continue;
        json_t *value = remote_object(e->data, e->length);
        rc = value == NULL ? nonsense(s, "malformed event") : table[i].take(s, value);
        json_decref(value);
    }
    return rc;
}

static int on_event(void *self, const remote_event *e)
{
    remote_session *s = self;
    s->failed = take_event(s, e);
    return s->failed;
}

/* ---- following ---- */

static void cancel(remote_session *s)
{
    remote_answer a = { .status = 0 };
    char path[64];
    if (s->cancelled || s->over || s->id == 0)
        return;
    assert(s->id > 0); /* R3, R4 */
    s->cancelled = true;
    (void) snprintf(path, sizeof path, "/v1/jobs/%" PRId64, s->id);
    /* 409: the job has ended meanwhile. The server answers after the job has ended. */
    remote_outcome outcome = remote_http_ask(s->http, "DELETE", path, &a);
    if (outcome != REMOTE_ANSWERED || (a.status != 200 && a.status != 409)) {
        char text[128];
        (void) snprintf(text, sizeof text,
            "job %" PRId64 " could not be cancelled and may still run on the server", s->id);
        cli_put_message(s->c, "warning: ", text);
    }
    om_text_free(&a.body);
}

/* Follows the job until it ends. Reconnects to a broken stream at the last event. */
static int follow(remote_session *s)
{
    remote_answer a = { .status = 0 };
    char path[64];
    unsigned silent = 0; /* attempts since the last data */
    int rc = OM_OK;
    assert(s->id > 0 && s->put == 0); /* R1, R3 */
    (void) snprintf(path, sizeof path, "/v1/jobs/%" PRId64 "/events", s->id);
    while (rc == OM_OK && !s->over) {
        char before[REMOTE_ID];
        if (remote_http_interrupted(s->http)) /* before the job was followed */
            cancel(s);
        memcpy(before, s->last_id, sizeof before);
        remote_outcome outcome = remote_http_follow(s->http, path, s->last_id, &s->events, &a);
        if (remote_http_interrupted(s->http))
            cancel(s);
        silent = strcmp(before, s->last_id) == 0 ? silent + 1 : 0;
        if (s->over || outcome == REMOTE_INTERRUPTED)
            continue;
        bool ended = outcome == REMOTE_ANSWERED && a.status == 200;
        if (outcome == REMOTE_ENDED_BY_READER)
            rc = s->failed != OM_OK ? s->failed : om_fail_memory(s->c->ctx);
        else if (silent > REMOTE_TRIES || !(ended || remote_worth_again(outcome, a.status)))
            rc = ended ? remote_refused(s, REMOTE_BROKEN, &a) : remote_refused(s, outcome, &a);
        else
            remote_http_pause(s->http, remote_pause_of(silent));
    }
    assert(rc != OM_OK || (s->over && s->begun)); /* R3 */
    om_text_free(&a.body);
    return rc;
}

/* ---- the end ---- */

/* Reads the job without its results; NULL, with a message, if that fails. */
static json_t *last_look(remote_session *s)
{
    remote_answer a = { .status = 0 };
    char path[80];
    int64_t id = 0;
    (void) snprintf(path, sizeof path, "/v1/jobs?after=%" PRId64 "&limit=1", s->id - 1);
    json_t *page = remote_ask(s, "GET", path, &a) == OM_OK
                       ? remote_object(a.body.text == NULL ? "" : a.body.text, a.body.length)
                       : NULL;
    json_t *job = json_incref(json_array_get(json_object_get(page, "jobs"), 0));
    json_decref(page);
    om_text_free(&a.body);
    if (remote_id_of(job, &id) && id == s->id)
        return job;
    json_decref(job);
    if (om_context_error(s->c->ctx)[0] == '\0')
        (void) nonsense(s, "malformed job");
    return NULL;
}

/* Prints a result for a check that was interrupted before its first result. */
static int put_interrupted(remote_session *s)
{
    const cli_property *p = next_property(s);
    const char *reason = om_stop_reason_name(OM_STOP_INTERRUPT);
    om_check_result r = { .heap = s->c->heap, .verdict = OM_UNKNOWN };
    const check_found found = { .property = p, .r = &r };
    if (all_answered(s) || s->interruption || s->broken)
        return OM_OK;
    r.property = remote_borrowed(p->text != NULL ? p->text : p->option);
    r.reason = remote_borrowed(reason);
    return put_result(s, &found);
}

/* Returns the status that omen ended with on the server, or reports why there is none. */
static int judge(remote_session *s, const json_t *job)
{
    const json_t *taken = json_object_get(job, "taken"), *error = json_object_get(job, "error");
    const json_t *status = json_object_get(taken, "status");
    const char *state = json_string_value(json_object_get(job, "state"));
    if (state != NULL && strcmp(state, "cancelled") == 0) {
        if (!s->cancelled)
            cli_put_message(s->c, "warning: ", "the job was cancelled on the server");
        int rc = put_interrupted(s);
        return rc == OM_OK ? check_worse(s->status, 30) : cli_failed(s->c, rc);
    }
    if (json_is_integer(status) && json_is_null(json_object_get(taken, "ended_by"))) {
        static const int known[] = { 0, 10, 30, 2, 3, 1 };
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (known[i] == json_integer_value(status) &&
                (known[i] != 0 || (all_answered(s) && s->status == 0)) &&
                (known[i] != 10 || ((all_answered(s) || s->set->fail_fast) && s->status >= 10)))
                return check_worse(s->status, known[i]);
        return cli_failed(s->c, nonsense(s, "status that does not fit the results"));
    }
    return check_worse(s->status, cli_failed(s->c, remote_job_problem(s->c, &s->names, error)));
}

/* After an error, prints how to find the job. */
static int lost(remote_session *s, int rc)
{
    char text[128];
    int status = cli_failed(s->c, rc);
    if (s->cancelled && !s->broken)
        return put_interrupted(s) == OM_OK ? check_worse(s->status, 30) : status;
    if (!s->over && !s->cancelled) {
        (void) snprintf(text, sizeof text, "job %" PRId64 " still runs on the server", s->id);
        cli_put_message(s->c, "", text);
    }
    return check_worse(s->status, status);
}

static int run(remote_session *s)
{
    int rc = follow(s);
    /* No output is possible, or the data is malformed. */
    if (rc != OM_OK && s->broken)
        cancel(s);
    cli_clear_progress(s->c, false);
    if (rc != OM_OK)
        return lost(s, rc);
    json_t *job = last_look(s);
    int status = job == NULL ? lost(s, OM_EINTERNAL) : judge(s, job);
    json_decref(job);
    return status;
}

/* ---- the command ---- */

/* Rejects options that a server cannot honour. */
static int vet(const cli *c, const check_settings *set)
{
    if (set->plan_only)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--plan cannot be combined with --server");
    return set->properties.count <= 64
               ? OM_OK
               : om_fail(c->ctx, OM_EUSAGE, NULL, "a server accepts at most 64 properties");
}

static int open_session(remote_session *s, char **model)
{
    cli *c = s->c;
    int rc = vet(c, s->set);
    if (rc == OM_OK)
        rc = remote_address_read(&s->address, c, &s->set->server);
    if (rc == OM_OK)
        rc = om_read_file(c->ctx, c->set.positionals[0], MODEL_BYTES, model, &s->length);
    if (rc == OM_OK)
        rc = remote_language(c, s->set->model.frontend, *model, s->length, &s->language);
    if (rc == OM_OK)
        rc = remote_vet_text(c, s->language, *model);
    if (rc == OM_OK && s->address.exposed && s->address.token != NULL)
        om_note(c->ctx, OM_NOTE_WARNING, NULL,
            "the token is sent to %s without encryption: use https", s->names.server);
    return rc == OM_OK ? remote_http_open(&s->http, c, &s->address, on_tick, s) : rc;
}

static int summarise(remote_session *s)
{
    const size_t count = s->output.properties;
    const int rc = check_put_summary(
        &s->output, s->output.row_count == 0 || count < s->answered ? 0 : count - s->answered);
    return rc == OM_OK ? 0 : cli_failed(s->c, rc);
}

/* The settings are complete. Returns an exit status. */
static int check_there(cli *c, check_settings *set)
{
    const char *path = c->set.positionals[0], *there = remote_plain_name(path);
    remote_session s = { .c = c, .set = set, .output = { .c = c, .set = set } };
    char *model = NULL;
    s.output.properties = set->properties.count;
    s.names = (remote_names){ set->server.url, path, there == NULL ? "model" : there,
        set->properties.at, set->properties.count };
    s.events = (remote_events){ .heap = c->heap, .most = EVENT_BYTES, .fn = on_event, .self = &s };
    int rc = open_session(&s, &model), status;
    s.output.source = model;
    if (rc == OM_OK)
        rc = remote_submit(&s);
    cli_clear_progress(c, false);
    status = rc == OM_OK ? run(&s) : cli_failed(c, rc);
    if (rc == OM_OK && !s.broken)
        status = check_worse(status, summarise(&s));
    remote_events_reset(&s.events);
    remote_http_close(s.http);
    remote_address_free(&s.address, c->heap);
    om_model_free(s.model);
    om_free(c->heap, model);
    check_output_free(&s.output);
    return status;
}

static int run_check(cli *c, void *settings)
{
    check_settings *set = settings;
    /* The server counts its own time and states. */
    const om_limits here = { .memory_bytes = c->set.limits.memory_bytes };
    int rc = check_complete(c, set);
    if (rc == OM_OK && set->server.url == NULL)
        rc = om_fail(c->ctx, OM_EUSAGE, NULL, "omen-remote needs --server URL");
    if (rc != OM_OK)
        return cli_failed(c, rc);
    om_control_start(om_context_control(c->ctx), &here);
    return check_there(c, set);
}

static int start(cli *c, int argc, char **argv)
{
    return cli_run_command(c, &cli_check_command, run_check, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    cli_program(argc, argv, start);
}
