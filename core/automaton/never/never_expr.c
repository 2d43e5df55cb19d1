/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of never claims:
 *
 *   expr    = and { "||" and }
 *   and     = unary { "&&" unary }
 *   unary   = "!" unary | value
 *   value   = operand { arith operand }
 *   arith   = "+" | "-" | "*" | "/" | "%" | "==" | "!=" | "<" | ">" | "<=" | ">="
 *   operand = { "-" } ( number | name | "(" expr ")" )
 *   name    = word { "." word | "[" ... "]" | "@" word | "(" ... ")" } [ "]" ":" word ]
 *
 * A value is a proposition, whose name is its text without unnecessary blanks and outer brackets;
 * the front end interprets it. Numbers, "true", "false" and "skip" are constants; a macro (#define)
 * is replaced by its definition. P[2]:x is x of P[2].
 */
#include "never.h"

#include <string.h>

/* A part of an expression: a function of propositions, or (if not NULL) text that may become
 * one. */
typedef struct term {
    om_bdd f;
    const char *text, *end;        /* as written */
    const char *inner, *inner_end; /* without its outer brackets */
    om_never_token at;
} term;

static int read_or(om_never_reader *r, term *out);

int om_never__bdd_failure(om_never_reader *r, const om_never_token *at)
{
    int rc = om_context_stopped(r->ctx);
    if (om_bdd_space_status(r->bdd) == OM_ENOMEM)
        return om_fail_memory(r->ctx);
    return rc != OM_OK
               ? rc
               : om_fail(r->ctx, OM_ELIMIT, om_never__at(r, at), "this expression is too large");
}

static int enter(om_never_reader *r)
{
    if (r->depth++ < OM_NEVER_DEPTH_MOST)
        return OM_OK;
    return om_fail(r->ctx, OM_EINPUT, om_never__at(r, &r->token), "nested too deeply");
}

/* ---- propositions ---- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Returns true if the two characters, side by side, would read as one token. */
static bool would_merge(char a, char b)
{
    static const char signs[] = "+-*/%=!<>&|";
    bool a_word = strchr(signs, a) == NULL && strchr("()[].@:,", a) == NULL;
    bool b_word = strchr(signs, b) == NULL && strchr("()[].@:,", b) == NULL;
    return (a_word && b_word) || (strchr(signs, a) != NULL && strchr(signs, b) != NULL);
}

/* Returns a copy without unnecessary blanks; comments count as blanks. The caller frees it. */
static char *name_of(om_never_reader *r, const char *text, const char *end)
{
    size_t n = 0, length = (size_t) (end - text);
    char *name = om_alloc(r->heap, length + 1, 1);
    bool blank = false;
    for (size_t i = 0; name != NULL && i < length; i++) {
        if (is_blank(text[i])) {
            blank = true;
            continue;
        }
        if (text[i] == '/' && i + 1 < length && (text[i + 1] == '*' || text[i + 1] == '/')) {
            bool line = text[i + 1] == '/';
            for (i += 2; i < length; i++)
                if (line ? text[i] == '\n' : text[i] == '/' && text[i - 1] == '*')
                    break;
            blank = true;
            continue;
        }
        if (blank && n > 0 && would_merge(name[n - 1], text[i]))
            name[n++] = ' ';
        blank = false;
        name[n++] = text[i];
    }
    return name;
}

/* Finds or adds the proposition of that text. */
static int find_ap(om_never_reader *r, const term *t, uint32_t *index)
{
    uint32_t i = 0;
    char *name = name_of(r, t->inner, t->inner_end);
    if (name == NULL)
        return om_fail_memory(r->ctx);
    while (i < r->ap_count && strcmp(r->aps[i], name) != 0)
        i++;
    *index = i;
    if (i < r->ap_count || i == OM_MAX_APS) {
        om_free(r->heap, name);
        return i < OM_MAX_APS ? OM_OK
                              : om_fail(r->ctx, OM_EINPUT, om_never__at(r, &t->at),
                                    "an automaton has at most %d atomic propositions", OM_MAX_APS);
    }
    r->ap_lines[i] = t->at.line;
    r->ap_columns[i] = t->at.column;
    r->aps[r->ap_count++] = name;
    return OM_OK;
}

/* ---- operands ---- */

/* Skips a bracketed text without parsing it. */
static int skip_brackets(om_never_reader *r)
{
    size_t depth = 0;
    do {
        if (r->token.kind == OM_NEVER_EOF || r->token.kind == OM_NEVER_LINE || om_never__is(r, ";"))
            return om_never__expected(r, "a closing bracket");
        depth += om_never__is(r, "(") || om_never__is(r, "[");
        depth -= om_never__is(r, ")") || om_never__is(r, "]");
        int rc = om_never__next(r);
        if (rc != OM_OK)
            return rc;
    } while (depth > 0);
    return OM_OK;
}

static int expect_word(om_never_reader *r)
{
    int rc = om_never__next(r);
    if (rc == OM_OK && r->token.kind != OM_NEVER_WORD)
        rc = om_never__expected(r, "a name");
    return rc == OM_OK ? om_never__next(r) : rc;
}

static int read_name(om_never_reader *r)
{
    bool indexed = false;
    int rc = om_never__next(r);
    while (rc == OM_OK) {
        if (om_never__is(r, ".") || om_never__is(r, "@") || (indexed && om_never__is(r, ":")))
            rc = expect_word(r);
        else if (om_never__is(r, "[") || om_never__is(r, "(")) {
            indexed = om_never__is(r, "[");
            rc = skip_brackets(r);
            continue;
        } else
            break;
        indexed = false;
    }
    return rc;
}

/* Returns true for words that begin or end another construct. */
static bool is_reserved(const om_never_reader *r)
{
    static const char *const words[] = { "if", "fi", "do", "od", "goto", "break", "assert",
        "atomic", "d_step", "else", "never", "unless", "printf", "run", "timeout" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (om_never__is(r, words[i]))
            return true;
    return false;
}

/* true, false, skip or a macro */
static bool is_constant(const om_never_reader *r, om_bdd *f)
{
    const om_never_name *macro = om_never__find(&r->macros, &r->token);
    if (macro != NULL) {
        *f = macro->value;
        return true;
    }
    *f = om_never__is(r, "false") ? OM_BDD_FALSE : OM_BDD_TRUE;
    return *f == OM_BDD_FALSE || om_never__is(r, "true") || om_never__is(r, "skip");
}

static int read_bracket(om_never_reader *r, term *out)
{
    const char *start = r->token.text;
    int rc = om_never__next(r);
    if (rc == OM_OK)
        rc = read_or(r, out);
    if (rc != OM_OK)
        return rc;
    if (!om_never__is(r, ")"))
        return om_never__expected(r, "')' or an operator");
    rc = om_never__next(r);
    if (out->text != NULL) {
        out->text = start;
        out->end = r->input + r->end;
    }
    return rc;
}

/* operand without its signs */
static int read_operand(om_never_reader *r, term *out)
{
    int rc = OM_OK;
    *out = (term){ .f = OM_BDD_FALSE, .at = r->token };
    if (om_never__is(r, "("))
        return read_bracket(r, out);
    if (r->token.kind == OM_NEVER_NUMBER || (r->token.kind == OM_NEVER_WORD && !is_reserved(r))) {
        if (r->token.kind == OM_NEVER_WORD && is_constant(r, &out->f))
            return om_never__next(r);
        out->text = out->inner = r->token.text;
        rc = r->token.kind == OM_NEVER_NUMBER ? om_never__next(r) : read_name(r);
        out->end = out->inner_end = r->input + r->end;
        return rc;
    }
    return om_never__expected(r, "an expression");
}

static bool at_arithmetic(const om_never_reader *r)
{
    static const char *const signs[] = { "+", "-", "*", "/", "%", "==", "!=", "<", ">",
        "<=", ">=" };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (om_never__is(r, signs[i]))
            return true;
    return false;
}

static int no_value(om_never_reader *r, const om_never_token *at)
{
    return om_fail(
        r->ctx, OM_EINPUT, om_never__at(r, at), "a Boolean value cannot be used in arithmetic");
}

/* { "-" } operand */
static int read_signed(om_never_reader *r, term *out)
{
    om_never_token start = r->token;
    int rc = OM_OK;
    while (rc == OM_OK && om_never__is(r, "-"))
        rc = om_never__next(r);
    if (rc == OM_OK)
        rc = read_operand(r, out);
    if (rc != OM_OK || start.text[0] != '-')
        return rc;
    if (out->text == NULL)
        return no_value(r, &start);
    out->at = start;
    out->text = out->inner = start.text;
    out->inner_end = out->end;
    return OM_OK;
}

/* Reads a value; precedence does not change its extent. */
static int read_value(om_never_reader *r, term *out)
{
    int rc = read_signed(r, out);
    om_never_token start = out->at;
    while (rc == OM_OK && at_arithmetic(r)) {
        term right;
        if (out->text == NULL)
            return no_value(r, &r->token);
        rc = om_never__next(r);
        if (rc == OM_OK)
            rc = read_signed(r, &right);
        if (rc == OM_OK && right.text == NULL)
            return no_value(r, &right.at);
        if (rc == OM_OK) {
            out->at = start;
            out->inner = out->text;
            out->end = out->inner_end = right.end;
        }
    }
    return rc;
}

/* ---- logic ---- */

/* Returns true for a number alone; *zero: it is 0, which is false. */
static bool is_number(const term *t, bool *zero)
{
    const char *c = t->inner;
    *zero = true;
    for (; t->text != NULL && c < t->inner_end && *c >= '0' && *c <= '9'; c++)
        *zero = *zero && *c == '0';
    return t->text != NULL && c == t->inner_end;
}

/* Turns a text into a function. */
static int settle(om_never_reader *r, term *t)
{
    uint32_t i = 0;
    bool zero;
    if (is_number(t, &zero)) {
        t->f = zero ? OM_BDD_FALSE : OM_BDD_TRUE;
        t->text = NULL;
    } else if (t->text != NULL) {
        int rc = find_ap(r, t, &i);
        if (rc != OM_OK)
            return rc;
        t->text = NULL;
        t->f = om_bdd_variable(r->bdd, i, true);
    }
    return t->f == OM_BDD_NONE ? om_never__bdd_failure(r, &t->at) : OM_OK;
}

static int read_unary(om_never_reader *r, term *out)
{
    size_t negations = 0;
    int rc = enter(r);
    om_never_token start = r->token;
    for (; rc == OM_OK && om_never__is(r, "!"); negations++)
        rc = om_never__next(r);
    if (rc == OM_OK)
        rc = read_value(r, out);
    if (rc == OM_OK && negations > 0)
        rc = settle(r, out);
    if (rc == OM_OK && negations % 2 == 1) {
        out->f = om_bdd_not(r->bdd, out->f);
        rc = out->f == OM_BDD_NONE ? om_never__bdd_failure(r, &start) : OM_OK;
    }
    r->depth--;
    return rc;
}

/* first { sign next }, for "&&" and for "||". */
static int read_chain(om_never_reader *r, const char *sign, int (*next)(om_never_reader *, term *),
    om_bdd (*apply)(om_bdd_space *, om_bdd, om_bdd), term *out)
{
    int rc = next(r, out);
    while (rc == OM_OK && om_never__is(r, sign)) {
        term right;
        rc = settle(r, out);
        if (rc == OM_OK)
            rc = om_never__next(r);
        if (rc == OM_OK)
            rc = next(r, &right);
        if (rc == OM_OK)
            rc = settle(r, &right);
        if (rc != OM_OK)
            return rc;
        out->f = apply(r->bdd, out->f, right.f);
        if (out->f == OM_BDD_NONE)
            return om_never__bdd_failure(r, &out->at);
    }
    return rc;
}

static int read_and(om_never_reader *r, term *out)
{
    return read_chain(r, "&&", read_unary, om_bdd_and, out);
}

static int read_or(om_never_reader *r, term *out)
{
    return read_chain(r, "||", read_and, om_bdd_or, out);
}

int om_never__expression(om_never_reader *r, om_bdd *out)
{
    term t;
    int rc = read_or(r, &t);
    if (rc == OM_OK)
        rc = settle(r, &t);
    if (rc == OM_OK)
        *out = t.f;
    return rc;
}

int om_never__is_atom(om_never_reader *r, const char *name, bool *yes)
{
    om_bdd f = OM_BDD_NONE;
    *r = (om_never_reader){ .ctx = r->ctx,
        .heap = r->heap,
        .file = "",
        .input = name,
        .length = strlen(name),
        .bdd = r->bdd,
        .line = 1,
        .column = 1 };
    int rc = om_never__next(r);
    if (rc == OM_OK)
        rc = om_never__expression(r, &f);
    *yes = rc == OM_OK && r->token.kind == OM_NEVER_EOF && r->ap_count == 1 &&
           f == om_bdd_variable(r->bdd, 0, true) && strcmp(r->aps[0], name) == 0;
    for (uint32_t i = 0; i < r->ap_count; i++)
        om_free(r->heap, r->aps[i]);
    return rc == OM_EINPUT || rc == OM_EUNSUPPORTED ? OM_OK : rc;
}
