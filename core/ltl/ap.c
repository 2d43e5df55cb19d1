/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ap.c: atomic propositions as text: the extent of expressions over the model, and their normal
 * form.
 *
 *   relation = sum [ ("==" | "!=" | "<=" | ">=" | "<" | ">") sum ]
 *   sum      = term { ("+" | "-") term }
 *   term     = factor { ("*" | "/" | "%") factor }
 *   factor   = { "-" } ( number | quoted | "(" relation ")" | name | call )
 *   call     = name "(" relation { "," relation } ")"      nothing between the name and "("
 *   name     = word { "." word | "[" relation "]" }
 *   quoted   = "'" ... "'" | '"' ... '"'
 *
 * This file only finds the extent of an expression; the front end interprets it. "<" that starts
 * "<>" or "<->", "-" that starts "->", and "/" that starts "/\" end the expression: they are
 * logical operators.
 */
#include "formula_nodes.h"

#include <assert.h>
#include <string.h>

static bool is_blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* ---- normal form ---- */

/* Returns true if the two characters, side by side, would read as one token. */
static bool would_merge(int a, int b)
{
    static const char signs[] = "+-*/%=!<>&|^~";
    return (is_word(a) && is_word(b)) || (strchr(signs, a) != NULL && strchr(signs, b) != NULL);
}

/* Drops backslashes, turns double quotes into single ones and strips outer blanks, in place.
 * Returns the new length. */
static size_t unescape(char *s, size_t n)
{
    size_t to = 0, from = 0;
    for (size_t i = 0; i < n; i++)
        if (s[i] != '\\')
            s[to++] = (char) (s[i] == '"' ? '\'' : s[i]);
    n = to;
    while (n > 0 && is_blank((unsigned char) s[n - 1]))
        n--;
    while (from < n && is_blank((unsigned char) s[from]))
        from++;
    memmove(s, s + from, n - from);
    return n - from;
}

char *om_ltl__ap_name(const om_heap *heap, const char *text, size_t length)
{
    char *s = om_strndup(heap, text, length);
    if (s == NULL)
        return NULL;
    size_t n = unescape(s, length), to = 0;
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\'')
            quoted = !quoted;
        if (!quoted && is_blank((unsigned char) s[i])) {
            size_t next = i;
            while (is_blank((unsigned char) s[next])) /* the last character is not blank */
                next++;
            if (to > 0 && would_merge((unsigned char) s[to - 1], (unsigned char) s[next]))
                s[to++] = ' ';
            i = next - 1;
            continue;
        }
        s[to++] = s[i];
    }
    s[to] = '\0';
    return s;
}

/* ---- extent ---- */

static int char_at(const om_ltl_input *in, size_t at)
{
    return at < in->length ? (unsigned char) in->text[at] : 0;
}

int om_ltl__peek(om_ltl_input *in)
{
    while (in->at < in->length && is_blank((unsigned char) in->text[in->at]))
        in->at++;
    return char_at(in, in->at);
}

size_t om_ltl__word_length(const om_ltl_input *in, size_t at)
{
    size_t from = at;
    for (;;) {
        if (char_at(in, at) == '\\' && char_at(in, at + 1) > ' ' && char_at(in, at + 1) != '/')
            at += 2;
        else if (is_word(char_at(in, at)))
            at++;
        else
            return at - from;
    }
}

bool om_ltl__skip_quoted(om_ltl_input *in)
{
    int quote = char_at(in, in->at);
    assert(quote == '"' || quote == '\'');
    for (size_t i = in->at + 1; i < in->length; i++) {
        if (in->text[i] == '\\')
            i++;
        else if ((unsigned char) in->text[i] == quote) {
            in->at = i + 1;
            return true;
        }
    }
    in->expected = "a closing quote for the text that starts";
    return false;
}

bool om_ltl__at_prefix_letter(const om_ltl_input *in)
{
    int c = char_at(in, in->at);
    return (c == 'F' || c == 'G' || c == 'X') && !is_digit(char_at(in, in->at + 1)) &&
           char_at(in, in->at + 1) != '_';
}

static bool skip_relation(om_ltl_input *in);

static bool skip_closing(om_ltl_input *in, char bracket, const char *expected)
{
    in->at++;
    if (!skip_relation(in))
        return false;
    if (om_ltl__peek(in) != bracket) {
        in->expected = expected;
        return false;
    }
    in->at++;
    return true;
}

static bool skip_name(om_ltl_input *in)
{
    for (;;) {
        size_t n = om_ltl__word_length(in, in->at);
        if (n == 0 || is_digit(char_at(in, in->at))) {
            in->expected = "a name";
            return false;
        }
        in->at += n;
        for (;;) {
            size_t here = in->at;
            if (om_ltl__peek(in) != '[') {
                in->at = here; /* an expression does not end in blanks */
                break;
            }
            if (!skip_closing(in, ']', "']'"))
                return false;
        }
        if (char_at(in, in->at) != '.')
            return true;
        in->at++;
    }
}

/* Skips the arguments of a call, from its "(" on. */
static bool skip_arguments(om_ltl_input *in)
{
    do {
        in->at++;
        if (!skip_relation(in))
            return false;
    } while (om_ltl__peek(in) == ',');
    if (char_at(in, in->at) != ')') {
        in->expected = "',' or ')'";
        return false;
    }
    in->at++;
    return true;
}

static bool skip_factor(om_ltl_input *in)
{
    while (om_ltl__peek(in) == '-')
        in->at++;
    int c = om_ltl__peek(in);
    if (c == '(')
        return skip_closing(in, ')', "')'");
    if (c == '\'' || c == '"')
        return om_ltl__skip_quoted(in);
    if (is_digit(c)) {
        size_t from = in->at;
        while (is_digit(char_at(in, in->at)))
            in->at++;
        if (om_ltl__word_length(in, in->at) == 0)
            return true;
        in->at = from;
    } else if (om_ltl__word_length(in, in->at) > 0)
        return skip_name(in) && (char_at(in, in->at) != '(' || skip_arguments(in));
    in->expected = "an operand";
    return false;
}

/* Returns the length of an arithmetic operator here, or 0. */
static size_t arithmetic(om_ltl_input *in)
{
    int c = om_ltl__peek(in);
    if (c == '-')
        return char_at(in, in->at + 1) != '>';
    if (c == '/')
        return char_at(in, in->at + 1) != '\\';
    return c == '+' || c == '*' || c == '%';
}

/* Returns the length of a comparison operator here, or 0. */
static size_t comparison(om_ltl_input *in)
{
    int c = om_ltl__peek(in), next = char_at(in, in->at + 1);
    if (c == '=' || c == '!')
        return next == '=' ? 2 : 0;
    if (c == '>')
        return next == '=' ? 2 : 1;
    if (c != '<' || next == '>' || (next == '-' && char_at(in, in->at + 2) == '>'))
        return 0;
    return next == '=' ? 2 : 1;
}

bool om_ltl__at_arithmetic(om_ltl_input *in)
{
    return arithmetic(in) > 0 || comparison(in) > 0;
}

/* Skips a sum with its terms: precedence does not change the extent. */
static bool skip_sum(om_ltl_input *in)
{
    for (;;) {
        if (!skip_factor(in))
            return false;
        size_t here = in->at, n = arithmetic(in);
        if (n == 0) {
            in->at = here;
            return true;
        }
        in->at += n;
    }
}

static bool skip_relation(om_ltl_input *in)
{
    if (in->depth >= OM_LTL_DEPTH_MOST) {
        in->expected = "less nesting";
        return false;
    }
    in->depth++;
    bool ok = skip_sum(in);
    if (ok) {
        size_t here = in->at, n = comparison(in);
        in->at = n == 0 ? here : in->at + n;
        ok = n == 0 || skip_sum(in);
    }
    assert(in->depth > 0);
    in->depth--;
    return ok;
}

bool om_ltl__skip_expression(om_ltl_input *in)
{
    in->depth = 0;
    return skip_relation(in);
}

bool om_ltl__plain_name(const char *name)
{
    static const char *const reserved[] = { "true", "false", "U", "R", "W", "M" };
    om_ltl_input in = { .text = name, .length = strlen(name) };
    if (!is_word((unsigned char) name[0]) || om_ltl__at_prefix_letter(&in))
        return false;
    om_ltl_input prefix = in;
    if (om_ltl__take_unary(&prefix) != 0 || prefix.expected != NULL) /* "next(x)" */
        return false;
    size_t word = om_ltl__word_length(&in, 0);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strlen(reserved[i]) == word && strncmp(name, reserved[i], word) == 0)
            return false;
    if (!om_ltl__skip_expression(&in) || in.at != in.length)
        return false;
    return !is_digit((unsigned char) name[0]) || word < in.length;
}
