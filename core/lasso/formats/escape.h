/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape.h: escapes text from outside, such as names of a model, for human-readable formats. The
 * output is UTF-8 without control characters for any input: a byte that is not UTF-8, and a
 * character that a format does not allow, become U+FFFD.
 */
#ifndef OMEN_LASSO_ESCAPE_H
#define OMEN_LASSO_ESCAPE_H

#include <omen/plugin/base.h>

/* Appends XML text, for use between tags or in a quoted attribute: at most `most` characters; the
 * last one is an ellipsis if the text is cut. SIZE_MAX: no limit. */
void om_lasso__put_xml(const char *text, size_t most, om_text *out);
/* Appends the text of a double-quoted label of a dot file. */
void om_lasso__put_dot(const char *text, om_text *out);
/* Appends a field of a CSV file (RFC 4180), quoted if necessary. Line breaks are kept. */
void om_lasso__put_csv(const char *text, om_text *out);
/* Returns the number of characters of a text. */
size_t om_lasso__characters(const char *text);

#endif
