/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be said of an expression before any run: constants folded, ranges of values, faults
 * ruled out. Nothing here may hide a fault: an operand that may fault and would be evaluated stays.
 */
#include "form.h"

#include <limits.h>

static int32_t wrap(int64_t v)
{
    uint32_t low = (uint32_t) (uint64_t) v;
    return low <= INT32_MAX ? (int32_t) low : (int32_t) ((int64_t) low - INT64_C(0x100000000));
}

static bool divide(om_op op, int32_t a, int32_t b, int32_t *out)
{
    if (b == 0)
        return false;
    if (b == -1)
        *out = op == OM_OP_DIV ? wrap(-(int64_t) a) : 0;
    else
        *out = op == OM_OP_DIV ? a / b : a % b;
    return true;
}

bool om_fold__constant(om_op op, int32_t a, int32_t b, int32_t *out)
{
    uint32_t ua = (uint32_t) a, ub = (uint32_t) b;
    switch (op) {
    case OM_OP_NEG:
        *out = wrap(-(int64_t) a);
        return true;
    case OM_OP_NOT:
        *out = a == 0;
        return true;
    case OM_OP_COMPL:
        *out = wrap(~ua);
        return true;
    case OM_OP_ADD:
        *out = wrap((int64_t) a + b);
        return true;
    case OM_OP_SUB:
        *out = wrap((int64_t) a - b);
        return true;
    case OM_OP_MUL:
        *out = wrap((int64_t) a * b);
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
        *out = wrap(ua << (ub & 31));
        return true;
    case OM_OP_SHR: /* rounds to minus infinity */
        *out = a >= 0 ? wrap(ua >> (ub & 31)) : wrap(~(~ua >> (ub & 31)));
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

static bool constant(const om_model *m, om_expr e, int32_t *value)
{
    *value = m->nodes[e].value;
    return m->nodes[e].op == OM_OP_CONST;
}

static om_expr truth(om_model *m, om_expr e)
{
    return om_fold__is_boolean(m, e) ? e : om_expr_binary(m, OM_OP_NE, e, om_expr_const(m, 0));
}

/* AND, OR, IMPLY with a constant on either side. */
static om_expr fold_logic(om_model *m, om_op op, om_expr a, om_expr b)
{
    int32_t v;
    bool decided = op != OM_OP_AND; /* what the operator is when the left decides */
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

/* Comparisons with the constant on the right, so that equal ones are shared and `location == const`
 * has one shape. */
static om_expr fold_comparison(om_model *m, om_op op, om_expr a, om_expr b)
{
    int32_t v;
    if (constant(m, a, &v) && !constant(m, b, &v))
        return om_expr_binary(m, om_fold__mirrored(op), b, a);
    if (constant(m, b, &v) && om_fold__is_boolean(m, a) &&
        ((op == OM_OP_NE && v == 0) || (op == OM_OP_EQ && v == 1)))
        return a;
    return 0;
}

om_expr om_fold__binary(om_model *m, om_op op, om_expr a, om_expr b)
{
    int32_t va, vb, v;
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
    int32_t va, v;
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

/* ---- ranges ---- */

typedef om_range range;

static const range everything = { INT32_MIN, INT32_MAX };

static range cut(range r)
{
    return r.low < INT32_MIN || r.high > INT32_MAX ? everything : r;
}

static range multiply(range a, range b)
{
    int64_t p[4] = { a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high };
    range r = { p[0], p[0] };
    for (int i = 1; i < 4; i++) {
        r.low = p[i] < r.low ? p[i] : r.low;
        r.high = p[i] > r.high ? p[i] : r.high;
    }
    return r;
}

/* a / b and a % b with b a positive constant; else nothing is said. */
static range quotient(om_op op, range a, range b)
{
    if (b.low != b.high || b.low <= 0)
        return everything;
    if (op == OM_OP_DIV)
        return (range){ a.low / b.low, a.high / b.low };
    return (range){ a.low < 0 ? 1 - b.low : 0, a.high > 0 ? b.low - 1 : 0 };
}

/* Bitwise operators on values that are not negative stay within the bits of the larger. */
static range bitwise(om_op op, range a, range b)
{
    if (op == OM_OP_BAND && a.low >= 0 && b.low >= 0)
        return (range){ 0, a.high < b.high ? a.high : b.high };
    if (op == OM_OP_BAND && (a.low >= 0 || b.low >= 0))
        return (range){ 0, a.low >= 0 ? a.high : b.high };
    if (a.low < 0 || b.low < 0)
        return everything;
    int64_t top = 1;
    while (top <= a.high || top <= b.high)
        top *= 2;
    return (range){ 0, top - 1 };
}

om_range om_fold__range(om_op op, om_range a, om_range b)
{
    switch (op) {
    case OM_OP_NEG:
        return cut((range){ -a.high, -a.low });
    case OM_OP_COMPL:
        return (range){ -1 - a.high, -1 - a.low };
    case OM_OP_ADD:
        return cut((range){ a.low + b.low, a.high + b.high });
    case OM_OP_SUB:
        return cut((range){ a.low - b.high, a.high - b.low });
    case OM_OP_MUL:
        return cut(multiply(a, b));
    case OM_OP_DIV:
    case OM_OP_MOD:
        return quotient(op, a, b);
    case OM_OP_BAND:
    case OM_OP_BOR:
    case OM_OP_BXOR:
        return bitwise(op, a, b);
    case OM_OP_SHL:
        return everything;
    case OM_OP_SHR: /* towards 0 or -1 */
        return (range){ a.low < 0 ? a.low : 0, a.high > 0 ? a.high : -(int64_t) (a.high < 0) };
    default:
        return (range){ 0, 1 };
    }
}

static om_facts leaf_facts(const om_model *m, const om_node *n)
{
    om_facts f = { .height = 1, .size = 1, .low = n->value, .high = n->value };
    if (n->op == OM_OP_CONST)
        return f;
    const om_slot *s = om_model__slot(m, n->a);
    om_slot__range(s, &f.low, &f.high);
    if (n->op == OM_OP_ELEMENT) {
        const om_facts *i = &m->facts[n->b];
        f.height = (uint16_t) (i->height + 1);
        f.size = i->size + 1;
        f.faults = i->faults || i->low < 0 || i->high >= (int64_t) s->length;
    }
    return f;
}

om_facts om_fold__facts(const om_model *m, const om_node *n)
{
    if (n->op == OM_OP_CONST || n->op == OM_OP_SLOT || n->op == OM_OP_ELEMENT)
        return leaf_facts(m, n);
    const om_facts *a = &m->facts[n->a], *b = n->b == 0 ? a : &m->facts[n->b];
    range r = om_fold__range((om_op) n->op, (range){ a->low, a->high }, (range){ b->low, b->high });
    bool divides = n->op == OM_OP_DIV || n->op == OM_OP_MOD;
    om_facts f = { .low = (int32_t) r.low, .high = (int32_t) r.high };
    f.height = (uint16_t) (1 + (a->height > b->height ? a->height : b->height));
    f.size = 1 + a->size + (n->b == 0 ? 0 : b->size);
    f.faults = a->faults || b->faults || (divides && b->low <= 0 && b->high >= 0);
    return f;
}
