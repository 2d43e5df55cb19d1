/* SPDX-License-Identifier: Apache-2.0 */
#include "parser.h"

#include <string.h>

/* From how many values on `select` is a loop in SPIN, and not a choice of assignments. */
enum { SELECT_LOOP = 34 };

static bool parse_statement(pml_parser *p, pml_statement ***tail);

static pml_statement *new_statement(pml_parser *p, pml_statement_kind kind)
{
    pml_statement *s = pml_new(p, sizeof *s);
    if (s == NULL)
        return NULL;
    s->kind = kind;
    s->at = p->at->at;
    s->first = s->last = p->at;
    return s;
}

static bool append(pml_statement ***tail, pml_statement *s)
{
    if (s == NULL)
        return false;
    **tail = s;
    while (**tail != NULL)
        *tail = &(**tail)->next;
    return true;
}

static bool finish(pml_parser *p, pml_statement ***tail, pml_statement *s)
{
    s->last = p->at;
    return append(tail, s);
}

/* A loop's or an option's parts, made of other words than their own. */
static pml_statement *made(pml_parser *p, const pml_statement *like, pml_statement_kind kind,
    pml_expr *target, pml_expr *a)
{
    pml_statement *s = new_statement(p, kind);
    if (s == NULL)
        return NULL;
    s->at = like->at;
    s->first = like->first;
    s->last = like->last;
    s->target = target;
    s->a = a;
    if (target != NULL && target->variable != NULL)
        target->variable->assigned = true;
    return s;
}

static pml_option *new_option(pml_parser *p, pml_statement *body)
{
    pml_option *o = body == NULL ? NULL : pml_new(p, sizeof *o);
    if (o != NULL)
        o->body = body;
    return o;
}

/* options = '::' sequence {'::' sequence} */
static bool parse_options(pml_parser *p, pml_statement *s, const char *end)
{
    pml_option **tail = &s->options;
    if (!pml_here(p, "::"))
        return pml_unexpected(p, "\"::\"");
    while (pml_accept(p, "::")) {
        pml_option *o = pml_new(p, sizeof *o);
        if (o == NULL || !pml_parse_sequence(p, &o->body))
            return false;
        if (o->body == NULL)
            return pml_unexpected(p, "a statement");
        *tail = o;
        tail = &o->next;
    }
    return pml_expect(p, end, pml_is(p->at, "") ? "" : end[0] == 'f' ? "\"::\" or \"fi\""
                                                                    : "\"::\" or \"od\"");
}

static bool parse_choice(pml_parser *p, pml_statement ***tail, pml_statement_kind kind)
{
    pml_statement *s = new_statement(p, kind);
    if (s == NULL)
        return false;
    p->at++;
    if (!pml_enter(p))
        return false;
    size_t parentheses = p->parentheses;
    p->parentheses = 0;
    if (!parse_options(p, s, kind == PML_S_IF ? "fi" : "od"))
        return false;
    p->parentheses = parentheses;
    p->nesting--;
    return finish(p, tail, s);
}

/* block = '{' sequence '}', a scope of its own */
bool pml_parse_block(pml_parser *p, pml_statement **out)
{
    pml_variable *scope = p->scope;
    const pml_token *open = p->at;
    if (!pml_expect(p, "{", "\"{\"") || !pml_enter(p))
        return false;
    p->depth++;
    if (!pml_parse_sequence(p, out))
        return false;
    if (p->at->kind == PML_T_END)
        return pml_error(p, &open->at, "this block never ends", NULL);
    p->depth--;
    p->nesting--;
    p->scope = scope;
    return pml_expect(p, "}", "\";\" or \"}\"");
}

static bool parse_compound(pml_parser *p, pml_statement ***tail, pml_statement_kind kind)
{
    pml_statement *s = new_statement(p, kind);
    if (s == NULL)
        return false;
    p->at += kind != PML_S_BLOCK;
    p->begun = true;
    if (!pml_parse_block(p, &s->body))
        return false;
    if (s->body == NULL)
        return pml_error(p, &s->at, "this block has no statement", NULL);
    return finish(p, tail, s);
}

/* {i = low; do :: i <= high -> body; i++ :: else -> break od}, without a block of its own */
static bool make_for(pml_parser *p, pml_statement ***tail, pml_statement *s, pml_expr *i,
    pml_expr *low, pml_expr *high)
{
    pml_statement *start = made(p, s, PML_S_ASSIGN, i, low);
    pml_statement *loop = made(p, s, PML_S_DO, NULL, NULL);
    pml_statement *test = made(p, s, PML_S_EXPR, NULL, pml_new_binary(p, OM_OP_LE, i, high));
    pml_statement *last = made(
        p, s, PML_S_ASSIGN, i, pml_new_binary(p, OM_OP_ADD, i, pml_new_number(p, 1)));
    pml_statement *other = made(p, s, PML_S_ELSE, NULL, NULL);
    pml_statement *leave = made(p, s, PML_S_BREAK, NULL, NULL);
    if (!start || !loop || !test || !last || !other || !leave || !test->a || !last->a)
        return false;
    pml_statement **end = &test->next;
    *end = s->body;
    while (*end != NULL)
        end = &(*end)->next;
    *end = last;
    other->next = leave;
    loop->options = new_option(p, test);
    if (loop->options == NULL || (loop->options->next = new_option(p, other)) == NULL)
        return false;
    start->next = loop;
    start->labels = s->labels;
    return append(tail, start);
}

/* '(' reference (':' expression '..' expression | 'in' reference) ')' */
static bool parse_range(pml_parser *p, pml_expr **i, pml_expr **low, pml_expr **high)
{
    if (!pml_expect(p, "(", "\"(\""))
        return false;
    p->parentheses++;
    if ((*i = pml_parse_reference(p)) == NULL)
        return false;
    if (pml_accept(p, "in")) {
        pml_expr *in = pml_parse_reference(p);
        if (in == NULL)
            return false;
        if (in->variable->length == 0)
            return pml_refuse(p, &in->at, "\"for\" over a channel is not read");
        *low = pml_new_number(p, 0);
        *high = pml_new_number(p, (om_value) in->variable->length - 1);
    } else if (!pml_expect(p, ":", "\":\" and a range, or \"in\" and an array") ||
               (*low = pml_parse_expression(p)) == NULL ||
               !pml_expect(p, "..", "\"..\" between the ends of the range") ||
               (*high = pml_parse_expression(p)) == NULL)
        return false;
    p->parentheses--;
    return *low != NULL && *high != NULL && pml_expect(p, ")", "\")\" after the range");
}

/* for = 'for' range block */
static bool parse_for(pml_parser *p, pml_statement ***tail)
{
    pml_statement *s = new_statement(p, PML_S_DO);
    pml_expr *i = NULL, *low = NULL, *high = NULL;
    p->at++;
    if (s == NULL || !parse_range(p, &i, &low, &high))
        return false;
    s->last = p->at;
    p->begun = true;
    return pml_parse_block(p, &s->body) && make_for(p, tail, s, i, low, high);
}

static bool few_values(const pml_expr *low, const pml_expr *high)
{
    return low->kind == PML_NUMBER && high->kind == PML_NUMBER && low->value <= high->value &&
           (om_wide) high->value - low->value + 1 < SELECT_LOOP;
}

static bool select_few(pml_parser *p, pml_statement ***tail, pml_statement *s, pml_expr *i,
    const pml_expr *low, const pml_expr *high)
{
    pml_option **next = &s->options;
    s->kind = PML_S_IF;
    for (om_value v = low->value; v <= high->value; v++) {
        *next = new_option(p, made(p, s, PML_S_ASSIGN, i, pml_new_number(p, v)));
        if (*next == NULL || (*next)->body->a == NULL)
            return false;
        next = &(*next)->next;
    }
    return append(tail, s);
}

/* select = 'select' range: {i = low; do :: i < high -> i++ :: break od} */
static bool parse_select(pml_parser *p, pml_statement ***tail)
{
    pml_statement *s = new_statement(p, PML_S_DO);
    pml_expr *i = NULL, *low = NULL, *high = NULL;
    p->at++;
    if (s == NULL || !parse_range(p, &i, &low, &high))
        return false;
    s->last = p->at;
    if (few_values(low, high))
        return select_few(p, tail, s, i, low, high);
    pml_statement *start = made(p, s, PML_S_ASSIGN, i, low);
    pml_statement *test = made(p, s, PML_S_EXPR, NULL, pml_new_binary(p, OM_OP_LT, i, high));
    pml_statement *up = made(
        p, s, PML_S_ASSIGN, i, pml_new_binary(p, OM_OP_ADD, i, pml_new_number(p, 1)));
    pml_statement *leave = made(p, s, PML_S_BREAK, NULL, NULL);
    if (!start || !test || !up || !leave || !test->a || !up->a)
        return false;
    test->next = up;
    s->options = new_option(p, test);
    if (s->options == NULL || (s->options->next = new_option(p, leave)) == NULL)
        return false;
    start->next = s;
    return append(tail, start);
}

/* ---- inlines ---- */

/* '(' tokens {',' tokens} ')', each a stretch of tokens with balanced brackets */
static bool take_arguments(pml_parser *p, const pml_inline *in, const pml_token **from,
    const pml_token **to, const om_place *at)
{
    size_t n = 0, nesting = 0;
    if (!pml_expect(p, "(", "\"(\" after the name of the inline"))
        return false;
    if (in->parameter_count == 0)
        return pml_expect(p, ")", "\")\": this inline has no parameters");
    for (from[0] = p->at; p->at->kind != PML_T_END; p->at++) {
        bool end = nesting == 0 && pml_here(p, ")");
        if (end || (nesting == 0 && pml_here(p, ","))) {
            to[n++] = p->at;
            if (end || n == in->parameter_count)
                break;
            from[n] = p->at + 1;
        }
        nesting += pml_here(p, "(") || pml_here(p, "[");
        nesting -= nesting > 0 && (pml_here(p, ")") || pml_here(p, "]"));
    }
    if (n != in->parameter_count || !pml_here(p, ")"))
        return pml_error(p, at, "this inline is used with another number of arguments than it has",
            NULL);
    p->at++;
    return true;
}

static size_t parameter_of(const pml_inline *in, const pml_token *t)
{
    size_t i = 0;
    while (i < in->parameter_count &&
           (t->kind != PML_T_NAME || in->parameters[i].length != t->length ||
               memcmp(in->parameters[i].text, t->text, t->length) != 0))
        i++;
    return i;
}

/* The text of the inline with the arguments in it, and an end. */
static const pml_token *inline_text(pml_parser *p, const pml_inline *in, const pml_token **from,
    const pml_token **to)
{
    size_t n = 1, k;
    for (size_t i = 0; i < in->count; i++)
        n += (k = parameter_of(in, &in->body[i])) < in->parameter_count ? (size_t) (to[k] - from[k])
                                                                        : 1;
    p->spent += n;
    if (p->spent > PML_MAX_TOKENS) {
        (void) pml_error(p, &in->name.at, "inlines come to too many words", NULL);
        return NULL;
    }
    pml_token *text = om_region_take(&p->file->region, n, sizeof *text), *t = text;
    if (text == NULL) {
        (void) pml_no_memory(p);
        return NULL;
    }
    for (size_t i = 0; i < in->count; i++) {
        k = parameter_of(in, &in->body[i]);
        if (k == in->parameter_count)
            *t++ = in->body[i];
        else
            for (const pml_token *a = from[k]; a < to[k]; a++)
                *t++ = *a;
    }
    *t = (pml_token){ .kind = PML_T_END, .first = true, .text = "", .at = p->at->at };
    return text;
}

static pml_inline *find_inline(const pml_parser *p, const pml_token *t)
{
    for (pml_inline *in = p->inlines; in != NULL && t->kind == PML_T_NAME; in = in->next)
        if (in->name.length == t->length && memcmp(in->name.text, t->text, t->length) == 0)
            return in;
    return NULL;
}

/* NAME '(' arguments ')' is the block that the inline's text comes to */
static bool parse_inline(pml_parser *p, pml_statement ***tail, pml_inline *in)
{
    om_place at = p->at->at;
    if (in->active)
        return pml_error(p, &at, "the inline \"%s\" uses itself",
            om_region_copy(&p->file->region, in->name.text, in->name.length));
    const pml_token **from =
        om_region_take(&p->file->region, 2 * (in->parameter_count + 1), sizeof *from);
    if (from == NULL)
        return pml_no_memory(p);
    const pml_token **to = from + in->parameter_count + 1;
    p->at++;
    if (!take_arguments(p, in, from, to, &at))
        return false;
    const pml_token *behind = p->at;
    p->at = inline_text(p, in, from, to);
    if (p->at == NULL)
        return false;
    in->active = true;
    size_t parentheses = p->parentheses;
    p->parentheses = 0;
    bool good = parse_compound(p, tail, PML_S_BLOCK);
    p->parentheses = parentheses;
    in->active = false;
    p->at = behind;
    return good;
}

/* ---- simple statements ---- */

static bool parse_goto(pml_parser *p, pml_statement *s)
{
    p->at++;
    return pml_take_name(p, "a label", &s->name);
}

/* assert = 'assert' expression */
static bool parse_assert(pml_parser *p, pml_statement *s)
{
    p->at++;
    s->a = pml_parse_expression(p);
    return s->a != NULL;
}

/* print = 'printf' '(' STRING {',' expression} ')' | 'printm' '(' expression ')' */
static bool parse_print(pml_parser *p, pml_statement *s)
{
    bool text = pml_here(p, "printf");
    p->at++;
    if (!pml_expect(p, "(", "\"(\""))
        return false;
    if (text) {
        if (p->at->kind != PML_T_STRING)
            return pml_unexpected(p, "a text");
        p->at++;
        if (pml_accept(p, ")"))
            return true;
        if (!pml_expect(p, ",", "\",\" or \")\""))
            return false;
    }
    return pml_parse_arguments(p, false, ")", &s->args, &s->arg_count);
}

/* send = reference ('!' | '!!') arguments */
static bool parse_send(pml_parser *p, pml_statement *s)
{
    s->kind = PML_S_SEND;
    s->sorted = pml_here(p, "!!");
    p->at++;
    return pml_parse_arguments(p, false, NULL, &s->args, &s->arg_count);
}

/* receive = reference ('?' | '??') (arguments | '<' arguments '>') */
static bool parse_receive(pml_parser *p, pml_statement *s)
{
    s->kind = PML_S_RECEIVE;
    s->sorted = pml_here(p, "??");
    p->at++;
    s->keep = pml_accept(p, "<");
    if (!pml_parse_arguments(p, true, NULL, &s->args, &s->arg_count))
        return false;
    for (pml_expr *e = s->args; e != NULL; e = e->next) {
        bool constant = e->kind == PML_NUMBER ||
                        (e->kind == PML_UNARY && e->op == OM_OP_NEG && e->a->kind == PML_NUMBER);
        if (e->kind == PML_VARIABLE)
            e->variable->assigned = true;
        else if (!constant && e->kind != PML_EVAL && e->kind != PML_IGNORE &&
                 e->kind != PML_PID_OF)
            return pml_error(p, &e->at, "here stand variables, constants, eval(...) and _", NULL);
    }
    return !s->keep || pml_expect(p, ">", "\">\" after the message");
}

/* assign = reference ('=' expression | '++' | '--') */
static bool parse_assign(pml_parser *p, pml_statement *s)
{
    bool up = pml_here(p, "++"), down = pml_here(p, "--");
    s->kind = PML_S_ASSIGN;
    s->target->variable->assigned = true;
    p->at++;
    if (up || down)
        s->a = pml_new_binary(
            p, up ? OM_OP_ADD : OM_OP_SUB, s->target, pml_new_number(p, 1));
    else if (find_inline(p, p->at) != NULL)
        return pml_refuse(p, &p->at->at, "an inline that gives a value is not read");
    else
        s->a = pml_parse_expression(p);
    return s->a != NULL;
}

static bool is_scratch(const pml_token *t)
{
    return t->kind == PML_T_NAME && t->length == 1 && t->text[0] == '_';
}

/* statement = assign | send | receive | expression */
static bool parse_simple(pml_parser *p, pml_statement *s)
{
    const pml_token *start = p->at;
    om_value value = 0;
    if (is_scratch(p->at) && pml_is(p->at + 1, "=")) {
        s->kind = PML_S_EXPR; /* stores nothing, and can always be done */
        p->at += 2;
        if (pml_parse_expression(p) == NULL)
            return false;
        s->a = pml_new_number(p, 1);
        return s->a != NULL;
    }
    bool variable = p->at->kind == PML_T_NAME &&
                    (pml_find(p, p->at) != NULL || (p->at[1].kind == PML_T_PUNCTUATION &&
                                                       (pml_is(p->at + 1, "=") ||
                                                           pml_is(p->at + 1, "!") ||
                                                           pml_is(p->at + 1, "?") ||
                                                           pml_is(p->at + 1, "++") ||
                                                           pml_is(p->at + 1, "--"))));
    if (variable && !pml_find_mtype(p->file, p->at, &value)) {
        s->target = pml_parse_reference(p);
        if (s->target == NULL)
            return false;
        bool more = !(p->at->first && p->parentheses == 0);
        if (more && (pml_here(p, "=") || pml_here(p, "++") || pml_here(p, "--")))
            return parse_assign(p, s);
        if (more && (pml_here(p, "!") || pml_here(p, "!!")))
            return parse_send(p, s);
        if (more && (pml_here(p, "?") || pml_here(p, "??")) && !pml_is(p->at + 1, "["))
            return parse_receive(p, s);
        s->target = NULL;
        p->at = start;
    }
    s->kind = PML_S_EXPR;
    s->a = pml_parse_expression(p);
    return s->a != NULL;
}

static bool refuse_keyword(pml_parser *p)
{
    static const char *const WORDS[] = { "c_code", "c_expr", "c_decl", "c_state", "c_track" };
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (pml_here(p, WORDS[i]))
            return pml_refuse(p, &p->at->at, "embedded C code is not read");
    if (pml_here(p, "return"))
        return pml_refuse(p, &p->at->at, "an inline that gives a value is not read");
    return true;
}

/* One statement without labels and without `unless`. */
static bool parse_plain(pml_parser *p, pml_statement ***tail)
{
    pml_inline *in = find_inline(p, p->at);
    if (in != NULL && pml_is(p->at + 1, "("))
        return parse_inline(p, tail, in);
    if (pml_here(p, "if") || pml_here(p, "do"))
        return parse_choice(p, tail, pml_here(p, "if") ? PML_S_IF : PML_S_DO);
    if (pml_here(p, "{"))
        return parse_compound(p, tail, PML_S_BLOCK);
    if (pml_here(p, "atomic") || pml_here(p, "d_step"))
        return parse_compound(p, tail, pml_here(p, "atomic") ? PML_S_ATOMIC : PML_S_D_STEP);
    if (pml_here(p, "for"))
        return parse_for(p, tail);
    if (pml_here(p, "select"))
        return parse_select(p, tail);
    if (!refuse_keyword(p))
        return false;
    pml_statement_kind kind = pml_here(p, "goto")     ? PML_S_GOTO
                              : pml_here(p, "break")  ? PML_S_BREAK
                              : pml_here(p, "else")   ? PML_S_ELSE
                              : pml_here(p, "assert") ? PML_S_ASSERT
                              : pml_here(p, "printf") || pml_here(p, "printm") ? PML_S_PRINT
                                                                               : PML_S_EXPR;
    pml_statement *s = new_statement(p, kind);
    if (s == NULL)
        return false;
    bool good = true;
    if (kind == PML_S_BREAK || kind == PML_S_ELSE)
        p->at++;
    else
        good = kind == PML_S_GOTO     ? parse_goto(p, s)
               : kind == PML_S_ASSERT ? parse_assert(p, s)
               : kind == PML_S_PRINT  ? parse_print(p, s)
                                      : parse_simple(p, s);
    return good && finish(p, tail, s);
}

/* {NAME ':'} */
static bool parse_labels(pml_parser *p, pml_label **out)
{
    while (p->at->kind == PML_T_NAME && pml_is(p->at + 1, ":") && !pml_is_proctype(p, p->at)) {
        pml_label *l = pml_new(p, sizeof *l);
        if (l == NULL)
            return false;
        l->at = p->at->at;
        if (!pml_take_name(p, "a label", &l->name))
            return false;
        p->at++;
        *out = l;
        out = &l->next;
    }
    return true;
}

/* A label at the end of a block stands before an empty statement. */
static bool parse_labelled(pml_parser *p, pml_statement ***tail)
{
    pml_label *labels = NULL, **end = &labels;
    pml_statement **first = *tail;
    if (!parse_labels(p, &labels))
        return false;
    if (labels != NULL && (pml_here(p, "}") || pml_here(p, "::") || pml_here(p, "fi") ||
                              pml_here(p, "od") || pml_here(p, ";"))) {
        pml_statement *s = new_statement(p, PML_S_EXPR);
        if (s == NULL || (s->a = pml_new_number(p, 1)) == NULL || !append(tail, s))
            return false;
    } else if (!parse_plain(p, tail))
        return false;
    while (*end != NULL)
        end = &(*end)->next;
    *end = (*first)->labels;
    (*first)->labels = labels;
    return true;
}

/* statement = {NAME ':'} plain ['unless' statement] */
static bool parse_statement(pml_parser *p, pml_statement ***tail)
{
    pml_statement **first = *tail;
    if (!parse_labelled(p, tail))
        return false;
    if (!pml_here(p, "unless"))
        return true;
    pml_statement *s = new_statement(p, PML_S_UNLESS);
    if (s == NULL)
        return false;
    pml_statement **escape = &s->escape;
    s->at = (*first)->at;
    s->first = (*first)->first;
    s->body = *first;
    *first = s;
    *tail = &s->next;
    p->at++;
    return parse_labelled(p, &escape) && (s->last = p->at, true);
}

static bool at_end(const pml_parser *p)
{
    return pml_here(p, "}") || pml_here(p, "::") || pml_here(p, "fi") || pml_here(p, "od") ||
           p->at->kind == PML_T_END;
}

/* Between statements: ';' or '->'; none is needed behind '}', and at the end of a line. */
static bool parse_separator(pml_parser *p)
{
    const pml_token *before = p->at - 1;
    bool any = false;
    while (pml_accept(p, ";") || pml_accept(p, "->"))
        any = true;
    return any || at_end(p) || p->at->first || pml_is(before, "}") || pml_is(before, "fi") ||
           pml_is(before, "od") || pml_is(before, "else") ||
           pml_unexpected(p, "\";\" after the statement");
}

/* sequence = step {';' step}; step = declaration | 'xr' references | 'xs' references | statement */
bool pml_parse_sequence(pml_parser *p, pml_statement **out)
{
    pml_statement **tail = out;
    while (pml_accept(p, ";")) {
    }
    while (!at_end(p)) {
        bool good = true;
        if (pml_starts_declaration(p))
            good = pml_parse_declaration(p, &tail);
        else if (pml_here(p, "xr") || pml_here(p, "xs")) {
            p->at++;
            do
                good = pml_parse_reference(p) != NULL;
            while (good && pml_accept(p, ","));
        } else {
            p->begun = true;
            good = parse_statement(p, &tail);
        }
        if (!good)
            return false;
        /* Behind an inline's text stands what is behind its use. */
        if (!parse_separator(p))
            return false;
    }
    return true;
}
