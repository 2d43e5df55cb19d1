/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape.h: text from outside, such as a model's names, as the formats for people take it. What
 * comes out is UTF-8 without control characters, whatever goes in: a byte that is none of UTF-8,
 * and a character that a format does not allow, become U+FFFD.
 */
#ifndef OMEN_LASSO_ESCAPE_H
#define OMEN_LASSO_ESCAPE_H

#include <omen/plugin/base.h>

/* Text of XML, between tags or the quotes of an attribute: at most so many characters, the last of
 * which is an ellipsis then. SIZE_MAX: all of them. */
void om_lasso__put_xml(const char *text, size_t most, om_text *out);
/* What stands between the double quotes of a label in a dot file. */
void om_lasso__put_dot(const char *text, om_text *out);
/* A field of a CSV file (RFC 4180), in quotes where it needs some. A line break stays one. */
void om_lasso__put_csv(const char *text, om_text *out);
/* How many characters that is. */
size_t om_lasso__characters(const char *text);

#endif
