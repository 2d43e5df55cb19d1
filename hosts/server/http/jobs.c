/* SPDX-License-Identifier: Apache-2.0 */
/* Reads jobs: GET /v1/jobs and paths below it, except for events and counterexamples. */
#include "server.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAGE = 100, MOST_ON_PAGE = 1000 };

/* ---- a job as JSON ---- */

/* "2026-11-23T15:04:05.678Z" */
static json_t *time_json(sqlite3_stmt *s, int column)
{
    char text[64];
    struct tm parts;
    int64_t ms = sqlite3_column_int64(s, column);
    time_t seconds = (time_t) (ms / 1000);
    if (sqlite3_column_type(s, column) == SQLITE_NULL || gmtime_r(&seconds, &parts) == NULL)
        return json_null();
    size_t n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    (void) snprintf(text + n, sizeof text - n, ".%03dZ", (int) (ms % 1000));
    return json_string(text);
}

static json_t *text_json(sqlite3_stmt *s, int column)
{
    const char *text = (const char *) sqlite3_column_text(s, column);
    return text == NULL ? json_null() : json_string(text);
}

/* Returns a column that holds JSON; JSON null if it is empty. */
json_t *column_json(sqlite3_stmt *s, int column)
{
    const char *text = (const char *) sqlite3_column_text(s, column);
    json_t *value = text == NULL ? NULL : json_loads(text, JSON_DECODE_ANY, NULL);
    return value == NULL ? json_null() : value;
}

/* The columns are those of SQL_JOB. */
static json_t *job_json(sqlite3_stmt *s)
{
    json_t *request = column_json(s, 9);
    json_t *made = json_pack("{s:I, s:s, s:o, s:o, s:o, s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o}",
        "id", (json_int_t) sqlite3_column_int64(s, 0), "state",
        omend_state_name((omend_state) sqlite3_column_int(s, 7)), "created", time_json(s, 1),
        "started", time_json(s, 2), "ended", time_json(s, 3), "token",
        (const char *) sqlite3_column_text(s, 4), "label", (const char *) sqlite3_column_text(s, 5),
        "priority", sqlite3_column_int(s, 6), "attempt", sqlite3_column_int(s, 8), "verdict",
        text_json(s, 10), "error", column_json(s, 11), "placed", column_json(s, 12), "taken",
        column_json(s, 13));
    if (made != NULL && json_object_update_new(made, request) == 0)
        return made;
    json_decref(made);
    return NULL;
}

/* Returns the job's row, ready to be read; NULL after it has answered with an error. */
sqlite3_stmt *request_job(omend_request *r)
{
    sqlite3_stmt *s = connection_bind(request_database(r), SQL_JOB, "i", r->id);
    const int step = s == NULL ? SQLITE_ERROR : sqlite3_step(s);
    if (step == SQLITE_ROW)
        return s;
    if (step == SQLITE_DONE)
        request_fail(r, OMEND_NOT_FOUND, "there is no job %" PRId64, r->id);
    else
        request_fail(r, OMEND_BROKEN, "cannot read the database");
    return NULL;
}

/* ---- GET ---- */

/* Results are added to the text as they were printed, without being parsed. */
static bool add_results(omend_request *r, om_text *out)
{
    sqlite3_stmt *s = connection_bind(request_database(r), SQL_RESULTS, "i", r->id);
    bool any = false;
    if (s == NULL)
        return false;
    om_text_add(out, ",\"results\":[");
    int step;
    while ((step = sqlite3_step(s)) == SQLITE_ROW) {
        om_text_add(out, any ? "," : "");
        om_text_add_n(
            out, (const char *) sqlite3_column_text(s, 0), (size_t) sqlite3_column_bytes(s, 0));
        any = true;
    }
    (void) sqlite3_reset(s);
    om_text_add(out, "]}");
    return step == SQLITE_DONE;
}

static void answer_job(omend_request *r, unsigned status, json_t *job)
{
    om_text out = { .heap = om_context_heap(r->server->ctx) };
    char *text = job == NULL ? NULL : json_dumps(job, JSON_COMPACT);
    json_decref(job);
    if (text != NULL) {
        om_text_add_n(&out, text, strlen(text) - 1); /* without its "}" */
        if (!add_results(r, &out))
            request_fail(r, OMEND_BROKEN, "cannot read the database");
        else if (!out.failed)
            request_answer_text(r, status, "application/json", out.text, out.length);
    }
    free(text);
    om_text_free(&out);
}

void handle_job(omend_request *r)
{
    char why[256];
    sqlite3_stmt *s = request_job(r);
    if (s == NULL)
        return;
    json_t *job = job_json(s);
    (void) sqlite3_reset(s);
    if (pool_reason(r->server->pool, r->id, why, sizeof why))
        (void) json_object_set_new(job, "waits", json_string(why));
    answer_job(r, MHD_HTTP_OK, job);
}

bool request_number(omend_request *r, const char *name, int64_t dflt, int64_t most, int64_t *out)
{
    const char *text = request_query(r, name);
    char *end;
    *out = dflt;
    if (text == NULL)
        return true;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *out <= most) ||
           problem_set(&r->problem, OMEND_BAD_REQUEST, "", "%s must be a number from 0 to %" PRId64,
               name, most);
}

bool request_flag(omend_request *r, const char *name, bool *out)
{
    const char *text = request_query(r, name);
    *out = text != NULL && strcmp(text, "true") == 0;
    return text == NULL || *out || strcmp(text, "false") == 0 ||
           problem_set(&r->problem, OMEND_BAD_REQUEST, "", "%s must be true or false", name);
}

/* The order decides which parameter begins the next page: `before` or `after`. */
static bool read_order(omend_request *r, bool *newest)
{
    const char *order = request_query(r, "order");
    *newest = order != NULL && strcmp(order, "newest") == 0;
    if (order != NULL && !*newest && strcmp(order, "oldest") != 0)
        return problem_set(&r->problem, OMEND_BAD_REQUEST, "", "order must be oldest or newest");
    const char *other = *newest ? "after" : "before";
    return request_query(r, other) == NULL ||
           problem_set(&r->problem, OMEND_BAD_REQUEST, "", "%s needs order=%s", other,
               *newest ? "oldest" : "newest");
}

static bool bind_filters(omend_request *r, sqlite3_stmt *s, int64_t from, int64_t limit)
{
    const char *state = request_query(r, "state"), *label = request_query(r, "label");
    if (state != NULL && om_state_of(state) == OM_STATES)
        return problem_set(&r->problem, OMEND_BAD_REQUEST, "",
            "state must be queued, running, done, failed or cancelled, not '%.64s'", state);
    bool ok =
        sqlite3_bind_int64(s, 1, from) == SQLITE_OK &&
        (state == NULL || sqlite3_bind_int(s, 2, (int) om_state_of(state)) == SQLITE_OK) &&
        (label == NULL || sqlite3_bind_text(s, 3, label, -1, SQLITE_TRANSIENT) == SQLITE_OK) &&
        sqlite3_bind_int64(s, 4, limit + 1) == SQLITE_OK;
    return ok || problem_set(&r->problem, OMEND_BROKEN, "", "cannot read the database");
}

/* Reads one job more than the page has, which tells whether there is another page. */
void handle_list(omend_request *r)
{
    bool newest;
    if (!read_order(r, &newest)) {
        request_answer_problem(r);
        return;
    }
    omend_connection *c = request_database(r);
    sqlite3_stmt *s = c == NULL ? NULL : connection_get(c, newest ? SQL_JOBS_NEWEST : SQL_JOBS);
    int64_t from, limit, last = 0;
    if (s == NULL) {
        request_fail(r, OMEND_BROKEN, "cannot read the database");
        return;
    }
    if (!request_number(r, newest ? "before" : "after", newest ? INT64_MAX : 0, INT64_MAX, &from) ||
        !request_number(r, "limit", PAGE, MOST_ON_PAGE, &limit) ||
        !bind_filters(r, s, from, limit)) {
        request_answer_problem(r);
        return;
    }
    json_t *jobs = json_array();
    bool more = false;
    int step = SQLITE_ROW;
    while (!more && (step = sqlite3_step(s)) == SQLITE_ROW) {
        more = (int64_t) json_array_size(jobs) == limit;
        assert((int64_t) json_array_size(jobs) <= limit);
        if (!more) {
            last = sqlite3_column_int64(s, 0);
            (void) json_array_append_new(jobs, job_json(s));
        }
    }
    (void) sqlite3_reset(s);
    if (step != SQLITE_ROW && step != SQLITE_DONE) {
        json_decref(jobs);
        request_fail(r, OMEND_BROKEN, "cannot read the database");
        return;
    }
    request_answer_json(r, MHD_HTTP_OK,
        json_pack("{s:o, s:o}", "jobs", jobs, "next",
            more ? json_integer((json_int_t) last) : json_null()));
}

void handle_model(omend_request *r)
{
    sqlite3_stmt *s = connection_bind(request_database(r), SQL_MODEL, "i", r->id);
    if (s == NULL) {
        request_fail(r, OMEND_BROKEN, "cannot read the database");
        return;
    }
    if (sqlite3_step(s) == SQLITE_ROW)
        request_answer_json(r, MHD_HTTP_OK,
            json_pack(
                "{s:s%}", "model", sqlite3_column_blob(s, 0), (size_t) sqlite3_column_bytes(s, 0)));
    else
        request_fail(r, OMEND_NOT_FOUND, "there is no job %" PRId64, r->id);
    (void) sqlite3_reset(s);
}
