/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safe_text.h: the filter for all text that omen writes, to standard output, standard error, a
 * terminal or a file (output.c, session.c, screen.c).
 *
 * Names, labels, formulas, paths and the output of a model come from outside. They could hold
 * escape sequences of a terminal, or change the direction of text. None of omen's formats uses such
 * characters. Controls except '\n' and '\t', and characters that change the direction of text,
 * become \u and four digits, which JSON reads as the character. Bytes that are not UTF-8 become
 * U+FFFD.
 */
#ifndef OMEN_CLI_SAFE_TEXT_H
#define OMEN_CLI_SAFE_TEXT_H

#include <omen/host/omen.h>

typedef enum cli_safe_part {
    CLI_SAFE_MORE, /* an incomplete character at the end is left for the next piece */
    CLI_SAFE_LAST,
    CLI_SAFE_LINE /* the last piece, on one line: breaks and tabulators become blanks */
} cli_safe_part;

/* Appends text[0 .. n - 1] in safe form. Returns the number of bytes used. */
size_t cli_add_safe(om_text *out, const char *text, size_t n, cli_safe_part part);
/* Returns true if the safe form is the text itself. */
bool cli_is_safe(const char *text, size_t n);
/* Adds text without line breaks in safe form. */
void cli_put_plain(om_text *out, const char *text);

#endif
