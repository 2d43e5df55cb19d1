/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interval arithmetic (Moore, Interval Analysis, 1966) on values that wrap: if a bound of the exact
 * result is not an om_value, the result may be any value.
 */
#include "interval.h"

#include <assert.h>

static const om_interval everything = { OM_VALUE_MIN, OM_VALUE_MAX };

/* ---- slots and expressions ---- */

om_interval om_interval__of_slot(const om_slot *s)
{
    uint32_t bits = om_slot__bits(s);
    assert(bits >= 1 && bits <= 32);
    om_wide half = (om_wide) 1 << (bits - 1);
    if (om_slot__signed(s) || bits == 32) /* an enumeration of this size has negative values */
        return (om_interval){ -half, half - 1 };
    return (om_interval){ 0, 2 * half - 1 };
}

om_interval om_interval__stored(const om_slot *s, om_interval given)
{
    om_interval holds = om_interval__of_slot(s);
    return om_interval__within(given, holds) ? given : holds;
}

om_interval om_interval__of(const om_model *m, om_expr e)
{
    return (om_interval){ m->facts[e].low, m->facts[e].high };
}

bool om_interval__may_be(const om_model *m, om_expr e, om_value value)
{
    return m->facts[e].low <= value && value <= m->facts[e].high;
}

bool om_interval__may_miss(const om_model *m, om_expr e, const om_slot *array)
{
    assert(array->length != 0);
    return m->facts[e].low < 0 || m->facts[e].high >= (om_wide) array->length;
}

/* ---- operators ---- */

static om_interval cut(om_interval i)
{
    return om_interval__within(i, everything) ? i : everything;
}

static om_interval multiply(om_interval a, om_interval b)
{
    om_wide p[4] = { a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high };
    om_interval r = { p[0], p[0] };
    for (int i = 1; i < 4; i++)
        r = om_interval__join(r, (om_interval){ p[i], p[i] });
    return r;
}

/* Computes a / b and a % b for a positive constant b; for other b, returns all values. */
static om_interval quotient(om_op op, om_interval a, om_interval b)
{
    if (b.low != b.high || b.low <= 0)
        return everything;
    if (op == OM_OP_DIV)
        return (om_interval){ a.low / b.low, a.high / b.low };
    return (om_interval){ a.low < 0 ? 1 - b.low : 0, a.high > 0 ? b.low - 1 : 0 };
}

/* Bitwise operators on nonnegative values stay within the bits of the larger one. */
static om_interval bitwise(om_op op, om_interval a, om_interval b)
{
    if (op == OM_OP_BAND && a.low >= 0 && b.low >= 0)
        return (om_interval){ 0, a.high < b.high ? a.high : b.high };
    if (op == OM_OP_BAND && (a.low >= 0 || b.low >= 0))
        return (om_interval){ 0, a.low >= 0 ? a.high : b.high };
    if (a.low < 0 || b.low < 0)
        return everything;
    om_wide top = 1;
    while (top <= a.high || top <= b.high)
        top *= 2;
    return (om_interval){ 0, top - 1 };
}

om_interval om_interval__result(om_op op, om_interval a, om_interval b)
{
    assert(!om_interval__empty(a) && !om_interval__empty(b));
    switch (op) {
    case OM_OP_NEG:
        return cut((om_interval){ -a.high, -a.low });
    case OM_OP_COMPL:
        return (om_interval){ -1 - a.high, -1 - a.low };
    case OM_OP_ADD:
        return cut((om_interval){ a.low + b.low, a.high + b.high });
    case OM_OP_SUB:
        return cut((om_interval){ a.low - b.high, a.high - b.low });
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
        return (
            om_interval){ a.low < 0 ? a.low : 0, a.high > 0 ? a.high : -(om_wide) (a.high < 0) };
    default:
        return (om_interval){ 0, 1 };
    }
}

om_interval om_interval__allowed(om_op op, om_interval a, om_interval r)
{
    switch (op) {
    case OM_OP_LT:
        return (om_interval){ OM_VALUE_MIN, r.high - 1 };
    case OM_OP_LE:
        return (om_interval){ OM_VALUE_MIN, r.high };
    case OM_OP_GT:
        return (om_interval){ r.low + 1, OM_VALUE_MAX };
    case OM_OP_GE:
        return (om_interval){ r.low, OM_VALUE_MAX };
    case OM_OP_EQ:
        return r;
    default: /* NE: if b is a single value at a bound of a, the bound moves */
        if (r.low == r.high && a.low == r.low)
            a.low++;
        else if (r.low == r.high && a.high == r.low)
            a.high--;
        return a;
    }
}

/* ---- bits ---- */

uint32_t om_interval__bits(om_interval i)
{
    uint32_t bits = 1;
    if (i.low >= 0) {
        while (bits < OM_VALUE_BITS && (i.high >> bits) != 0)
            bits++;
        return bits;
    }
    while (
        bits < OM_VALUE_BITS && (i.high >> (bits - 1) != 0 || i.low < -((om_wide) 1 << (bits - 1))))
        bits++;
    return bits;
}

om_interval om_interval__widened(om_interval i)
{
    om_interval r = { 0, 0 };
    while (r.high < i.high)
        r.high = r.high * 2 + 1;
    while (r.low > i.low)
        r.low = r.low == 0 ? -1 : r.low * 2;
    assert(om_interval__within(i, r));
    return om_interval__meet(r, everything);
}
