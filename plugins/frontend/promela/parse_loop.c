/* SPDX-License-Identifier: Apache-2.0 */
#include "parser.h"

/* From how many values on `select` is a loop in SPIN, and not a choice of assignments. */
enum { SELECT_LOOP = 34 };

/* A loop's or an option's parts, made of other words than their own. */
static pml_statement *made(pml_parser *p, const pml_statement *like, pml_statement_kind kind,
    pml_expr *target, pml_expr *a)
{
    pml_statement *s = pml_new_statement(p, kind);
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

/* {i = low; do :: i <= high -> body; i++ :: else -> break od}, without a block of its own */
static bool make_for(pml_parser *p, pml_statement ***tail, pml_statement *s, pml_expr *i,
    pml_expr *low, pml_expr *high)
{
    pml_statement *start = made(p, s, PML_S_ASSIGN, i, low);
    pml_statement *loop = made(p, s, PML_S_DO, NULL, NULL);
    pml_statement *test = made(p, s, PML_S_EXPR, NULL, pml_new_binary(p, OM_OP_LE, i, high));
    pml_statement *last =
        made(p, s, PML_S_ASSIGN, i, pml_new_binary(p, OM_OP_ADD, i, pml_new_number(p, 1)));
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
    return pml_append(tail, start);
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
bool pml_parse_for(pml_parser *p, pml_statement ***tail)
{
    pml_statement *s = pml_new_statement(p, PML_S_DO);
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
    return low != NULL && high != NULL && low->kind == PML_NUMBER && high->kind == PML_NUMBER &&
           low->value <= high->value && (om_wide) high->value - low->value + 1 < SELECT_LOOP;
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
    return pml_append(tail, s);
}

/* select = 'select' range: {i = low; do :: i < high -> i++ :: break od} */
bool pml_parse_select(pml_parser *p, pml_statement ***tail)
{
    pml_statement *s = pml_new_statement(p, PML_S_DO);
    pml_expr *i = NULL, *low = NULL, *high = NULL;
    p->at++;
    if (s == NULL || !parse_range(p, &i, &low, &high))
        return false;
    s->last = p->at;
    if (few_values(low, high))
        return select_few(p, tail, s, i, low, high);
    pml_statement *start = made(p, s, PML_S_ASSIGN, i, low);
    pml_statement *test = made(p, s, PML_S_EXPR, NULL, pml_new_binary(p, OM_OP_LT, i, high));
    pml_statement *up =
        made(p, s, PML_S_ASSIGN, i, pml_new_binary(p, OM_OP_ADD, i, pml_new_number(p, 1)));
    pml_statement *leave = made(p, s, PML_S_BREAK, NULL, NULL);
    if (!start || !test || !up || !leave || !test->a || !up->a)
        return false;
    test->next = up;
    s->options = new_option(p, test);
    if (s->options == NULL || (s->options->next = new_option(p, leave)) == NULL)
        return false;
    start->next = s;
    return pml_append(tail, start);
}
