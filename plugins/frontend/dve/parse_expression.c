/* SPDX-License-Identifier: Apache-2.0 */
#include "parser.h"

#include <string.h>

/*
 * Binary operators, by increasing precedence. "and" and "or" share one level, and so do the three
 * bitwise operators, as in DiVinE's own grammar; all of them are left-associative.
 */
static const struct {
    const char *text;
    dve_token_kind keyword; /* or T_PUNCTUATION */
    om_op op;
    unsigned level;
} BINARY[] = {
    { "imply", T_IMPLY, OM_OP_IMPLY, 1 },
    { "or", T_OR, OM_OP_OR, 2 },
    { "||", T_PUNCTUATION, OM_OP_OR, 2 },
    { "and", T_AND, OM_OP_AND, 2 },
    { "&&", T_PUNCTUATION, OM_OP_AND, 2 },
    { "|", T_PUNCTUATION, OM_OP_BOR, 3 },
    { "&", T_PUNCTUATION, OM_OP_BAND, 3 },
    { "^", T_PUNCTUATION, OM_OP_BXOR, 3 },
    { "==", T_PUNCTUATION, OM_OP_EQ, 4 },
    { "!=", T_PUNCTUATION, OM_OP_NE, 4 },
    { "<", T_PUNCTUATION, OM_OP_LT, 5 },
    { "<=", T_PUNCTUATION, OM_OP_LE, 5 },
    { ">=", T_PUNCTUATION, OM_OP_GE, 5 },
    { ">", T_PUNCTUATION, OM_OP_GT, 5 },
    { "<<", T_PUNCTUATION, OM_OP_SHL, 6 },
    { ">>", T_PUNCTUATION, OM_OP_SHR, 6 },
    { "+", T_PUNCTUATION, OM_OP_ADD, 7 },
    { "-", T_PUNCTUATION, OM_OP_SUB, 7 },
    { "*", T_PUNCTUATION, OM_OP_MUL, 8 },
    { "/", T_PUNCTUATION, OM_OP_DIV, 8 },
    { "%", T_PUNCTUATION, OM_OP_MOD, 8 },
};
enum { BINARY_COUNT = sizeof BINARY / sizeof *BINARY };

static dve_expr *parse_level(dve_parser *p, unsigned level);

static dve_expr *new_node(dve_parser *p, dve_kind kind)
{
    dve_expr *e = om_region_take(&p->file->region, 1, sizeof *e);
    if (e == NULL) {
        (void) dve_no_memory(p);
        return NULL;
    }
    e->kind = kind;
    e->pos = e->name_pos = p->lex.token.pos;
    e->begin = (size_t) (p->lex.token.text - p->lex.text);
    e->depth = 1;
    return e;
}

static bool too_deep(dve_parser *p, dve_pos pos)
{
    om_place place = { p->lex.origin, pos.line, pos.column };
    (void) om_fail(p->file->ctx, OM_EINPUT, &place, "this expression is nested too deeply");
    return false;
}

static bool enter(dve_parser *p)
{
    if (p->nesting >= DVE_MAX_NESTING)
        return too_deep(p, p->lex.token.pos);
    p->nesting++;
    return true;
}

/* index = '[' expression ']' */
static bool parse_index(dve_parser *p, dve_expr *e)
{
    if (!dve_accept(p, "["))
        return true;
    if ((e->a = dve_parse_expression(p)) == NULL)
        return false;
    e->depth = e->a->depth + 1;
    return dve_expect(p, "]", "\"]\" after the index");
}

/* Creates a reference node and appends it to the list of references. */
static dve_expr *new_reference(dve_parser *p)
{
    dve_expr *e = new_node(p, DVE_REFERENCE);
    if (e == NULL)
        return NULL;
    e->within = p->within;
    *p->next_reference = e;
    p->next_reference = &e->next_reference;
    return e;
}

/* reference = NAME [('.' | '->') NAME] [index] */
static dve_expr *parse_reference(dve_parser *p)
{
    dve_expr *e = new_reference(p);
    if (e == NULL || !dve_take_name(p, "a name", &e->name, &e->name_pos))
        return NULL;
    e->arrow = dve_lexer_is(&p->lex, "->");
    if (e->arrow || dve_lexer_is(&p->lex, ".")) {
        dve_lexer_next(&p->lex);
        e->owner = e->name;
        if (!dve_take_name(p, e->arrow ? "a variable of that process" : "a state of that process",
                &e->name, &e->name_pos))
            return NULL;
    }
    if (!parse_index(p, e))
        return NULL;
    e->end = p->lex.last_end;
    return e;
}

/* parenthesis = '(' expression ')' */
static dve_expr *parse_parenthesis(dve_parser *p)
{
    size_t begin = (size_t) (p->lex.token.text - p->lex.text);
    dve_pos pos = p->lex.token.pos;
    dve_lexer_next(&p->lex);
    dve_expr *e = dve_parse_expression(p);
    if (e == NULL || !dve_expect(p, ")", "\")\""))
        return NULL;
    e->enclosed = true;
    e->begin = begin;
    e->pos = pos;
    e->end = p->lex.last_end;
    return e;
}

/* constant = NUMBER | 'true' | 'false', and in a proposition a quoted location */
static dve_expr *parse_constant(dve_parser *p)
{
    const dve_token *t = &p->lex.token;
    dve_expr *e = new_node(p, t->kind == T_STRING ? DVE_STRING : DVE_NUMBER);
    if (e == NULL)
        return NULL;
    e->value = t->kind == T_NUMBER ? t->value : t->kind == T_TRUE;
    if (t->kind == T_STRING &&
        (e->name = om_region_copy(&p->file->region, t->text, t->length)) == NULL) {
        (void) dve_no_memory(p);
        return NULL;
    }
    dve_lexer_next(&p->lex);
    e->end = p->lex.last_end;
    return e;
}

/* unary = ('-' | '~' | '!' | 'not') unary */
static dve_expr *parse_sign(dve_parser *p, om_op op)
{
    dve_expr *e = new_node(p, DVE_UNARY);
    if (e == NULL)
        return NULL;
    e->op = op;
    dve_lexer_next(&p->lex);
    /* Signs bind tighter than every binary operator: "not a == b" is "(not a) == b". */
    if ((e->a = parse_level(p, 9)) == NULL)
        return NULL;
    e->depth = e->a->depth + 1;
    e->end = p->lex.last_end;
    return e;
}

/* operand = constant | reference | parenthesis | unary */
static dve_expr *parse_operand(dve_parser *p)
{
    switch (p->lex.token.kind) {
    case T_NUMBER:
    case T_STRING:
    case T_TRUE:
    case T_FALSE:
        return parse_constant(p);
    case T_NAME:
        return parse_reference(p);
    case T_NOT:
        return parse_sign(p, OM_OP_NOT);
    default:
        break;
    }
    if (dve_lexer_is(&p->lex, "("))
        return parse_parenthesis(p);
    if (dve_lexer_is(&p->lex, "-"))
        return parse_sign(p, OM_OP_NEG);
    if (dve_lexer_is(&p->lex, "~"))
        return parse_sign(p, OM_OP_COMPL);
    if (dve_lexer_is(&p->lex, "!"))
        return parse_sign(p, OM_OP_NOT);
    (void) dve_unexpected(p, "an expression");
    return NULL;
}

/* Returns the operator at the current token if it binds at least as tightly as `level`, else
 * BINARY_COUNT. */
static size_t operator_here(const dve_parser *p, unsigned level)
{
    for (size_t i = 0; i < BINARY_COUNT; i++)
        if (BINARY[i].level >= level &&
            (BINARY[i].keyword == T_PUNCTUATION ? dve_lexer_is(&p->lex, BINARY[i].text)
                                                : p->lex.token.kind == BINARY[i].keyword))
            return i;
    return BINARY_COUNT;
}

/* Warns of "a || b && c" and "a | b & c", which C groups the other way. */
static void warn_grouping(dve_parser *p, const dve_expr *left, size_t i)
{
    if (left->kind != DVE_BINARY || left->enclosed)
        return;
    bool logical = left->op == OM_OP_OR && BINARY[i].op == OM_OP_AND;
    bool bitwise =
        (left->op == OM_OP_BOR && (BINARY[i].op == OM_OP_BAND || BINARY[i].op == OM_OP_BXOR)) ||
        (left->op == OM_OP_BXOR && BINARY[i].op == OM_OP_BAND);
    om_place place = { p->lex.origin, p->lex.token.pos.line, p->lex.token.pos.column };
    if (logical || bitwise)
        om_note(p->file->ctx, OM_NOTE_WARNING, &place,
            "\"%s\" does not bind tighter than the operator on its left; DVE groups from left to "
            "right",
            BINARY[i].text);
}

static bool is_associative(om_op op)
{
    return op == OM_OP_AND || op == OM_OP_OR || op == OM_OP_ADD || op == OM_OP_MUL ||
           op == OM_OP_BAND || op == OM_OP_BOR || op == OM_OP_BXOR;
}

static void join(dve_expr *e, dve_expr *left, dve_expr *right)
{
    e->a = left;
    e->b = right;
    e->pos = left->pos;
    e->begin = left->begin;
    e->end = right->end;
    e->depth = 1 + (left->depth > right->depth ? left->depth : right->depth);
}

/* Builds a tree of minimal height from n operands and the n - 1 operators between them. */
static dve_expr *low_tree(dve_expr **operands, dve_expr **operators, size_t n)
{
    if (n == 1)
        return operands[0];
    size_t half = n / 2;
    dve_expr *e = operators[half - 1];
    join(e, low_tree(operands, operators, half),
        low_tree(operands + half, operators + half, n - half));
    return e;
}

/*
 * Ends a row of `n` operators of one kind, whose tree leans to the left. A long row is not nested
 * in the source. If the operator is associative, the row becomes a balanced tree, so that later
 * passes may recurse. Values and the order of evaluation stay the same, because arithmetic wraps.
 * Short rows stay as written.
 */
static dve_expr *end_row(dve_parser *p, dve_expr *e, size_t n)
{
    if (n < DVE_LONG_ROW || !is_associative(e->op))
        return e->depth <= DVE_MAX_DEPTH || too_deep(p, e->name_pos) ? e : NULL;
    const om_heap *heap = p->file->region.heap;
    dve_expr **nodes = om_alloc(heap, 2 * n + 1, sizeof(dve_expr *));
    if (nodes == NULL) {
        (void) dve_no_memory(p);
        return NULL;
    }
    dve_expr **operands = nodes, **operators = nodes + n + 1;
    for (size_t i = n; i > 0; i--, e = e->a) {
        operators[i - 1] = e;
        operands[i] = e->b;
    }
    operands[0] = e;
    e = low_tree(operands, operators, n + 1);
    om_free(heap, nodes);
    return e->depth <= DVE_MAX_DEPTH || too_deep(p, e->name_pos) ? e : NULL;
}

/* level n = level n+1 {OPERATOR n level n+1}; levels: imply; or and; | & ^; == !=; < <= >= >;
 * << >>; + -; * / %. */
static dve_expr *parse_level(dve_parser *p, unsigned level)
{
    if (!enter(p))
        return NULL;
    dve_expr *left = parse_operand(p);
    p->nesting--;
    size_t i, row = 0; /* number of adjacent operators equal to the last one */
    while (left != NULL && (i = operator_here(p, level)) < BINARY_COUNT) {
        if (row > 0 && BINARY[i].op != left->op) {
            if ((left = end_row(p, left, row)) == NULL)
                return NULL;
            row = 0;
        }
        warn_grouping(p, left, i);
        dve_pos pos = p->lex.token.pos;
        dve_lexer_next(&p->lex);
        dve_expr *right = parse_level(p, BINARY[i].level + 1);
        dve_expr *e = right == NULL ? NULL : new_node(p, DVE_BINARY);
        if (e == NULL)
            return NULL;
        e->op = BINARY[i].op;
        e->name_pos = pos;
        join(e, left, right);
        left = e;
        row++;
    }
    return left == NULL || row == 0 ? left : end_row(p, left, row);
}

/* expression = level 1 */
dve_expr *dve_parse_expression(dve_parser *p)
{
    return parse_level(p, 1);
}

/* target = NAME [index] */
dve_expr *dve_parse_target(dve_parser *p, const char *what)
{
    dve_expr *e = new_reference(p);
    if (e == NULL || !dve_take_name(p, what, &e->name, &e->name_pos) || !parse_index(p, e))
        return NULL;
    e->end = p->lex.last_end;
    return e;
}

/* proposition = expression END */
int dve_parse_proposition(
    dve_file *f, const char *origin, const char *text, dve_expr **out, dve_expr **references)
{
    dve_parser p = { .file = f, .next_reference = references, .status = OM_EINPUT };
    dve_lexer_start(&p.lex, f, origin, text, strlen(text), true);
    dve_expr *e = dve_parse_expression(&p);
    if (e != NULL && p.lex.token.kind != T_END) {
        (void) dve_unexpected(&p, "the end of the expression");
        e = NULL;
    }
    *out = e;
    return e == NULL ? p.status : OM_OK;
}
