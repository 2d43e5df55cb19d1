/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of never claims. Comments are those of C. never_read.c handles lines that begin with "#":
 * it reads macro definitions and skips the others. */
#include "never.h"

#include <stdio.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

const om_place *om_never__at(om_never_reader *r, const om_never_token *t)
{
    r->place = (om_place){ r->file, t->line, t->column };
    return &r->place;
}

/* Returns the current token, truncated and printable. */
static const char *show(om_never_reader *r)
{
    size_t n = 0;
    if (r->token.kind == OM_NEVER_EOF)
        return "the end of the file";
    if (r->token.kind == OM_NEVER_LINE)
        return "the end of the line";
    r->shown[n++] = '\'';
    for (size_t i = 0; i < r->token.length && n < sizeof r->shown - 6; i++)
        r->shown[n++] = r->token.text[i];
    r->shown[n++] = '\'';
    r->shown[n] = '\0';
    return r->shown;
}

int om_never__expected(om_never_reader *r, const char *what)
{
    return om_fail(
        r->ctx, OM_EINPUT, om_never__at(r, &r->token), "expected %s, not %s", what, show(r));
}

/* Returns the character k places ahead; NUL after the end (a NUL in the text is no token). */
static char peek(const om_never_reader *r, size_t k)
{
    return (char) (k < r->length - r->at ? r->input[r->at + k] : '\0');
}

static void step(om_never_reader *r)
{
    if (r->input[r->at++] == '\n') {
        r->line++;
        r->column = 1;
    } else
        r->column++;
}

static bool skip_comment(om_never_reader *r)
{
    if (peek(r, 0) == '/' && peek(r, 1) == '/') {
        while (r->at < r->length && peek(r, 0) != '\n')
            step(r);
        return true;
    }
    step(r);
    step(r);
    while (r->at < r->length && !(peek(r, 0) == '*' && peek(r, 1) == '/'))
        step(r);
    if (r->at >= r->length)
        return false;
    step(r);
    step(r);
    return true;
}

static int skip_blank(om_never_reader *r)
{
    for (;;) {
        char c = peek(r, 0);
        if (c == '/' && (peek(r, 1) == '/' || peek(r, 1) == '*')) {
            om_never_token start = { .line = r->line, .column = r->column };
            if (!skip_comment(r))
                return om_fail(
                    r->ctx, OM_EINPUT, om_never__at(r, &start), "this comment is never closed");
        } else if (r->at < r->length &&
                   (c == ' ' || (c >= '\t' && c <= '\r' && (c != '\n' || !r->in_define))))
            step(r);
        else if (r->in_define && c == '\\' && peek(r, 1) == '\n') {
            step(r);
            step(r);
        } else
            return OM_OK;
    }
}

/* Returns the length of the sign here, or 0. */
static size_t sign_length(const om_never_reader *r)
{
    static const char *const pairs[] = { "::", "->", "&&", "||", "==", "!=", "<=", ">=" };
    static const char singles[] = "(){}[];:!<>+-*/%.@,#";
    char c = peek(r, 0), d = peek(r, 1);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (c == pairs[i][0] && d == pairs[i][1])
            return 2;
    return c != '\0' && strchr(singles, c) != NULL;
}

static void take(om_never_reader *r, om_never_kind kind, size_t n)
{
    r->token.kind = kind;
    r->token.length = n;
    while (n-- > 0)
        step(r);
}

int om_never__next(om_never_reader *r)
{
    r->end = r->at;
    int rc = om_context_stopped(r->ctx);
    if (rc == OM_OK)
        rc = skip_blank(r);
    if (rc != OM_OK)
        return rc;
    r->token = (om_never_token){ OM_NEVER_EOF, r->input + r->at, 0, r->line, r->column };
    char c = peek(r, 0);
    size_t n = 0;
    if (r->at >= r->length)
        return OM_OK;
    if (c == '\n') {
        r->token.kind = OM_NEVER_LINE;
        return OM_OK;
    }
    if (is_letter(c) || is_digit(c)) {
        while (is_letter(peek(r, n)) || is_digit(peek(r, n)))
            n++;
        take(r, is_digit(c) ? OM_NEVER_NUMBER : OM_NEVER_WORD, n);
        for (size_t i = 0; is_digit(c) && i < n; i++)
            if (!is_digit(r->token.text[i]))
                return om_fail(r->ctx, OM_EINPUT, om_never__at(r, &r->token),
                    "a name does not start with a digit");
        return OM_OK;
    }
    n = sign_length(r);
    if (n == 0)
        return om_fail(r->ctx, OM_EINPUT, om_never__at(r, &r->token),
            c > ' ' && c <= '~' ? "stray character '%c'" : "stray character with code %d",
            (unsigned char) c);
    take(r, OM_NEVER_SIGN, n);
    return OM_OK;
}

bool om_never__is(const om_never_reader *r, const char *text)
{
    return r->token.length == strlen(text) && r->token.length > 0 &&
           memcmp(r->token.text, text, r->token.length) == 0;
}

int om_never__expect(om_never_reader *r, const char *text)
{
    char quoted[16];
    if (om_never__is(r, text))
        return om_never__next(r);
    (void) snprintf(quoted, sizeof quoted, "'%s'", text);
    return om_never__expected(r, quoted);
}

const om_never_name *om_never__find(const om_never_names *names, const om_never_token *t)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->items[i].length == t->length &&
            memcmp(names->items[i].text, t->text, t->length) == 0)
            return &names->items[i];
    return NULL;
}

int om_never__add(om_never_reader *r, om_never_names *names, const om_never_token *t, uint32_t v)
{
    om_never_name *moved =
        om_grow(r->heap, names->items, &names->capacity, names->count + 1, sizeof *moved);
    if (moved == NULL)
        return om_fail_memory(r->ctx);
    names->items = moved;
    names->items[names->count++] = (om_never_name){ t->text, t->length, v };
    return OM_OK;
}
