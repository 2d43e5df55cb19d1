/* SPDX-License-Identifier: Apache-2.0 */
/* manual_page.h: writes manual pages of programs as man(7) macros, when omen is built. A text that
 * failed records that itself (om_text.failed). */
#ifndef OMEN_CLI_MANUAL_PAGE_H
#define OMEN_CLI_MANUAL_PAGE_H

#include <omen/plugin/base.h>

typedef struct manual_page {
    const char *name, *section, *kind; /* "omen-check", "1", "User Commands" */
    const char *date, *summary;
} manual_page;

/* Writes head and name of a page. The caller writes the synopsis next. */
void manual_begin(const manual_page *page, om_text *out);
/* Writes text literally: none of it is a request or an escape, and hyphens are those of options. */
void manual_put(const char *s, om_text *out);
/* Writes a paragraph, in lines of a readable width. */
void manual_put_lines(const char *s, om_text *out);
/* B: bold, I: italic. */
void manual_put_font(char font, const char *s, om_text *out);
/* Writes a term and its meaning. */
void manual_put_row(const char *term, const char *meaning, om_text *out);
/* letter: the short form, or 0; argument: name of the value, or NULL. */
void manual_put_option(
    char letter, const char *name, const char *argument, const char *help, om_text *out);

/* Writes the text to a file and frees it. Returns an exit status. Error messages begin with
 * `program`. */
int manual_write_file(const char *program, const char *folder, const char *name, om_text *text);

#endif
