/* SPDX-License-Identifier: Apache-2.0 */
/* Changes jobs: submission, cancellation, removal, retry. Everything that is answered is on the
 * disk. */
#include "clock.h"
#include "keys.h"
#include "server.h"
#include "jobs/submission.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- submission ---- */

/* A submission on its way to the disk. */
typedef struct submitting {
    om_write write;
    omend_request *request;
    omend_submission submission;
    om_key key;
    omend_key_found found; /* state of the key in the database */
    omend_live *job;       /* owned by the pool as soon as it is on the disk */
    char *text;            /* the request as JSON */
    int64_t id, created_ms;
    omend_state state;
    bool done, over_quota;
} submitting;

static const char *token_name(const omend_request *r)
{
    return r->token == NULL ? "" : r->token->name;
}

/* Called by the writer, which sees all earlier changes. */
static bool within_quota(const submitting *self, omend_connection *c, int64_t bytes)
{
    const omend_request *r = self->request;
    uint64_t most = settings_now(&r->server->settings)->disk_bytes;
    uint64_t own = r->token == NULL ? 0 : r->token->disk_bytes;
    sqlite3_stmt *s =
        most == 0 && own == 0 ? NULL : connection_bind(c, SQL_USAGE, "t", token_name(r));
    if (!connection_row(s))
        return true;
    uint64_t used = (uint64_t) sqlite3_column_int64(s, 0) + (uint64_t) bytes;
    uint64_t all = (uint64_t) sqlite3_column_int64(s, 1) + (uint64_t) bytes;
    (void) sqlite3_reset(s);
    return (own == 0 || used <= own) && (most == 0 || all <= most);
}

static bool insert_job(submitting *self, omend_connection *c, int64_t bytes)
{
    const omend_submission *sub = &self->submission;
    if (!connection_do(connection_bind(c, SQL_INSERT_JOB, "ittiti", self->created_ms,
            token_name(self->request), sub->label, (int64_t) sub->priority, self->text, bytes)))
        return false;
    self->id = sqlite3_last_insert_rowid(c->db);
    return connection_do(connection_bind(c, SQL_INSERT_MODEL, "ib", self->id,
        json_string_value(sub->model), json_string_length(sub->model)));
}

/* A known key makes no second job, even if quota or limits have changed meanwhile. */
static bool apply_insert(om_write *w, omend_connection *c)
{
    submitting *self = (submitting *) (void *) w;
    assert(self->job != NULL && self->request->suspended);
    const char *token = token_name(self->request);
    const int64_t bytes =
        (int64_t) (json_string_length(self->submission.model) + strlen(self->text));
    self->found = key_find(c, token, &self->key, &self->id, &self->state);
    if (self->found != OMEND_KEY_NEW)
        return self->found != OMEND_KEY_FAILED;
    self->over_quota = !within_quota(self, c, bytes);
    return !self->over_quota && insert_job(self, c, bytes) &&
           key_put(c, token, &self->key, self->id);
}

/* Called by the writer. The job enters the pool here and not with the answer: the client may be
 * gone. */
static void inserted(om_write *w, bool done)
{
    submitting *self = (submitting *) (void *) w;
    omend_request *r = self->request;
    self->done = done;
    if (done && self->found == OMEND_KEY_NEW) {
        assert(self->id > 0 && self->job->attempt == 0);
        self->job->id = self->id;
        pool_enter(r->server->pool, self->job);
        self->job = NULL;
        atomic_fetch_add_explicit(&r->server->counts.accepted, 1, memory_order_relaxed);
    }
    request_resume(r);
}

static void free_submitting(void *state)
{
    submitting *self = state;
    pool_drop(self->request->server->pool, self->job);
    submission_free(&self->submission);
    free(self->text);
    free(self);
}

static void answer_accepted(omend_request *r, const submitting *self)
{
    char location[64];
    const bool again = self->found == OMEND_KEY_KNOWN;
    assert(self->job == NULL || again); /* a new job belongs to the pool */
    request_answer_json(r, MHD_HTTP_CREATED,
        json_pack("{s:I, s:s}", "id", (json_int_t) self->id, "state",
            omend_state_name(again ? self->state : OMEND_QUEUED)));
    (void) snprintf(location, sizeof location, "/v1/jobs/%" PRId64, self->id);
    if (r->response != NULL)
        (void) MHD_add_response_header(r->response, MHD_HTTP_HEADER_LOCATION, location);
    if (r->response != NULL && again)
        (void) MHD_add_response_header(r->response, "Idempotent-Replayed", "true");
}

/* The submission is on the disk, or was refused. */
static void answer_submitted(omend_request *r)
{
    const submitting *self = r->state;
    if (self->over_quota)
        request_fail(r, OMEND_OVER_QUOTA,
            "jobs use more disk space than the configuration allows "
            "(DELETE /v1/jobs/ID?remove=true frees space)");
    else if (!self->done)
        request_fail_unwritten(r, "the job");
    else if (self->found == OMEND_KEY_OTHER)
        request_fail(r, OMEND_KEY_REUSED,
            "the Idempotency-Key '%s' submitted job %" PRId64 " with other content", self->key.text,
            self->id);
    else if (self->found == OMEND_KEY_GONE)
        request_fail(r, OMEND_CONFLICT,
            "the Idempotency-Key '%s' submitted job %" PRId64 ", which has since been removed",
            self->key.text, self->id);
    else
        answer_accepted(r, self);
}

static bool can_read(omend_request *r, const omend_submission *s)
{
    const char *language = json_string_value(json_object_get(s->request, "language"));
    return machine_reads(r->server->machine, language) ||
           problem_set(&r->problem, OMEND_BAD_MODEL, "/language",
               "no front end reads '%s' (GET /v1/plugins lists them)", language);
}

/* Does everything that can fail before the row is written. The pool's thread gets the request for
 * itself (jansson's reference counts are not atomic): the form, which shares strings with it, is
 * freed. */
static bool prepare(omend_request *r, submitting *self)
{
    omend_submission *sub = &self->submission;
    self->text = json_dumps(sub->request, JSON_COMPACT);
    if (self->text == NULL || !key_print(&self->key, sub))
        return problem_set(&r->problem, OMEND_UNAVAILABLE, "", "out of memory");
    json_decref(r->form);
    r->form = NULL;
    const omend_live job = {
        .created_ms = self->created_ms, .priority = sub->priority, .request = sub->request
    };
    sub->request = NULL;
    self->job = pool_prepare(r->server->pool, &job, token_name(r));
    return self->job != NULL || problem_set(&r->problem, OMEND_UNAVAILABLE, "", "out of memory");
}

static bool read_submission(omend_request *r, submitting *self)
{
    const omend_config *config = settings_now(&r->server->settings);
    json_t *body = request_json(r);
    const bool ok = body != NULL && key_read(r, &self->key) &&
                    submission_read(&self->submission, config, body, &r->problem) &&
                    can_read(r, &self->submission);
    json_decref(body);
    return ok && prepare(r, self);
}

void handle_submit(omend_request *r)
{
    if (atomic_load(&r->server->draining)) {
        request_fail(r, OMEND_UNAVAILABLE, "omend is shutting down");
        return;
    }
    submitting *self = calloc(1, sizeof *self);
    if (self == NULL)
        return;
    r->state = self;
    r->free_state = free_submitting;
    self->write = (om_write){ apply_insert, inserted, NULL };
    self->request = r;
    self->created_ms = clock_ms(CLOCK_REALTIME);
    if (!read_submission(r, self)) {
        atomic_fetch_add_explicit(&r->server->counts.rejected, 1, memory_order_relaxed);
        request_answer_problem(r);
        return;
    }
    request_suspend(r, answer_submitted);
    writer_submit(r->server->writer, &self->write);
}

/* ---- cancellation and removal ---- */

/* A job may be changed by its token, or by an administrator. */
static bool may_change(omend_request *r, sqlite3_stmt *s)
{
    const char *owner = (const char *) sqlite3_column_text(s, 4);
    return r->token == NULL || r->token->role == OMEND_ROLE_ADMIN ||
           (owner != NULL && strcmp(owner, r->token->name) == 0) ||
           problem_set(
               &r->problem, OMEND_FORBIDDEN, "", "job %" PRId64 " belongs to another token", r->id);
}

/* If the pool did not have the job, it has ended meanwhile, or nothing can be written any more. */
static void answer_deleted(omend_request *r)
{
    sqlite3_stmt *s = r->done ? NULL : request_job(r);
    if (!r->done && s == NULL)
        return;
    const omend_state state = s == NULL ? OMEND_CANCELLED : (omend_state) sqlite3_column_int(s, 7);
    if (s != NULL)
        (void) sqlite3_reset(s);
    if (r->done)
        handle_job(r);
    else if (state == OMEND_QUEUED || state == OMEND_RUNNING)
        request_fail(r, OMEND_UNAVAILABLE,
            "job %" PRId64 " cannot be cancelled at the moment: try again", r->id);
    else
        request_fail(
            r, OMEND_CONFLICT, "job %" PRId64 " is already %s", r->id, omend_state_name(state));
}

static void job_ended(void *self, bool done)
{
    omend_request *r = self;
    assert(r->suspended && !r->answered);
    r->done = done;
    request_resume(r);
}

/* A job that is removed from the disk: its row first, then its folder. */
typedef struct removing {
    om_write write;
    om_removal removal;
    omend_request *request;
    bool done, refused;
} removing;

static bool apply_remove(om_write *w, omend_connection *c)
{
    removing *self = (removing *) (void *) w;
    if (!connection_do(connection_bind(c, SQL_REMOVE, "i", self->request->id)))
        return false;
    self->refused = sqlite3_changes(c->db) != 1;
    return !self->refused;
}

static void folder_removed(om_removal *removal)
{
    removing *self = (removing *) (void *) ((char *) removal - offsetof(removing, removal));
    request_resume(self->request);
}

/* Called by the writer: the folder is removed even if the client is gone. */
static void removed(om_write *w, bool done)
{
    removing *self = (removing *) (void *) w;
    omend_request *r = self->request;
    self->done = done;
    self->removal = (om_removal){ .id = r->id, .removed = folder_removed };
    if (done)
        pool_remove(r->server->pool, &self->removal);
    else
        request_resume(r);
}

static void answer_removed(omend_request *r)
{
    const removing *self = r->state;
    if (self->done)
        request_answer_text(r, MHD_HTTP_NO_CONTENT, "application/json", "", 0);
    else if (self->refused)
        request_fail(
            r, OMEND_CONFLICT, "job %" PRId64 " has not ended, or has been removed", r->id);
    else
        request_fail_unwritten(r, "the removal");
}

static void remove_job(omend_request *r)
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

/* A job that has ended stays unchanged, unless it is to be removed. */
void handle_delete(omend_request *r)
{
    bool remove;
    if (!request_flag(r, "remove", &remove)) {
        request_answer_problem(r);
        return;
    }
    sqlite3_stmt *s = request_job(r);
    if (s == NULL)
        return;
    omend_state state = (omend_state) sqlite3_column_int(s, 7);
    bool may = may_change(r, s);
    (void) sqlite3_reset(s);
    if (!may) {
        request_answer_problem(r);
    } else if (remove) {
        remove_job(r);
    } else if (state != OMEND_QUEUED && state != OMEND_RUNNING) {
        request_fail(
            r, OMEND_CONFLICT, "job %" PRId64 " is already %s", r->id, omend_state_name(state));
    } else if (writer_trouble(r->server->writer) != NULL) {
        request_fail_unwritten(r, "the end of the job");
    } else {
        request_suspend(r, answer_deleted);
        pool_cancel(r->server->pool, r->id, job_ended, r);
    }
}

/* ---- retry ---- */

/* A job that is queued again. */
typedef struct retrying {
    om_write write;
    omend_request *request;
    omend_live *job; /* owned by the pool as soon as it is on the disk */
    bool done, refused;
} retrying;

static bool apply_retry(om_write *w, omend_connection *c)
{
    retrying *self = (retrying *) (void *) w;
    sqlite3_stmt *s = connection_bind(c, SQL_RETRY, "i", self->job->id);
    const int step = s == NULL ? SQLITE_ERROR : sqlite3_step(s);
    self->refused = step == SQLITE_DONE;
    if (step != SQLITE_ROW)
        return false;
    self->job->attempt = self->job->retried = sqlite3_column_int(s, 0);
    if (sqlite3_step(s) != SQLITE_DONE)
        return false;
    return connection_do(connection_bind(c, SQL_DELETE_RESULTS, "i", self->job->id));
}

/* Called by the writer, like inserted(). */
static void retried(om_write *w, bool done)
{
    retrying *self = (retrying *) (void *) w;
    omend_request *r = self->request;
    self->done = done;
    if (done) {
        assert(self->job->attempt == self->job->retried);
        pool_enter(r->server->pool, self->job);
        self->job = NULL;
    }
    request_resume(r);
}

static void answer_retried(omend_request *r)
{
    const retrying *self = r->state;
    if (self->done)
        handle_job(r);
    else if (self->refused)
        request_fail(r, OMEND_CONFLICT, "job %" PRId64 " has not ended", r->id);
    else
        request_fail_unwritten(r, "the job");
}

static void free_retrying(void *state)
{
    retrying *self = state;
    pool_drop(self->request->server->pool, self->job);
    free(self);
}

/* Returns the job for the pool, from its row; NULL with the problem set. */
static omend_live *prepare_retry(omend_request *r, sqlite3_stmt *s)
{
    if (!may_change(r, s))
        return NULL;
    const char *token = (const char *) sqlite3_column_text(s, 4);
    const omend_live job = { .id = r->id,
        .created_ms = sqlite3_column_int64(s, 1),
        .priority = sqlite3_column_int(s, 6),
        .request = column_json(s, 9) };
    omend_live *made = pool_prepare(r->server->pool, &job, token == NULL ? "" : token);
    if (made == NULL)
        (void) problem_set(&r->problem, OMEND_UNAVAILABLE, "", "out of memory");
    return made;
}

void handle_retry(omend_request *r)
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
    self->write = (om_write){ apply_retry, retried, NULL };
    self->request = r;
    self->job = prepare_retry(r, s);
    (void) sqlite3_reset(s);
    if (self->job == NULL) {
        request_answer_problem(r);
        return;
    }
    request_suspend(r, answer_retried);
    writer_submit(r->server->writer, &self->write);
}
