/* SPDX-License-Identifier: Apache-2.0 */
/* omend's parts as its HTTP side sees them. */
#ifndef OMEND_SERVER_H
#define OMEND_SERVER_H

#include "config.h"
#include "database.h"
#include "machine.h"
#include "options.h"
#include "pool.h"
#include "problem.h"

#include <microhttpd.h>
#include <stdatomic.h>

/* Requests by the class of their status, and what else /metrics tells. */
typedef struct om_counts {
    _Atomic uint64_t requests[6]; /* [4]: answered 4xx */
    _Atomic uint64_t accepted, rejected, streams, turned_away;
} om_counts;

typedef struct om_connections om_connections;
typedef struct om_rates om_rates;
typedef struct om_renderer om_renderer;

typedef struct om_server {
    om_context *ctx;
    om_settings settings;
    om_writer *writer;
    om_pool *pool;
    om_machine *machine;
    om_connections *connections;
    om_rates *rates;
    om_renderer *renderer;
    struct MHD_Daemon *daemon;
    om_counts counts;
    _Atomic bool draining;
    int64_t started_ms;
    const om_arguments *arguments;
    uint64_t most_streams; /* of events, at once */
    bool local;            /* nobody but this machine can connect */
    char address[256];     /* as a client writes it: "http://127.0.0.1:8440" */
} om_server;

/* ---- requests ---- */

/* A repeated submission is known by it (keys.h). */
#define OM_KEY_HEADER "Idempotency-Key"

typedef struct om_request om_request;

/* What answers a path. Calls one of request_answer...(), or request_suspend(). */
typedef void om_handler(om_request *r);

struct om_request {
    om_server *server;
    struct MHD_Connection *connection;
    const char *method, *path, *version;
    const om_token *token; /* NULL where there are none */
    om_handler *handler;
    int64_t id;       /* of the path, where it has one */
    const char *name; /* the last part of the path, where it is a parameter */
    /* The body. */
    char *body;
    size_t length, capacity;
    struct MHD_PostProcessor *parts; /* of a multipart body, which becomes `form` */
    json_t *form;
    size_t part_length; /* of the part that comes, which is in `body` */
    om_problem problem;
    bool begun; /* its headers have been looked at */
    bool last;  /* nothing that follows on the connection is read */
    bool done;  /* what it waited for was done */
    /* The answer. */
    bool suspended;
    bool answered;
    unsigned status;
    struct MHD_Response *response;
    void *state; /* the handler's; freed by free_state */
    void (*free_state)(void *state);
};

/* The connection waits until request_resume(); then `handler` is called again. */
void request_suspend(om_request *r, om_handler *then);
/* Any thread. */
void request_resume(om_request *r);

/* Takes the value over; NULL: no memory. */
void request_answer_json(om_request *r, unsigned status, json_t *value);
/* The text is copied. */
void request_answer_text(
    om_request *r, unsigned status, const char *type, const char *text, size_t length);
/* r->problem */
void request_answer_problem(om_request *r);
void request_fail(om_request *r, om_problem_kind kind, const char *fmt, ...) OM_PRINTF(3, 4);
/* What could not be written to the disk, and why, if that is known. */
void request_fail_unwritten(om_request *r, const char *what);

/* A parameter behind "?", or NULL. */
const char *request_query(const om_request *r, const char *name);
/* A number of the query, at least 0 and at most that; false, with the problem: it is none. */
bool request_number(om_request *r, const char *name, int64_t dflt, int64_t most, int64_t *out);
/* "true" or "false" of the query; not given: false. False, with the problem: it is neither. */
bool request_flag(om_request *r, const char *name, bool *out);
/* Room for so many bytes in the body; false, with the problem: no memory. */
bool request_reserve(om_request *r, size_t bytes);
/* The body as JSON; NULL, with the problem set. */
json_t *request_json(om_request *r);
/* This thread's connection to the database; NULL: it cannot be opened. */
om_connection *request_database(const om_request *r);

/* jobs.c: the job's row (SQL_JOB), to be reset; NULL: that is answered. A column that is JSON. */
sqlite3_stmt *request_job(om_request *r);
json_t *column_json(sqlite3_stmt *s, int column);

/* strict.c: what HTTP does not allow, or leaves to each server to understand in its own way. False,
 * with the problem. */
bool strict_headers(om_request *r);
/* Only parameters that are among these words are in the query, each once and with a value. */
bool strict_query(om_request *r, const char *names);
/* As a Host header has it: a name or an address, and perhaps a port. */
bool strict_is_host(const char *host);
/* The same, and the name is an address of IPv4 or IPv6 or "localhost". */
bool strict_is_address(const char *host);
/* Is a Content-Type this type, with whatever parameters? */
bool strict_is_type(const char *value, const char *type);
/* MHD's callback for a request's target, before MHD takes it apart: makes the om_request. */
void *strict_take_target(void *server, const char *target, struct MHD_Connection *connection);

/* A new request; NULL: no memory. */
om_request *request_new(om_server *s, struct MHD_Connection *connection);
/* MHD's callbacks (request.c). */
enum MHD_Result request_handle(void *server, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *data, size_t *length, void **state);
void request_completed(void *server, struct MHD_Connection *connection, void **state,
    enum MHD_RequestTerminationCode why);

/* routes.c: finds the handler of a request, and whether its token may have it. False: the problem
 * is set. */
bool route_find(om_request *r);

/* form.c: multipart bodies. */
bool form_begin(om_request *r);
bool form_add(om_request *r, const char *data, size_t length);
/* What a submission's JSON would be; NULL, with the problem. */
json_t *form_end(om_request *r);

/* connections.c: ends connections that send too slowly, and keeps some free. `most`: as many serve
 * requests of any kind. */
int connections_start(om_connections **out, om_context *ctx, unsigned most);
/* Are more than that open? Then only health and figures are told. */
bool connections_crowded(om_connections *c);
uint64_t connections_open(om_connections *c);
void connections_stop(om_connections *c);
void connections_notify(void *connections, struct MHD_Connection *connection, void **state,
    enum MHD_ConnectionNotificationCode what);
/* The connection's request is whole (it may take as long as it likes now), or has been answered. */
void connections_busy(om_server *s, struct MHD_Connection *connection, bool busy);

/* rates.c: requests a second of one token or address. */
int rates_new(om_rates **out, om_context *ctx, uint32_t per_second);
/* One more: is that within the limit? NULL: there is none. */
bool rates_take(om_rates *r, const char *who, int64_t now_ms);
void rates_free(om_rates *r);

/* The handlers. */
om_handler handle_submit, handle_list, handle_job, handle_model, handle_asset, handle_delete,
    handle_retry, handle_events, handle_lasso, handle_devices, handle_plugins, handle_health,
    handle_metrics, handle_openapi;

#endif
