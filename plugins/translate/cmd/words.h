/* SPDX-License-Identifier: Apache-2.0 */
/* words.h: splits a command into words as a shell would, without a shell. */
#ifndef CMD_WORDS_H
#define CMD_WORDS_H

#include <omen/plugin/ltl.h>

/* The replacements of %f, %s and %p. */
typedef struct cmd_formulas {
    const char *f, *s, *p;
} cmd_formulas;

typedef struct cmd_words {
    char **argv; /* ends with NULL */
    size_t count, capacity;
    bool used;
} cmd_words;

/*
 * Splits at blanks. Within '...' every character except % stands for itself; within "..." and
 * outside quotes a backslash makes the next character literal. %f, %s and %p are replaced by
 * formulas, %% by a %; a formula stays within its word, whatever characters it has. out->used
 * becomes true if %f, %s or %p occurs. Returns OM_OK; OM_EUSAGE with a message; or OM_ENOMEM. The
 * caller frees *out in each case.
 */
int cmd_split(om_context *ctx, const char *text, const cmd_formulas *with, cmd_words *out);
void cmd_words_free(cmd_words *w, const om_heap *heap);

#endif
