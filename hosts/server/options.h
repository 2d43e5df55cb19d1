/* SPDX-License-Identifier: Apache-2.0 */
/* omend's command line: one table serves reading, --help and the manual page. */
#ifndef OMEND_OPTIONS_H
#define OMEND_OPTIONS_H

#include <omen/plugin/base.h>

typedef struct omend_arguments {
    const char *listen, *data, *config; /* borrowed from argv; NULL: not given */
    bool check, keys, hash, version, help;
} omend_arguments;

typedef struct omend_argument {
    const char *name;     /* without the dashes; NULL ends the table */
    char letter;          /* or 0 */
    const char *argument; /* name of the value; NULL: the option takes none */
    const char *help;
    size_t offset; /* in omend_arguments, of a text or (without a value) a bool */
} omend_argument;

typedef struct omend_signal_text {
    const char *name; /* NULL ends the table */
    const char *help;
} omend_signal_text;

extern const omend_argument options_table[];
/* The effects of signals, for help. */
extern const omend_signal_text options_signals[];

/* Reads the options. OM_EUSAGE for an unknown option, or one that lacks its value. */
int options_read(omend_arguments *a, om_context *ctx, int argc, char **argv);
void options_help(om_text *out);

#endif
