/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ltl_print.c: writes formulas. om_ltl_parse() turns omen's own spelling back into the same
 * references, and other spellings into references of equivalent formulas.
 */
#include "formula_nodes.h"

#include <string.h>

/* Precedence of an operator: the levels of ltl_parse.c, with 6 for unary operators and 7 for
 * leaves. */
typedef struct shape {
    int level;
    bool right; /* associative to the right */
} shape;

static const shape shapes[] = {
    [OM_LTL_TRUE] = { 7, false },
    [OM_LTL_FALSE] = { 7, false },
    [OM_LTL_AP] = { 7, false },
    [OM_LTL_NOT] = { 6, false },
    [OM_LTL_AND] = { 4, false },
    [OM_LTL_OR] = { 3, false },
    [OM_LTL_IMPLIES] = { 1, true },
    [OM_LTL_EQUIV] = { 1, true },
    [OM_LTL_XOR] = { 2, false },
    [OM_LTL_NEXT] = { 6, false },
    [OM_LTL_FINALLY] = { 6, false },
    [OM_LTL_GLOBALLY] = { 6, false },
    [OM_LTL_UNTIL] = { 5, true },
    [OM_LTL_RELEASE] = { 5, true },
    [OM_LTL_WEAK_UNTIL] = { 5, true },
    [OM_LTL_STRONG_RELEASE] = { 5, true },
};

/* NULL: the spelling has no such operator; it is written with other operators. */
static const char *const texts[OM_LTL_SPELLINGS][OM_LTL_STRONG_RELEASE + 1] = {
    [OM_LTL_OMEN] = { [OM_LTL_TRUE] = "1",
        [OM_LTL_FALSE] = "0",
        [OM_LTL_AP] = "",
        [OM_LTL_NOT] = "!",
        [OM_LTL_AND] = " & ",
        [OM_LTL_OR] = " | ",
        [OM_LTL_IMPLIES] = " -> ",
        [OM_LTL_EQUIV] = " <-> ",
        [OM_LTL_XOR] = " ^ ",
        [OM_LTL_NEXT] = "X",
        [OM_LTL_FINALLY] = "F",
        [OM_LTL_GLOBALLY] = "G",
        [OM_LTL_UNTIL] = " U ",
        [OM_LTL_RELEASE] = " R ",
        [OM_LTL_WEAK_UNTIL] = " W ",
        [OM_LTL_STRONG_RELEASE] = " M " },
    [OM_LTL_SPIN] = { [OM_LTL_TRUE] = "true",
        [OM_LTL_FALSE] = "false",
        [OM_LTL_AP] = "",
        [OM_LTL_NOT] = "!",
        [OM_LTL_AND] = " && ",
        [OM_LTL_OR] = " || ",
        [OM_LTL_IMPLIES] = " -> ",
        [OM_LTL_EQUIV] = " <-> ",
        [OM_LTL_NEXT] = "X ",
        [OM_LTL_FINALLY] = "<> ",
        [OM_LTL_GLOBALLY] = "[] ",
        [OM_LTL_UNTIL] = " U ",
        [OM_LTL_RELEASE] = " V " },
    [OM_LTL_PSL] = { [OM_LTL_TRUE] = "true",
        [OM_LTL_FALSE] = "false",
        [OM_LTL_AP] = "",
        [OM_LTL_NOT] = "!",
        [OM_LTL_AND] = " && ",
        [OM_LTL_OR] = " || ",
        [OM_LTL_IMPLIES] = " -> ",
        [OM_LTL_EQUIV] = " <-> ",
        [OM_LTL_NEXT] = "next! ",
        [OM_LTL_FINALLY] = "eventually! ",
        [OM_LTL_GLOBALLY] = "always ",
        [OM_LTL_UNTIL] = " until! ",
        [OM_LTL_WEAK_UNTIL] = " W " },
};
_Static_assert(sizeof shapes / sizeof *shapes == OM_LTL_STRONG_RELEASE + 1, "one shape each");

/* Limit of the text: operands that are written twice double it at each nesting level. */
enum { MOST_BYTES = 1 << 20 };

static const char *const names[] = { "omen", "spin", "psl" };
_Static_assert(sizeof names / sizeof *names == OM_LTL_SPELLINGS, "one name each");

const char *om_ltl_spelling_name(om_ltl_spelling spelling)
{
    return spelling < OM_LTL_SPELLINGS ? names[spelling] : NULL;
}

/* An item still to be written: a formula, or (f == 0) a text. */
typedef struct item {
    om_ltl_ref f;
    const char *text;
} item;

typedef struct printer {
    const om_ltl *l;
    om_ltl_spelling spelling;
    item *items; /* a stack */
    size_t count, capacity;
    bool failed;
} printer;

static void push(printer *p, om_ltl_ref f, const char *text)
{
    if (!OM_ROOM(p->l->heap, p->items, &p->capacity, p->count + 1)) {
        p->failed = true;
        return;
    }
    p->items[p->count++] = (item){ f, text };
}

static void push_operand(printer *p, om_ltl_ref f, bool bracket)
{
    if (bracket)
        push(p, 0, ")");
    push(p, f, NULL);
    if (bracket)
        push(p, 0, "(");
}

static void print_ap(const printer *p, uint32_t index, om_text *out)
{
    const char *name = p->l->aps[index], *before = "\"", *after = "\"";
    const bool own = p->spelling == OM_LTL_OMEN;
    if (om_ltl__plain_name(name) && (own || !om_ltl__begins_with_operator(name))) {
        om_ltl_input in = { .text = name, .length = strlen(name) };
        bool word = om_ltl__word_length(&in, 0) == in.length;
        bool bare = word || own;
        before = bare ? "" : "(";
        after = bare ? "" : ")";
    }
    om_text_printf(out, "%s%s%s", before, name, after);
}

/* Returns true if f is written with two operands; formulas without such an operator are
 * bracketed. */
static bool is_binary(const printer *p, om_ltl_ref f)
{
    uint32_t op = p->l->nodes[f].op;
    return om_ltl__arity(op) == 2 && texts[p->spelling][op] != NULL;
}

/* Different operators of one level get brackets for readability. In other spellings than omen's
 * own, every binary operand gets them, because other parsers group differently. */
static bool needs_bracket(const printer *p, uint32_t op, om_ltl_ref operand, bool is_right)
{
    uint32_t below = p->l->nodes[operand].op;
    int level = shapes[op].level, inner = shapes[below].level;
    if (p->spelling != OM_LTL_OMEN)
        return is_binary(p, operand) &&
               (is_right || below != op || (op != OM_LTL_AND && op != OM_LTL_OR));
    return inner < level || (inner == level && (shapes[op].right != is_right || below != op));
}

/* Writes ( b V (a || b) ) for a W b, ( b U (a && b) ) for a M b, if the spelling has no dual. */
static void push_twice(printer *p, const om_ltl_node *n)
{
    const char *const *text = texts[p->spelling];
    bool weak = n->op == OM_LTL_WEAK_UNTIL;
    push(p, 0, "))");
    push_operand(p, n->b, is_binary(p, n->b));
    push(p, 0, text[weak ? OM_LTL_OR : OM_LTL_AND]);
    push_operand(p, n->a, is_binary(p, n->a));
    push(p, 0, "(");
    push(p, 0, text[weak ? OM_LTL_RELEASE : OM_LTL_UNTIL]);
    push_operand(p, n->b, is_binary(p, n->b));
    push(p, 0, "(");
}

/* Writes a formula whose operator the spelling lacks, by the dual if the spelling has it: !(!a U
 * !b) for a R b, !(!a W !b) for a M b; !(a <-> b) for a ^ b. */
static void push_by_another(printer *p, const om_ltl_node *n)
{
    const char *const *text = texts[p->spelling];
    bool negated = n->op != OM_LTL_XOR;
    const char *sign = n->op == OM_LTL_XOR       ? text[OM_LTL_EQUIV]
                       : n->op == OM_LTL_RELEASE ? text[OM_LTL_UNTIL]
                                                 : text[OM_LTL_WEAK_UNTIL];
    if (sign == NULL || n->op == OM_LTL_WEAK_UNTIL) {
        push_twice(p, n);
        return;
    }
    push(p, 0, ")");
    push_operand(p, n->b, is_binary(p, n->b));
    push(p, 0, negated ? "!" : "");
    push(p, 0, sign);
    push_operand(p, n->a, is_binary(p, n->a));
    push(p, 0, negated ? "!(!" : "!(");
}

/* Writes a leaf or an operator; pushes its operands, the last one first. */
static void print_node(printer *p, om_ltl_ref f, om_text *out)
{
    const om_ltl_node *n = &p->l->nodes[f];
    const char *text = texts[p->spelling][n->op];
    if (n->op == OM_LTL_AP)
        print_ap(p, n->a, out);
    else if (text == NULL)
        push_by_another(p, n);
    else if (om_ltl__arity(n->op) == 0)
        om_text_add(out, text);
    else if (om_ltl__arity(n->op) == 1) {
        uint32_t below = p->l->nodes[n->a].op;
        om_text_add(out, text);
        /* A blank separates "X" from a name, or "F" from a digit. */
        if (p->spelling == OM_LTL_OMEN && n->op != OM_LTL_NOT && om_ltl__arity(below) == 0)
            om_text_add(out, " ");
        push_operand(p, n->a, is_binary(p, n->a));
    } else {
        push_operand(p, n->b, needs_bracket(p, n->op, n->b, true));
        push(p, 0, text);
        push_operand(p, n->a, needs_bracket(p, n->op, n->a, false));
    }
}

int om_ltl_print_as(const om_ltl *l, om_ltl_ref f, om_ltl_spelling spelling, om_text *out)
{
    printer p = { .l = l, .spelling = spelling };
    size_t before = out->length;
    int rc = OM_OK;
    if (f == 0 || f >= l->count || spelling >= OM_LTL_SPELLINGS)
        return om_fail(l->ctx, OM_EINVAL, NULL, "there is no such formula or spelling");
    push(&p, f, NULL);
    while (p.count > 0 && !p.failed && !out->failed) {
        item it = p.items[--p.count];
        if (it.f == 0)
            om_text_add(out, it.text);
        else
            print_node(&p, it.f, out);
        if (spelling != OM_LTL_OMEN && out->length > before + MOST_BYTES && rc == OM_OK) {
            rc = om_fail(l->ctx, OM_ELIMIT, NULL, "the formula is too large in the spelling of %s",
                names[spelling]);
            break;
        }
    }
    if (p.failed || out->failed)
        rc = om_fail_memory(l->ctx);
    om_free(l->heap, p.items);
    return rc;
}

int om_ltl_print(const om_ltl *l, om_ltl_ref f, om_text *out)
{
    return om_ltl_print_as(l, f, OM_LTL_OMEN, out);
}
