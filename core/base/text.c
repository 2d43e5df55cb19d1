/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing string. After a failure all operations do nothing, so a writer of many pieces checks
 * once. With a drain, a long text is passed on in pieces and is never in memory as a whole.
 *
 * X1  text[length] is the NUL, inside of `capacity`, unless nothing was written yet.
 */
#include <omen/plugin/base.h>

#include "utf8.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { LIKELY = 64 }; /* sufficient length for most formatted pieces, in characters */

int om_text_flush(om_text *t)
{
    if (t->drain != NULL && !t->failed && t->length != 0) {
        t->drained = t->drain(t->drain_self, t->text, t->length);
        t->failed = t->drained != OM_OK;
        t->length = 0;
        t->text[0] = '\0';
    }
    return om_text_status(t);
}

/* Reserves memory for n more characters and the NUL. */
static bool reserve(om_text *t, size_t n)
{
    assert(t->length == 0 || t->length < t->capacity); /* X1 */
    if (t->drain != NULL && t->length > OM_TEXT_PIECE)
        (void) om_text_flush(t);
    t->failed = t->failed || n >= SIZE_MAX - t->length ||
                !OM_ROOM(t->heap, t->text, &t->capacity, t->length + n + 1);
    return !t->failed;
}

void om_text_add_n(om_text *t, const char *s, size_t n)
{
    if (!reserve(t, n))
        return;
    assert(t->capacity - t->length > n); /* X1 */
    if (n > 0)                           /* an empty text may be NULL */
        memcpy(t->text + t->length, s, n);
    t->length += n;
    t->text[t->length] = '\0';
}

void om_text_add(om_text *t, const char *s)
{
    om_text_add_n(t, s, strlen(s));
}

void om_text_printf(om_text *t, const char *fmt, ...)
{
    va_list args, again;
    if (!reserve(t, LIKELY))
        return;
    va_start(args, fmt);
    va_copy(again, args);
    size_t capacity = t->capacity - t->length;
    int n = vsnprintf(t->text + t->length, capacity, fmt, args);
    va_end(args);
    t->failed = n < 0;
    if (n >= 0 && (size_t) n >= capacity && reserve(t, (size_t) n))
        (void) vsnprintf(t->text + t->length, (size_t) n + 1, fmt, again);
    va_end(again);
    if (!t->failed)
        t->length += (size_t) n;
    assert(t->length < t->capacity); /* X1 */
    t->text[t->length] = '\0';
}

/* ---- JSON ---- */

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void om_text_add_json(om_text *t, const char *text)
{
    const unsigned char *s = (const unsigned char *) text;
    om_text_add(t, "\"");
    while (*s != '\0') {
        size_t n = 0;
        while (is_plain(s[n]))
            n++;
        if (n > 0 || (n = om_utf8__length(s)) > 1)
            om_text_add_n(t, (const char *) s, n);
        else if (*s == '"' || *s == '\\')
            om_text_printf(t, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            om_text_printf(t, "\\u%04x", *s);
        else
            om_text_add(t, "\\ufffd");
        s += n == 0 ? 1 : n;
    }
    om_text_add(t, "\"");
}

void om_text_free(om_text *t)
{
    om_free(t->heap, t->text);
    t->text = NULL;
    t->length = t->capacity = 0;
    t->failed = false;
    t->drained = OM_OK;
}
