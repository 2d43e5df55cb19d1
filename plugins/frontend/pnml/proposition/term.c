/* SPDX-License-Identifier: Apache-2.0 */
#include "term.h"

#include <omen/plugin/net.h>

#include <assert.h>

bool pnml_terms_add(const om_heap *heap, pnml_terms *list, pnml_term t)
{
    if (!OM_ROOM(heap, list->at, &list->room, list->count + 1))
        return false;
    list->at[list->count++] = t;
    return true;
}

pnml_term pnml_term_const(om_model *m, om_value value)
{
    return (pnml_term){ om_expr_const(m, value), value, value };
}

static pnml_term truth(om_expr e)
{
    return (pnml_term){ e, 0, 1 };
}

pnml_term pnml_term_truth(om_model *m, om_op op, pnml_term a, pnml_term b)
{
    return truth(om_expr_binary(m, op, a.e, b.e));
}

pnml_term pnml_term_not(om_model *m, pnml_term a)
{
    return truth(om_expr_unary(m, OM_OP_NOT, a.e));
}

/* ---- overflow ---- */

static om_wide magnitude(const pnml_term *t)
{
    assert(t->low <= t->high); /* B1 */
    return t->high > -t->low ? t->high : -t->low;
}

static bool fits(const pnml_term *t, om_wide most)
{
    return magnitude(t) <= most;
}

/* Returns "the term is from -most to most". */
static om_expr held(om_model *m, const pnml_term *t, om_wide most)
{
    om_expr below = om_expr_binary(m, OM_OP_LE, t->e, om_expr_const(m, (om_value) most));
    om_expr above = om_expr_binary(m, OM_OP_GE, t->e, om_expr_const(m, (om_value) -most));
    if (t->low >= -most)
        return below;
    return t->high <= most ? above : om_expr_binary(m, OM_OP_AND, below, above);
}

/* Returns a value that is a division by zero if `allowed` does not hold. */
static pnml_term guarded(om_model *m, om_expr value, om_expr allowed)
{
    return (pnml_term){ om_expr_binary(m, OM_OP_DIV, value, allowed), -OM_VALUE_MAX, OM_VALUE_MAX };
}

/* ---- sums ---- */

static size_t put(om_expr *to, size_t n, const pnml_terms *from)
{
    for (size_t i = 0; i < from->count; i++)
        to[n++] = from->at[i].e;
    return n;
}

static size_t put_held(om_model *m, om_expr *to, size_t n, const pnml_terms *from, om_wide most)
{
    for (size_t i = 0; i < from->count; i++)
        if (!fits(&from->at[i], most))
            to[n++] = held(m, &from->at[i], most);
    return n;
}

/* Returns true if the sum of all magnitudes is in the range of values. Then no part of the sum
 * wraps either. */
static bool sum_fits(const pnml_terms *add, const pnml_terms *take, om_wide *low, om_wide *high)
{
    om_wide most = 0;
    *low = *high = 0;
    for (size_t k = 0; k < add->count + take->count; k++) {
        bool adds = k < add->count;
        const pnml_term *t = adds ? &add->at[k] : &take->at[k - add->count];
        *low += adds ? t->low : -t->high;
        *high += adds ? t->high : -t->low;
        most += magnitude(t);
        if (most > OM_VALUE_MAX)
            return false;
    }
    return true;
}

pnml_term pnml_term_sum(
    const om_heap *heap, om_model *m, const pnml_terms *add, const pnml_terms *take)
{
    size_t count = add->count + take->count;
    pnml_term sum = { 0 };
    if (count == 0)
        return pnml_term_const(m, 0);
    if (count == 1 && take->count == 0)
        return add->at[0];
    om_expr *list = om_alloc(heap, count, sizeof *list);
    if (list == NULL)
        return sum;
    om_expr all =
        add->count == 0 ? om_expr_const(m, 0) : om_expr_join(m, OM_OP_ADD, list, put(list, 0, add));
    if (take->count != 0)
        all =
            om_expr_binary(m, OM_OP_SUB, all, om_expr_join(m, OM_OP_ADD, list, put(list, 0, take)));
    if (sum_fits(add, take, &sum.low, &sum.high))
        sum.e = all;
    else {
        om_wide most = OM_VALUE_MAX / (om_wide) count;
        size_t n = put_held(m, list, 0, add, most);
        n = put_held(m, list, n, take, most);
        sum = guarded(m, all, om_expr_join(m, OM_OP_AND, list, n));
    }
    om_free(heap, list);
    return sum;
}

pnml_term pnml_term_tokens(const om_net *net, om_model *m, const om_net_node *node)
{
    pnml_terms add = { 0 }, none = { 0 };
    bool made = true;
    for (uint32_t i = 0; i < node->count && made; i++) {
        uint32_t place = node->first + i;
        made = pnml_terms_add(net->region.heap, &add,
            (pnml_term){ om_expr_slot(m, place), 0, net->places[place].bound });
    }
    pnml_term sum = { 0 };
    if (made)
        sum = pnml_term_sum(net->region.heap, m, &add, &none);
    om_free(net->region.heap, add.at);
    return sum;
}

/* ---- products ---- */

static pnml_term constant_times(om_model *m, om_value factor, pnml_term t)
{
    om_wide times = factor < 0 ? -(om_wide) factor : factor;
    om_expr e = om_expr_binary(m, OM_OP_MUL, om_expr_const(m, factor), t.e);
    om_wide most = times == 0 ? OM_VALUE_MAX : OM_VALUE_MAX / times;
    if (!fits(&t, most))
        return guarded(m, e, held(m, &t, most));
    om_wide a = factor * t.low, b = factor * t.high;
    assert(-OM_VALUE_MAX <= a && a <= OM_VALUE_MAX && -OM_VALUE_MAX <= b && b <= OM_VALUE_MAX);
    return (pnml_term){ e, a < b ? a : b, a < b ? b : a };
}

pnml_term pnml_term_product(om_model *m, pnml_term a, pnml_term b)
{
    enum { ROOT = 46340 }; /* largest number whose square is a value */
    if (a.low == a.high)
        return constant_times(m, (om_value) a.low, b);
    if (b.low == b.high)
        return constant_times(m, (om_value) b.low, a);
    om_expr e = om_expr_binary(m, OM_OP_MUL, a.e, b.e);
    om_wide most = magnitude(&a) * magnitude(&b);
    if (most <= OM_VALUE_MAX)
        return (pnml_term){ e, a.low >= 0 && b.low >= 0 ? 0 : -most, most };
    om_expr one = fits(&a, ROOT) ? om_expr_const(m, 1) : held(m, &a, ROOT);
    om_expr other = fits(&b, ROOT) ? om_expr_const(m, 1) : held(m, &b, ROOT);
    return guarded(m, e, om_expr_binary(m, OM_OP_AND, one, other));
}

/* ---- logic ---- */

pnml_term pnml_term_all(const om_heap *heap, om_model *m, om_op op, const pnml_terms *list)
{
    if (list->count == 1)
        return list->at[0];
    assert(list->count > 1);
    om_expr *at = om_alloc(heap, list->count, sizeof *at);
    if (at == NULL)
        return truth(0);
    om_expr e = om_expr_join(m, op, at, put(at, 0, list));
    om_free(heap, at);
    return truth(e);
}
