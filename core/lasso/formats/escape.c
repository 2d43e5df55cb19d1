/* SPDX-License-Identifier: Apache-2.0 */
#include "escape.h"
#include "utf8.h"

#include <string.h>

static const char replacement[] = "\xef\xbf\xbd", ellipsis[] = "\xe2\x80\xa6";

/* Returns the replacement of the next character, or NULL if it is written as is; *length is its
 * number of bytes. */
static const char *look(const char *text, size_t *length)
{
    const unsigned char *s = (const unsigned char *) text;
    *length = om_utf8__length(s);
    if (*length == 0) {
        *length = 1;
        return replacement;
    }
    bool control = *s < ' ' || *s == 0x7f;
    /* U+0080 to U+009F are control characters, too; XML does not allow U+FFFE and U+FFFF. */
    bool second = *length == 2 && s[0] == 0xc2 && s[1] < 0xa0;
    bool none = *length == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe;
    return control || second || none ? replacement : NULL;
}

size_t om_lasso__characters(const char *text)
{
    size_t count = 0, length;
    for (; *text != '\0'; text += length, count++)
        (void) look(text, &length);
    return count;
}

static const char *in_xml(char c)
{
    return c == '&'    ? "&amp;"
           : c == '<'  ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '"'  ? "&quot;"
           : c == '\'' ? "&#39;"
                       : NULL;
}

/* A backslash begins an escape of dot, and an ampersand an entity of HTML. */
static const char *in_dot(char c)
{
    return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : c == '&' ? "&amp;" : c == '\n' ? " " : NULL;
}

static const char *in_csv(char c)
{
    return c == '"' ? "\"\"" : c == '\n' ? "\n" : c == '\r' ? "\r" : NULL;
}

static void put(const char *text, size_t most, const char *(*escaped)(char), om_text *out)
{
    for (size_t length, done = 0; *text != '\0' && done < most; text += length, done++) {
        const char *other = look(text, &length);
        const char *as = length == 1 ? escaped(*text) : NULL;
        if (as != NULL)
            other = as;
        if (other != NULL)
            om_text_add(out, other);
        else
            om_text_add_n(out, text, length);
    }
}

void om_lasso__put_xml(const char *text, size_t most, om_text *out)
{
    bool whole = most == SIZE_MAX || om_lasso__characters(text) <= most;
    put(text, whole ? SIZE_MAX : most - 1, in_xml, out);
    if (!whole)
        om_text_add(out, ellipsis);
}

void om_lasso__put_dot(const char *text, om_text *out)
{
    put(text, SIZE_MAX, in_dot, out);
}

void om_lasso__put_csv(const char *text, om_text *out)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    om_text_add(out, quoted ? "\"" : "");
    put(text, SIZE_MAX, in_csv, out);
    om_text_add(out, quoted ? "\"" : "");
}
