/* SPDX-License-Identifier: Apache-2.0 */
/* Counterexamples of a job, in any format that omen writes. */
#include "server.h"

#include "jobs/renderer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A counterexample that a browser shows by itself has no origin: whatever a job put into it, it
 * cannot send requests to omend with the rights of the user who looks at it. An HTML page also has
 * a policy of its own. */
#define ALONE "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"

typedef struct format {
    const char *name; /* after "lasso." */
    const char *type, *policy;
} format;

static const format formats[] = {
    { "json", "application/json", ALONE },
    { "txt", "text/plain; charset=utf-8", ALONE },
    { "html", "text/html; charset=utf-8", "sandbox allow-scripts" },
    { "svg", "image/svg+xml", ALONE },
    { "dot", "text/vnd.graphviz; charset=utf-8", ALONE },
    { "csv", "text/csv; charset=utf-8", ALONE },
    { "trail", "text/plain; charset=utf-8", ALONE },
    { "view", "application/json", ALONE },
};

static const format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strncmp(name, "lasso.", 6) == 0 && strcmp(name + 6, formats[i].name) == 0)
            return &formats[i];
    return NULL;
}

/* ---- from the database ---- */

/* Returns the counterexample of the result with this number, or of the first that has one (number
 * -1); NULL if there is none. */
static json_t *find_lasso(omend_request *r, int64_t number)
{
    sqlite3_stmt *s = connection_bind(request_database(r), SQL_RESULTS, "i", r->id);
    json_t *lasso = NULL;
    for (int64_t at = 0; lasso == NULL && connection_row(s); at++) {
        if (number >= 0 && at != number)
            continue;
        json_t *result = json_loadb((const char *) sqlite3_column_text(s, 0),
            (size_t) sqlite3_column_bytes(s, 0), JSON_ALLOW_NUL, NULL);
        json_t *found = json_object_get(result, "lasso");
        if (json_is_object(found))
            lasso = json_incref(found);
        json_decref(result);
    }
    (void) sqlite3_reset(s);
    return lasso;
}

static char *find_model(omend_request *r, size_t *length)
{
    sqlite3_stmt *s = connection_bind(request_database(r), SQL_MODEL, "i", r->id);
    char *copy = NULL;
    if (connection_row(s)) {
        *length = (size_t) sqlite3_column_bytes(s, 0);
        copy = malloc(*length + 1);
        if (copy != NULL && *length > 0)
            memcpy(copy, sqlite3_column_blob(s, 0), *length);
    }
    (void) sqlite3_reset(s);
    return copy;
}

/* ---- rendering ---- */

typedef struct showing {
    omend_rendering rendering;
    omend_request *request;
    const format *format;
    char *lasso, *model;
    json_t *job; /* the job's request, which owns the names */
} showing;

static void free_showing(void *state)
{
    showing *self = state;
    json_decref(self->job);
    free(self->lasso);
    free(self->model);
    free(self->rendering.text);
    free(self);
}

static void put_policy(omend_request *r, const format *f)
{
    if (r->response != NULL)
        (void) MHD_add_response_header(r->response, "Content-Security-Policy", f->policy);
}

static void answer_shown(omend_request *r)
{
    const showing *self = r->state;
    if (self->rendering.text == NULL) {
        r->problem = self->rendering.problem;
        request_answer_problem(r);
        return;
    }
    request_answer_text(
        r, MHD_HTTP_OK, self->format->type, self->rendering.text, self->rendering.length);
    put_policy(r, self->format);
}

static void rendered(omend_rendering *rendering)
{
    request_resume(((showing *) (void *) rendering)->request);
}

static const char *word_of(const json_t *job, const char *member, const char *otherwise)
{
    const char *word = json_string_value(json_object_get(job, member));
    return word == NULL ? otherwise : word;
}

/* Takes job and lasso over. */
static void show(omend_request *r, const format *f, json_t *job, json_t *lasso)
{
    showing *self = calloc(1, sizeof *self);
    if (self == NULL) {
        json_decref(job);
        json_decref(lasso);
        return; /* the connection is closed */
    }
    r->state = self;
    r->free_state = free_showing;
    self->request = r;
    self->format = f;
    self->job = job;
    self->lasso = json_dumps(lasso, JSON_COMPACT);
    json_decref(lasso);
    self->model = find_model(r, &self->rendering.model_length);
    if (self->lasso == NULL || self->model == NULL) {
        request_fail(r, OMEND_BROKEN, "cannot read the counterexample");
        return;
    }
    self->rendering.lasso = self->lasso;
    self->rendering.lasso_length = strlen(self->lasso);
    self->rendering.model = self->model;
    self->rendering.name = word_of(job, "name", "model");
    self->rendering.language = word_of(job, "language", "dve");
    self->rendering.format = f->name;
    self->rendering.done = rendered;
    request_suspend(r, answer_shown);
    if (!renderer_submit(r->server->renderer, &self->rendering))
        request_resume(r); /* with the problem */
}

void handle_lasso(omend_request *r)
{
    const format *f = find_format(r->name);
    int64_t number = -1;
    if (f == NULL) {
        request_fail(r, OMEND_NOT_FOUND, "no resource at %.200s", r->path);
        return;
    }
    if (!request_number(r, "result", -1, INT32_MAX, &number)) {
        request_answer_problem(r);
        return;
    }
    sqlite3_stmt *s = request_job(r);
    if (s == NULL)
        return;
    json_t *job = column_json(s, 9);
    (void) sqlite3_reset(s);
    json_t *lasso = find_lasso(r, number);
    if (lasso == NULL) {
        json_decref(job);
        if (number < 0)
            request_fail(r, OMEND_NOT_FOUND, "job %" PRId64 " has no counterexample", r->id);
        else
            request_fail(r, OMEND_NOT_FOUND,
                "result %" PRId64 " of job %" PRId64 " has no counterexample", number, r->id);
    } else if (strcmp(f->name, "json") == 0) {
        json_decref(job);
        request_answer_json(r, MHD_HTTP_OK, lasso);
        put_policy(r, f);
    } else {
        show(r, f, job, lasso);
    }
}
