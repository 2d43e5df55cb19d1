/* SPDX-License-Identifier: Apache-2.0 */
/* document.h: manual pages and completion of shells, made from the tables of commands (commands.h)
 * when omen is built. */
#ifndef OMEN_CLI_DOCUMENT_H
#define OMEN_CLI_DOCUMENT_H

#include "commands.h"

/* Kinds of completion of an option's value */
typedef enum document_value {
    VALUE_NONE,  /* the option takes none */
    VALUE_OTHER, /* a value that cannot be completed */
    VALUE_WORDS, /* document_put_words() */
    VALUE_FILE,
    VALUE_FOLDER,
    VALUE_PLUGIN /* of the kind that document_plugin_kind() returns */
} document_value;

document_value document_value_of(const cli_option *o);
/* Adds the words that the option accepts, separated by `between`. */
void document_put_words(const cli_option *o, const char *between, om_text *out);
/* Returns "checker" etc., as `omen plugins --complete` takes it. */
const char *document_plugin_kind(const cli_option *o);

/* manual.c: makes the page of a command, or (NULL) of the program. */
void document_manual(const cli_command *command, const char *date, om_text *out);
/* complete_bash.c, complete_zsh.c, complete_fish.c */
void document_bash(om_text *out);
void document_zsh(om_text *out);
void document_fish(om_text *out);

#endif
