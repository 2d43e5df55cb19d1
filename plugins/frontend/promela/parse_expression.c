/* SPDX-License-Identifier: Apache-2.0 */
#include "parser.h"

#include <omen/plugin/ltl.h>

#include <string.h>

enum { UNARY_LEVEL = 11 };

/* Binary operators, the loosest first; all group to the left. */
static const struct {
    const char *text;
    om_op op;
    unsigned level;
} BINARY[] = { { "||", OM_OP_OR, 1 }, { "\\/", OM_OP_OR, 1 }, { "&&", OM_OP_AND, 2 },
    { "/\\", OM_OP_AND, 2 }, { "|", OM_OP_BOR, 3 }, { "^", OM_OP_BXOR, 4 },
    { "&", OM_OP_BAND, 5 }, { "==", OM_OP_EQ, 6 }, { "!=", OM_OP_NE, 6 }, { "<", OM_OP_LT, 7 },
    { "<=", OM_OP_LE, 7 }, { ">", OM_OP_GT, 7 }, { ">=", OM_OP_GE, 7 }, { "<<", OM_OP_SHL, 8 },
    { ">>", OM_OP_SHR, 8 }, { "+", OM_OP_ADD, 9 }, { "-", OM_OP_SUB, 9 }, { "*", OM_OP_MUL, 10 },
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

/* Sets the height from the operands; false where it is too much. */
static bool joined(pml_parser *p, pml_expr *e)
{
    uint32_t a = height(e->a), b = height(e->b), c = height(e->c);
    a = a > b ? a : b;
    e->depth = 1 + (a > c ? a : c);
    return e->depth <= PML_MAX_DEPTH ||
           pml_error(p, &e->at, "this expression is nested too deeply to be read", NULL);
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

static pml_expr *parse_level(pml_parser *p, unsigned level);

static pml_expr *closed(pml_parser *p, pml_expr *e)
{
    if (e == NULL || !joined(p, e))
        return NULL;
    e->last = p->at;
    return e;
}

/* index = '[' expression ']' */
static bool parse_index(pml_parser *p, pml_expr *e)
{
    if (!pml_accept(p, "["))
        return true;
    p->parentheses++;
    e->a = pml_parse_expression(p);
    p->parentheses--;
    return e->a != NULL && pml_expect(p, "]", "\"]\" after the index");
}

static bool check_index(pml_parser *p, const pml_expr *e)
{
    if (e->a != NULL && e->variable->length == 0)
        return pml_error(p, &e->at, "\"%s\" is not an array", e->variable->name);
    return true;
}

/* fields = {'.' NAME [index]} */
static bool parse_fields(pml_parser *p, pml_expr *e)
{
    while (pml_here(p, ".")) {
        if (e->variable->structure == NULL)
            return pml_error(p, &p->at->at, "\"%s\" has no fields", e->variable->name);
        p->at++;
        pml_expr *f = pml_new_expr(p, PML_VARIABLE);
        if (f == NULL || !pml_take_name(p, "the name of a field", &f->name))
            return false;
        for (f->variable = e->variable->structure->fields;
             f->variable != NULL && strcmp(f->variable->name, f->name) != 0;)
            f->variable = f->variable->next;
        if (f->variable == NULL)
            return pml_error(p, &f->at, "there is no field \"%s\"", f->name);
        if (!parse_index(p, f) || !check_index(p, f))
            return false;
        e = e->field = f;
    }
    return true;
}

/* reference = NAME [index] {'.' NAME [index]} */
pml_expr *pml_parse_reference(pml_parser *p)
{
    pml_expr *e = pml_new_expr(p, PML_VARIABLE);
    if (e == NULL)
        return NULL;
    if (p->at->kind != PML_T_NAME) {
        (void) pml_unexpected(p, "a variable");
        return NULL;
    }
    e->variable = pml_find(p, p->at);
    if (e->variable == NULL) {
        (void) pml_unknown(p, p->at);
        return NULL;
    }
    e->name = e->variable->name;
    p->at++;
    if (!parse_index(p, e) || !check_index(p, e) || !parse_fields(p, e))
        return NULL;
    return closed(p, e);
}

/* arguments = [argument {',' argument}] END, or argument '(' arguments ')' */
static bool add_argument(pml_parser *p, bool receive, pml_expr ***tail, uint32_t *count)
{
    pml_expr *e = NULL;
    bool ignored = receive && p->at->kind == PML_T_NAME && p->at->length == 1 &&
                   p->at->text[0] == '_';
    bool eval = receive && pml_here(p, "eval");
    if (ignored || eval) {
        e = pml_new_expr(p, ignored ? PML_IGNORE : PML_EVAL);
        p->at++;
        if (e != NULL && eval) {
            if (!pml_expect(p, "(", "\"(\" after \"eval\""))
                return false;
            p->parentheses++;
            e->a = pml_parse_expression(p);
            p->parentheses--;
            if (e->a == NULL || !pml_expect(p, ")", "\")\""))
                return false;
        }
    } else
        e = receive ? parse_level(p, UNARY_LEVEL) : pml_parse_expression(p);
    if (e == NULL)
        return false;
    **tail = e;
    *tail = &e->next;
    ++*count;
    return true;
}

bool pml_parse_arguments(
    pml_parser *p, bool receive, const char *end, pml_expr **list, uint32_t *count)
{
    bool nested = false, good = true;
    if (end != NULL && pml_here(p, end))
        return pml_expect(p, end, end);
    p->parentheses += end != NULL;
    do {
        good = add_argument(p, receive, &list, count);
        if (good && *count == 1 && pml_here(p, "(")) {
            nested = true;
            p->parentheses++;
            p->at++;
            if (pml_here(p, ")"))
                break;
            good = add_argument(p, receive, &list, count);
        }
    } while (good && pml_accept(p, ","));
    if (nested) {
        p->parentheses--;
        good = good && pml_expect(p, ")", "\",\" or \")\" after an argument");
    }
    p->parentheses -= end != NULL;
    return good && (end == NULL || pml_expect(p, end, "\",\" or the end of the arguments"));
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
    if (pml_here(p, "priority")) {
        (void) pml_refuse(p, &p->at->at, "priorities of processes are not read");
        return NULL;
    }
    return closed(p, e);
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
    return closed(p, e);
}

/* Words that are read over with what is in their parentheses; lowering refuses them. */
static pml_expr *parse_unsupported(pml_parser *p, const char *name)
{
    pml_expr *e = pml_new_expr(p, PML_UNSUPPORTED);
    if (e == NULL)
        return NULL;
    e->name = name;
    p->at++;
    if (pml_here(p, "(")) {
        p->at++;
        p->parentheses++;
        if (!pml_parse_arguments(p, false, ")", &e->args, &e->arg_count))
            return NULL;
        p->parentheses--;
    }
    return closed(p, e);
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
    return e->kind == PML_COND ? closed(p, e) : (e->last = p->at, e);
}

/* remote = NAME ['[' expression ']'] ('@' NAME | ':' NAME) */
static pml_expr *parse_remote(pml_parser *p)
{
    pml_expr *e = pml_new_expr(p, PML_REMOTE);
    om_place at = p->at->at;
    if (e == NULL || !pml_take_name(p, "the name of a proctype", &e->name) || !parse_index(p, e))
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
    return closed(p, e);
}

/* What follows a name, in its index's brackets: is it a remote reference? */
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
    return pml_is(t, "@") || (pml_is(t, ":") && t[1].kind == PML_T_NAME &&
                                 pml_is_proctype(p, p->at));
}

static bool is_named(const pml_token *t, const char *name)
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
    return closed(p, e);
}

/* name = '_pid' | '_nr_pr' | MTYPE | remote | reference | poll */
static pml_expr *parse_name(pml_parser *p)
{
    om_value value = 0;
    pml_kind kind = is_named(p->at, "_pid")     ? PML_PID_OF
                    : is_named(p->at, "_nr_pr") ? PML_NR_PR
                                                : PML_NUMBER;
    if (is_named(p->at, "_last") || is_named(p->at, "_priority"))
        return parse_unsupported(p, is_named(p->at, "_last") ? "_last" : "_priority");
    if (is_remote(p))
        return parse_remote(p);
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
    if (e == NULL || (e->a = parse_level(p, UNARY_LEVEL)) == NULL)
        return NULL;
    e->op = op;
    return closed(p, e);
}

static pml_expr *parse_keyword(pml_parser *p)
{
    static const char *const WORDS[] = { "enabled", "pc_value", "get_priority", "set_priority" };
    for (unsigned i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++)
        if (pml_here(p, LENGTHS[i]))
            return parse_length(p, i);
    for (unsigned i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (pml_here(p, WORDS[i]))
            return parse_unsupported(p, WORDS[i]);
    if (pml_here(p, "run"))
        return parse_run(p);
    pml_kind kind = pml_here(p, "timeout") ? PML_TIMEOUT : pml_here(p, "np_") ? PML_NP : PML_NUMBER;
    om_value value = pml_here(p, "true") || pml_here(p, "skip");
    if (kind == PML_NUMBER && value == 0 && !pml_here(p, "false")) {
        if (pml_here(p, "c_expr"))
            (void) pml_refuse(p, &p->at->at, "embedded C code (\"c_expr\") is not read");
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

/* A line that ends outside parentheses ends the statement, as SPIN has it. */
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
static pml_expr *parse_level(pml_parser *p, unsigned level)
{
    if (!pml_enter(p))
        return NULL;
    pml_expr *left = parse_operand(p);
    size_t i;
    while (left != NULL && (i = operator_here(p, level)) < BINARY_COUNT) {
        /* "[] (a <> b)": in a formula these two are an operator of its own. */
        if (p->formula && pml_here(p, "<") && pml_is(p->at + 1, ">"))
            break;
        if (p->formula && BINARY[i].level < 3)
            break;
        p->at++;
        pml_expr *right = parse_level(p, BINARY[i].level + 1);
        left = pml_new_binary(p, BINARY[i].op, left, right);
    }
    p->nesting--;
    return left;
}

pml_expr *pml_parse_expression(pml_parser *p)
{
    bool formula = p->formula;
    p->formula = false;
    pml_expr *e = parse_level(p, 1);
    p->formula = formula;
    return e;
}

/* ---- formulas ---- */

static bool word_here(const pml_parser *p, const char *word)
{
    return p->at->kind == PML_T_NAME && is_named(p->at, word);
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
    return closed(p, e);
}

/* The temporal operator at hand that stands between formulas, with how tightly it binds. */
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

/* As in SPIN's grammar, '[]' and '<>' bind looser than 'U': '[] p U q' is '[] (p U q)'. */
static pml_expr *parse_temporal(pml_parser *p, unsigned level)
{
    size_t length = 0;
    unsigned l = 0, op;
    if (!pml_enter(p))
        return NULL;
    op = before(p, &length);
    pml_expr *left = NULL;
    if (op != 0) {
        p->at += length;
        left = new_temporal(p, op,
            parse_temporal(p, op == OM_LTL_NOT || op == OM_LTL_NEXT ? 6 : 4), NULL);
    } else
        left = parse_level(p, 3);
    while (left != NULL && (op = between(p, &l, &length)) != 0 && l >= level) {
        p->at += length;
        left = new_temporal(p, op, left, parse_temporal(p, l + 1));
        if (left != NULL && left->b == NULL)
            left = NULL;
    }
    p->nesting--;
    return left;
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
