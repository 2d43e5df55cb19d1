/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown.h: the one place through which all that omen writes goes, to standard output, standard
 * error, a terminal or a file (output.c, session.c, screen.c).
 *
 * Names, labels, formulas, paths and what a model prints come from outside, and could hold
 * sequences that a terminal obeys, or that turn text around. No format of ours has such characters
 * as its own: controls but '\n' and '\t', and characters that change the direction of text, become
 * \u and four digits, which JSON reads as the character; bytes that are no UTF-8 become U+FFFD.
 */
#ifndef OMEN_CLI_SHOWN_H
#define OMEN_CLI_SHOWN_H

#include <omen/host/omen.h>

typedef enum cli_shown_part {
    CLI_SHOWN_MORE, /* a character that is not whole at the end is left for the next piece */
    CLI_SHOWN_LAST,
    CLI_SHOWN_LINE /* the last, and on one line: breaks and tabulators become blanks */
} cli_shown_part;

/* Appends text[0 .. n - 1] as it may be shown; how many bytes of it were used. */
size_t cli_shown_add(om_text *out, const char *text, size_t n, cli_shown_part part);
/* Is it the same as it is? */
bool cli_shown_is_plain(const char *text, size_t n);

#endif
