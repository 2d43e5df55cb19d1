/* SPDX-License-Identifier: Apache-2.0 */
/* manual_page.h: what manual pages of programs are made with, as man(7) macros, when omen is built.
 * A text that failed says so itself (om_text.failed). */
#ifndef OMEN_CLI_MANUAL_PAGE_H
#define OMEN_CLI_MANUAL_PAGE_H

#include <omen/plugin/base.h>

typedef struct manual_page {
    const char *name, *section, *kind; /* "omen-check", "1", "User Commands" */
    const char *date, *summary;
} manual_page;

/* Head and name of a page; what it writes next is the synopsis. */
void manual_begin(const manual_page *page, om_text *out);
/* Text as it is: nothing in it is a request or an escape, and hyphens are those of options. */
void manual_put(const char *s, om_text *out);
/* A paragraph, in lines of a width that people like. */
void manual_put_lines(const char *s, om_text *out);
/* B: bold, I: italic. */
void manual_put_font(char font, const char *s, om_text *out);
/* A term and what it means. */
void manual_put_row(const char *term, const char *meaning, om_text *out);
/* letter: 0, or the short form; argument: NULL, or what it takes. */
void manual_put_option(
    char letter, const char *name, const char *argument, const char *help, om_text *out);

/* The text becomes a file, and is freed. An exit status; what is wrong is said in the name of
 * `program`. */
int manual_write_file(const char *program, const char *folder, const char *name, om_text *text);

#endif
