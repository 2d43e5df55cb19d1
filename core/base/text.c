/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/base.h>

#include <stdio.h>
#include <string.h>

/* Room for n more characters and the NUL. */
static bool reserve(om_text *t, size_t n)
{
    char *moved = t->failed || n >= SIZE_MAX - t->length
                      ? NULL
                      : om_grow(t->heap, t->text, &t->room, t->length + n + 1, 1);
    if (moved == NULL)
        t->failed = true;
    else
        t->text = moved;
    return moved != NULL;
}

void om_text_add_n(om_text *t, const char *s, size_t n)
{
    if (!reserve(t, n))
        return;
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
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0)
        t->failed = true;
    else if (reserve(t, (size_t) n)) {
        (void) vsnprintf(t->text + t->length, (size_t) n + 1, fmt, again);
        t->length += (size_t) n;
    }
    va_end(again);
}

void om_text_free(om_text *t)
{
    om_free(t->heap, t->text);
    t->text = NULL;
    t->length = t->room = 0;
    t->failed = false;
}
