/* SPDX-License-Identifier: Apache-2.0 */
/* json.h: results as JSON. */
#ifndef OMEN_CLI_JSON_H
#define OMEN_CLI_JSON_H

#include "base/session.h"

#include <jansson.h>

/* Returns the text; null if it is NULL. */
json_t *cli_text_json(const char *text);
/* Returns the number; null if it does not fit. */
json_t *cli_count_json(uint64_t n);
/* Returns the verification of a device that found nothing, or null if there is none. */
json_t *cli_verified_json(const char *device, bool nothing_found, uint64_t states, bool again);
/* Appends to an array. Takes the value; returns false if memory runs out. */
bool cli_json_append(json_t *array, json_t *value);
/* Returns the array, or NULL if it is incomplete. Takes the reference. */
json_t *cli_json_whole(json_t *array, bool made);

/* Prints an object on one line (or indented) with a newline. Takes the reference. */
int cli_put_json(cli *c, json_t *object, bool indent);
/* Prints an object with additional members that are too large to build as objects: put() (NULL: the
 * value is null) adds the text of one. */
typedef int cli_member_fn(void *self, om_text *out);
typedef struct cli_member {
    const char *name;
    cli_member_fn *put;
    void *self;
} cli_member;
int cli_put_json_with(cli *c, json_t *object, bool indent, const cli_member *members, size_t count);

/* Print how successors were computed (NULL: there were none), as one line of text, or as JSON: null
 * if there were none. */
void cli_put_code(cli *c, const om_code_report *r);
json_t *cli_code_json(const om_code_report *r);

#endif
