/* SPDX-License-Identifier: Apache-2.0 */
/* schema.h: the JSON Schemas that are part of the program (schema/compose.cmake). */
#ifndef OMEN_CLI_SCHEMA_H
#define OMEN_CLI_SCHEMA_H

#include <stddef.h>

/* The schema of one output: a text that ends with a newline and a NUL */
typedef struct cli_schema {
    const char *name, *text;
    size_t length;
} cli_schema;

extern const cli_schema cli_schemas[]; /* ends with a NULL name */

#endif
