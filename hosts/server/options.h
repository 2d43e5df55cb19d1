/* SPDX-License-Identifier: Apache-2.0 */
/* omend's command line: one table that reading, --help and the manual page come from. */
#ifndef OMEND_OPTIONS_H
#define OMEND_OPTIONS_H

#include <omen/plugin/base.h>

typedef struct om_arguments {
    const char *listen, *data, *config; /* borrowed from argv; NULL: not given */
    bool check, keys, hash, version, help;
} om_arguments;

typedef struct om_argument {
    const char *name;     /* without the dashes; NULL behind the last */
    char letter;          /* or 0 */
    const char *argument; /* what it takes; NULL: nothing */
    const char *help;
    size_t offset; /* into om_arguments: a text, or (without an argument) a bool */
} om_argument;

typedef struct om_signal_text {
    const char *name; /* NULL behind the last */
    const char *help;
} om_signal_text;

extern const om_argument options_table[];
/* What signals do, for help. */
extern const om_signal_text options_signals[];

/* OM_EUSAGE for what is no option, or has no value where it needs one. */
int options_read(om_arguments *a, om_context *ctx, int argc, char **argv);
void options_help(om_text *out);

#endif
