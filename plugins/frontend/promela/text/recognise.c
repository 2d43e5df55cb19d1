/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises Promela by its text, for files whose name does not tell. */
#include "lexer.h"

#include <string.h>

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

/* Returns the end of the comment or quoted text that begins here; `at` if none does. */
static const char *skip(const char *at, const char *end)
{
    const char *stop = NULL;
    const size_t left = (size_t) (end - at);
    if (left > 1 && at[0] == '/' && at[1] == '*') {
        for (stop = at + 2; end - stop > 1 && !(stop[0] == '*' && stop[1] == '/');)
            stop++;
        return end - stop > 1 ? stop + 2 : end;
    }
    if ((left > 1 && at[0] == '/' && at[1] == '/') || *at == '"') {
        stop = memchr(at, '\n', left);
        return stop == NULL ? end : stop;
    }
    return at;
}

/* A process is "proctype NAME (" or "init {", which occur in no other language. */
static bool begins_process(const char *word, size_t length, const char *after, const char *end)
{
    while (after < end && (*after == ' ' || *after == '\t' || *after == '\r' || *after == '\n'))
        after++;
    if (after == end)
        return false;
    return (length == 8 && memcmp(word, "proctype", 8) == 0 && is_word(*after)) ||
           (length == 4 && memcmp(word, "init", 4) == 0 && *after == '{');
}

bool pml_recognises(const char *text, size_t length)
{
    const char *end = text + length;
    for (const char *at = text; at < end;) {
        const char *rest = skip(at, end);
        if (rest != at) {
            at = rest;
            continue;
        }
        for (rest = at; rest < end && is_word(*rest);)
            rest++;
        if (begins_process(at, (size_t) (rest - at), rest, end))
            return true;
        at = rest == at ? at + 1 : rest;
    }
    return false;
}
