/* SPDX-License-Identifier: Apache-2.0 */
#include "lexer.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *text;
    dve_token_kind kind;
} KEYWORDS[] = { { "accept", T_ACCEPT }, { "and", T_AND }, { "assert", T_ASSERT },
    { "async", T_ASYNC }, { "byte", T_BYTE }, { "channel", T_CHANNEL }, { "commit", T_COMMIT },
    { "const", T_CONST }, { "effect", T_EFFECT }, { "false", T_FALSE }, { "guard", T_GUARD },
    { "imply", T_IMPLY }, { "init", T_INIT }, { "int", T_INT }, { "not", T_NOT }, { "or", T_OR },
    { "process", T_PROCESS }, { "property", T_PROPERTY }, { "state", T_STATE }, { "sync", T_SYNC },
    { "system", T_SYSTEM }, { "trans", T_TRANS }, { "true", T_TRUE } };

/* An operator stands before its prefixes, so that the longest match wins. */
static const char *const PUNCTUATION[] = { "->", "=>", "<<", ">>", "||", "&&",
    "<=", ">=", "==", "!=", "<", ">", "=", "!", "?", "~", "+", "-", "*", "/", "%", "|", "&", "^",
    ".", ",", ";", ":", "{", "}", "[", "]", "(", ")" };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_character(char c)
{
    return is_letter(c) || is_digit(c) || c == '$' || c == '#';
}

void dve_lexer_start(dve_lexer *l, dve_file *f, const char *origin, const char *text, size_t length,
    bool proposition)
{
    *l = (dve_lexer){ .file = f,
        .text = text,
        .at = text,
        .end = text + length,
        .line_start = text,
        .origin = origin,
        .line = 1,
        .proposition = proposition };
    dve_lexer_next(l);
}

bool dve_lexer_is(const dve_lexer *l, const char *punctuation)
{
    return l->token.kind == T_PUNCTUATION && strlen(punctuation) == l->token.length &&
           memcmp(l->token.text, punctuation, l->token.length) == 0;
}

static dve_pos here(const dve_lexer *l)
{
    assert(l->line_start <= l->at && l->at <= l->end);
    return (dve_pos){ l->line, (uint32_t) (l->at - l->line_start) + 1 };
}

static void step(dve_lexer *l)
{
    assert(l->at < l->end);
    if (*l->at++ == '\n') {
        l->line++;
        l->line_start = l->at;
    }
}

static bool starts(const dve_lexer *l, const char *s)
{
    size_t n = strlen(s);
    return (size_t) (l->end - l->at) >= n && memcmp(l->at, s, n) == 0;
}

/* Skips a comment. An unterminated comment is reported at its first character. */
static bool skip_comment(dve_lexer *l)
{
    dve_pos pos = here(l);
    bool closed = false;
    l->at += 2;
    while (l->at < l->end && !closed) {
        closed = starts(l, "*/");
        step(l);
    }
    if (closed) {
        step(l);
        return true;
    }
    om_place place = { l->origin, pos.line, pos.column };
    (void) om_fail(l->file->ctx, OM_EINPUT, &place, "this comment is never closed");
    l->token = (dve_token){ T_BAD, l->at, 0, pos, 0 };
    return false;
}

/* Returns true if a backslash here is skipped: at the end of a line, or as an escape in a
 * proposition. */
static bool is_joint(const dve_lexer *l)
{
    const char *p = l->at + 1;
    if (*l->at != '\\' || p >= l->end)
        return false;
    if (l->proposition && strchr(".[]()", *p) != NULL && *p != '\0')
        return true;
    while (p < l->end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p < l->end && *p == '\n';
}

/* Skips spaces, comments and backslashes that continue a line. Returns false if a comment is
 * unterminated. */
static bool skip_space(dve_lexer *l)
{
    while (l->at < l->end) {
        char c = *l->at;
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v' ||
            is_joint(l))
            step(l);
        else if (starts(l, "//"))
            while (l->at < l->end && *l->at != '\n')
                l->at++;
        else if (!starts(l, "/*"))
            break;
        else if (!skip_comment(l))
            return false;
    }
    return true;
}

static void take_name(dve_lexer *l)
{
    dve_token *t = &l->token;
    while (l->at < l->end && is_name_character(*l->at))
        l->at++;
    t->kind = T_NAME;
    t->length = (size_t) (l->at - t->text);
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof *KEYWORDS; i++)
        if (strlen(KEYWORDS[i].text) == t->length &&
            memcmp(KEYWORDS[i].text, t->text, t->length) == 0)
            t->kind = KEYWORDS[i].kind;
}

static void bad(dve_lexer *l, const char *what)
{
    dve_token *t = &l->token;
    om_place place = { l->origin, t->pos.line, t->pos.column };
    t->kind = T_BAD;
    t->length = (size_t) (l->at - t->text);
    (void) om_fail(l->file->ctx, OM_EINPUT, &place, "%s \"%.*s\"", what,
        (int) (t->length < 40 ? t->length : 40), t->text);
}

static void take_number(dve_lexer *l)
{
    dve_token *t = &l->token;
    om_wide value = 0;
    for (; l->at < l->end && is_digit(*l->at); l->at++)
        if (value <= OM_VALUE_MAX)
            value = value * 10 + (*l->at - '0');
    t->kind = T_NUMBER;
    t->length = (size_t) (l->at - t->text);
    t->value = (om_value) (value <= OM_VALUE_MAX ? value : 0);
    if (value > OM_VALUE_MAX)
        bad(l, "this number is too large:");
}

/* Reads 'x' or "x"; the token's text is the part between the quotes. */
static void take_string(dve_lexer *l)
{
    dve_token *t = &l->token;
    char quote = *l->at++;
    while (l->at < l->end && *l->at != quote && *l->at != '\n')
        l->at++;
    if (l->at >= l->end || *l->at != quote) {
        bad(l, "this quotation is never closed:");
        return;
    }
    t->kind = T_STRING;
    t->text++;
    t->length = (size_t) (l->at - t->text);
    l->at++;
}

static void take_punctuation(dve_lexer *l)
{
    for (size_t i = 0; i < sizeof PUNCTUATION / sizeof *PUNCTUATION; i++)
        if (starts(l, PUNCTUATION[i])) {
            l->token.kind = T_PUNCTUATION;
            l->token.length = strlen(PUNCTUATION[i]);
            l->at += l->token.length;
            return;
        }
    l->at++;
    unsigned char c = (unsigned char) l->token.text[0];
    if (c > ' ' && c < 0x7f) {
        bad(l, "this character is not valid in DVE:");
        return;
    }
    om_place place = { l->origin, l->token.pos.line, l->token.pos.column };
    l->token.kind = T_BAD;
    (void) om_fail(
        l->file->ctx, OM_EINPUT, &place, "a byte of value %u is not valid in DVE", (unsigned) c);
}

void dve_lexer_next(dve_lexer *l)
{
    l->last_end = (size_t) (l->at - l->text);
    if (!skip_space(l))
        return;
    l->token = (dve_token){ T_END, l->at, 0, here(l), 0 };
    if (om_context_stopped(l->file->ctx) != OM_OK)
        l->token.kind = T_BAD;
    if (l->at >= l->end || l->token.kind == T_BAD)
        return;
    char c = *l->at;
    if (is_letter(c))
        take_name(l);
    else if (is_digit(c))
        take_number(l);
    else if (l->proposition && (c == '"' || c == '\''))
        take_string(l);
    else
        take_punctuation(l);
}
