/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs as they are changed: submitted, cancelled, removed, tried again. What is answered is on the
 * disk. */
#include "clock.h"
#include "server.h"
#include "submission.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- submitted ---- */

/* A submission on its way to the disk. */
typedef struct submitting {
    om_write write;
    om_request *request;
    om_submission submission;
    char *text; /* of the request member */
    int64_t id, created_ms;
    bool done, over_quota;
} submitting;

static const char *token_name(const om_request *r)
{
    return r->token == NULL ? "" : r->token->name;
}

/* By the writer, which sees all that came before. */
static bool within_quota(const submitting *self, om_connection *c, int64_t bytes)
{
    const om_request *r = self->request;
    uint64_t most = settings_now(&r->server->settings)->disk_bytes;
    uint64_t own = r->token == NULL ? 0 : r->token->disk_bytes;
    sqlite3_stmt *s = most == 0 && own == 0 ? NULL : connection_get(c, SQL_USAGE);
    if (s == NULL || sqlite3_bind_text(s, 1, token_name(r), -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_step(s) != SQLITE_ROW)
        return true;
    uint64_t used = (uint64_t) sqlite3_column_int64(s, 0) + (uint64_t) bytes;
    uint64_t all = (uint64_t) sqlite3_column_int64(s, 1) + (uint64_t) bytes;
    (void) sqlite3_reset(s);
    return (own == 0 || used <= own) && (most == 0 || all <= most);
}

static bool apply_insert(om_write *w, om_connection *c)
{
    submitting *self = (submitting *) (void *) w;
    const om_submission *sub = &self->submission;
    int64_t bytes = (int64_t) (json_string_length(sub->model) + strlen(self->text));
    self->over_quota = !within_quota(self, c, bytes);
    sqlite3_stmt *s = self->over_quota ? NULL : connection_get(c, SQL_INSERT_JOB);
    bool ok = s != NULL && sqlite3_bind_int64(s, 1, self->created_ms) == SQLITE_OK &&
              sqlite3_bind_text(s, 2, token_name(self->request), -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_text(s, 3, sub->label, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_int(s, 4, sub->priority) == SQLITE_OK &&
              sqlite3_bind_text(s, 5, self->text, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_int64(s, 6, bytes) == SQLITE_OK && connection_do(s);
    if (!ok)
        return false;
    self->id = sqlite3_last_insert_rowid(c->db);
    s = connection_get(c, SQL_INSERT_MODEL);
    return s != NULL && sqlite3_bind_int64(s, 1, self->id) == SQLITE_OK &&
           sqlite3_bind_blob(s, 2, json_string_value(sub->model),
               (int) json_string_length(sub->model), SQLITE_STATIC) == SQLITE_OK &&
           connection_do(s);
}

static void inserted(om_write *w, bool done)
{
    submitting *self = (submitting *) (void *) w;
    om_request *r = self->request;
    self->done = done;
    request_resume(r);
}

static void free_submitting(void *state)
{
    submitting *self = state;
    submission_free(&self->submission);
    free(self->text);
    free(self);
}

/* It is on the disk: it may be told. */
static void answer_submitted(om_request *r)
{
    submitting *self = r->state;
    char location[64];
    if (self->over_quota) {
        request_fail(r, OM_OVER_QUOTA,
            "jobs take more room on the disk than the configuration allows "
            "(DELETE /v1/jobs/ID?remove=true makes room)");
        return;
    }
    if (!self->done) {
        request_fail(r, OM_UNAVAILABLE, "the job could not be written to the disk");
        return;
    }
    const om_live job = { .id = self->id,
        .created_ms = self->created_ms,
        .priority = self->submission.priority,
        .request = self->submission.request };
    /* The pool's thread has it for itself: jansson's counts of references are not for two threads
     * at once. */
    self->submission.request = NULL;
    submission_free(&self->submission);
    json_decref(r->form);
    r->form = NULL;
    (void) pool_add(r->server->pool, &job, token_name(r));
    atomic_fetch_add_explicit(&r->server->counts.accepted, 1, memory_order_relaxed);
    request_answer_json(r, MHD_HTTP_CREATED,
        json_pack("{s:I, s:s}", "id", (json_int_t) self->id, "state", "queued"));
    (void) snprintf(location, sizeof location, "/v1/jobs/%" PRId64, self->id);
    if (r->response != NULL)
        (void) MHD_add_response_header(r->response, MHD_HTTP_HEADER_LOCATION, location);
}

static bool can_read(om_request *r, const om_submission *s)
{
    const char *language = json_string_value(json_object_get(s->request, "language"));
    return machine_reads(r->server->machine, language) ||
           problem_set(&r->problem, OM_BAD_MODEL, "/language",
               "no front end reads '%s' (GET /v1/plugins lists them)", language);
}

void handle_submit(om_request *r)
{
    if (atomic_load(&r->server->draining)) {
        request_fail(r, OM_UNAVAILABLE, "omend is ending");
        return;
    }
    json_t *body = request_json(r);
    submitting *self = body == NULL ? NULL : calloc(1, sizeof *self);
    if (self != NULL) {
        r->state = self;
        r->free_state = free_submitting;
        self->write = (om_write){ apply_insert, inserted, NULL };
        self->request = r;
        self->created_ms = clock_ms(CLOCK_REALTIME);
        if (submission_read(
                &self->submission, settings_now(&r->server->settings), body, &r->problem) &&
            can_read(r, &self->submission))
            self->text = json_dumps(self->submission.request, JSON_COMPACT);
    }
    json_decref(body);
    if (self == NULL || self->text == NULL) {
        atomic_fetch_add_explicit(&r->server->counts.rejected, 1, memory_order_relaxed);
        request_answer_problem(r);
        return;
    }
    request_suspend(r, answer_submitted);
    writer_submit(r->server->writer, &self->write);
}

/* ---- cancelled, removed ---- */

/* A job is its token's, or an administrator's. */
static bool may_change(om_request *r, sqlite3_stmt *s)
{
    const char *owner = (const char *) sqlite3_column_text(s, 4);
    return r->token == NULL || r->token->role == OM_ROLE_ADMIN ||
           (owner != NULL && strcmp(owner, r->token->name) == 0) ||
           problem_set(&r->problem, OM_FORBIDDEN, "", "job %" PRId64 " is another token's", r->id);
}

static void answer_deleted(om_request *r)
{
    handle_job(r);
}

static void job_ended(void *self, bool done)
{
    (void) done;
    request_resume(self);
}

/* A job that is taken off the disk. */
typedef struct removing {
    om_write write;
    om_request *request;
    bool done;
} removing;

static bool apply_remove(om_write *w, om_connection *c)
{
    const removing *self = (const removing *) (const void *) w;
    sqlite3_stmt *s = connection_get(c, SQL_REMOVE);
    return s != NULL && sqlite3_bind_int64(s, 1, self->request->id) == SQLITE_OK &&
           connection_do(s) && sqlite3_changes(c->db) == 1;
}

static void removed(om_write *w, bool done)
{
    removing *self = (removing *) (void *) w;
    self->done = done;
    request_resume(self->request);
}

static void answer_removed(om_request *r)
{
    const removing *self = r->state;
    if (!self->done) {
        request_fail(r, OM_CONFLICT, "job %" PRId64 " has not ended, or is gone", r->id);
        return;
    }
    pool_remove_folder(settings_now(&r->server->settings), r->id);
    request_answer_text(r, MHD_HTTP_NO_CONTENT, "application/json", "", 0);
}

static void remove_job(om_request *r)
{
    removing *self = calloc(1, sizeof *self);
    if (self == NULL)
        return;
    self->write = (om_write){ apply_remove, removed, NULL };
    self->request = r;
    r->state = self;
    r->free_state = free;
    request_suspend(r, answer_removed);
    writer_submit(r->server->writer, &self->write);
}

/* A job that has ended stays as it is, unless it is to be removed. */
void handle_delete(om_request *r)
{
    const char *remove = request_query(r, "remove");
    sqlite3_stmt *s = request_job(r);
    if (s == NULL)
        return;
    om_state state = (om_state) sqlite3_column_int(s, 7);
    bool may = may_change(r, s);
    (void) sqlite3_reset(s);
    if (!may) {
        request_answer_problem(r);
    } else if (remove != NULL && strcmp(remove, "true") == 0) {
        remove_job(r);
    } else if (state != OM_QUEUED && state != OM_RUNNING) {
        request_fail(r, OM_CONFLICT, "job %" PRId64 " is %s already", r->id, om_state_name(state));
    } else {
        request_suspend(r, answer_deleted);
        pool_cancel(r->server->pool, r->id, job_ended, r);
    }
}

/* ---- tried again ---- */

/* A job that is queued again. */
typedef struct retrying {
    om_write write;
    om_request *request;
    om_live job;
    char *token;
    bool done;
} retrying;

static bool apply_retry(om_write *w, om_connection *c)
{
    retrying *self = (retrying *) (void *) w;
    sqlite3_stmt *s = connection_get(c, SQL_RETRY);
    if (s == NULL || sqlite3_bind_int64(s, 1, self->job.id) != SQLITE_OK ||
        sqlite3_step(s) != SQLITE_ROW)
        return false;
    self->job.attempt = self->job.retried = sqlite3_column_int(s, 0);
    if (sqlite3_step(s) != SQLITE_DONE)
        return false;
    s = connection_get(c, SQL_DELETE_RESULTS);
    return s != NULL && sqlite3_bind_int64(s, 1, self->job.id) == SQLITE_OK && connection_do(s);
}

static void retried(om_write *w, bool done)
{
    retrying *self = (retrying *) (void *) w;
    om_request *r = self->request;
    self->done = done;
    request_resume(r);
}

static void answer_retried(om_request *r)
{
    retrying *self = r->state;
    if (!self->done) {
        request_fail(r, OM_CONFLICT, "job %" PRId64 " has not ended", r->id);
        return;
    }
    (void) pool_add(r->server->pool, &self->job, self->token);
    self->job.request = NULL; /* it is the pool's */
    handle_job(r);
}

static void free_retrying(void *state)
{
    retrying *self = state;
    json_decref(self->job.request);
    free(self->token);
    free(self);
}

void handle_retry(om_request *r)
{
    sqlite3_stmt *s = request_job(r);
    retrying *self = s == NULL ? NULL : calloc(1, sizeof *self);
    if (self == NULL) {
        if (s != NULL)
            (void) sqlite3_reset(s);
        return;
    }
    r->state = self;
    r->free_state = free_retrying;
    bool may = may_change(r, s);
    const char *token = (const char *) sqlite3_column_text(s, 4);
    self->write = (om_write){ apply_retry, retried, NULL };
    self->request = r;
    self->job = (om_live){ .id = r->id,
        .created_ms = sqlite3_column_int64(s, 1),
        .priority = sqlite3_column_int(s, 6),
        .request = column_json(s, 9) };
    self->token = strdup(token == NULL ? "" : token);
    (void) sqlite3_reset(s);
    if (self->token == NULL)
        return;
    if (!may) {
        request_answer_problem(r);
        return;
    }
    request_suspend(r, answer_retried);
    writer_submit(r->server->writer, &self->write);
}
