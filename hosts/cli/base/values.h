/* SPDX-License-Identifier: Apache-2.0 */
/* values.h: values of options: numbers with units, words, and names of files. All return OM_OK, or
 * OM_EUSAGE with a message that names the option. */
#ifndef OMEN_CLI_VALUES_H
#define OMEN_CLI_VALUES_H

#include "base/session.h"

typedef struct cli_option cli_option;
/* Sets the object of an option to a value (NULL if the option takes none), which it may borrow. */
typedef int cli_set_fn(cli *c, const cli_option *o, void *at, const char *value);

/* A suffix of a number, and its factor */
typedef struct cli_unit {
    const char *suffix;
    uint64_t factor;
} cli_unit;

/* Units of plain numbers, of sizes (in bytes) and of times (in ns); each ends with a NULL suffix.
 */
extern const cli_unit cli_plain_units[], cli_size_units[], cli_time_units[];

/* Reads the number of an option; `wanted` describes valid values in the message. */
int cli_read_number(cli *c, const cli_option *o, const char *wanted, const char *text,
    const cli_unit *units, uint64_t *out);
/* As cli_read_number(), for a number that must not be 0. */
int cli_read_limit(cli *c, const cli_option *o, const char *wanted, const char *text,
    const cli_unit *units, uint64_t *out);
/* Finds the index of the value among the words of the option's argument, "auto|native|vm". The
 * message lists them. */
int cli_read_word(cli *c, const cli_option *o, const char *text, int *out);

cli_set_fn cli_set_flag;   /* a bool, to true */
cli_set_fn cli_set_text;   /* a const char * */
cli_set_fn cli_set_word;   /* a const char *: one of the argument's words */
cli_set_fn cli_set_choice; /* an enumeration, to the index of the word */
cli_set_fn cli_set_switch; /* an om_switch: on or off */
/* A uint64_t: a number of things, bytes, nanoseconds (none of them 0), or a seed */
cli_set_fn cli_set_count, cli_set_size, cli_set_time, cli_set_seed;
cli_set_fn cli_set_lasso, cli_set_graph; /* a const char *: a file, by its suffix */
cli_set_fn cli_set_lasso_format;         /* a const char *: such a suffix */

/* Adds the option's argument to *out, as its help shows it, with the suffixes that it accepts. */
void cli_put_argument(const cli_option *o, om_text *out);

#endif
