/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as reported to clients: problem documents (RFC 9457). */
#ifndef OMEND_PROBLEM_H
#define OMEND_PROBLEM_H

#include <omen/plugin/base.h>

#include <jansson.h>

/* The name of a kind ends the document's "type" ("urn:omend:problem:KIND"). Each kind has a
 * title. */
typedef enum omend_problem_kind {
    OMEND_NO_PROBLEM,
    OMEND_BAD_REQUEST,  /* 400: malformed HTTP or JSON */
    OMEND_UNAUTHORIZED, /* 401 */
    OMEND_FORBIDDEN,    /* 403 */
    OMEND_NOT_FOUND,    /* 404 */
    OMEND_BAD_METHOD,   /* 405 */
    OMEND_CONFLICT,     /* 409: the job is in another state */
    OMEND_TOO_LARGE,    /* 413 */
    OMEND_BAD_TYPE,     /* 415 */
    OMEND_BAD_MODEL,    /* 422: a model, a property or an option is wrong */
    OMEND_KEY_REUSED,   /* 422: the idempotency key belongs to another submission */
    OMEND_TOO_LONG,     /* 414: the target of a request */
    OMEND_TOO_MANY,     /* 429 */
    OMEND_BROKEN,       /* 500 */
    OMEND_UNAVAILABLE,  /* 503: stopping, or the disk is full */
    OMEND_OVER_QUOTA,   /* 507 */
    OMEND_JOB_CRASHED,  /* this and the next ones: problems of jobs */
    OMEND_JOB_MEMORY,
    OMEND_JOB_TIME,
    OMEND_JOB_OUTPUT,
    OMEND_JOB_PROCESSES,
    OMEND_JOB_LOST,
    OMEND_PROBLEMS
} omend_problem_kind;

/* A problem to be reported. file, line and column: position of an error in a model, formula or
 * automaton. */
typedef struct omend_problem {
    omend_problem_kind kind;
    char detail[1024];
    char pointer[256]; /* to the member of the request at fault (RFC 6901), or "" */
    char file[256];
    uint32_t line, column;
} omend_problem;

/* Sets the problem, unless one is set already, and returns false, so that callers can `return
 * problem_set(...)`. */
bool problem_set(omend_problem *p, omend_problem_kind kind, const char *pointer, const char *fmt,
    ...) OM_PRINTF(4, 5);
/* Returns the HTTP status of a kind. */
unsigned problem_status(omend_problem_kind kind);
/* Returns the document; NULL if memory runs out. */
json_t *problem_json(const omend_problem *p);
/* Sets the problem from a message of omen: "omen: FILE:LINE:COLUMN: TEXT", or without a
 * position. */
void problem_read_message(omend_problem *p, omend_problem_kind kind, const char *message);

#endif
