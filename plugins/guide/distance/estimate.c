/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a state is from one in which an expression is true, or false: comparisons count the
 * difference of their sides, locations the steps of their process, "and" adds up, and "or" takes
 * the smaller one. After the function H_f of S. Edelkamp, A. Lluch Lafuente, S. Leue, STTT 5, 2004,
 * table 1.
 */
#include "distance.h"

#include <assert.h>

static uint64_t most(uint64_t n)
{
    return n < DISTANCE_MOST ? n : DISTANCE_MOST;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    assert(a <= DISTANCE_MOST && b <= DISTANCE_MOST); /* D1 */
    return most(a + b);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- values ---- */

static om_value divided(om_op op, om_value a, om_value b)
{
    if (b == 0 || (a == OM_VALUE_MIN && b == -1))
        return 0;
    return op == OM_OP_DIV ? a / b : a % b;
}

static om_value shifted(om_op op, om_value a, om_value b)
{
    const unsigned by = (unsigned) b % OM_VALUE_BITS;
    return op == OM_OP_SHL ? (om_value) ((om_uvalue) a << by) : a >> by;
}

static om_value arithmetic(om_op op, om_value a, om_value b)
{
    const om_uvalue x = (om_uvalue) a, y = (om_uvalue) b;
    switch (op) {
    case OM_OP_ADD:
        return (om_value) (x + y);
    case OM_OP_SUB:
        return (om_value) (x - y);
    case OM_OP_MUL:
        return (om_value) (x * y);
    case OM_OP_DIV:
    case OM_OP_MOD:
        return divided(op, a, b);
    case OM_OP_BAND:
        return (om_value) (x & y);
    case OM_OP_BOR:
        return (om_value) (x | y);
    case OM_OP_BXOR:
        return (om_value) (x ^ y);
    default:
        return shifted(op, a, b);
    }
}

static bool compared(om_op op, om_value a, om_value b)
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

static bool is_comparison(om_op op)
{
    return op >= OM_OP_LT && op <= OM_OP_GT;
}

/* Returns the value of an expression; any value if it has none. The recursion is as deep as the
 * expression. */
static om_value value_of(const om_model *m, om_expr e, const uint32_t *row)
{
    const om_node *n = om_model_node(m, e);
    if (n->op == OM_OP_CONST)
        return n->value;
    if (n->op == OM_OP_SLOT)
        return om_slot_get(om_model_slot(m, n->a), row, 0);
    if (n->op == OM_OP_ELEMENT) {
        const om_slot *s = om_model_slot(m, n->a);
        const om_value i = value_of(m, n->b, row);
        return i < 0 || (uint32_t) i >= s->length ? 0 : om_slot_get(s, row, (uint32_t) i);
    }
    const om_value a = value_of(m, n->a, row);
    if (n->op == OM_OP_NEG)
        return (om_value) - (om_uvalue) a;
    if (n->op == OM_OP_NOT)
        return a == 0;
    if (n->op == OM_OP_COMPL)
        return ~a;
    const om_value b = value_of(m, n->b, row);
    return n->op >= OM_OP_LT ? compared((om_op) n->op, a, b) : arithmetic((om_op) n->op, a, b);
}

/* ---- comparisons ---- */

/* Sets *slot if the comparison is one of a location with a constant. */
static bool is_of_location(const locations *l, const om_node *n, uint32_t *slot, om_value *constant)
{
    const om_node *a = om_model_node(l->model, n->a), *b = om_model_node(l->model, n->b);
    const om_node *s = a->op == OM_OP_SLOT ? a : b, *c = a->op == OM_OP_SLOT ? b : a;
    if (s->op != OM_OP_SLOT || c->op != OM_OP_CONST || !l->is_location[s->a])
        return false;
    *slot = s->a;
    *constant = c->value;
    return true;
}

static uint64_t difference(om_wide a, om_wide b)
{
    return most((uint64_t) (a < b ? b - a : a - b));
}

/* The distance from a == b. */
static uint64_t equal(const locations *l, const om_node *n, const uint32_t *row)
{
    uint32_t slot = 0;
    om_value to = 0;
    if (is_of_location(l, n, &slot, &to)) {
        const om_value from = om_slot_get(om_model_slot(l->model, slot), row, 0);
        const uint32_t steps = locations_between(l, slot, from, to);
        if (steps != UINT32_MAX)
            return steps;
    }
    return difference(value_of(l->model, n->a, row), value_of(l->model, n->b, row));
}

/* The distance from a <= b + more. */
static uint64_t at_most(om_wide a, om_wide b, om_wide more)
{
    return a <= b + more ? 0 : most((uint64_t) (a - b - more));
}

om_op estimate_inverse(om_op comparison)
{
    static const om_op inverse[] = { [OM_OP_LT] = OM_OP_GE,
        [OM_OP_LE] = OM_OP_GT,
        [OM_OP_EQ] = OM_OP_NE,
        [OM_OP_NE] = OM_OP_EQ,
        [OM_OP_GE] = OM_OP_LT,
        [OM_OP_GT] = OM_OP_LE };
    assert(is_comparison(comparison));
    return inverse[comparison];
}

static uint64_t comparison(const locations *l, const om_node *n, bool truth, const uint32_t *row)
{
    const om_op op = truth ? (om_op) n->op : estimate_inverse((om_op) n->op);
    if (op == OM_OP_EQ)
        return equal(l, n, row);
    const om_wide a = value_of(l->model, n->a, row), b = value_of(l->model, n->b, row);
    return op == OM_OP_NE   ? a == b
           : op == OM_OP_LT ? at_most(a, b, -1)
           : op == OM_OP_LE ? at_most(a, b, 0)
           : op == OM_OP_GE ? at_most(b, a, 0)
                            : at_most(b, a, -1);
}

uint64_t estimate(const locations *l, om_expr e, bool truth, const uint32_t *row)
{
    const om_node *n = om_model_node(l->model, e);
    if (n->op == OM_OP_NOT)
        return estimate(l, n->a, !truth, row);
    if (is_comparison((om_op) n->op))
        return comparison(l, n, truth, row);
    if (n->op != OM_OP_AND && n->op != OM_OP_OR && n->op != OM_OP_IMPLY)
        return (value_of(l->model, e, row) != 0) != truth;
    const uint64_t a = estimate(l, n->a, n->op == OM_OP_IMPLY ? !truth : truth, row);
    const bool both = (n->op == OM_OP_AND) == truth;
    if (a == 0 && !both)
        return 0;
    const uint64_t b = estimate(l, n->b, truth, row);
    return both ? sum(a, b) : smaller(a, b);
}

int estimate_prepare(locations *l, om_expr e)
{
    const om_node n = *om_model_node(l->model, e);
    uint32_t slot = 0;
    om_value to = 0;
    if (n.op == OM_OP_NOT)
        return estimate_prepare(l, n.a);
    if (is_comparison((om_op) n.op))
        return is_of_location(l, &n, &slot, &to) ? locations_add(l, slot, to) : OM_OK;
    if (n.op != OM_OP_AND && n.op != OM_OP_OR && n.op != OM_OP_IMPLY)
        return OM_OK;
    const int rc = estimate_prepare(l, n.a);
    return rc == OM_OK ? estimate_prepare(l, n.b) : rc;
}
