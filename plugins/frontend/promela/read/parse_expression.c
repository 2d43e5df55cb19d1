/* SPDX-License-Identifier: Apache-2.0 */
#include "parse_statement.h"

#include <string.h>

/* Binary operators, by increasing precedence; all are left-associative. */
static const struct {
    const char *text;
    om_op op;
    unsigned level;
} BINARY[] = { { "||", OM_OP_OR, 1 }, { "\\/", OM_OP_OR, 1 }, { "&&", OM_OP_AND, 2 },
    { "/\\", OM_OP_AND, 2 }, { "|", OM_OP_BOR, 3 }, { "^", OM_OP_BXOR, 4 }, { "&", OM_OP_BAND, 5 },
    { "==", OM_OP_EQ, 6 }, { "!=", OM_OP_NE, 6 }, { "<", OM_OP_LT, 7 }, { "<=", OM_OP_LE, 7 },
    { ">", OM_OP_GT, 7 }, { ">=", OM_OP_GE, 7 }, { "<<", OM_OP_SHL, 8 }, { ">>", OM_OP_SHR, 8 },
    { "+", OM_OP_ADD, PML_SUM_LEVEL }, { "-", OM_OP_SUB, PML_SUM_LEVEL }, { "*", OM_OP_MUL, 10 },
    { "/", OM_OP_DIV, 10 }, { "%", OM_OP_MOD, 10 } };
enum { BINARY_COUNT = sizeof BINARY / sizeof *BINARY };

pml_expr *pml_new_expr(pml_parser *p, pml_kind kind)
{
    pml_expr *e = pml_new(p, sizeof *e);
    if (e == NULL)
        return NULL;
    e->kind = kind;
    e->at = p->at->at;
    e->first = p->at;
    e->last = p->at + 1;
    e->depth = 1;
    return e;
}

pml_expr *pml_new_number(pml_parser *p, om_value value)
{
    pml_expr *e = pml_new_expr(p, PML_NUMBER);
    if (e != NULL)
        e->value = value;
    return e;
}

static uint32_t height(const pml_expr *e)
{
    return e == NULL ? 0 : e->depth;
}

/* Sets the height from the operands. Returns false if it is too large. */
static bool joined(pml_parser *p, pml_expr *e)
{
    uint32_t a = height(e->a), b = height(e->b), c = height(e->c);
    a = a > b ? a : b;
    e->depth = 1 + (a > c ? a : c);
    return e->depth <= PML_MAX_DEPTH ||
           pml_error(p, &e->at, "this expression is nested too deeply", NULL);
}

pml_expr *pml_new_binary(pml_parser *p, om_op op, pml_expr *a, pml_expr *b)
{
    pml_expr *e = a == NULL || b == NULL ? NULL : pml_new_expr(p, PML_BINARY);
    if (e == NULL)
        return NULL;
    e->op = op;
    e->a = a;
    e->b = b;
    e->at = a->at;
    e->first = a->first;
    e->last = b->last;
    return joined(p, e) ? e : NULL;
}

pml_expr *pml_closed(pml_parser *p, pml_expr *e)
{
    if (e == NULL || !joined(p, e))
        return NULL;
    e->last = p->at;
    return e;
}

bool pml_parse_priority(pml_parser *p, om_value *out)
{
    if (!pml_accept(p, "priority"))
        return true;
    p->file->priorities = true;
    return pml_parse_constant(p, "a priority", 1, UINT8_MAX, out);
}

/* run = 'run' NAME '(' arguments ')' [priority NUMBER] */
static pml_expr *parse_run(pml_parser *p)
{
    pml_expr *e = pml_new_expr(p, PML_RUN);
    p->at++;
    om_place at = p->at->at;
    if (e == NULL || !pml_take_name(p, "the name of a proctype", &e->name))
        return NULL;
    e->process = pml_find_proctype(p, e->name, &at);
    e->site = p->file->sites++;
    if (e->process == NULL || !pml_expect(p, "(", "\"(\" after the name of the proctype") ||
        !pml_parse_arguments(p, false, ")", &e->args, &e->arg_count))
        return NULL;
    if (!pml_parse_priority(p, &e->value))
        return NULL;
    if (p->run != NULL) {
        (void) pml_refuse(p, &e->at, "more than one \"run\" in a statement is not supported");
        return NULL;
    }
    p->run = e;
    return pml_closed(p, e);
}

static const char *const LENGTHS[] = { "len", "empty", "full", "nempty", "nfull" };

/* length = ('len' | 'empty' | 'full' | 'nempty' | 'nfull') '(' reference ')' */
static pml_expr *parse_length(pml_parser *p, unsigned word)
{
    pml_expr *e = pml_new_expr(p, PML_LEN);
    p->at++;
    if (e == NULL || !pml_expect(p, "(", "\"(\""))
        return NULL;
    e->word = word;
    e->a = pml_parse_reference(p);
    if (e->a == NULL || !pml_expect(p, ")", "\")\" after the channel"))
        return NULL;
    return pml_closed(p, e);
}

bool pml_parse_enclosed(pml_parser *p, const char *open, const char *close, pml_expr **out)
{
    if (!pml_expect(p, "(", open))
        return false;
    p->parentheses++;
    *out = pml_parse_expression(p);
    p->parentheses--;
    return *out != NULL && pml_expect(p, ")", close);
}

/* ('enabled' | 'get_priority' | 'pc_value') '(' expression ')' */
static pml_expr *parse_of_process(pml_parser *p, pml_kind kind)
{
    pml_expr *e = pml_new_expr(p, kind);
    p->at++;
    p->file->priorities = p->file->priorities || kind == PML_PRIORITY;
    p->file->places = p->file->places || kind == PML_PC;
    bool good =
        e != NULL && pml_parse_enclosed(p, "\"(\"", "\")\" after the number of a process", &e->a);
    return good ? pml_closed(p, e) : NULL;
}

/* parenthesis = '(' expression ['->' expression ':' expression] ')' */
static pml_expr *parse_parenthesis(pml_parser *p)
{
    const pml_token *first = p->at++;
    p->parentheses++;
    pml_expr *e = p->formula ? pml_parse_formula(p) : pml_parse_expression(p);
    if (e != NULL && !p->formula && pml_here(p, "->")) {
        pml_expr *cond = pml_new_expr(p, PML_COND);
        p->at++;
        if (cond == NULL)
            return NULL;
        cond->a = e;
        if ((cond->b = pml_parse_expression(p)) == NULL ||
            !pml_expect(p, ":", "\":\" between the values") ||
            (cond->c = pml_parse_expression(p)) == NULL)
            return NULL;
        e = cond;
    }
    p->parentheses--;
    if (e == NULL || !pml_expect(p, ")", "\")\""))
        return NULL;
    e->first = first;
    e->at = first->at;
    return e->kind == PML_COND ? pml_closed(p, e) : (e->last = p->at, e);
}

/* remote = NAME ['[' expression ']'] ('@' NAME | ':' NAME ['[' expression ']']) */
static pml_expr *parse_remote(pml_parser *p)
{
    pml_expr *e = pml_new_expr(p, PML_REMOTE);
    om_place at = p->at->at;
    if (e == NULL || !pml_take_name(p, "the name of a proctype", &e->name) ||
        !pml_parse_index(p, e))
        return NULL;
    e->process = pml_find_proctype(p, e->name, &at);
    if (e->process == NULL)
        return NULL;
    if (pml_accept(p, ":"))
        e->kind = PML_REMOTE_VARIABLE;
    else if (!pml_expect(p, "@", "\"@\" and a label, or \":\" and a variable"))
        return NULL;
    if (!pml_take_name(p, "the name of a label or variable", &e->label))
        return NULL;
    if (e->kind == PML_REMOTE) {
        e->remote = e->process->remotes;
        e->process->remotes = e;
    } else if (pml_accept(p, "[")) {
        p->parentheses++;
        e->b = pml_parse_expression(p);
        p->parentheses--;
        if (e->b == NULL || !pml_expect(p, "]", "\"]\" after the index"))
            return NULL;
    }
    return pml_closed(p, e);
}

/* Returns true if a remote reference begins here: looks past the name and its index in brackets. */
static bool is_remote(const pml_parser *p)
{
    const pml_token *t = p->at + 1;
    size_t nesting = 0;
    if (pml_find(p, p->at) != NULL)
        return false;
    if (pml_is(t, "["))
        do {
            nesting += pml_is(t, "[");
            nesting -= pml_is(t, "]");
            t++;
        } while (nesting > 0 && t->kind != PML_T_END);
    return pml_is(t, "@") ||
           (pml_is(t, ":") && t[1].kind == PML_T_NAME && pml_is_proctype(p, p->at));
}

bool pml_is_named(const pml_token *t, const char *name)
{
    return strlen(name) == t->length && memcmp(t->text, name, t->length) == 0;
}

/* poll = reference ('?' | '??') '[' arguments ']' */
static pml_expr *parse_poll(pml_parser *p, pml_expr *channel)
{
    pml_expr *e = pml_new_expr(p, PML_POLL);
    if (e == NULL)
        return NULL;
    e->at = channel->at;
    e->first = channel->first;
    e->word = pml_here(p, "??");
    e->a = channel;
    p->at += 2;
    if (!pml_parse_arguments(p, true, "]", &e->args, &e->arg_count))
        return NULL;
    return pml_closed(p, e);
}

/* name = '_pid' | '_nr_pr' | '_last' | '_priority' | MTYPE | remote | reference | poll */
static pml_expr *parse_name(pml_parser *p)
{
    om_value value = 0;
    pml_kind kind = pml_is_named(p->at, "_pid")        ? PML_PID_OF
                    : pml_is_named(p->at, "_nr_pr")    ? PML_NR_PR
                    : pml_is_named(p->at, "_last")     ? PML_LAST
                    : pml_is_named(p->at, "_priority") ? PML_PRIORITY
                                                       : PML_NUMBER;
    p->file->last = p->file->last || kind == PML_LAST;
    p->file->priorities = p->file->priorities || kind == PML_PRIORITY;
    if (is_remote(p))
        return parse_remote(p);
    if (pml_is_shown(p))
        return pml_parse_shown(p);
    if (p->status != OM_OK)
        return NULL;
    if (kind != PML_NUMBER ||
        (pml_find(p, p->at) == NULL && pml_find_mtype(p->file, p->at, &value))) {
        pml_expr *e = pml_new_expr(p, kind);
        p->at++;
        if (e != NULL)
            e->value = value;
        return e;
    }
    pml_expr *e = pml_parse_reference(p);
    if (e != NULL && (pml_here(p, "?") || pml_here(p, "??")) && pml_is(p->at + 1, "["))
        return parse_poll(p, e);
    return e;
}

static pml_expr *parse_sign(pml_parser *p, om_op op)
{
    pml_expr *e = pml_new_expr(p, PML_UNARY);
    p->at++;
    if (e == NULL || (e->a = pml_parse_level(p, PML_UNARY_LEVEL)) == NULL)
        return NULL;
    e->op = op;
    return pml_closed(p, e);
}

static pml_expr *parse_keyword(pml_parser *p)
{
    for (unsigned i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++)
        if (pml_here(p, LENGTHS[i]))
            return parse_length(p, i);
    if (pml_here(p, "pc_value"))
        return parse_of_process(p, PML_PC);
    if (pml_here(p, "enabled") || pml_here(p, "get_priority"))
        return parse_of_process(p, pml_here(p, "enabled") ? PML_ENABLED : PML_PRIORITY);
    if (pml_here(p, "run"))
        return parse_run(p);
    pml_kind kind = pml_here(p, "timeout") ? PML_TIMEOUT : pml_here(p, "np_") ? PML_NP : PML_NUMBER;
    om_value value = pml_here(p, "true") || pml_here(p, "skip");
    if (kind == PML_NUMBER && value == 0 && !pml_here(p, "false")) {
        if (pml_here(p, "c_expr"))
            (void) pml_refuse(p, &p->at->at, "embedded C code (\"c_expr\") is not supported");
        else
            (void) pml_unexpected(p, "an expression");
        return NULL;
    }
    pml_expr *e = pml_new_expr(p, kind);
    p->at++;
    if (e != NULL)
        e->value = value;
    return e;
}

/* operand = NUMBER | name | parenthesis | ('-' | '~' | '!') operand | keyword */
static pml_expr *parse_operand(pml_parser *p)
{
    switch (p->at->kind) {
    case PML_T_NUMBER:
        p->at++;
        pml_expr *e = pml_new_number(p, p->at[-1].value);
        if (e != NULL) {
            e->at = p->at[-1].at;
            e->first = p->at - 1;
            e->last = p->at;
        }
        return e;
    case PML_T_NAME:
        return parse_name(p);
    case PML_T_KEYWORD:
        return parse_keyword(p);
    default:
        break;
    }
    if (pml_here(p, "("))
        return parse_parenthesis(p);
    if (pml_here(p, "-"))
        return parse_sign(p, OM_OP_NEG);
    if (pml_here(p, "~"))
        return parse_sign(p, OM_OP_COMPL);
    if (pml_here(p, "!"))
        return parse_sign(p, OM_OP_NOT);
    (void) pml_unexpected(p, "an expression");
    return NULL;
}

/* As in SPIN, the end of a line outside parentheses ends the statement. */
static size_t operator_here(const pml_parser *p, unsigned level)
{
    if (p->at->first && p->parentheses == 0)
        return BINARY_COUNT;
    for (size_t i = 0; i < BINARY_COUNT; i++)
        if (BINARY[i].level >= level && pml_here(p, BINARY[i].text))
            return i;
    return BINARY_COUNT;
}

/* level n = level n+1 {OPERATOR n level n+1} */
pml_expr *pml_parse_level(pml_parser *p, unsigned level)
{
    if (!pml_enter(p))
        return NULL;
    pml_expr *left = parse_operand(p);
    size_t i;
    while (left != NULL && (i = operator_here(p, level)) < BINARY_COUNT) {
        /* "[] (a <> b)", "a <-> b": in a formula these two tokens are one operator. */
        if (p->formula && pml_here(p, "<") && (pml_is(p->at + 1, ">") || pml_is(p->at + 1, "->")))
            break;
        if (p->formula && BINARY[i].level < 3)
            break;
        p->at++;
        pml_expr *right = pml_parse_level(p, BINARY[i].level + 1);
        left = pml_new_binary(p, BINARY[i].op, left, right);
    }
    p->nesting--;
    return left;
}

pml_expr *pml_parse_expression(pml_parser *p)
{
    bool formula = p->formula;
    p->formula = false;
    pml_expr *e = pml_parse_level(p, 1);
    p->formula = formula;
    return e;
}
