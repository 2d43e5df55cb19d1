/* SPDX-License-Identifier: Apache-2.0 */
/* values.h: values of options: numbers with units, and words. All return OM_OK, or OM_EUSAGE with a
 * message that names the option. */
#ifndef OMEN_CLI_VALUES_H
#define OMEN_CLI_VALUES_H

#include "cli.h"

/* A suffix of a number, and its factor */
typedef struct cli_unit {
    const char *suffix;
    uint64_t factor;
} cli_unit;

/* Units of plain numbers, of sizes (in bytes) and of times (in ns); each ends with a NULL suffix.
 */
extern const cli_unit cli_plain_units[], cli_size_units[], cli_time_units[];

/* Reads the number of an option; `wanted` describes valid values in the message. */
int cli_read_number(cli *c, const char *option, const char *wanted, const char *text,
    const cli_unit *units, uint64_t *out);
/* As cli_read_number(), for a number that must not be 0. */
int cli_read_limit(cli *c, const char *option, const char *wanted, const char *text,
    const cli_unit *units, uint64_t *out);
/* Finds the index of the value among the words, which end with NULL. The message lists the words.
 */
int cli_read_word(cli *c, const char *option, const char *text, const char *const *words, int *out);

#endif
