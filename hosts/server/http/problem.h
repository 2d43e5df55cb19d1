/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as reported to clients: problem documents (RFC 9457). */
#ifndef OMEND_PROBLEM_H
#define OMEND_PROBLEM_H

#include <omen/plugin/base.h>

#include <jansson.h>

/* The name of a kind ends the document's "type" ("urn:omend:problem:KIND"). Each kind has a
 * title. */
typedef enum om_problem_kind {
    OM_NO_PROBLEM,
    OM_BAD_REQUEST,  /* 400: malformed HTTP or JSON */
    OM_UNAUTHORIZED, /* 401 */
    OM_FORBIDDEN,    /* 403 */
    OM_NOT_FOUND,    /* 404 */
    OM_BAD_METHOD,   /* 405 */
    OM_CONFLICT,     /* 409: the job is in another state */
    OM_TOO_LARGE,    /* 413 */
    OM_BAD_TYPE,     /* 415 */
    OM_BAD_MODEL,    /* 422: a model, a property or an option is wrong */
    OM_KEY_REUSED,   /* 422: the idempotency key belongs to another submission */
    OM_TOO_LONG,     /* 414: the target of a request */
    OM_TOO_MANY,     /* 429 */
    OM_BROKEN,       /* 500 */
    OM_UNAVAILABLE,  /* 503: stopping, or the disk is full */
    OM_OVER_QUOTA,   /* 507 */
    OM_JOB_CRASHED,  /* this and the next ones: problems of jobs */
    OM_JOB_MEMORY,
    OM_JOB_TIME,
    OM_JOB_OUTPUT,
    OM_JOB_PROCESSES,
    OM_JOB_LOST,
    OM_PROBLEMS
} om_problem_kind;

/* A problem to be reported. file, line and column: position of an error in a model, formula or
 * automaton. */
typedef struct om_problem {
    om_problem_kind kind;
    char detail[1024];
    char pointer[256]; /* to the member of the request at fault (RFC 6901), or "" */
    char file[256];
    uint32_t line, column;
} om_problem;

/* Sets the problem, unless one is set already, and returns false, so that callers can `return
 * problem_set(...)`. */
bool problem_set(om_problem *p, om_problem_kind kind, const char *pointer, const char *fmt, ...)
    OM_PRINTF(4, 5);
/* Returns the HTTP status of a kind. */
unsigned problem_status(om_problem_kind kind);
/* Returns the document; NULL if memory runs out. */
json_t *problem_json(const om_problem *p);
/* Sets the problem from a message of omen: "omen: FILE:LINE:COLUMN: TEXT", or without a
 * position. */
void problem_read_message(om_problem *p, om_problem_kind kind, const char *message);

#endif
