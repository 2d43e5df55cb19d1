/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- answers ---- */

static void set_response(omend_request *r, unsigned status, const char *type, char *text, size_t n)
{
    assert(r->response == NULL && !r->answered); /* one answer for a request */
    r->response = MHD_create_response_from_buffer(n, text, MHD_RESPMEM_MUST_FREE);
    if (r->response == NULL) {
        free(text);
        return;
    }
    r->status = status;
    if (n > 0)
        (void) MHD_add_response_header(r->response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    (void) MHD_add_response_header(r->response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    (void) MHD_add_response_header(r->response, "X-Content-Type-Options", "nosniff");
}

void request_answer_text(
    omend_request *r, unsigned status, const char *type, const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return; /* MHD closes the connection */
    memcpy(copy, text, length);
    set_response(r, status, type, copy, length);
}

static void answer_as(omend_request *r, unsigned status, const char *type, json_t *value)
{
    char *text = value == NULL ? NULL : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    json_decref(value);
    if (text != NULL)
        set_response(r, status, type, text, strlen(text));
}

void request_answer_json(omend_request *r, unsigned status, json_t *value)
{
    answer_as(r, status, "application/json", value);
}

void request_answer_problem(omend_request *r)
{
    if (r->problem.kind == OMEND_NO_PROBLEM)
        (void) problem_set(&r->problem, OMEND_BROKEN, "", "unknown reason");
    assert(problem_status(r->problem.kind) >= 400);
    answer_as(
        r, problem_status(r->problem.kind), "application/problem+json", problem_json(&r->problem));
    if (r->response != NULL && r->problem.kind == OMEND_UNAUTHORIZED)
        (void) MHD_add_response_header(
            r->response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"omend\"");
    if (r->response != NULL &&
        (r->problem.kind == OMEND_TOO_MANY || r->problem.kind == OMEND_UNAVAILABLE))
        (void) MHD_add_response_header(r->response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
}

void request_fail(omend_request *r, omend_problem_kind kind, const char *fmt, ...)
{
    char text[sizeof r->problem.detail];
    va_list args;
    va_start(args, fmt);
    (void) vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    (void) problem_set(&r->problem, kind, "", "%s", text);
    request_answer_problem(r);
}

void request_fail_unwritten(omend_request *r, const char *what)
{
    const char *trouble = writer_trouble(r->server->writer);
    if (trouble == NULL)
        request_fail(r, OMEND_UNAVAILABLE, "cannot write %s to the disk", what);
    else
        request_fail(r, OMEND_UNAVAILABLE, "%s: omend accepts no changes", trouble);
}

/* ---- waiting ---- */

void request_suspend(omend_request *r, omend_handler *then)
{
    assert(!r->suspended && r->response == NULL);
    r->handler = then;
    r->suspended = true;
    MHD_suspend_connection(r->connection);
}

void request_resume(omend_request *r)
{
    MHD_resume_connection(r->connection);
}

/* ---- access to the request ---- */

const char *request_query(const omend_request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
}

json_t *request_json(omend_request *r)
{
    json_error_t error;
    const char *type =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_TYPE);
    if (r->form != NULL)
        return form_end(r);
    if (type != NULL && !strict_is_type(type, "application/json")) {
        (void) problem_set(
            &r->problem, OMEND_BAD_TYPE, "", "send application/json or multipart/form-data");
        return NULL;
    }
    json_t *value =
        json_loadb(r->body == NULL ? "" : r->body, r->length, JSON_REJECT_DUPLICATES, &error);
    if (value == NULL) {
        (void) problem_set(
            &r->problem, OMEND_BAD_REQUEST, "", "the body is not JSON: %s", error.text);
        r->problem.line = error.line > 0 ? (uint32_t) error.line : 0;
        r->problem.column = error.column > 0 ? (uint32_t) error.column : 0;
    }
    return value;
}

/* ---- the database, one connection a thread ---- */

static pthread_key_t connection_key;
static pthread_once_t connection_once = PTHREAD_ONCE_INIT;

static void close_connection(void *c)
{
    connection_close(c);
    free(c);
}

static void make_key(void)
{
    (void) pthread_key_create(&connection_key, close_connection);
}

omend_connection *request_database(const omend_request *r)
{
    (void) pthread_once(&connection_once, make_key);
    omend_connection *c = pthread_getspecific(connection_key);
    if (c != NULL)
        return c;
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    if (connection_open(c, r->server->ctx, settings_now(&r->server->settings)->data, false) !=
            OM_OK ||
        pthread_setspecific(connection_key, c) != 0) {
        om_context_clear(r->server->ctx);
        close_connection(c);
        return NULL;
    }
    return c;
}

/* ---- MHD ---- */

bool request_reserve(omend_request *r, size_t bytes)
{
    if (bytes <= r->capacity)
        return true;
    size_t capacity = r->capacity * 2 > bytes ? r->capacity * 2 : bytes;
    char *body = realloc(r->body, capacity);
    if (body == NULL)
        return problem_set(&r->problem, OMEND_UNAVAILABLE, "", "out of memory");
    r->body = body;
    r->capacity = capacity;
    return true;
}

static bool take_body(omend_request *r, const char *data, size_t length)
{
    if (r->length + length > settings_now(&r->server->settings)->body_bytes)
        return problem_set(&r->problem, OMEND_TOO_LARGE, "", "the body has more than %llu bytes",
            (unsigned long long) settings_now(&r->server->settings)->body_bytes);
    if (r->form != NULL) {
        r->length += length;
        return form_add(r, data, length);
    }
    if (!request_reserve(r, r->length + length))
        return false;
    assert(r->length + length <= r->capacity);
    memcpy(r->body + r->length, data, length);
    r->length += length;
    return true;
}

/* A body that is known to be too long is refused before it arrives. */
static bool check_length(omend_request *r)
{
    const char *text =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    unsigned long long n = text == NULL ? 0 : strtoull(text, NULL, 10);
    return n <= settings_now(&r->server->settings)->body_bytes ||
           problem_set(&r->problem, OMEND_TOO_LARGE, "", "the body has more than %llu bytes",
               (unsigned long long) settings_now(&r->server->settings)->body_bytes);
}

omend_request *request_new(omend_server *s, struct MHD_Connection *connection)
{
    omend_request *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->server = s;
    r->connection = connection;
    return r;
}

static enum MHD_Result send_answer(omend_request *r)
{
    if (r->response == NULL)
        return MHD_NO;
    assert(!r->answered && !r->suspended);
    unsigned class = r->status / 100;
    atomic_fetch_add_explicit(
        &r->server->counts.requests[class < 6 ? class : 5], 1, memory_order_relaxed);
    if (r->last)
        (void) MHD_add_response_header(r->response, MHD_HTTP_HEADER_CONNECTION, "close");
    enum MHD_Result rc = MHD_queue_response(r->connection, r->status, r->response);
    MHD_destroy_response(r->response);
    r->response = NULL;
    r->answered = true;
    return rc;
}

/* Called when the headers are complete. Returns false with the problem set if the request is
 * refused before its body is read. */
static bool begin(omend_request *r)
{
    r->begun = true;
    return r->problem.kind == OMEND_NO_PROBLEM && strict_headers(r) && route_find(r) &&
           check_length(r) && form_begin(r);
}

enum MHD_Result request_handle(void *server, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *data, size_t *length, void **state)
{
    omend_request *r = *state; /* made by strict_take_target() */
    if (r == NULL)
        return MHD_NO;
    if (!r->begun) {
        r->path = url;
        r->method = method;
        r->version = version;
        if (!begin(r)) {
            /* Before the body arrives, so that the client learns of it at once. */
            request_answer_problem(r);
            return send_answer(r);
        }
        return MHD_YES;
    }
    /* While it stops, a daemon accepts an answer, drops it and asks for it once more: the work must
     * not be done twice. */
    if (r->answered)
        return MHD_NO;
    if (*length > 0) {
        if (r->problem.kind == OMEND_NO_PROBLEM)
            (void) take_body(r, data, *length);
        *length = 0;
        return MHD_YES;
    }
    connections_busy(server, connection, true);
    r->suspended = false;
    if (r->problem.kind != OMEND_NO_PROBLEM)
        request_answer_problem(r);
    else
        r->handler(r);
    return r->suspended ? MHD_YES : send_answer(r);
}

void request_completed(void *server, struct MHD_Connection *connection, void **state,
    enum MHD_RequestTerminationCode why)
{
    omend_request *r = *state;
    (void) why;
    connections_busy(server, connection, false);
    if (r == NULL)
        return;
    if (r->free_state != NULL)
        r->free_state(r->state);
    if (r->parts != NULL)
        (void) MHD_destroy_post_processor(r->parts);
    if (r->response != NULL)
        MHD_destroy_response(r->response);
    json_decref(r->form);
    free(r->body);
    free(r);
    *state = NULL;
}
