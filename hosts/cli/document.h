/* SPDX-License-Identifier: Apache-2.0 */
/* document.h: manual pages and completion of shells, made from the tables of commands (tables.c)
 * when omen is built. */
#ifndef OMEN_CLI_DOCUMENT_H
#define OMEN_CLI_DOCUMENT_H

#include "cli.h"

/* What can be completed for an option's value. */
typedef enum document_value {
    VALUE_NONE,  /* it takes none */
    VALUE_OTHER, /* something that only the user knows */
    VALUE_WORDS, /* document_put_words() */
    VALUE_FILE,
    VALUE_FOLDER,
    VALUE_PLUGIN /* of the kind that document_plugin_kind() says */
} document_value;

document_value document_value_of(const cli_option *o);
/* The words that it takes, with `between` them. */
void document_put_words(const cli_option *o, const char *between, om_text *out);
/* "checker", as `omen plugins --complete` takes it. */
const char *document_plugin_kind(const cli_option *o);

/* manual.c: the page of a command, or (NULL) of the program. */
void document_manual(const cli_command *command, const char *date, om_text *out);
/* bash.c, zsh.c, fish.c */
void document_bash(om_text *out);
void document_zsh(om_text *out);
void document_fish(om_text *out);

#endif
