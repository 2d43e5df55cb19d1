/* SPDX-License-Identifier: Apache-2.0 */
#include "parse_statement.h"

#include <string.h>

static bool parse_statement(pml_parser *p, pml_statement ***tail);

pml_statement *pml_new_statement(pml_parser *p, pml_statement_kind kind)
{
    pml_statement *s = pml_new(p, sizeof *s);
    if (s == NULL)
        return NULL;
    s->kind = kind;
    s->at = p->at->at;
    s->first = s->last = p->at;
    return s;
}

bool pml_append(pml_statement ***tail, pml_statement *s)
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
    return pml_append(tail, s);
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
    return pml_expect(p, end,
        pml_is(p->at, "") ? ""
        : end[0] == 'f'   ? "\"::\" or \"fi\""
                          : "\"::\" or \"od\"");
}

static bool parse_choice(pml_parser *p, pml_statement ***tail, pml_statement_kind kind)
{
    pml_statement *s = pml_new_statement(p, kind);
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
    pml_block *block = pml_new(p, sizeof *block);
    if (block == NULL || !pml_expect(p, "{", "\"{\"") || !pml_enter(p))
        return false;
    block->around = p->block;
    p->block = block;
    p->depth++;
    if (!pml_parse_sequence(p, out))
        return false;
    if (p->at->kind == PML_T_END)
        return pml_error(p, &open->at, "this block is never closed", NULL);
    p->depth--;
    p->nesting--;
    p->scope = scope;
    p->block = block->around;
    return pml_expect(p, "}", "\";\" or \"}\"");
}

bool pml_parse_compound(pml_parser *p, pml_statement ***tail, pml_statement_kind kind)
{
    pml_statement *s = pml_new_statement(p, kind);
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

/* ---- simple statements ---- */

static bool parse_goto(pml_parser *p, pml_statement *s)
{
    p->at++;
    s->block = p->block;
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
        if (e->kind == PML_VARIABLE) {
            pml_mark_assigned(e);
            e->variable->reads--;
        } else if (!constant && e->kind != PML_EVAL && e->kind != PML_IGNORE &&
                   e->kind != PML_PID_OF)
            return pml_error(p, &e->at, "expected a variable, a constant, eval(...) or _", NULL);
    }
    return !s->keep || pml_expect(p, ">", "\">\" after the message");
}

/* Returns true if computing e may be an error. The recursion is as deep as expressions are. */
static bool may_fail(const pml_expr *e)
{
    if (e == NULL || e->kind == PML_NUMBER)
        return false;
    if (e->kind == PML_VARIABLE)
        return e->a != NULL || (e->field != NULL && may_fail(e->field));
    bool plain =
        e->kind == PML_UNARY || (e->kind == PML_BINARY && e->op != OM_OP_DIV && e->op != OM_OP_MOD);
    return !plain || may_fail(e->a) || may_fail(e->b);
}

/* Counts a read of the target if computing the value may fail: forgetting the variable would lose
 * the error. */
static bool stores(const pml_statement *s)
{
    if (s->a != NULL && may_fail(s->a))
        s->target->variable->reads++;
    return s->a != NULL;
}

/* reference '=' inline: its block, which stores the value */
static bool parse_value(pml_parser *p, pml_statement *s, pml_inline *in)
{
    pml_statement *block = NULL, **tail = &block;
    if (!pml_parse_inline(p, &tail, in, s->target))
        return false;
    s->kind = block->kind;
    s->body = block->body;
    s->target = NULL;
    p->run = NULL; /* it belongs to the last statement of the block */
    return true;
}

/* assign = reference ('=' (expression | inline) | '++' | '--') */
static bool parse_assign(pml_parser *p, pml_statement *s)
{
    bool up = pml_here(p, "++"), down = pml_here(p, "--");
    pml_inline *in = pml_find_inline(p, p->at + 1);
    s->kind = PML_S_ASSIGN;
    pml_mark_assigned(s->target);
    s->target->variable->reads--;
    p->at++;
    if (up || down)
        s->a = pml_new_binary(p, up ? OM_OP_ADD : OM_OP_SUB, s->target, pml_new_number(p, 1));
    else if (in != NULL && pml_is(p->at + 1, "("))
        return parse_value(p, s, in);
    else
        s->a = pml_parse_expression(p);
    return stores(s);
}

/* return = 'return' expression */
static bool parse_return(pml_parser *p, pml_statement *s)
{
    if (p->returned == NULL)
        return pml_error(
            p, &p->at->at, "\"return\" is only allowed in an inline whose value is stored", NULL);
    p->at++;
    s->target = p->returned;
    s->a = pml_parse_expression(p);
    return stores(s);
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
        s->kind = PML_S_EXPR; /* stores nothing, and is always enabled */
        p->at += 2;
        if (pml_parse_expression(p) == NULL)
            return false;
        s->a = pml_new_number(p, 1);
        return s->a != NULL;
    }
    bool variable =
        p->at->kind == PML_T_NAME &&
        (pml_find(p, p->at) != NULL ||
            (p->at[1].kind == PML_T_PUNCTUATION &&
                (pml_is(p->at + 1, "=") || pml_is(p->at + 1, "!") || pml_is(p->at + 1, "?") ||
                    pml_is(p->at + 1, "++") || pml_is(p->at + 1, "--"))));
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
            return pml_refuse(p, &p->at->at, "embedded C code is not supported");
    return true;
}

/* 'set_priority' '(' expression ',' expression ')', or '_priority' '=' expression */
static bool parse_set_priority(pml_parser *p, pml_statement *s)
{
    bool own = p->at->kind == PML_T_NAME;
    p->file->priorities = true;
    p->at++;
    if (!own && !pml_expect(p, "(", "\"(\""))
        return false;
    p->parentheses += !own;
    if (!own && ((s->a = pml_parse_expression(p)) == NULL || !pml_here(p, ",")))
        return s->a != NULL && pml_unexpected(p, "\",\" and a priority");
    p->at++;
    s->args = pml_parse_expression(p);
    p->parentheses -= !own;
    return s->args != NULL && (own || pml_expect(p, ")", "\")\" after a priority"));
}

static bool sets_priority(const pml_parser *p)
{
    return pml_here(p, "set_priority") ||
           (pml_is_named(p->at, "_priority") && pml_is(p->at + 1, "="));
}

/* The recursion is as deep as expressions are. */
static bool contains(const pml_expr *e, const pml_expr *run)
{
    return e != NULL && (e == run || contains(e->a, run) || contains(e->b, run) ||
                            contains(e->c, run) || contains(e->field, run));
}

/* A condition with a `run` consists of the `run` alone. Assignments, prints and assertions may
 * contain one, too. */
static bool take_run(pml_parser *p, pml_statement *s)
{
    s->run = p->run;
    if (s->run == NULL)
        return true;
    if (s->kind == PML_S_EXPR && s->a != s->run)
        return pml_error(
            p, &s->run->at, "a condition with a \"run\" must consist of it alone", NULL);
    bool may = s->kind == PML_S_EXPR || s->kind == PML_S_ASSERT || s->kind == PML_S_PRINT ||
               (s->kind == PML_S_ASSIGN && !contains(s->target, s->run));
    return may || pml_error(p, &s->run->at, "no process can be started here", NULL);
}

/* Parses one statement without labels and without `unless`. */
static bool parse_plain(pml_parser *p, pml_statement ***tail)
{
    p->run = NULL;
    pml_inline *in = pml_find_inline(p, p->at);
    if (in != NULL && pml_is(p->at + 1, "("))
        return pml_parse_inline(p, tail, in, NULL);
    if (pml_here(p, "if") || pml_here(p, "do"))
        return parse_choice(p, tail, pml_here(p, "if") ? PML_S_IF : PML_S_DO);
    if (pml_here(p, "{"))
        return pml_parse_compound(p, tail, PML_S_BLOCK);
    if (pml_here(p, "atomic") || pml_here(p, "d_step"))
        return pml_parse_compound(p, tail, pml_here(p, "atomic") ? PML_S_ATOMIC : PML_S_D_STEP);
    if (pml_here(p, "for"))
        return pml_parse_for(p, tail);
    if (pml_here(p, "select"))
        return pml_parse_select(p, tail);
    if (!refuse_keyword(p))
        return false;
    pml_statement_kind kind = pml_here(p, "goto")                              ? PML_S_GOTO
                              : pml_here(p, "break")                           ? PML_S_BREAK
                              : pml_here(p, "else")                            ? PML_S_ELSE
                              : pml_here(p, "assert")                          ? PML_S_ASSERT
                              : sets_priority(p)                               ? PML_S_PRIORITY
                              : pml_here(p, "return")                          ? PML_S_ASSIGN
                              : pml_here(p, "printf") || pml_here(p, "printm") ? PML_S_PRINT
                                                                               : PML_S_EXPR;
    pml_statement *s = pml_new_statement(p, kind);
    if (s == NULL)
        return false;
    bool good = true;
    if (kind == PML_S_BREAK || kind == PML_S_ELSE)
        p->at++;
    else
        good = kind == PML_S_GOTO       ? parse_goto(p, s)
               : kind == PML_S_ASSERT   ? parse_assert(p, s)
               : kind == PML_S_PRINT    ? parse_print(p, s)
               : kind == PML_S_PRIORITY ? parse_set_priority(p, s)
               : kind == PML_S_ASSIGN   ? parse_return(p, s)
                                        : parse_simple(p, s);
    return good && take_run(p, s) && finish(p, tail, s);
}

/* {NAME ':'} */
static bool parse_labels(pml_parser *p, pml_label **out)
{
    while (p->at->kind == PML_T_NAME && pml_is(p->at + 1, ":") && !pml_is_proctype(p, p->at)) {
        pml_label *l = pml_new(p, sizeof *l);
        if (l == NULL)
            return false;
        l->at = p->at->at;
        l->block = p->block;
        if (!pml_take_new_name(p, "a label", &l->name))
            return false;
        p->at++;
        *out = l;
        out = &l->next;
    }
    return true;
}

/* Returns the statement to which preceding labels, or a following `unless`, apply. */
static pml_statement **labelled(pml_statement **first)
{
    return (*first)->before_loop ? &(*first)->next : first;
}

/* A label at the end of a block precedes an empty statement. */
static bool parse_labelled(pml_parser *p, pml_statement ***tail)
{
    pml_label *labels = NULL, **end = &labels;
    pml_statement **first = *tail;
    if (!parse_labels(p, &labels))
        return false;
    if (labels != NULL && (pml_here(p, "}") || pml_here(p, "::") || pml_here(p, "fi") ||
                              pml_here(p, "od") || pml_here(p, ";"))) {
        pml_statement *s = pml_new_statement(p, PML_S_EXPR);
        if (s == NULL || (s->a = pml_new_number(p, 1)) == NULL || !pml_append(tail, s))
            return false;
    } else if (!parse_plain(p, tail))
        return false;
    while (*end != NULL)
        end = &(*end)->next;
    first = labelled(first);
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
    pml_statement *s = pml_new_statement(p, PML_S_UNLESS);
    if (s == NULL)
        return false;
    pml_statement **escape = &s->escape;
    first = labelled(first);
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

/* Between statements: ';', '->' or '-->'. None is needed after '}', 'fi', 'od', 'else' or an
 * inline, or at the end of a line. */
static bool parse_separator(pml_parser *p)
{
    const pml_token *before = p->at - 1;
    bool any = false;
    while (pml_accept(p, ";") || pml_accept(p, "->") || pml_accept(p, "-->"))
        any = true;
    return any || at_end(p) || p->at->first || p->used || pml_is(before, "}") ||
           pml_is(before, "fi") || pml_is(before, "od") || pml_is(before, "else") ||
           pml_unexpected(p, "\";\" after the statement");
}

/* Two proctypes cannot both claim the same end of a channel, whatever the run. */
static bool check_exclusive(pml_parser *p, const pml_exclusive *mine)
{
    const pml_expr *e = mine->channel;
    for (const pml_proctype *t = p->file->proctypes; t != NULL; t = t->next)
        for (const pml_exclusive *x = t->exclusive; x != NULL && t != p->within; x = x->next)
            if (x->sends == mine->sends && x->channel->variable == e->variable &&
                e->field == NULL && e->a == NULL)
                return pml_error(
                    p, &e->at, "another process already has exclusive access to \"%s\"", e->name);
    return true;
}

/* exclusive = ('xr' | 'xs') reference {',' reference}; without effect in a claim */
static bool parse_exclusive(pml_parser *p)
{
    const bool sends = pml_here(p, "xs");
    pml_proctype *t = p->within;
    p->at++;
    do {
        pml_exclusive *x = om_region_take(&p->file->region, 1, sizeof *x);
        if (x == NULL)
            return pml_no_memory(p);
        x->sends = sends;
        x->channel = pml_parse_reference(p);
        if (x->channel == NULL || !check_exclusive(p, x))
            return false;
        if (t == NULL || t->is_claim || t->is_trace)
            continue;
        x->next = t->exclusive;
        t->exclusive = x;
        p->file->exclusive = true;
    } while (pml_accept(p, ","));
    return true;
}

/* sequence = step {';' step}; step = declaration | exclusive | statement */
bool pml_parse_sequence(pml_parser *p, pml_statement **out)
{
    pml_statement **tail = out;
    while (pml_accept(p, ";")) {
    }
    while (!at_end(p)) {
        bool good = true;
        p->used = false;
        if (pml_starts_declaration(p))
            good = pml_parse_declaration(p, &tail);
        else if (pml_here(p, "xr") || pml_here(p, "xs"))
            good = parse_exclusive(p);
        else {
            p->begun = true;
            good = parse_statement(p, &tail);
        }
        if (!good)
            return false;
        /* After an inline, p->at is the token after its use. */
        if (!parse_separator(p))
            return false;
    }
    return true;
}
