/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of omend as its HTTP side sees them. */
#ifndef OMEND_SERVER_H
#define OMEND_SERVER_H

#include "config.h"
#include "database/database.h"
#include "jobs/machine.h"
#include "options.h"
#include "pool/pool.h"
#include "http/problem.h"

#include <microhttpd.h>
#include <stdatomic.h>

/* Counters of /metrics: requests by status class, and others. */
typedef struct omend_counts {
    _Atomic uint64_t requests[6]; /* [4]: requests answered with 4xx */
    _Atomic uint64_t accepted, rejected, streams, turned_away;
} omend_counts;

typedef struct omend_connections omend_connections;
typedef struct omend_rates omend_rates;
typedef struct omend_renderer omend_renderer;

typedef struct omend_server {
    om_context *ctx;
    omend_settings settings;
    omend_writer *writer;
    omend_pool *pool;
    omend_machine *machine;
    omend_connections *connections;
    omend_rates *rates;
    omend_renderer *renderer;
    struct MHD_Daemon *daemon;
    omend_counts counts;
    _Atomic bool draining;
    int64_t started_ms;
    const omend_arguments *arguments;
    uint64_t most_streams; /* maximum number of concurrent event streams */
    bool local;            /* only this machine can connect */
    char address[256];     /* base URL for clients: "http://127.0.0.1:8440" */
} omend_server;

/* ---- requests ---- */

/* Header that identifies a repeated submission (keys.h). */
#define OMEND_KEY_HEADER "Idempotency-Key"

typedef struct omend_request omend_request;

/* Handles a path. Calls one of the request_answer...() functions, or request_suspend(). */
typedef void omend_handler(omend_request *r);

struct omend_request {
    omend_server *server;
    struct MHD_Connection *connection;
    const char *method, *path, *version;
    const omend_token *token; /* NULL if no tokens are configured or the route is open */
    omend_handler *handler;
    int64_t id;       /* from the path, if the route has a job number */
    const char *name; /* last part of the path, if it is a parameter of the route */
    /* The body. */
    char *body;
    size_t length, capacity;
    struct MHD_PostProcessor *parts; /* parser of a multipart body, which becomes `form` */
    json_t *form;
    size_t part_length; /* bytes of the current part, which is in `body` */
    omend_problem problem;
    bool begun; /* the headers have been checked */
    bool last;  /* the connection is closed after the answer */
    bool done;  /* the operation that the request waited for succeeded */
    /* The answer. */
    bool suspended;
    bool answered;
    unsigned status;
    struct MHD_Response *response;
    void *state; /* owned by the handler; freed by free_state */
    void (*free_state)(void *state);
};

/* Suspends the connection until request_resume(), after which `then` is called. */
void request_suspend(omend_request *r, omend_handler *then);
/* Resumes a suspended connection. Thread-safe. */
void request_resume(omend_request *r);

/* Answers with `value` and takes its reference over. NULL means that memory ran out: no answer. */
void request_answer_json(omend_request *r, unsigned status, json_t *value);
/* Answers with a copy of the text. */
void request_answer_text(
    omend_request *r, unsigned status, const char *type, const char *text, size_t length);
/* Answers with r->problem. */
void request_answer_problem(omend_request *r);
void request_fail(omend_request *r, omend_problem_kind kind, const char *fmt, ...) OM_PRINTF(3, 4);
/* Reports that `what` could not be written to the disk, with the reason if it is known. */
void request_fail_unwritten(omend_request *r, const char *what);

/* Returns a parameter of the query string, or NULL. */
const char *request_query(const omend_request *r, const char *name);
/* Reads a number from 0 to `most` from the query; `dflt` if it is absent. Returns false and sets
 * the problem if the text is not such a number. */
bool request_number(omend_request *r, const char *name, int64_t dflt, int64_t most, int64_t *out);
/* Reads "true" or "false" from the query; false if it is absent. Returns false and sets the problem
 * if the text is neither. */
bool request_flag(omend_request *r, const char *name, bool *out);
/* Makes room for `bytes` bytes in the body. Returns false and sets the problem if memory runs
 * out. */
bool request_reserve(omend_request *r, size_t bytes);
/* Returns the body as JSON, a new reference; NULL with the problem set. */
json_t *request_json(omend_request *r);
/* Returns this thread's connection to the database; NULL if it cannot be opened. */
omend_connection *request_database(const omend_request *r);

/* jobs.c: request_job() returns the job's row (SQL_JOB), which the caller resets; NULL after it has
 * answered with an error. column_json() returns a column that holds JSON, JSON null if it is
 * empty. */
sqlite3_stmt *request_job(omend_request *r);
json_t *column_json(sqlite3_stmt *s, int column);

/* strict.c: rejects headers that HTTP forbids or that each server may interpret in its own way.
 * Returns false and sets the problem if it finds one. */
bool strict_headers(omend_request *r);
/* Returns true if the query has only parameters from the words in `names`, each at most once and
 * with a value; else sets the problem. */
bool strict_query(omend_request *r, const char *names);
/* Returns true if `host` is a valid Host header: a name or an address, with an optional port. */
bool strict_is_host(const char *host);
/* Like strict_is_host(), and the name is an address of IPv4 or IPv6 or "localhost". */
bool strict_is_address(const char *host);
/* Returns true if the Content-Type `value` has this type, with any parameters. */
bool strict_is_type(const char *value, const char *type);
/* MHD's callback for the target of a request, before MHD parses it. Creates the omend_request. */
void *strict_take_target(void *server, const char *target, struct MHD_Connection *connection);

/* Returns a new request; NULL if memory runs out. */
omend_request *request_new(omend_server *s, struct MHD_Connection *connection);
/* MHD's callbacks (request.c). */
enum MHD_Result request_handle(void *server, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *data, size_t *length, void **state);
void request_completed(void *server, struct MHD_Connection *connection, void **state,
    enum MHD_RequestTerminationCode why);

/* routes.c: finds the handler of a request and checks that its token may use it. Returns false with
 * the problem set. */
bool route_find(omend_request *r);

/* form.c: multipart bodies. */
bool form_begin(omend_request *r);
bool form_add(omend_request *r, const char *data, size_t length);
/* Returns the JSON of the submission in the form; NULL with the problem set. */
json_t *form_end(omend_request *r);

/* connections.c: ends connections that send too slowly, and keeps some free. At most `most`
 * connections serve requests of any kind. */
int connections_start(omend_connections **out, om_context *ctx, unsigned most);
/* Returns true if more than `most` are open. Then only health and metrics are served. */
bool connections_crowded(omend_connections *c);
uint64_t connections_open(omend_connections *c);
void connections_stop(omend_connections *c);
void connections_notify(void *connections, struct MHD_Connection *connection, void **state,
    enum MHD_ConnectionNotificationCode what);
/* Records that the connection's request is complete, so that it has no time limit any more, or that
 * it has been answered. */
void connections_busy(omend_server *s, struct MHD_Connection *connection, bool busy);

/* rates.c: limits the requests per second of each token or address. */
int rates_new(omend_rates **out, om_context *ctx, uint32_t per_second);
/* Counts one request. Returns true if it is within the limit; always true if `r` is NULL. */
bool rates_take(omend_rates *r, const char *who, int64_t now_ms);
void rates_free(omend_rates *r);

/* The handlers. */
omend_handler handle_submit, handle_list, handle_job, handle_model, handle_asset, handle_delete,
    handle_retry, handle_events, handle_lasso, handle_devices, handle_plugins, handle_health,
    handle_metrics, handle_openapi;

#endif
