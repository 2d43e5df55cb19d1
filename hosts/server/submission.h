/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A submission: what a client sends, checked as far as that can be done without reading the model,
 * and the command that comes of it.
 */
#ifndef OMEND_SUBMISSION_H
#define OMEND_SUBMISSION_H

#include "config.h"
#include "problem.h"

#include <jansson.h>

enum { OM_LABEL_BYTES = 256, OM_PRIORITY_MOST = 100 };

typedef struct om_submission {
    json_t *request; /* {"language", "name", "properties", "options", "limits"}: kept */
    json_t *model;   /* a string */
    const char *label;
    json_t *label_owner;
    int priority; /* -OM_PRIORITY_MOST to OM_PRIORITY_MOST */
} om_submission;

/*
 * Takes a request apart; `body` is borrowed. False, with the problem: a member that does not exist,
 * is missing, has the wrong type or a value that is refused here. Any thread.
 */
bool submission_read(om_submission *s, const om_config *config, json_t *body, om_problem *p);
void submission_free(om_submission *s);

/* What a job may have, of what the machine has. */
typedef struct om_grant {
    uint32_t threads;
    uint64_t memory_bytes;
    const char *devices; /* as --device takes them: "none", "0,2" */
} om_grant;

/* What a request asks for; 0: nothing is said. */
typedef struct om_needs {
    uint32_t threads;
    uint64_t memory_bytes, timeout_ns;
    bool devices_given; /* the options name devices (or none): nobody else chooses */
} om_needs;

om_needs submission_needs(const json_t *request);

/*
 * The arguments of `omen check` for a request, an array of strings. Formulas and automata that are
 * handed over in files are named in `files` (an object: name -> text; may be empty), which the
 * caller puts beside the model. NULL: no memory.
 */
json_t *submission_command(
    const json_t *request, const om_config *config, const om_grant *grant, json_t *files);

#endif
