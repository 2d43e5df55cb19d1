/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h: the client of omend, `omen --server URL check ...`. No data from the network is
 * trusted: sizes are limited, types are verified, and output is rebuilt from parsed data.
 */
#ifndef OMEN_REMOTE_H
#define OMEN_REMOTE_H

#include "check/check_output.h"

/* ---- address.c: the server's address and the token ---- */

typedef struct remote_address {
    char *base;          /* "https://host:8440/prefix", without a final slash */
    char *socket;        /* path of a Unix socket, or NULL */
    char *token;         /* or NULL: none was given */
    bool exposed;        /* the token would cross a network unencrypted */
    const char *ca_file; /* borrowed; or NULL: the system's certificates */
} remote_address;

/* Reads the settings and OMEN_TOKEN. OM_EUSAGE, OM_EINPUT, OM_EIO with a message. */
int remote_address_read(remote_address *out, const cli *c, const cli_server_settings *server);
void remote_address_free(remote_address *a, const om_heap *heap);

/* ---- server_names.c: names of files on the server ---- */

typedef struct remote_names {
    const char *server; /* its URL, as it was given */
    const char *here;   /* the model, as it was given */
    const char *there;
    const cli_property *properties;
    size_t count;
} remote_names;

/* Returns the model's name on the server: the last part of its path if that is a plain name; else
 * NULL, and the server names it "model". */
const char *remote_plain_name(const char *path);
/* Writes the server's name of the file with a property's automaton: "never-1.hoa". */
void remote_never_name(size_t index, char out[32]);
/* Adds a message of the server with the local names of files. */
void remote_names_put(const remote_names *n, const char *text, om_text *out);

/* ---- job_request.c: the request ---- */

/* Makes the submission, a JSON text, for a model with this text. `label` identifies the job.
 * OM_EUSAGE if an option cannot be sent; other errors are those of reading files and formulas. */
int remote_request_make(cli *c, const check_settings *set, const char *language, const char *model,
    size_t length, const char *label, om_text *out);

/* ---- event_stream.c: server-sent events ---- */

typedef struct remote_event {
    const char *type, *id; /* id: NULL if the event has none */
    const char *data;
    size_t length;
} remote_event;

/* OM_OK continues; any other status ends the reading and is returned. */
typedef int remote_event_fn(void *self, const remote_event *e);

enum { REMOTE_ID = 64, REMOTE_TYPE = 32 };

/* Zero-initialise, then set heap, most, fn and self. */
typedef struct remote_events {
    const om_heap *heap;
    size_t most; /* maximum bytes of one event */
    remote_event_fn *fn;
    void *self;
    om_text line, data;
    char id[REMOTE_ID], type[REMOTE_TYPE];
    bool any; /* data has arrived */
} remote_events;

/* OM_OK; OM_ENOMEM; OM_ELIMIT: an event is too long; or the status of fn. */
int remote_events_feed(remote_events *e, const char *bytes, size_t n);
/* Discards an incomplete event after the end of a stream. */
void remote_events_reset(remote_events *e);

/* ---- read_result.c: results, rebuilt from their JSON ---- */

typedef struct remote_result {
    const om_heap *heap;
    json_t *json; /* holds the strings */
    om_check_result r;
    om_model *model;             /* stands in for the model of the lasso; or NULL */
    const om_model *model_known; /* the real model of the lasso; or NULL: `model` stands in */
    cli_overflows overflows;
    om_lasso trace;
    om_model *trace_model;
    char *recorded, *reason, *fault, *file, *about;
    uint64_t properties; /* number of properties of the check */
} remote_result;

/*
 * Reads a line of `omen check --json-lines`. `property` is the expected property, `fair` the number
 * of assumptions. OM_EINTERNAL with a message if the line is malformed; OM_ENOMEM. The caller frees
 * *out in any case.
 */
int remote_result_read(remote_result *out, om_context *ctx, const remote_names *names,
    const cli_property *property, size_t fair, const char *text, size_t length);
/* Reads the lasso again, as one of this model, which must outlive the result. Also returns OM_OK if
 * the run does not belong to the model; the earlier lasso then stays. */
int remote_result_know(remote_result *r, om_context *ctx, const om_model *model);
void remote_result_free(remote_result *r);

/* Read members of a received object. Return false if one is missing or has another type. */
bool remote_count(const json_t *object, const char *name, uint64_t *out);
bool remote_real(const json_t *object, const char *name, double *out);
/* Sets *out to NULL for null. Rejects control characters unless `any`. */
bool remote_text(const json_t *object, const char *name, bool any, const char **out);
/* Casts a text to the type of a result's member that is owned in local results. It must not be
 * written to. */
char *remote_borrowed(const char *text);
/* Parses an object; NULL if the text is none. Strings contain no NUL. */
json_t *remote_object(const char *text, size_t length);

/* ---- server_problem.c: problem documents (RFC 9457) ---- */

/* Reports the error in the answer to a rejected request. Returns an om_status. */
int remote_problem(cli *c, const remote_names *names, long status, const char *text, size_t length);
/* Reports the error of a job likewise. */
int remote_job_problem(cli *c, const remote_names *names, const json_t *error);

/* ---- http_client.c ---- */

typedef struct remote_http remote_http;

typedef enum remote_outcome {
    REMOTE_ANSWERED,
    REMOTE_UNREACHABLE, /* nothing was sent */
    REMOTE_NO_TLS,
    REMOTE_BROKEN, /* the connection ended before the answer was complete */
    REMOTE_TOO_LARGE,
    REMOTE_INTERRUPTED,
    REMOTE_ENDED_BY_READER
} remote_outcome;

typedef struct remote_answer {
    long status;
    om_text body;
} remote_answer;

/* `tick` is called regularly during waits. From here on, the signals that end a check are blocked:
 * the first one is recorded, the second one kills the process. */
int remote_http_open(
    remote_http **out, cli *c, const remote_address *address, void (*tick)(void *self), void *self);
void remote_http_close(remote_http *h);
/* Sends a request without a body and reads the whole answer. Signals do not interrupt it. */
remote_outcome remote_http_ask(
    remote_http *h, const char *method, const char *path, remote_answer *out);
/* Sends JSON once, with an Idempotency-Key. */
remote_outcome remote_http_post(remote_http *h, const char *path, const char *body, size_t length,
    const char *key, remote_answer *out);
/* Reads a stream of events. A signal ends it if none came before. `out` receives the body of an
 * answer that is not a stream. */
remote_outcome remote_http_follow(remote_http *h, const char *path, const char *last_id,
    remote_events *events, remote_answer *out);
/* Returns true if a signal that ends the check has arrived. */
bool remote_http_interrupted(const remote_http *h);
/* Waits; a first signal ends the wait. */
void remote_http_pause(remote_http *h, unsigned ms);
/* Returns the error message of the library. */
const char *remote_http_said(const remote_http *h);

#endif
