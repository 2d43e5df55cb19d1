/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A submission: a client's request, checked as far as possible without reading the model, and the
 * command that it leads to.
 */
#ifndef OMEND_SUBMISSION_H
#define OMEND_SUBMISSION_H

#include "config.h"
#include "http/problem.h"

#include <jansson.h>

enum { OMEND_LABEL_BYTES = 256, OMEND_PRIORITY_MOST = 100 };

typedef struct omend_submission {
    json_t *request; /* {"language", "name", "properties", "options", "limits"}: kept */
    json_t *model;   /* a string */
    const char *label;
    json_t *label_owner;
    int priority; /* -OMEND_PRIORITY_MOST to OMEND_PRIORITY_MOST */
} omend_submission;

/*
 * Reads and checks a request; `body` is borrowed. Returns false with the problem set if a member
 * does not exist, is missing, has the wrong type or a value that is refused here. Thread-safe.
 */
bool submission_read(
    omend_submission *s, const omend_config *config, json_t *body, omend_problem *p);
void submission_free(omend_submission *s);

/* The part of the machine's resources that a job may use. */
typedef struct omend_grant {
    uint32_t threads;
    uint64_t memory_bytes;
    const char *devices; /* as for --device: "none", "0,2" */
} omend_grant;

/* Resources that a request asks for; 0: left open. */
typedef struct omend_needs {
    uint32_t threads;
    uint64_t memory_bytes, timeout_ns;
    bool devices_given; /* the options name devices (or none), so the scheduler does not choose */
} omend_needs;

omend_needs submission_needs(const json_t *request);

/*
 * Returns the arguments of `omen check` for a request, an array of strings. Formulas and automata
 * that are passed in files are added to `files` (an object: name -> text; may stay empty); the
 * caller puts them beside the model. NULL if memory runs out.
 */
json_t *submission_command(
    const json_t *request, const omend_config *config, const omend_grant *grant, json_t *files);

#endif
