/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens of HOA v1. Characters are classified by hand, because the locale must not affect a file
 * format.
 *
 * The reader looks one token ahead, r->token, and every reading function stops at the first token
 * that does not belong to it. Texts of tokens point into the input, which outlives the reader.
 * --ABORT--, which may occur anywhere, is returned as a separate status (OM_HOA_ABORTED), so that
 * the grammar rules need not handle it.
 */
#include "hoa.h"

#include <assert.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '-';
}

const om_place *om_hoa__at(om_hoa_reader *r, const om_hoa_token *t)
{
    r->place = (om_place){ r->file, t->line, t->column };
    return &r->place;
}

const om_place *om_hoa__here(om_hoa_reader *r)
{
    return om_hoa__at(r, &r->token);
}

const char *om_hoa__show(om_hoa_reader *r)
{
    size_t n = 0;
    if (r->token.kind == OM_HOA_EOF)
        return "the end of the file";
    r->shown[n++] = '\'';
    for (size_t i = 0; i < r->token.length && n < sizeof r->shown - 6; i++) {
        char c = r->token.text[i];
        r->shown[n++] = (char) (c >= ' ' && c <= '~' ? c : '?');
    }
    if (n - 1 < r->token.length) {
        memcpy(&r->shown[n], "...", 3);
        n += 3;
    }
    if (r->token.kind == OM_HOA_HEADER)
        r->shown[n++] = ':';
    r->shown[n++] = '\'';
    r->shown[n] = '\0';
    assert(n < sizeof r->shown);
    return r->shown;
}

int om_hoa__expected(om_hoa_reader *r, const char *what)
{
    return OM_HOA_BAD(r, "expected %s, not %s", what, om_hoa__show(r));
}

bool om_hoa__is_sign(const om_hoa_reader *r, char sign)
{
    return r->token.kind == OM_HOA_SIGN && r->token.text[0] == sign;
}

bool om_hoa__is_word(const om_hoa_reader *r, om_hoa_kind kind, const char *word)
{
    return r->token.kind == kind && r->token.length == strlen(word) &&
           memcmp(r->token.text, word, r->token.length) == 0;
}

/* Returns the character k places ahead; NUL after the end (a NUL in the text is no token). */
static char peek(const om_hoa_reader *r, size_t k)
{
    assert(r->at <= r->length);
    return (char) (k < r->length - r->at ? r->input[r->at + k] : '\0');
}

static void step(om_hoa_reader *r)
{
    assert(r->at < r->length);
    if (r->input[r->at++] == '\n') {
        r->line++;
        r->column = 1;
    } else
        r->column++;
}

static int bad(om_hoa_reader *r, const char *what)
{
    return OM_HOA_BAD(r, "%s", what);
}

/* Skips white space and comments; comments nest. */
static int skip_blank(om_hoa_reader *r)
{
    size_t depth = 0;
    while (r->at < r->length) {
        char c = peek(r, 0), d = peek(r, 1);
        bool opens = c == '/' && d == '*', closes = depth > 0 && c == '*' && d == '/';
        if (depth == 0 && opens)
            r->token = (om_hoa_token){ .line = r->line, .column = r->column };
        if (depth == 0 && !opens && c != ' ' && c != '\t' && c != '\n' && c != '\r')
            return OM_OK;
        step(r);
        if (opens || closes)
            step(r);
        depth += opens;
        depth -= closes;
    }
    return depth == 0 ? OM_OK : bad(r, "this comment is never closed");
}

static int lex_string(om_hoa_reader *r)
{
    step(r);
    r->token.kind = OM_HOA_STRING;
    r->token.text = r->input + r->at;
    for (; r->at < r->length && peek(r, 0) != '"'; step(r)) {
        if (peek(r, 0) == '\0')
            return bad(r, "this string holds a NUL character");
        if (peek(r, 0) == '\\' && r->at + 1 < r->length)
            step(r);
    }
    if (r->at >= r->length)
        return bad(r, "this string is never closed");
    r->token.length = (size_t) (r->input + r->at - r->token.text);
    step(r);
    return OM_OK;
}

static int lex_int(om_hoa_reader *r)
{
    r->token.kind = OM_HOA_INT;
    for (; is_digit(peek(r, 0)); step(r)) {
        uint64_t digit = (uint64_t) (peek(r, 0) - '0');
        r->token.value = r->token.value * 10 + digit;
        if (r->token.value > UINT64_C(1) << 58)
            r->token.value = UINT64_C(1) << 58;
        r->token.length++;
    }
    if (r->token.length > 1 && r->token.text[0] == '0')
        return bad(r, "a number cannot start with 0");
    if (is_letter(peek(r, 0)))
        return bad(r, "a word cannot start with a digit");
    return OM_OK;
}

static void lex_word(om_hoa_reader *r)
{
    r->token.kind = r->token.text[0] == '@' ? OM_HOA_ALIAS : OM_HOA_IDENTIFIER;
    do
        step(r);
    while (is_word(peek(r, 0)));
    r->token.length = (size_t) (r->input + r->at - r->token.text);
    if (r->token.kind == OM_HOA_IDENTIFIER && peek(r, 0) == ':') {
        r->token.kind = OM_HOA_HEADER;
        step(r);
    }
}

/* --BODY--, --END-- or --ABORT-- */
static int lex_mark(om_hoa_reader *r)
{
    static const struct {
        const char *text;
        om_hoa_kind kind;
        int status;
    } marks[] = { { "--BODY--", OM_HOA_BODY, OM_OK }, { "--END--", OM_HOA_END, OM_OK },
        { "--ABORT--", OM_HOA_END, OM_HOA_ABORTED } };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t n = strlen(marks[i].text);
        if (n > r->length - r->at || memcmp(r->input + r->at, marks[i].text, n) != 0)
            continue;
        r->token.kind = marks[i].kind;
        r->token.length = n;
        while (n-- > 0)
            step(r);
        return marks[i].status;
    }
    return bad(r, "expected --BODY--, --END-- or --ABORT--");
}

int om_hoa__next(om_hoa_reader *r)
{
    int rc = om_context_stopped(r->ctx);
    if (rc == OM_OK)
        rc = skip_blank(r);
    if (rc != OM_OK)
        return rc;
    r->token = (om_hoa_token){
        .kind = OM_HOA_EOF, .text = r->input + r->at, .line = r->line, .column = r->column
    };
    if (r->at >= r->length)
        return OM_OK;
    char c = peek(r, 0);
    if (c == '"')
        return lex_string(r);
    if (is_digit(c))
        return lex_int(r);
    if (c == '-')
        return lex_mark(r);
    if (is_letter(c) || (c == '@' && is_word(peek(r, 1)))) {
        lex_word(r);
        return OM_OK;
    }
    if (c == '\0' || strchr("[]{}()!&|", c) == NULL)
        return OM_HOA_BAD(r,
            c >= ' ' && c <= '~' ? "stray character '%c'" : "stray character with code %d",
            (unsigned char) c);
    r->token.kind = OM_HOA_SIGN;
    r->token.length = 1;
    step(r);
    return OM_OK;
}

int om_hoa__unescape(om_hoa_reader *r, char **out)
{
    char *s = om_alloc(r->heap, r->token.length + 1, 1);
    size_t n = 0;
    if (s == NULL)
        return om_fail_memory(r->ctx);
    for (size_t i = 0; i < r->token.length; i++) {
        if (r->token.text[i] == '\\' && i + 1 < r->token.length)
            i++;
        s[n++] = r->token.text[i];
    }
    *out = s;
    return OM_OK;
}

int om_hoa__push(om_hoa_reader *r, om_hoa_list *list, uint64_t item)
{
    if (!OM_ROOM(r->heap, list->items, &list->capacity, list->count + 1))
        return om_fail_memory(r->ctx);
    list->items[list->count++] = item;
    return OM_OK;
}
