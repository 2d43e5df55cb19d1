/* SPDX-License-Identifier: Apache-2.0 */
#include "lexer.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static const char *const KEYWORDS[] = { "active", "assert", "atomic", "bit", "bool", "break",
    "byte", "c_code", "c_decl", "c_expr", "c_state", "c_track", "chan", "d_step", "do", "else",
    "empty", "enabled", "eval", "false", "fi", "for", "full", "get_priority", "goto", "hidden",
    "if", "init", "inline", "int", "len", "local", "ltl", "mtype", "nempty", "never", "nfull",
    "notrace", "np_", "od", "of", "pc_value", "pid", "printf", "printm", "priority", "proctype",
    "provided", "return", "run", "select", "set_priority", "short", "show", "skip", "timeout",
    "trace", "true", "typedef", "unless", "unsigned", "xr", "xs" };

/* An operator stands before its prefixes, so that the longest match wins. */
static const char *const PUNCTUATION[] = { "-->", "->", "::", "..", "!!", "??", "++", "--", "<<",
    ">>", "<=", ">=", "==", "!=", "&&", "||", "##", "/\\", "\\/", ";", ":", ".", "!", "?", "+", "-",
    "<", ">", "=", "&", "|", "*", "/", "%", "^", "~", "(", ")", "[", "]", "{", "}", ",", "@", "#" };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool pml_is(const pml_token *t, const char *text)
{
    return (t->kind == PML_T_PUNCTUATION || t->kind == PML_T_KEYWORD) &&
           strlen(text) == t->length && memcmp(text, t->text, t->length) == 0;
}

int pml_tokens_add(pml_file *f, pml_tokens *list, const pml_token *t)
{
    if (list->count >= PML_MAX_TOKENS)
        return PML_FAIL(f, t->at, "the model has more than %d words", (int) PML_MAX_TOKENS);
    if (!OM_ROOM(f->region.heap, list->at, &list->capacity, list->count + 1))
        return om_fail_memory(f->ctx);
    list->at[list->count++] = *t;
    return OM_OK;
}

static om_place here(const pml_text *x)
{
    return (om_place){ x->name, x->line, (uint32_t) (x->at - x->line_start) + 1 };
}

static void step(pml_text *x)
{
    if (*x->at++ == '\n') {
        x->line++;
        x->line_start = x->at;
        x->fresh = true;
    }
}

static bool starts(const pml_text *x, const char *s)
{
    size_t n = strlen(s);
    return (size_t) (x->end - x->at) >= n && memcmp(x->at, s, n) == 0;
}

/* Skips a comment. An unterminated comment is reported at its first character. */
static int skip_comment(pml_text *x)
{
    om_place at = here(x);
    bool fresh = x->fresh;
    x->at += 2;
    while (x->at < x->end && !starts(x, "*/"))
        step(x);
    if (x->at == x->end)
        return PML_FAIL(x->file, at, "this comment is never closed");
    x->at += 2;
    x->fresh = x->fresh || fresh;
    return OM_OK;
}

/* Returns true if there is a backslash at the end of the line. */
static bool is_joint(const pml_text *x)
{
    const char *p = x->at + 1;
    if (*x->at != '\\')
        return false;
    while (p < x->end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p < x->end && *p == '\n';
}

/* Skips a backslash and the line end: the next line continues this one. */
static void skip_joint(pml_text *x)
{
    bool fresh = x->fresh;
    while (*x->at != '\n')
        x->at++;
    step(x);
    x->fresh = fresh;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* Returns true at the end of a comment that was never begun, which SPIN ignores. */
static bool is_stray(const pml_text *x)
{
    return starts(x, "*/") && !starts(x, "*/*") && !starts(x, "*//");
}

static int skip_space(pml_text *x)
{
    int rc = OM_OK;
    while (x->at < x->end && rc == OM_OK) {
        if (is_space(*x->at))
            step(x);
        else if (is_joint(x))
            skip_joint(x);
        else if (is_stray(x))
            x->at += 2;
        else if (starts(x, "//"))
            while (x->at < x->end && *x->at != '\n')
                x->at++;
        else if (starts(x, "/*"))
            rc = skip_comment(x);
        else
            break;
    }
    return rc;
}

void pml_skip_line(pml_text *x)
{
    while (x->at < x->end && *x->at != '\n') {
        if (is_joint(x))
            skip_joint(x);
        else
            x->at++;
    }
}

static void take_name(pml_text *x, pml_token *t)
{
    while (x->at < x->end && (is_letter(*x->at) || is_digit(*x->at)))
        x->at++;
    if (x->shown && x->end - x->at > 1 && x->at[0] == '\'' && is_digit(x->at[1]))
        for (x->at++; x->at < x->end && is_digit(*x->at);)
            x->at++;
    t->kind = PML_T_NAME;
    t->length = (uint32_t) (x->at - t->text);
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof *KEYWORDS; i++)
        if (strlen(KEYWORDS[i]) == t->length && memcmp(KEYWORDS[i], t->text, t->length) == 0)
            t->kind = PML_T_KEYWORD;
}

/* As in SPIN, a number of 32 bits may be negative. */
static int take_number(pml_text *x, pml_token *t)
{
    uint64_t value = 0;
    while (x->at < x->end && is_digit(*x->at)) {
        value = value * 10 + (uint64_t) (*x->at++ - '0');
        if (value > UINT32_MAX)
            return PML_FAIL(x->file, t->at, "this number is too large");
    }
    if (x->at < x->end && is_letter(*x->at))
        return PML_FAIL(x->file, t->at, "a number ends in a letter");
    t->kind = PML_T_NUMBER;
    t->value = (om_value) (int32_t) (uint32_t) value;
    if (value > INT32_MAX)
        om_note(x->file->ctx, OM_NOTE_WARNING, &t->at,
            "numbers have 32 bits, as in SPIN: %" PRIu64 " is %" OM_VALUE_FORMAT, value, t->value);
    return OM_OK;
}

/* 'c' and '\n' are numbers. */
static int take_character(pml_text *x, pml_token *t)
{
    static const char FROM[] = "nrtf0\\'\"", TO[] = "\n\r\t\f\0\\'\"";
    size_t room = (size_t) (x->end - x->at);
    bool escaped = room > 1 && x->at[1] == '\\';
    size_t length = escaped ? 4 : 3;
    if (room < length || x->at[length - 1] != '\'' || x->at[1] == '\n')
        return PML_FAIL(x->file, t->at, "a character in quotes must be like 'c' or '\\n'");
    t->value = (unsigned char) x->at[1];
    if (escaped) {
        const char *found = memchr(FROM, x->at[2], sizeof FROM - 1);
        if (found == NULL)
            return PML_FAIL(x->file, t->at, "this escape sequence is unknown");
        t->value = (unsigned char) TO[found - FROM];
    }
    t->kind = PML_T_NUMBER;
    x->at += length;
    return OM_OK;
}

static int take_string(pml_text *x, pml_token *t)
{
    for (x->at++; x->at < x->end && *x->at != '"' && *x->at != '\n'; x->at++)
        if (*x->at == '\\' && x->at + 1 < x->end && x->at[1] != '\n')
            x->at++;
    if (x->at >= x->end || *x->at == '\n')
        return PML_FAIL(x->file, t->at, "this text is never closed");
    x->at++;
    t->kind = PML_T_STRING;
    return OM_OK;
}

static int take_punctuation(pml_text *x, pml_token *t)
{
    assert(x->at < x->end);
    for (size_t i = 0; i < sizeof PUNCTUATION / sizeof *PUNCTUATION; i++)
        if (starts(x, PUNCTUATION[i])) {
            x->at += strlen(PUNCTUATION[i]);
            t->kind = PML_T_PUNCTUATION;
            return OM_OK;
        }
    if (*x->at > ' ' && *x->at < 127)
        return PML_FAIL(x->file, t->at, "this character is not valid in Promela: \"%c\"", *x->at);
    return PML_FAIL(x->file, t->at, "a byte of value %u is not valid in Promela",
        (unsigned) (unsigned char) *x->at);
}

int pml_next_token(pml_text *x, pml_token *t)
{
    const char *before = x->at;
    int rc = skip_space(x);
    if (rc != OM_OK)
        return rc;
    *t = (pml_token){ .kind = PML_T_END,
        .first = x->fresh,
        .spaced = x->at != before,
        .text = x->at,
        .at = here(x) };
    if (x->at >= x->end)
        return OM_OK;
    x->fresh = false;
    if (is_letter(*x->at))
        take_name(x, t);
    else if (is_digit(*x->at))
        rc = take_number(x, t);
    else if (*x->at == '\'')
        rc = take_character(x, t);
    else if (*x->at == '"')
        rc = take_string(x, t);
    else
        rc = take_punctuation(x, t);
    assert(t->text <= x->at && x->at <= x->end);
    t->length = (uint32_t) (x->at - t->text);
    return rc;
}
