/* SPDX-License-Identifier: Apache-2.0 */
#include "parse_statement.h"

#include <string.h>

/* Number of values from which `select` is a loop in SPIN instead of a choice of assignments. */
enum { SELECT_LOOP = 34 };

/* Creates a part of a loop or option, which has the place and tokens of `like`. */
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
        pml_mark_assigned(target);
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
    start->before_loop = true;
    return pml_append(tail, start);
}

/* '(' reference (':' expression '..' expression | 'in' reference) ')'; *channel is the channel to
 * go through, NULL for a range. */
static bool parse_range(
    pml_parser *p, pml_expr **i, pml_expr **low, pml_expr **high, pml_expr **channel)
{
    *channel = NULL;
    if (!pml_expect(p, "(", "\"(\""))
        return false;
    p->parentheses++;
    if ((*i = pml_parse_reference(p)) == NULL)
        return false;
    /* "in" is a keyword only here; elsewhere it may be a name. */
    if (p->at->kind == PML_T_NAME && pml_is_named(p->at, "in")) {
        p->at++;
        pml_expr *in = pml_parse_reference(p);
        if (in == NULL)
            return false;
        const pml_expr *last = in;
        while (last->field != NULL)
            last = last->field;
        *low = pml_new_number(p, 0);
        *high = pml_new_number(p, (om_value) last->variable->length - 1);
        if (last->variable->type == PML_CHAN && (last->variable->length == 0 || last->a != NULL)) {
            if (!pml_is_structure(*i))
                return pml_error(p, &(*i)->at,
                    "the variable of a loop over a channel must be a structure like its messages",
                    NULL);
            *channel = in;
        } else if (last->variable->length == 0 || last->a != NULL)
            return pml_error(p, &in->at, "\"%s\" is neither an array nor a channel", in->name);
    } else if (!pml_expect(p, ":", "\":\" and a range, or \"in\" and an array") ||
               (*low = pml_parse_expression(p)) == NULL ||
               !pml_expect(p, "..", "\"..\" between the ends of the range") ||
               (*high = pml_parse_expression(p)) == NULL)
        return false;
    p->parentheses--;
    return *low != NULL && *high != NULL && pml_expect(p, ")", "\")\" after the range");
}

/* Returns the counter of the messages that a loop has seen; all loops of a scope share one. */
static pml_expr *make_counter(pml_parser *p)
{
    static const char NAME[] = "(for)"; /* not a legal name */
    pml_variable *v = p->scope;
    while (v != NULL && v->depth == p->depth && strcmp(v->name, NAME) != 0)
        v = v->hidden_by;
    if (v == NULL || v->depth != p->depth) {
        v = pml_new(p, sizeof *v);
        if (v == NULL)
            return NULL;
        *v = (pml_variable){ .name = NAME, .at = p->at->at, .type = PML_BYTE, .bits = 32 };
        if (!pml_declare(p, v))
            return NULL;
    }
    pml_expr *e = pml_new_expr(p, PML_VARIABLE);
    if (e != NULL) {
        e->variable = v;
        e->name = v->name;
    }
    return e;
}

/* {n = 0; do :: n < len(channel) -> channel ? m; channel ! m; body; n++ :: else -> break od} */
static bool make_for_channel(
    pml_parser *p, pml_statement ***tail, pml_statement *s, const pml_expr *m, pml_expr *channel)
{
    pml_expr *n = make_counter(p), *length = pml_new_expr(p, PML_LEN);
    pml_statement *take = made(p, s, PML_S_RECEIVE, NULL, NULL);
    pml_statement *put = made(p, s, PML_S_SEND, NULL, NULL);
    if (n == NULL || length == NULL || take == NULL || put == NULL)
        return false;
    take->target = put->target = channel;
    length->word = PML_OF_LEN;
    length->a = channel;
    pml_expr **received = &take->args, **sent = &put->args;
    if (!pml_add_structure(p, m, &received, &take->arg_count) ||
        !pml_add_structure(p, m, &sent, &put->arg_count))
        return false;
    for (const pml_expr *e = take->args; e != NULL; e = e->next)
        pml_mark_assigned(e);
    take->next = put;
    put->next = s->body;
    s->body = take;
    pml_expr *high = pml_new_binary(p, OM_OP_SUB, length, pml_new_number(p, 1));
    return high != NULL && make_for(p, tail, s, n, pml_new_number(p, 0), high);
}

/* for = 'for' range block */
bool pml_parse_for(pml_parser *p, pml_statement ***tail)
{
    pml_statement *s = pml_new_statement(p, PML_S_DO);
    pml_expr *i = NULL, *low = NULL, *high = NULL, *channel = NULL;
    p->at++;
    if (s == NULL || !parse_range(p, &i, &low, &high, &channel))
        return false;
    s->last = p->at;
    p->begun = true;
    if (!pml_parse_block(p, &s->body))
        return false;
    return channel != NULL ? make_for_channel(p, tail, s, i, channel)
                           : make_for(p, tail, s, i, low, high);
}

static bool few_values(const pml_expr *low, const pml_expr *high)
{
    return low->value <= high->value && (om_wide) high->value - low->value + 1 < SELECT_LOOP;
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

/* Returns true within an inline, where every `select` is a loop in SPIN. */
static bool in_inline(const pml_parser *p)
{
    const pml_inline *in = p->inlines;
    while (in != NULL && !in->active)
        in = in->next;
    return in != NULL;
}

/* Returns true for a `select` that SPIN's scanner recognises: '(' NAME ':' NUMBER '..' NUMBER ')'
 * on a line, with a NAME without '_'. */
static bool is_scanned(const pml_parser *p, const pml_token *open)
{
    const pml_token *name = open + 1;
    if (in_inline(p) || p->at - open != 7 || open[3].kind != PML_T_NUMBER ||
        open[5].kind != PML_T_NUMBER || memchr(name->text, '_', name->length) != NULL)
        return false;
    const pml_token *t = name;
    while (t < p->at && !t->first)
        t++;
    return t == p->at;
}

/* select = 'select' range: {i = low; do :: i < high -> i++ :: break od} */
bool pml_parse_select(pml_parser *p, pml_statement ***tail)
{
    pml_statement *s = pml_new_statement(p, PML_S_DO);
    pml_expr *i = NULL, *low = NULL, *high = NULL, *channel = NULL;
    const pml_token *open = ++p->at;
    if (s == NULL || !parse_range(p, &i, &low, &high, &channel))
        return false;
    if (channel != NULL)
        return pml_error(p, &channel->at, "\"select\" takes a range of numbers", NULL);
    s->last = p->at;
    const bool scanned = is_scanned(p, open);
    if (scanned && few_values(low, high))
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
    start->before_loop = !scanned;
    return pml_append(tail, start);
}
