/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of a model as text, and as formulas. The depth of recursion is the height of the
 * expression, which the model bounds. */
#include "parts.h"

#include "model.h"

#include <string.h>

enum { TIGHTEST = 12, APS = 64 };

static const struct {
    const char *text;
    int level; /* binding strength; 0: not a binary operator */
} binary[OM_OP_COUNT] = {
    [OM_OP_IMPLY] = { " -> ", 1 },
    [OM_OP_OR] = { " || ", 2 },
    [OM_OP_AND] = { " && ", 3 },
    [OM_OP_BOR] = { " | ", 4 },
    [OM_OP_BXOR] = { " ^ ", 5 },
    [OM_OP_BAND] = { " & ", 6 },
    [OM_OP_EQ] = { " == ", 7 },
    [OM_OP_NE] = { " != ", 7 },
    [OM_OP_LT] = { " < ", 8 },
    [OM_OP_LE] = { " <= ", 8 },
    [OM_OP_GE] = { " >= ", 8 },
    [OM_OP_GT] = { " > ", 8 },
    [OM_OP_SHL] = { " << ", 9 },
    [OM_OP_SHR] = { " >> ", 9 },
    [OM_OP_ADD] = { " + ", 10 },
    [OM_OP_SUB] = { " - ", 10 },
    [OM_OP_MUL] = { " * ", 11 },
    [OM_OP_DIV] = { " / ", 11 },
    [OM_OP_MOD] = { " % ", 11 },
};

/* The name of a constant that a slot is compared with; NULL: none. */
static const char *name_of_compared(const om_model *m, om_expr slot, om_expr value)
{
    const om_node *s = om_model_node(m, slot), *v = om_model_node(m, value);
    if ((s->op != OM_OP_SLOT && s->op != OM_OP_ELEMENT) || v->op != OM_OP_CONST)
        return NULL;
    return om_slot__name_of(om_model_slot(m, s->a), v->value);
}

static void put(const om_model *m, om_expr e, int above, om_text *out);

static void put_binary(const om_model *m, const om_node *n, int above, om_text *out)
{
    const int level = binary[n->op].level;
    const char *left = name_of_compared(m, n->b, n->a), *right = name_of_compared(m, n->a, n->b);
    om_text_add(out, level < above ? "(" : "");
    if (left != NULL)
        om_text_add(out, left);
    else
        put(m, n->a, level, out);
    om_text_add(out, binary[n->op].text);
    if (right != NULL)
        om_text_add(out, right);
    else
        put(m, n->b, level + 1, out);
    om_text_add(out, level < above ? ")" : "");
}

/* An element of a family with a known index is shown as that of a member. */
static void put_element(const om_model *m, const om_node *n, om_text *out)
{
    const om_node *index = om_model_node(m, n->b);
    uint32_t element = index->op == OM_OP_CONST ? (uint32_t) index->value : OM_NONE;
    const uint32_t slot = element == OM_NONE ? n->a : om_model__shown_slot(m, n->a, &element);
    om_text_add(out, om_model_slot(m, slot)->name);
    if (slot != n->a && element == OM_NONE)
        return;
    om_text_add(out, "[");
    if (slot != n->a)
        om_text_printf(out, "%" PRIu32, element);
    else
        put(m, n->b, 0, out);
    om_text_add(out, "]");
}

static void put(const om_model *m, om_expr e, int above, om_text *out)
{
    const om_node n = *om_model_node(m, e);
    switch ((om_op) n.op) {
    case OM_OP_CONST:
        om_text_printf(out, "%" OM_VALUE_FORMAT, n.value);
        return;
    case OM_OP_SLOT:
        om_text_add(out, om_model_slot(m, n.a)->name);
        return;
    case OM_OP_ELEMENT:
        put_element(m, &n, out);
        return;
    case OM_OP_NEG:
    case OM_OP_NOT:
    case OM_OP_COMPL:
        om_text_add(out, n.op == OM_OP_NEG ? "-" : n.op == OM_OP_NOT ? "!" : "~");
        put(m, n.a, TIGHTEST, out);
        return;
    default:
        put_binary(m, &n, above, out);
    }
}

void om_explain__put_expression(const om_model *m, om_expr e, om_text *out)
{
    put(m, e, 0, out);
}

/* ---- formulas ---- */

typedef struct taker {
    const om_model *m;
    om_ltl *l;
    om_expr *aps;
    int rc;
} taker;

static om_ltl_ref leaf(taker *t, om_context *ctx, om_expr e)
{
    om_text name = { .heap = om_context_heap(ctx) };
    const uint32_t known = om_ltl_ap_count(t->l);
    put(t->m, e, 0, &name);
    om_ltl_ref f = name.failed ? 0 : om_ltl_ap_ref(t->l, name.text);
    const uint32_t i = f == 0 ? 0 : om_ltl_left(t->l, f);
    if (name.failed)
        t->rc = OM_ENOMEM;
    else if (f == 0)
        t->rc = known == APS ? OM_EUNSUPPORTED : OM_ENOMEM;
    else if (i < known && t->aps[i] != e)
        t->rc = OM_EUNSUPPORTED;
    else
        t->aps[i] = e;
    om_text_free(&name);
    return t->rc == OM_OK ? f : 0;
}

static om_ltl_ref take(taker *t, om_context *ctx, om_expr e)
{
    const om_node n = *om_model_node(t->m, e);
    const om_ltl_op op = n.op == OM_OP_AND     ? OM_LTL_AND
                         : n.op == OM_OP_OR    ? OM_LTL_OR
                         : n.op == OM_OP_IMPLY ? OM_LTL_IMPLIES
                                               : OM_LTL_NOT;
    if (n.op == OM_OP_CONST)
        return om_ltl_make(t->l, n.value != 0 ? OM_LTL_TRUE : OM_LTL_FALSE, 0, 0);
    if (op == OM_LTL_NOT && n.op != OM_OP_NOT)
        return leaf(t, ctx, e);
    const om_ltl_ref a = take(t, ctx, n.a), b = n.op == OM_OP_NOT ? 0 : take(t, ctx, n.b);
    if (t->rc != OM_OK)
        return 0;
    const om_ltl_ref f = om_ltl_make(t->l, op, a, b);
    if (f == 0)
        t->rc = OM_ENOMEM;
    return f;
}

int om_explain__take_apart(const om_model *m, om_expr e, om_ltl *l, om_expr *aps, om_ltl_ref *out)
{
    taker t = { .m = m, .l = l };
    t.aps = aps;
    *out = take(&t, om_model_context(m), e);
    return t.rc == OM_OK && *out == 0 ? OM_ENOMEM : t.rc;
}
