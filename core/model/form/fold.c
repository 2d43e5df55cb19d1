/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static simplification of expressions: constant folding, value ranges, absence of faults. Nothing
 * here may hide a fault: an operand that may fault and would be evaluated is kept.
 */
#include "interval.h"

#include <assert.h>

/* Returns the number with these bits in two's complement. */
static om_value wrap(om_uvalue bits)
{
    return bits <= OM_VALUE_MAX ? (om_value) bits : -(om_value) ~bits - 1;
}

static bool divide(om_op op, om_value a, om_value b, om_value *out)
{
    if (b == 0)
        return false;
    if (b == -1)
        *out = op == OM_OP_DIV ? wrap(0u - (om_uvalue) a) : 0;
    else
        *out = op == OM_OP_DIV ? a / b : a % b;
    return true;
}

bool om_fold__constant(om_op op, om_value a, om_value b, om_value *out)
{
    om_uvalue ua = (om_uvalue) a, ub = (om_uvalue) b, by = ub & (OM_VALUE_BITS - 1);
    switch (op) {
    case OM_OP_NEG:
        *out = wrap(0u - (om_uvalue) a);
        return true;
    case OM_OP_NOT:
        *out = a == 0;
        return true;
    case OM_OP_COMPL:
        *out = wrap(~ua);
        return true;
    case OM_OP_ADD:
        *out = wrap(ua + ub);
        return true;
    case OM_OP_SUB:
        *out = wrap(ua - ub);
        return true;
    case OM_OP_MUL:
        *out = wrap(ua * ub);
        return true;
    case OM_OP_DIV:
    case OM_OP_MOD:
        return divide(op, a, b, out);
    case OM_OP_BAND:
        *out = wrap(ua & ub);
        return true;
    case OM_OP_BOR:
        *out = wrap(ua | ub);
        return true;
    case OM_OP_BXOR:
        *out = wrap(ua ^ ub);
        return true;
    case OM_OP_SHL:
        *out = wrap(ua << by);
        return true;
    case OM_OP_SHR: /* rounds towards minus infinity */
        *out = a >= 0 ? wrap(ua >> by) : wrap(~(~ua >> by));
        return true;
    case OM_OP_LT:
        *out = a < b;
        return true;
    case OM_OP_LE:
        *out = a <= b;
        return true;
    case OM_OP_EQ:
        *out = a == b;
        return true;
    case OM_OP_NE:
        *out = a != b;
        return true;
    case OM_OP_GE:
        *out = a >= b;
        return true;
    case OM_OP_GT:
        *out = a > b;
        return true;
    case OM_OP_AND:
        *out = a != 0 && b != 0;
        return true;
    case OM_OP_OR:
        *out = a != 0 || b != 0;
        return true;
    case OM_OP_IMPLY:
        *out = a == 0 || b != 0;
        return true;
    case OM_OP_CONST:
    case OM_OP_SLOT:
    case OM_OP_ELEMENT:
    case OM_OP_COUNT:
        break;
    }
    return false;
}

/* ---- simpler nodes ---- */

static bool constant(const om_model *m, om_expr e, om_value *value)
{
    *value = m->nodes[e].value;
    return m->nodes[e].op == OM_OP_CONST;
}

static om_expr truth(om_model *m, om_expr e)
{
    return om_fold__is_boolean(m, e) ? e : om_expr_binary(m, OM_OP_NE, e, om_expr_const(m, 0));
}

/* Folds AND, OR and IMPLY with a constant on either side. */
static om_expr fold_logic(om_model *m, om_op op, om_expr a, om_expr b)
{
    om_value v;
    bool decided = op != OM_OP_AND; /* result of the operator if the left operand decides */
    if (constant(m, a, &v)) {
        bool decides = op == OM_OP_OR ? v != 0 : v == 0;
        return decides ? om_expr_const(m, decided) : truth(m, b);
    }
    if (constant(m, b, &v)) {
        if ((v != 0) == decided)
            return m->facts[a].faults ? 0 : om_expr_const(m, decided);
        return op == OM_OP_IMPLY ? om_expr_unary(m, OM_OP_NOT, a) : truth(m, a);
    }
    return 0;
}

om_op om_fold__mirrored(om_op comparison)
{
    static const uint8_t mirrored[OM_OP_COUNT] = { [OM_OP_LT] = OM_OP_GT,
        [OM_OP_LE] = OM_OP_GE,
        [OM_OP_EQ] = OM_OP_EQ,
        [OM_OP_NE] = OM_OP_NE,
        [OM_OP_GE] = OM_OP_LE,
        [OM_OP_GT] = OM_OP_LT };
    return (om_op) mirrored[comparison];
}

bool om_fold__negated(om_op op, om_op *out)
{
    static const uint8_t negated[OM_OP_COUNT] = { [OM_OP_LT] = OM_OP_GE,
        [OM_OP_LE] = OM_OP_GT,
        [OM_OP_EQ] = OM_OP_NE,
        [OM_OP_NE] = OM_OP_EQ,
        [OM_OP_GE] = OM_OP_LT,
        [OM_OP_GT] = OM_OP_LE };
    *out = (om_op) negated[op];
    return negated[op] != 0;
}

static bool is_enumeration(const om_model *m, om_expr e)
{
    const om_node *n = &m->nodes[e];
    return n->op == OM_OP_SLOT && om_model__slot(m, n->a)->type == OM_ENUM;
}

/* Moves the constant of a comparison to the right, so that equal comparisons are shared and
 * `location == const` has a single form, also for a process with two locations. */
static om_expr fold_comparison(om_model *m, om_op op, om_expr a, om_expr b)
{
    om_value v;
    if (constant(m, a, &v) && !constant(m, b, &v))
        return om_expr_binary(m, om_fold__mirrored(op), b, a);
    if (constant(m, b, &v) && om_fold__is_boolean(m, a) && !is_enumeration(m, a) &&
        ((op == OM_OP_NE && v == 0) || (op == OM_OP_EQ && v == 1)))
        return a;
    return 0;
}

om_expr om_fold__binary(om_model *m, om_op op, om_expr a, om_expr b)
{
    om_value va, vb, v;
    assert(om_model__has(m, a) && om_model__has(m, b));
    bool left = constant(m, a, &va), right = constant(m, b, &vb);
    if (left && right && om_fold__constant(op, va, vb, &v))
        return om_expr_const(m, v);
    switch (op) {
    case OM_OP_AND:
    case OM_OP_OR:
    case OM_OP_IMPLY:
        return fold_logic(m, op, a, b);
    case OM_OP_LT:
    case OM_OP_LE:
    case OM_OP_EQ:
    case OM_OP_NE:
    case OM_OP_GE:
    case OM_OP_GT:
        return fold_comparison(m, op, a, b);
    case OM_OP_ADD:
        if (left && va == 0)
            return b;
        return right && vb == 0 ? a : 0;
    case OM_OP_SUB:
        return right && vb == 0 ? a : 0;
    case OM_OP_MUL:
        if (left && va == 1)
            return b;
        return right && vb == 1 ? a : 0;
    case OM_OP_DIV:
        return right && vb == 1 ? a : 0;
    default:
        return 0;
    }
}

om_expr om_fold__unary(om_model *m, om_op op, om_expr a)
{
    om_value va, v;
    om_node n = m->nodes[a];
    om_op negated;
    if (constant(m, a, &va) && om_fold__constant(op, va, 0, &v))
        return om_expr_const(m, v);
    if (op == OM_OP_NOT && om_fold__negated((om_op) n.op, &negated))
        return om_expr_binary(m, negated, n.a, n.b);
    if (op == OM_OP_NOT && n.op == OM_OP_NOT)
        return truth(m, n.a);
    return 0;
}

/* ---- facts ---- */

static om_facts leaf_facts(const om_model *m, const om_node *n)
{
    om_facts f = { .height = 1, .size = 1, .low = n->value, .high = n->value };
    if (n->op == OM_OP_CONST)
        return f;
    const om_slot *s = om_model__slot(m, n->a);
    const om_interval holds = om_interval__of_slot(s);
    f.low = (om_value) holds.low;
    f.high = (om_value) holds.high;
    if (n->op == OM_OP_ELEMENT) {
        const om_facts *i = &m->facts[n->b];
        f.height = (uint16_t) (i->height + 1);
        f.size = i->size + 1;
        f.faults = i->faults || om_interval__may_miss(m, n->b, s);
    }
    return f;
}

om_facts om_fold__facts(const om_model *m, const om_node *n)
{
    if (n->op == OM_OP_CONST || n->op == OM_OP_SLOT || n->op == OM_OP_ELEMENT)
        return leaf_facts(m, n);
    assert(n->a != 0 && n->a < m->node_count && n->b < m->node_count); /* X1 */
    const om_facts *a = &m->facts[n->a], *b = n->b == 0 ? a : &m->facts[n->b];
    om_interval of_a = om_interval__of(m, n->a);
    om_interval of_b = n->b == 0 ? of_a : om_interval__of(m, n->b);
    om_interval r = om_interval__result((om_op) n->op, of_a, of_b);
    bool divides = n->op == OM_OP_DIV || n->op == OM_OP_MOD;
    om_facts f = { .low = (om_value) r.low, .high = (om_value) r.high };
    f.height = (uint16_t) (1 + (a->height > b->height ? a->height : b->height));
    f.size = 1 + a->size + (n->b == 0 ? 0 : b->size);
    assert(f.height <= OM_EXPR_HEIGHT + 1);
    f.faults = a->faults || b->faults || (divides && om_interval__may_be(m, n->b, 0));
    return f;
}
