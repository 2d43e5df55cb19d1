/* SPDX-License-Identifier: Apache-2.0 */
/*
 *  T1  A character has at most 4 bytes, all of them within the text.
 *  T2  A character that the text's end cuts has at most 3 bytes there.
 */
#include "base/safe_text.h"

#include <assert.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd";

/* A UTF-8 character: its length and code point. Length 0: no character begins here; `cut` is set if
 * the text ends within a character. */
typedef struct character {
    size_t length;
    uint32_t number;
    bool cut;
} character;

static character look(const unsigned char *s, size_t n)
{
    /* RFC 3629: the smallest code point of each length, so that overlong forms are rejected. */
    static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const size_t length = s[0] < 0x80             ? 1
                          : (s[0] & 0xe0) == 0xc0 ? 2
                          : (s[0] & 0xf0) == 0xe0 ? 3
                          : (s[0] & 0xf8) == 0xf0 ? 4
                                                  : 0;
    if (length < 2)
        return (character){ .length = length, .number = s[0] };
    uint32_t number = s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (i == n)
            return (character){ .cut = true };
        if ((s[i] & 0xc0) != 0x80)
            return (character){ 0 };
        number = number << 6 | (s[i] & 0x3fu);
    }
    assert(length <= 4 && length <= n); /* T1 */
    const bool none = number < lowest[length] || number > 0x10ffff || number >> 11 == 0x1b;
    return none ? (character){ 0 } : (character){ .length = length, .number = number };
}

static bool is_control(uint32_t c)
{
    return c < ' ' || (c >= 0x7f && c < 0xa0);
}

/* Returns true for marks, embeddings, overrides and isolates of text direction. */
static bool is_direction(uint32_t c)
{
    return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

size_t cli_add_safe(om_text *out, const char *text, size_t n, cli_safe_part part)
{
    const unsigned char *s = (const unsigned char *) text;
    for (size_t at = 0; at < n;) {
        const character c = look(s + at, n - at);
        const bool is_blank = c.length == 1 && (c.number == '\n' || c.number == '\t');
        const bool is_return = c.number == '\r' && at + 1 < n && s[at + 1] == '\n';
        assert(c.length <= n - at);   /* T1 */
        assert(!c.cut || n - at < 4); /* T2 */
        if (c.cut && part == CLI_SAFE_MORE)
            return at;
        if (c.length == 0)
            om_text_add(out, replacement);
        else if (part == CLI_SAFE_LINE && (is_blank || c.number == '\r'))
            om_text_add(out, " ");
        else if (!is_blank && !is_return && (is_control(c.number) || is_direction(c.number)))
            om_text_printf(out, "\\u%04x", (unsigned) c.number);
        else
            om_text_add_n(out, text + at, c.length);
        at += c.length == 0 ? 1 : c.length;
    }
    return n;
}

bool cli_is_safe(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char) text[i];
        if ((c < ' ' && c != '\n' && c != '\t') || c >= 0x7f)
            return false;
    }
    return true;
}

void cli_put_plain(om_text *out, const char *text)
{
    (void) cli_add_safe(out, text, strlen(text), CLI_SAFE_LINE);
}
