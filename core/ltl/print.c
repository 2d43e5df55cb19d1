/* SPDX-License-Identifier: Apache-2.0 */
/* print.c: writes formulas so that om_ltl_parse() makes the same references of them. */
#include "arena.h"

/* How tightly an operator binds; the levels of parse.c, with 6 for unary operators and 7 for
 * leaves. */
typedef struct shape {
    const char *text;
    int level;
    bool right; /* associative to the right */
} shape;

static const shape shapes[] = {
    [OM_LTL_TRUE] = { "1", 7, false },
    [OM_LTL_FALSE] = { "0", 7, false },
    [OM_LTL_AP] = { "", 7, false },
    [OM_LTL_NOT] = { "!", 6, false },
    [OM_LTL_AND] = { " & ", 4, false },
    [OM_LTL_OR] = { " | ", 3, false },
    [OM_LTL_IMPLIES] = { " -> ", 1, true },
    [OM_LTL_EQUIV] = { " <-> ", 1, true },
    [OM_LTL_XOR] = { " ^ ", 2, false },
    [OM_LTL_NEXT] = { "X", 6, false },
    [OM_LTL_FINALLY] = { "F", 6, false },
    [OM_LTL_GLOBALLY] = { "G", 6, false },
    [OM_LTL_UNTIL] = { " U ", 5, true },
    [OM_LTL_RELEASE] = { " R ", 5, true },
    [OM_LTL_WEAK_UNTIL] = { " W ", 5, true },
    [OM_LTL_STRONG_RELEASE] = { " M ", 5, true },
};
_Static_assert(sizeof shapes / sizeof *shapes == OM_LTL_STRONG_RELEASE + 1, "one shape each");

/* What is still to be written: a formula, or (f == 0) a text. */
typedef struct item {
    om_ltl_ref f;
    const char *text;
} item;

typedef struct printer {
    const om_ltl *l;
    item *items; /* a stack */
    size_t count, capacity;
    bool failed;
} printer;

static void push(printer *p, om_ltl_ref f, const char *text)
{
    item *moved = om_grow(p->l->heap, p->items, &p->capacity, p->count + 1, sizeof *moved);
    if (moved == NULL) {
        p->failed = true;
        return;
    }
    p->items = moved;
    moved[p->count++] = (item){ f, text };
}

static void push_operand(printer *p, om_ltl_ref f, bool bracket)
{
    if (bracket)
        push(p, 0, ")");
    push(p, f, NULL);
    if (bracket)
        push(p, 0, "(");
}

static void print_ap(const om_ltl *l, uint32_t index, om_text *out)
{
    const char *name = l->aps[index];
    const char *quote = om_ltl__plain_name(name) ? "" : "\"";
    om_text_printf(out, "%s%s%s", quote, name, quote);
}

/* Different operators of one level get brackets for the reader's sake. */
static bool needs_bracket(const printer *p, uint32_t op, om_ltl_ref operand, bool is_right)
{
    uint32_t below = p->l->nodes[operand].op;
    int level = shapes[op].level, inner = shapes[below].level;
    return inner < level || (inner == level && (shapes[op].right != is_right || below != op));
}

/* Writes a leaf or an operator; pushes its operands, the last one first. */
static void print_node(printer *p, om_ltl_ref f, om_text *out)
{
    const om_ltl_node *n = &p->l->nodes[f];
    const shape *s = &shapes[n->op];
    if (n->op == OM_LTL_AP)
        print_ap(p->l, n->a, out);
    else if (om_ltl__arity(n->op) == 0)
        om_text_add(out, s->text);
    else if (om_ltl__arity(n->op) == 1) {
        uint32_t below = p->l->nodes[n->a].op;
        om_text_add(out, s->text);
        /* A blank keeps "X" and a name, or "F" and a digit, apart. */
        if (n->op != OM_LTL_NOT && om_ltl__arity(below) == 0)
            om_text_add(out, " ");
        push_operand(p, n->a, shapes[below].level < s->level);
    } else {
        push_operand(p, n->b, needs_bracket(p, n->op, n->b, true));
        push(p, 0, s->text);
        push_operand(p, n->a, needs_bracket(p, n->op, n->a, false));
    }
}

int om_ltl_print(const om_ltl *l, om_ltl_ref f, om_text *out)
{
    printer p = { .l = l };
    int rc = OM_OK;
    if (f == 0 || f >= l->count)
        return om_fail(l->ctx, OM_EINVAL, NULL, "there is no such formula");
    push(&p, f, NULL);
    while (p.count > 0 && !p.failed && !out->failed) {
        item it = p.items[--p.count];
        if (it.f == 0)
            om_text_add(out, it.text);
        else
            print_node(&p, it.f, out);
    }
    if (p.failed || out->failed)
        rc = om_fail_memory(l->ctx);
    om_free(l->heap, p.items);
    return rc;
}
