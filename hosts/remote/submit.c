/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A submission has an Idempotency-Key, a random number. If the connection ends before the answer,
 * the submission is sent again with the same key; the server makes one job of all submissions with
 * one key. A server without support for keys (/healthz tells) gets the submission once; afterwards
 * the job is searched for by its label, which is unique. All other requests may be repeated and
 * are, with pauses.
 */
#include "remote_session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { FIRST_PAUSE_MS = 250, LONGEST_PAUSE_MS = 8000 };

/* ---- failures ---- */

static int transport(const remote_session *s, remote_outcome outcome)
{
    om_context *ctx = s->c->ctx;
    const char *url = s->names.server, *said = remote_http_said(s->http);
    switch (outcome) {
    case REMOTE_UNREACHABLE:
        return om_fail(ctx, OM_EINTERNAL, NULL, "cannot reach a server at %s: %s", url, said);
    case REMOTE_NO_TLS:
        return om_fail(ctx, OM_EINTERNAL, NULL, "no secure connection to %s: %s", url, said);
    case REMOTE_TOO_LARGE:
        return om_fail(ctx, OM_EINTERNAL, NULL, "the answer of %s is too large", url);
    default:
        return om_fail(ctx, OM_EINTERNAL, NULL, "lost the connection to %s: %s", url, said);
    }
}

bool remote_worth_again(remote_outcome outcome, long status)
{
    return outcome == REMOTE_UNREACHABLE || outcome == REMOTE_BROKEN ||
           (outcome == REMOTE_ANSWERED && (status >= 500 || status == 429));
}

int remote_refused(const remote_session *s, remote_outcome outcome, const remote_answer *a)
{
    if (outcome != REMOTE_ANSWERED)
        return transport(s, outcome);
    return remote_problem(s->c, &s->names, a->status, a->body.text, a->body.length);
}

unsigned remote_pause_of(unsigned tries)
{
    unsigned ms = FIRST_PAUSE_MS << (tries < 5 ? tries : 5);
    return ms < LONGEST_PAUSE_MS ? ms : LONGEST_PAUSE_MS;
}

/* Repeats the request as long as that is useful. OM_OK with an answer of status 200. */
int remote_ask(remote_session *s, const char *method, const char *path, remote_answer *a)
{
    remote_outcome outcome = remote_http_ask(s->http, method, path, a);
    for (unsigned i = 0; i < REMOTE_TRIES && remote_worth_again(outcome, a->status); i++) {
        remote_http_pause(s->http, remote_pause_of(i));
        outcome = remote_http_ask(s->http, method, path, a);
    }
    return outcome == REMOTE_ANSWERED && a->status == 200 ? OM_OK : remote_refused(s, outcome, a);
}

/* ---- submission ---- */

/* Verifies that the server is omend; nothing else is sent before. */
static int greet(remote_session *s)
{
    remote_answer a = { .status = 0 };
    const char *version = NULL;
    remote_outcome outcome = remote_http_ask(s->http, "GET", "/healthz", &a);
    json_t *health = remote_object(a.body.text == NULL ? "" : a.body.text, a.body.length);
    int rc = OM_OK;
    s->keyed = json_is_true(json_object_get(health, "submission_keys"));
    if (outcome != REMOTE_ANSWERED)
        rc = transport(s, outcome);
    else if ((a.status != 200 && a.status != 503) ||
             !remote_text(health, "version", false, &version) || version == NULL)
        rc = om_fail(s->c->ctx, OM_EINTERNAL, NULL, "the server at %s is not an omend (status %ld)",
            s->names.server, a.status);
    else if (a.status == 503)
        rc = om_fail(s->c->ctx, OM_EINTERNAL, NULL, "%s accepts no jobs now", s->names.server);
    json_decref(health);
    om_text_free(&a.body);
    return rc;
}

/* Makes a label such as "mutex.dve 0123456789abcdef", with a readable first part. The key has a
 * random number of its own, because other users can read labels. */
static int make_label(remote_session *s)
{
    uint64_t numbers[3] = { 0 };
    if (getrandom(numbers, sizeof numbers, 0) != (ssize_t) sizeof numbers)
        return om_fail(s->c->ctx, OM_EIO, NULL, "cannot get random numbers from the system");
    (void) snprintf(s->label, sizeof s->label, "%s %016" PRIx64, s->names.there, numbers[0]);
    (void) snprintf(s->key, sizeof s->key, "%016" PRIx64 "%016" PRIx64, numbers[1], numbers[2]);
    return OM_OK;
}

bool remote_id_of(const json_t *object, int64_t *out)
{
    uint64_t id = 0;
    bool ok = remote_count(object, "id", &id) && id > 0 && id <= INT64_MAX;
    *out = ok ? (int64_t) id : 0;
    return ok;
}

/* Searches for the job after the answer to the submission was lost, on a server without keys. */
static int look_for(remote_session *s, remote_outcome lost)
{
    remote_answer a = { .status = 0 };
    char path[320];
    const char *number = strrchr(s->label, ' ') + 1;
    (void) snprintf(path, sizeof path, "/v1/jobs?label=%.200s%%20%s", s->names.there, number);
    int rc = transport(s, lost);
    for (unsigned i = 0; i < 4 && s->id == 0; i++) {
        remote_http_pause(s->http, remote_pause_of(i));
        if (remote_http_ask(s->http, "GET", path, &a) != REMOTE_ANSWERED || a.status != 200)
            continue;
        json_t *page = remote_object(a.body.text == NULL ? "" : a.body.text, a.body.length);
        (void) remote_id_of(json_array_get(json_object_get(page, "jobs"), 0), &s->id);
        json_decref(page);
    }
    om_text_free(&a.body);
    if (s->id == 0)
        return rc;
    om_context_clear(s->c->ctx);
    return OM_OK;
}

static int take_id(remote_session *s, const remote_answer *a)
{
    json_t *accepted = remote_object(a->body.text == NULL ? "" : a->body.text, a->body.length);
    bool ok = remote_id_of(accepted, &s->id);
    json_decref(accepted);
    return ok ? OM_OK
              : om_fail(s->c->ctx, OM_EINTERNAL, NULL,
                    "%s accepted the job but did not return its number", s->names.server);
}

/* Returns true if the server may have stored the submission although no answer confirms it. Gateway
 * errors (502, 504) leave that open, too. */
static bool is_open(remote_outcome outcome, long status)
{
    return outcome == REMOTE_BROKEN ||
           (outcome == REMOTE_ANSWERED && (status == 502 || status == 504));
}

/* Returns true if the submission is sent again. `open`: the server may have stored it. Then the
 * outcome is determined even after an interruption, because the job must be cancelled. */
static bool sent_again(
    const remote_session *s, bool open, remote_outcome outcome, const remote_answer *a)
{
    if (open && s->keyed)
        return is_open(outcome, a->status) || outcome == REMOTE_UNREACHABLE ||
               (outcome == REMOTE_ANSWERED && (a->status == 503 || a->status == 429));
    return outcome == REMOTE_ANSWERED && a->status == 429 && !remote_http_interrupted(s->http);
}

static int send_job(remote_session *s, const om_text *body)
{
    remote_answer a = { .status = 0 };
    remote_outcome outcome = REMOTE_BROKEN;
    bool open = false;
    int rc;
    for (unsigned i = 0; i < REMOTE_TRIES; i++) {
        outcome = remote_http_post(s->http, "/v1/jobs", body->text, body->length, s->key, &a);
        open = open || is_open(outcome, a.status);
        if (!sent_again(s, open, outcome, &a))
            break;
        remote_http_pause(s->http, remote_pause_of(i));
    }
    if (outcome == REMOTE_ANSWERED && a.status == 201)
        rc = take_id(s, &a);
    else if (outcome == REMOTE_BROKEN && !s->keyed)
        rc = look_for(s, outcome);
    else
        rc = remote_refused(s, outcome, &a);
    om_text_free(&a.body);
    return rc;
}

/* Returns true if the text has a line "#include ...". */
static bool includes_files(const char *text)
{
    static const char blanks[] = " \t";
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *at = line + strspn(line, blanks);
        if (*at == '#' && strncmp(at + 1 + strspn(at + 1, blanks), "include", 7) == 0)
            return true;
    }
    return false;
}

int remote_vet_text(cli *c, const char *language, const char *text)
{
    const om_plugin *plugin = NULL;
    int rc = cli_open_registry(c);
    if (rc == OM_OK &&
        om_registry_find(c->registry, OM_PLUGIN_FRONTEND, language, &plugin) != OM_OK) {
        om_context_clear(c->ctx); /* the server may have the front end */
        return OM_OK;
    }
    const om_frontend *f = (const om_frontend *) (const void *) plugin;
    if (rc == OM_OK && (f->flags & OM_FRONTEND_PREPROCESSED) != 0 && includes_files(text))
        rc = om_fail(c->ctx, OM_EUSAGE, NULL,
            "%s includes other files: a server accepts only a single file", c->set.positionals[0]);
    return rc;
}

/* Determines the front end of the server as it is done locally: by option, name or text. */
int remote_language(cli *c, const char *frontend, const char *text, size_t length, const char **out)
{
    const om_frontend *f = NULL;
    if (frontend != NULL) {
        *out = frontend;
        return strchr(*out, ':') == NULL
                   ? OM_OK
                   : om_fail(c->ctx, OM_EUSAGE, NULL,
                         "options of a front end cannot be sent to a server: '%s'", *out);
    }
    int rc = cli_open_registry(c);
    if (rc == OM_OK)
        rc = om_frontend_pick(c->ctx, c->registry, c->set.positionals[0], text, length, &f);
    if (rc == OM_OK)
        *out = f->head.name;
    return rc;
}

int remote_submit(remote_session *s)
{
    om_text body = { .heap = s->c->heap };
    int rc = make_label(s);
    if (rc == OM_OK)
        rc = remote_request_make(
            s->c, s->set, s->language, s->output.source, s->length, s->label, &body);
    if (rc == OM_OK)
        rc = greet(s);
    if (rc == OM_OK)
        rc = send_job(s, &body);
    om_text_free(&body);
    return rc;
}
