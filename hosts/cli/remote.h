/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h: `omen --server URL check ...`: the client of omend. What comes from the network is
 * trusted in nothing: sizes are limited, types are looked at, and what is printed was rebuilt.
 */
#ifndef OMEN_CLI_REMOTE_H
#define OMEN_CLI_REMOTE_H

#include "check.h"

/* ---- remote_address.c: where the server is, and who asks ---- */

typedef struct remote_address {
    char *base;   /* "https://host:8440/prefix", without a slash at its end */
    char *socket; /* the path of a Unix socket, or NULL */
    char *token;  /* or NULL: none was given */
    bool exposed; /* the token would go through a network as it is */
} remote_address;

/* From the settings and OMEN_TOKEN. OM_EUSAGE, OM_EINPUT, OM_EIO with a message. */
int remote_address_read(remote_address *out, const cli *c);
void remote_address_free(remote_address *a, const om_heap *heap);

/* ---- remote_names.c: files have other names there ---- */

typedef struct remote_names {
    const char *here; /* the model, as it was given */
    const char *there;
    const cli_property *properties;
    size_t count;
} remote_names;

/* What the model is called there: the last part of its path where that is a plain name; else NULL,
 * and the server says "model". */
const char *remote_plain_name(const char *path);
/* The file that a property's automaton is in, there: "never-1.hoa". */
void remote_never_name(size_t index, char out[32]);
/* Adds a message of there as it would be here. */
void remote_names_put(const remote_names *n, const char *text, om_text *out);

/* ---- remote_request.c: what is sent ---- */

/* The submission, a JSON text, for a model of this text; `label` finds it again. OM_EUSAGE where
 * an option cannot be sent; what reading files and formulas fails with. */
int remote_request_make(cli *c, const char *language, const char *model, size_t length,
    const char *label, om_text *out);

/* ---- remote_events.c: server-sent events ---- */

typedef struct remote_event {
    const char *type, *id; /* id: NULL where it has none */
    const char *data;
    size_t length;
} remote_event;

/* OM_OK goes on; anything else ends the reading, and is what it returns. */
typedef int remote_event_fn(void *self, const remote_event *e);

enum { REMOTE_ID = 64, REMOTE_TYPE = 32 };

/* Zero-initialise with heap, most, fn and self set. */
typedef struct remote_events {
    const om_heap *heap;
    size_t most; /* bytes of one event */
    remote_event_fn *fn;
    void *self;
    om_text line, data;
    char id[REMOTE_ID], type[REMOTE_TYPE];
    bool any; /* data has come */
} remote_events;

/* OM_OK; OM_ENOMEM; OM_ELIMIT: an event is too long; what fn returned. */
int remote_events_feed(remote_events *e, const char *bytes, size_t n);
/* A stream has ended: what was begun is forgotten. */
void remote_events_reset(remote_events *e);

/* ---- remote_result.c: results, rebuilt from their JSON ---- */

typedef struct remote_result {
    const om_heap *heap;
    json_t *json; /* strings are in it */
    om_check_result r;
    om_model *model;             /* stands in for that of the lasso; or NULL */
    const om_model *model_known; /* whose lasso it is; or NULL: of what stands in */
    cli_overflows overflows;
    om_lasso trace;
    om_model *trace_model;
    char *recorded, *reason, *fault, *file, *about;
    uint64_t properties; /* so many the check is about */
} remote_result;

/*
 * Reads a line of `omen check --json-lines`. `property` is what it is about, of the `fair`
 * assumptions there are so many. OM_EINTERNAL with a message where it is no such line; OM_ENOMEM.
 * To be freed in any case.
 */
int remote_result_read(remote_result *out, om_context *ctx, const remote_names *names,
    const cli_property *property, size_t fair, const char *text, size_t length);
/* The lasso anew, as one of this model, which lives as long. OM_OK also where it is none of it:
 * the other stays then. */
int remote_result_know(remote_result *r, om_context *ctx, const om_model *model);
void remote_result_free(remote_result *r);

/* Members of an object of the network; false: they are missing, or of another type. */
bool remote_count(const json_t *object, const char *name, uint64_t *out);
bool remote_real(const json_t *object, const char *name, double *out);
/* NULL for null. Without control characters, unless `any`. */
bool remote_text(const json_t *object, const char *name, bool any, const char **out);
/* For members of results that are their own where they were made here: nobody writes to it. */
char *remote_borrowed(const char *text);
/* An object; NULL where the text is none. Strings have no NUL. */
json_t *remote_object(const char *text, size_t length);

/* ---- remote_problem.c: problem documents (RFC 9457) ---- */

/* Says what is wrong, by the answer of a request that was refused; an om_status. */
int remote_problem(cli *c, const remote_names *names, long status, const char *text, size_t length);
/* The same for the error of a job. */
int remote_job_problem(cli *c, const remote_names *names, const json_t *error);

/* ---- remote_http.c ---- */

typedef struct remote_http remote_http;

typedef enum remote_outcome {
    REMOTE_ANSWERED,
    REMOTE_UNREACHABLE, /* nothing was sent */
    REMOTE_NO_TLS,
    REMOTE_BROKEN, /* the connection ended before the answer did */
    REMOTE_TOO_LARGE,
    REMOTE_INTERRUPTED,
    REMOTE_ENDED_BY_READER
} remote_outcome;

typedef struct remote_answer {
    long status;
    om_text body;
} remote_answer;

/* `tick` is called now and then while something is waited for. Blocks the signals that end a check
 * from here on: the first is kept in mind, the second kills. */
int remote_http_open(
    remote_http **out, cli *c, const remote_address *address, void (*tick)(void *self), void *self);
void remote_http_close(remote_http *h);
/* A request without a body and all of its answer. Signals do not end it. */
remote_outcome remote_http_ask(
    remote_http *h, const char *method, const char *path, remote_answer *out);
/* Sends JSON, once, with an Idempotency-Key. */
remote_outcome remote_http_post(remote_http *h, const char *path, const char *body, size_t length,
    const char *key, remote_answer *out);
/* A stream of events, which a signal ends where none came before. out has the body of an answer
 * that is none. */
remote_outcome remote_http_follow(remote_http *h, const char *path, const char *last_id,
    remote_events *events, remote_answer *out);
/* Has a signal come that is to end the check? */
bool remote_http_interrupted(const remote_http *h);
/* Waits; a first signal ends that. */
void remote_http_pause(remote_http *h, unsigned ms);
/* What went wrong, in the words of the library. */
const char *remote_http_said(const remote_http *h);

#endif
