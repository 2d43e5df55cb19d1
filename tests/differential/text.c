/* SPDX-License-Identifier: Apache-2.0 */
/* Models as text, with the necessary parentheses and sometimes redundant ones. */
#include "dve.h"

static const struct {
    const char *text, *other;
    int level; /* precedence as in the README, loosest first */
} operators[] = {
    [O_NEG] = { "-", "-", 9 },
    [O_COMPL] = { "~", "~", 9 },
    [O_NOT] = { "not", "!", 9 },
    [O_MUL] = { "*", "*", 8 },
    [O_DIV] = { "/", "/", 8 },
    [O_MOD] = { "%", "%", 8 },
    [O_ADD] = { "+", "+", 7 },
    [O_SUB] = { "-", "-", 7 },
    [O_SHL] = { "<<", "<<", 6 },
    [O_SHR] = { ">>", ">>", 6 },
    [O_LT] = { "<", "<", 5 },
    [O_LE] = { "<=", "<=", 5 },
    [O_GE] = { ">=", ">=", 5 },
    [O_GT] = { ">", ">", 5 },
    [O_EQ] = { "==", "==", 4 },
    [O_NE] = { "!=", "!=", 4 },
    [O_BAND] = { "&", "&", 3 },
    [O_BOR] = { "|", "|", 3 },
    [O_BXOR] = { "^", "^", 3 },
    [O_AND] = { "and", "&&", 2 },
    [O_OR] = { "or", "||", 2 },
    [O_IMPLY] = { "imply", "imply", 1 },
};

static void print_level(const dve *d, const expr *e, int who, int least, om_text *out);

static void print_place(const dve *d, const expr *e, int who, om_text *out)
{
    const variable *x = &d->variable[e->variable];
    if (x->owner >= 0 && x->owner != who)
        om_text_printf(out, "P%d%s", x->owner, e->spelling % 2 == 0 ? "." : "->");
    om_text_add(out, x->name);
    if (e->a != NULL) {
        om_text_add(out, "[");
        print_level(d, e->a, who, 1, out);
        om_text_add(out, "]");
    }
}

/* Binary operators are left-associative. */
static void print_operation(const dve *d, const expr *e, int who, om_text *out)
{
    const char *text = e->spelling % 2 == 0 ? operators[e->op].text : operators[e->op].other;
    int level = operators[e->op].level;
    if (e->kind == X_UNARY) {
        om_text_printf(out, "%s ", text);
        print_level(d, e->a, who, level, out);
        return;
    }
    print_level(d, e->a, who, level, out);
    om_text_printf(out, " %s ", text);
    print_level(d, e->b, who, level + 1, out);
}

static void print_level(const dve *d, const expr *e, int who, int least, om_text *out)
{
    bool composed = e->kind == X_UNARY || e->kind == X_BINARY;
    bool enclosed = (composed && operators[e->op].level < least) || e->spelling >= 56;
    if (enclosed)
        om_text_add(out, "(");
    switch (e->kind) {
    case X_NUMBER:
        if (e->value == 1 && e->spelling < 8)
            om_text_add(out, "true");
        else
            om_text_printf(out, "%d", (int) e->value);
        break;
    case X_PLACE:
        print_place(d, e, who, out);
        break;
    case X_AT:
        om_text_printf(out, "P%d.s%d", e->process, e->place);
        break;
    case X_UNARY:
    case X_BINARY:
        print_operation(d, e, who, out);
        break;
    }
    if (enclosed)
        om_text_add(out, ")");
}

void dve_print_expr(const dve *d, const expr *e, int who, om_text *out)
{
    print_level(d, e, who, 1, out);
}

static void print_variable(const variable *x, om_text *out)
{
    om_text_printf(
        out, "%s%s %s", x->is_const ? "const " : "", x->is_int ? "int" : "byte", x->name);
    if (x->length == 0)
        om_text_printf(out, " = %d;\n", (int) x->initial[0]);
    else {
        om_text_printf(out, "[%d] = {", x->length);
        for (int i = 0; i < x->length; i++)
            om_text_printf(out, "%s%d", i == 0 ? "" : ", ", (int) x->initial[i]);
        om_text_add(out, "};\n");
    }
}

static void print_channel(const channel *c, int i, om_text *out)
{
    om_text_add(out, "channel ");
    for (int k = 0; c->typed && k < c->width; k++)
        om_text_printf(out, "%s%s%s", k == 0 ? "{" : ",", c->is_int[k] ? "int" : "byte",
            k + 1 == c->width ? "} " : "");
    om_text_printf(out, "c%d", i);
    if (c->typed)
        om_text_printf(out, "[%d]", c->capacity);
    om_text_add(out, ";\n");
}

static void print_sync(const dve *d, const move *m, int who, om_text *out)
{
    int width = d->channel[m->channel].width;
    om_text_printf(out, " sync c%d%s", m->channel, m->sync == SEND ? "!" : "?");
    for (int i = 0; i < width; i++) {
        om_text_add(out, i > 0 ? ", " : width > 1 ? "{" : "");
        /* Receiving variables have no parentheses. */
        if (m->sync == SEND)
            print_level(d, m->values[i], who, 1, out);
        else
            print_place(d, m->values[i], who, out);
    }
    om_text_add(out, width > 1 ? "};" : ";");
}

static void print_move(const dve *d, int who, int i, om_text *out)
{
    const move *m = &d->process[who].move[i];
    om_text_add(out, i == 0 ? "  " : ",\n  ");
    if (i == 0 || m[-1].from != m->from)
        om_text_printf(out, "s%d ", m->from);
    om_text_printf(out, "-> s%d {", m->to);
    if (m->guard != NULL) {
        om_text_add(out, " guard ");
        print_level(d, m->guard, who, 1, out);
        om_text_add(out, ";");
    }
    if (m->sync != NO_SYNC)
        print_sync(d, m, who, out);
    for (int k = 0; k < m->effects; k++) {
        om_text_add(out, k == 0 ? " effect " : ", ");
        print_place(d, m->target[k], who, out);
        om_text_add(out, " = ");
        print_level(d, m->value[k], who, 1, out);
    }
    om_text_add(out, m->effects > 0 ? "; }" : " }");
}

static void print_process(const dve *d, int i, om_text *out)
{
    const process *p = &d->process[i];
    const char *separator = " commit ";
    om_text_printf(out, "process P%d {\n", i);
    for (int v = 0; v < d->variables; v++)
        if (d->variable[v].owner == i)
            print_variable(&d->variable[v], out);
    for (int s = 0; s < p->locations; s++)
        om_text_printf(out, "%ss%d", s == 0 ? " state " : ", ", s);
    om_text_printf(out, ";\n init s%d;\n", p->initial);
    for (int s = 0; s < p->locations; s++)
        if (p->commit[s]) {
            om_text_printf(out, "%ss%d", separator, s);
            separator = ", ";
        }
    om_text_add(out, separator[0] == ',' ? ";\n" : "");
    for (int k = 0; k < p->assertions; k++) {
        om_text_printf(out, "%ss%d: ", k == 0 ? " assert " : ", ", p->assert_at[k]);
        print_level(d, p->assert_that[k], i, 1, out);
    }
    om_text_add(out, p->assertions > 0 ? ";\n" : "");
    for (int k = 0; k < p->moves; k++) {
        om_text_add(out, k == 0 ? " trans\n" : "");
        print_move(d, i, k, out);
    }
    om_text_add(out, p->moves > 0 ? ";\n}\n" : "}\n");
}

void dve_print(const dve *d, om_text *out)
{
    for (int v = 0; v < d->variables; v++)
        if (d->variable[v].owner < 0)
            print_variable(&d->variable[v], out);
    for (int c = 0; c < d->channels; c++)
        print_channel(&d->channel[c], c, out);
    for (int p = 0; p < d->processes; p++)
        print_process(d, p, out);
    om_text_printf(out, "system %s;\n", d->synchronous ? "sync" : "async");
}
