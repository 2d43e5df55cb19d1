/* SPDX-License-Identifier: Apache-2.0 */
#include "parse_expression.h"

#include <omen/plugin/ltl.h>

#include <string.h>

static bool word_here(const pml_parser *p, const char *word)
{
    return p->at->kind == PML_T_NAME && pml_is_named(p->at, word);
}

static pml_expr *new_temporal(pml_parser *p, unsigned op, pml_expr *a, pml_expr *b)
{
    pml_expr *e = a == NULL ? NULL : pml_new_expr(p, PML_TEMPORAL);
    if (e == NULL)
        return NULL;
    e->word = op;
    e->a = a;
    e->b = b;
    e->first = a->first;
    return pml_closed(p, e);
}

/* Returns the binary temporal operator at the current token, its level and its length in tokens; 0
 * if there is none. */
static unsigned between(const pml_parser *p, unsigned *level, size_t *length)
{
    *length = 1;
    *level = 1;
    if (pml_here(p, "<") && pml_is(p->at + 1, "->")) {
        *length = 2;
        return OM_LTL_EQUIV;
    }
    if (word_here(p, "equivalent"))
        return OM_LTL_EQUIV;
    if (pml_here(p, "->") || word_here(p, "implies"))
        return OM_LTL_IMPLIES;
    *level = 2;
    if (pml_here(p, "||") || pml_here(p, "\\/"))
        return OM_LTL_OR;
    *level = 3;
    if (pml_here(p, "&&") || pml_here(p, "/\\"))
        return OM_LTL_AND;
    *level = 5;
    if (word_here(p, "U") || word_here(p, "until") || word_here(p, "stronguntil"))
        return OM_LTL_UNTIL;
    if (word_here(p, "W") || word_here(p, "weakuntil"))
        return OM_LTL_WEAK_UNTIL;
    if (word_here(p, "V") || word_here(p, "release"))
        return OM_LTL_RELEASE;
    return 0;
}

static unsigned before(const pml_parser *p, size_t *length)
{
    *length = 2;
    if (pml_here(p, "[") && pml_is(p->at + 1, "]"))
        return OM_LTL_GLOBALLY;
    if (pml_here(p, "<") && pml_is(p->at + 1, ">"))
        return OM_LTL_FINALLY;
    *length = 1;
    if (word_here(p, "always"))
        return OM_LTL_GLOBALLY;
    if (word_here(p, "eventually"))
        return OM_LTL_FINALLY;
    if (word_here(p, "X") || word_here(p, "next"))
        return OM_LTL_NEXT;
    return pml_here(p, "!") ? OM_LTL_NOT : 0;
}

/* A '!' before an expression belongs to the expression, as in C: '! p == q' is '(! p) == q'. */
static bool is_of_expression(const pml_parser *p)
{
    pml_parser after = *p;
    size_t length = 0;
    while (pml_here(&after, "!"))
        after.at++;
    return before(&after, &length) == 0;
}

/* Turns a '!' whose operand proved to be a formula in parentheses into a temporal operator. */
static pml_expr *lift(pml_parser *p, pml_expr *e)
{
    if (e == NULL || e->kind != PML_UNARY || e->op != OM_OP_NOT)
        return e;
    e->a = lift(p, e->a);
    if (e->a == NULL || e->a->kind != PML_TEMPORAL)
        return e->a == NULL ? NULL : e;
    return new_temporal(p, OM_LTL_NOT, e->a, NULL);
}

/* Groups as SPIN does in ltl blocks (its -f groups differently): unary operators bind most
 * tightly, then U V W, then &&, then ||, then -> and <->; all binary ones are left-associative. */
static pml_expr *parse_temporal(pml_parser *p, unsigned level)
{
    size_t length = 0;
    unsigned l = 0, op;
    if (!pml_enter(p))
        return NULL;
    op = before(p, &length);
    pml_expr *left = NULL;
    if (op == 0 || (op == OM_LTL_NOT && is_of_expression(p)))
        left = lift(p, pml_parse_level(p, 3));
    else {
        p->at += length;
        left = new_temporal(p, op, parse_temporal(p, 6), NULL);
    }
    while (left != NULL && (op = between(p, &l, &length)) != 0 && l >= level) {
        p->at += length;
        left = new_temporal(p, op, left, parse_temporal(p, l + 1));
        if (left != NULL && left->b == NULL)
            left = NULL;
    }
    p->nesting--;
    return left;
}

/* ---- hints for operators that look like names ---- */

static bool is_letter_operator(const pml_token *t)
{
    return t->kind == PML_T_NAME && t->length == 1 && strchr("XUVW", t->text[0]) != NULL;
}

/* Returns true for a token that can follow a name but begins no formula. */
static bool follows_name(const pml_token *t)
{
    static const char *const signs[] = { "==", "!=", "<", "<=", ">", ">=", "+", "*", "/", "%", "]",
        "?", "??", "@", ".", "=" };
    size_t i = 0;
    while (i < sizeof signs / sizeof *signs && !pml_is(t, signs[i]))
        i++;
    return i < sizeof signs / sizeof *signs;
}

const char *pml_hint_after_operator(const pml_parser *p)
{
    if (!p->formula || p->at == p->first || !is_letter_operator(p->at - 1) || !follows_name(p->at))
        return "";
    switch (p->at[-1].text[0]) {
    case 'X':
        return " (\"X\" is the operator \"next\" in formulas, not a name)";
    case 'U':
        return " (\"U\" is the operator \"until\" in formulas, not a name)";
    case 'V':
        return " (\"V\" is the operator \"release\" in formulas, not a name)";
    default:
        return " (\"W\" is the operator \"weak until\" in formulas, not a name)";
    }
}

bool pml_unknown_operator(pml_parser *p, const pml_token *name)
{
    static const struct {
        char letter;
        const char *advice;
    } others[] = { { 'G', "\"[]\"" }, { 'F', "\"<>\"" }, { 'R', "\"V\"" } };
    const pml_token *before = name == p->first ? NULL : name - 1;
    if (!p->formula || name->kind != PML_T_NAME)
        return false;
    const bool bitwise =
        before != NULL && (pml_is(before, "&") || pml_is(before, "|") || pml_is(before, "^"));
    if (bitwise && name->length == 1 && name->text[0] == 'X') {
        p->status = PML_FAIL(p->file, name->at,
            "\"X\" is the operator \"next\", and \"%.*s\" is a bitwise operator: join formulas "
            "with \"&&\" or \"||\"",
            (int) before->length, before->text);
        return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (name->text[0] == others[i].letter && name->length == 1) {
            p->status = PML_FAIL(p->file, name->at,
                "there is no variable \"%c\"; SPIN writes the operator as %s", others[i].letter,
                others[i].advice);
            return true;
        }
    return false;
}

pml_expr *pml_parse_formula(pml_parser *p)
{
    bool formula = p->formula;
    p->formula = true;
    p->parentheses++;
    pml_expr *e = parse_temporal(p, 1);
    p->parentheses--;
    p->formula = formula;
    return e;
}
