/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions as linear forms over cells, as far as they are linear where some cells are bound. */
#include "relaxed.h"

#include <assert.h>

/* Factors and constants are smaller than this, so that values of forms fit om_wide. */
#define FACTOR_MOST ((om_wide) 1 << 20)
#define CONSTANT_MOST ((om_wide) 1 << 36)

static bool is_small(om_wide a, om_wide most)
{
    return a < most && a > -most;
}

static bool add_term(form *f, uint32_t cell, om_wide factor)
{
    uint32_t i = 0;
    while (i < f->count && f->terms[i].cell < cell)
        i++;
    if (i == f->count || f->terms[i].cell != cell) {
        if (f->count == MOST_TERMS)
            return false;
        for (uint32_t k = f->count++; k > i; k--)
            f->terms[k] = f->terms[k - 1];
        f->terms[i] = (term){ cell, 0 };
    }
    assert(i + 1 == f->count || cell < f->terms[i + 1].cell); /* R2 */
    f->terms[i].factor += factor;
    if (f->terms[i].factor != 0)
        return is_small(f->terms[i].factor, FACTOR_MOST);
    f->count--;
    for (; i < f->count; i++)
        f->terms[i] = f->terms[i + 1];
    return true;
}

bool form_add(form *to, const form *f, om_wide factor)
{
    bool fits = is_small(factor, FACTOR_MOST) && is_small(f->constant, CONSTANT_MOST);
    for (uint32_t i = 0; i < f->count && fits; i++)
        fits = add_term(to, f->terms[i].cell, f->terms[i].factor * factor);
    if (fits)
        to->constant += f->constant * factor;
    return fits && is_small(to->constant, CONSTANT_MOST);
}

bool form_of_cell(const view *v, uint32_t cell, form *out)
{
    *out = (form){ .count = 0 };
    for (uint32_t i = 0; i < v->changed; i++)
        if (v->changes[i].cell == cell) {
            *out = v->changes[i].value;
            return v->changes[i].known;
        }
    for (uint32_t i = 0; i < v->bound; i++)
        if (v->bindings[i].cell == cell) {
            out->constant = v->bindings[i].value;
            return true;
        }
    return add_term(out, cell, 1);
}

void form_range(const net *n, uint32_t cell, om_value *low, om_value *high)
{
    const om_slot *s = om_model_slot(n->m, n->cells[cell].slot);
    const bool sign = s->type == OM_I8 || s->type == OM_I16 || s->type == OM_I32;
    const om_wide size = (om_wide) 1 << s->bits;
    const om_wide least = sign ? -size / 2 : 0, most = least + size - 1;
    *low = least > s->low ? (om_value) least : s->low;
    *high = most < s->high ? (om_value) most : s->high;
}

bool form_may_bind(const net *n, const view *v, uint32_t cell)
{
    om_value low, high;
    if (cell == OM_NONE || v->bound == MOST_BINDINGS)
        return false;
    form_range(n, cell, &low, &high);
    return ((om_wide) high - low + 1) * v->values <= MOST_VALUES;
}

view form_bind(const net *n, const view *v, uint32_t cell, om_value value)
{
    view bound = *v;
    om_value low, high;
    assert(form_may_bind(n, v, cell));
    form_range(n, cell, &low, &high);
    bound.values *= (uint32_t) (high - low + 1);
    bound.bindings[bound.bound++] = (binding){ cell, value };
    return bound;
}

/* ---- operators on constants ---- */

static om_value divided(om_op op, om_value a, om_value b)
{
    if (b == 0 || (a == OM_VALUE_MIN && b == -1))
        return 0;
    return op == OM_OP_DIV ? a / b : a % b;
}

static om_value of_bits(om_op op, om_value a, om_value b)
{
    const om_uvalue x = (om_uvalue) a, y = (om_uvalue) b;
    switch (op) {
    case OM_OP_BAND:
        return (om_value) (x & y);
    case OM_OP_BOR:
        return (om_value) (x | y);
    case OM_OP_BXOR:
        return (om_value) (x ^ y);
    case OM_OP_SHL:
        return (om_value) (x << y % OM_VALUE_BITS);
    default:
        return a >> y % OM_VALUE_BITS;
    }
}

static om_value truth_of(om_op op, om_value a, om_value b)
{
    switch (op) {
    case OM_OP_LT:
        return a < b;
    case OM_OP_LE:
        return a <= b;
    case OM_OP_EQ:
        return a == b;
    case OM_OP_NE:
        return a != b;
    case OM_OP_GE:
        return a >= b;
    case OM_OP_GT:
        return a > b;
    case OM_OP_AND:
        return a != 0 && b != 0;
    case OM_OP_OR:
        return a != 0 || b != 0;
    default:
        return a == 0 || b != 0;
    }
}

static bool of_constants(om_op op, const form *a, const form *b, form *out)
{
    const om_value x = (om_value) a->constant, y = (om_value) b->constant;
    *out = (form){ .constant = op >= OM_OP_LT                       ? truth_of(op, x, y)
                               : op == OM_OP_DIV || op == OM_OP_MOD ? divided(op, x, y)
                                                                    : of_bits(op, x, y) };
    return true;
}

/* ---- expressions ---- */

/* Notes the cell that keeps a form from being a constant. Returns false. */
static bool blocked(const form *f, uint32_t *by)
{
    assert(f->count > 0);
    *by = f->terms[0].cell;
    return false;
}

static bool of_element(const net *n, const view *v, const om_node *node, form *out, uint32_t *by)
{
    form index;
    if (!form_of(n, v, node->b, &index, by))
        return false;
    if (index.count > 0)
        return blocked(&index, by);
    return index.constant >= 0 && index.constant < om_model_slot(n->m, node->a)->length &&
           form_of_cell(v, n->cell_of[node->a] + (uint32_t) index.constant, out);
}

static bool of_unary(om_op op, const form *a, form *out, uint32_t *by)
{
    *out = (form){ .constant = op == OM_OP_COMPL ? -1 : 0 };
    if (op != OM_OP_NOT)
        return form_add(out, a, -1);
    if (a->count > 0)
        return blocked(a, by);
    out->constant = a->constant == 0;
    return true;
}

static bool of_binary(om_op op, const form *a, const form *b, form *out, uint32_t *by)
{
    const form *factor = a->count == 0 ? a : b, *other = a->count == 0 ? b : a;
    *out = *a;
    if (op == OM_OP_ADD || op == OM_OP_SUB)
        return form_add(out, b, op == OM_OP_ADD ? 1 : -1);
    if (op == OM_OP_MUL && factor->count == 0) {
        *out = (form){ .count = 0 };
        return form_add(out, other, factor->constant);
    }
    if (a->count > 0 || b->count > 0)
        return blocked(a->count > 0 ? a : b, by);
    return of_constants(op, a, b, out);
}

/* The recursion is as deep as the expression. */
bool form_of(const net *n, const view *v, om_expr e, form *out, uint32_t *by)
{
    *out = (form){ .count = 0 };
    const om_node *node = om_model_node(n->m, e);
    const om_op op = (om_op) node->op;
    form a, b;
    *by = OM_NONE;
    if (op == OM_OP_CONST) {
        *out = (form){ .constant = node->value };
        return true;
    }
    if (op == OM_OP_SLOT)
        return form_of_cell(v, n->cell_of[node->a], out);
    if (op == OM_OP_ELEMENT)
        return of_element(n, v, node, out, by);
    if (!form_of(n, v, node->a, &a, by))
        return false;
    if (op == OM_OP_NEG || op == OM_OP_NOT || op == OM_OP_COMPL)
        return of_unary(op, &a, out, by);
    return form_of(n, v, node->b, &b, by) && of_binary(op, &a, &b, out, by);
}
