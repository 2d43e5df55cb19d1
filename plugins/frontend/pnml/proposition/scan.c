/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include <assert.h>
#include <string.h>

/* An operator stands before its prefixes, so that the longest match wins. A node whose id is one
 * of these words needs quotes. */
static const char *const SIGNS[] = { "&&", "||", "->", "<=", ">=", "==", "!=", "<", ">", "=", "!",
    "+", "-", "*", "(", ")", "," };
static const char *const WORDS[] = { "and", "or", "not", "imply", "true", "false" };

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char) c >= 0x80;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Characters that join words within ids and are no blanks. */
static bool is_joint(char c)
{
    return c != '\0' && strchr("-.:#$@[]{}/\\~^%?;", c) != NULL;
}

om_place pnml_scan_place(const pnml_scan *s, const char *at)
{
    om_place p = { s->origin, 1, 1 };
    for (const char *c = s->text; c < at; c++) {
        p.line += *c == '\n';
        p.column = *c == '\n' ? 1 : p.column + 1;
    }
    return p;
}

bool pnml_scan_is(const pnml_scan *s, const char *sign)
{
    return s->kind == PNML_SIGN && strlen(sign) == s->length &&
           memcmp(sign, s->token, s->length) == 0;
}

bool pnml_scan_take(pnml_scan *s, const char *sign)
{
    bool is = pnml_scan_is(s, sign);
    if (is)
        pnml_scan_next(s);
    return is;
}

int pnml_scan_unexpected(pnml_scan *s, const char *what)
{
    om_place at = pnml_scan_place(s, s->began);
    if (s->kind == PNML_BAD)
        return OM_EINPUT;
    if (s->kind == PNML_END)
        return om_fail(s->net->ctx, OM_EINPUT, &at, "expected %s, found the end", what);
    assert(s->at > s->began);
    int shown = s->at - s->began > 100 ? 100 : (int) (s->at - s->began);
    return om_fail(
        s->net->ctx, OM_EINPUT, &at, "expected %s, found \"%.*s\"", what, shown, s->began);
}

static void bad(pnml_scan *s, const char *what)
{
    om_place at = pnml_scan_place(s, s->began);
    s->kind = PNML_BAD;
    (void) om_fail(s->net->ctx, OM_EINPUT, &at, "%s", what);
}

static void set(pnml_scan *s, pnml_token_kind kind, const char *token, size_t length)
{
    s->kind = kind;
    s->token = token;
    s->length = length;
}

static void scan_quoted(pnml_scan *s)
{
    const char *end = strchr(s->at + 1, *s->at);
    if (end == NULL) {
        bad(s, "this quotation is never closed");
        return;
    }
    set(s, PNML_NAME, s->at + 1, (size_t) (end - s->at) - 1);
    s->quoted = true;
    s->at = end + 1;
}

static bool scan_sign(pnml_scan *s)
{
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
        size_t n = strlen(SIGNS[i]);
        if (strncmp(s->at, SIGNS[i], n) == 0) {
            set(s, PNML_SIGN, s->at, n);
            s->at += n;
            return true;
        }
    }
    return false;
}

static size_t word_length(const char *s)
{
    size_t n = 0;
    while (is_word(s[n]))
        n++;
    return n;
}

/* Recognises a word that is an operator or a constant, or a number. */
static bool scan_reserved(pnml_scan *s, size_t n)
{
    assert(n > 0);
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strlen(WORDS[i]) == n && memcmp(s->at, WORDS[i], n) == 0) {
            set(s, PNML_SIGN, s->at, n);
            return true;
        }
    om_wide value = 0;
    for (size_t i = 0; i < n; i++) {
        if (s->at[i] < '0' || s->at[i] > '9')
            return false;
        if (value <= OM_VALUE_MAX)
            value = value * 10 + (s->at[i] - '0');
    }
    if (value > OM_VALUE_MAX) {
        bad(s, "this number is too large");
        return true;
    }
    s->value = (om_value) value;
    set(s, PNML_NUMBER, s->at, n);
    return true;
}

/* Returns true for names of functions that contain a joint. */
static bool is_function(const char *s, size_t n)
{
    return (n == 11 && memcmp(s, "is-fireable", n) == 0) ||
           (n == 12 && memcmp(s, "tokens-count", n) == 0);
}

/* Returns the length of the longest prefix of the words and joints here that the net knows, or 0.
 * Text between two joints is looked up as a whole; a run ends after MOST_JOINTS joints. */
static size_t known_length(pnml_scan *s)
{
    enum { MOST_JOINTS = 32 };
    size_t n = 0, best = 0;
    for (uint32_t joints = 0; joints < MOST_JOINTS;) {
        if (is_word(s->at[n]))
            n += word_length(s->at + n);
        else if (is_joint(s->at[n])) {
            n++;
            joints++;
        } else
            break;
        if (pnml_symbols_find(s->symbols, s->at, n) != NULL || is_function(s->at, n))
            best = n;
    }
    s->run = n;
    return best;
}

static void scan_name(pnml_scan *s)
{
    size_t word = word_length(s->at), best = known_length(s);
    if (best == 0 && word == 0)
        bad(s, "this character is only allowed in quotes");
    else if (best > word || !scan_reserved(s, word))
        set(s, PNML_NAME, s->at, best == 0 ? word : best);
    if (s->kind != PNML_BAD)
        s->at += s->length;
}

void pnml_scan_next(pnml_scan *s)
{
    while (is_blank(*s->at))
        s->at++;
    s->began = s->at;
    s->quoted = false;
    if (*s->at == '\0')
        set(s, PNML_END, s->at, 0);
    else if (*s->at == '"' || *s->at == '\'')
        scan_quoted(s);
    else if (is_word(*s->at) || !scan_sign(s))
        scan_name(s);
}

void pnml_scan_start(pnml_scan *s, const char *text)
{
    s->text = s->at = text;
    pnml_scan_next(s);
}
