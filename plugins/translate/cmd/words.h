/* SPDX-License-Identifier: Apache-2.0 */
/* words.h: a command as words, as a shell would split it, without a shell. */
#ifndef CMD_WORDS_H
#define CMD_WORDS_H

#include <omen/plugin/ltl.h>

/* What stands for %f, %s and %p; `used` says whether one of them was there. */
typedef struct cmd_formulas {
    const char *f, *s, *p;
} cmd_formulas;

typedef struct cmd_words {
    char **argv; /* ends with NULL */
    size_t count, capacity;
    bool used;
} cmd_words;

/*
 * Splits at blanks; within '...' all but a % stands for itself, within "..." and outside a
 * backslash takes away the meaning of what follows. %f, %s and %p become formulas, %% a %; a
 * formula stays within its word, whatever it holds. OM_OK; OM_EUSAGE with a message; OM_ENOMEM.
 * *out is to be freed in each case.
 */
int cmd_split(om_context *ctx, const char *text, const cmd_formulas *with, cmd_words *out);
void cmd_words_free(cmd_words *w, const om_heap *heap);

#endif
