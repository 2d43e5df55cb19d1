/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may go wrong in a transition: a division by zero, or an index outside its array. The tests
 * of a guard protect what comes after them, as in `c >= 1 && c <= 3 && length[c - 1] > 0`.
 */
#include "footprint.h"

#include "analysis/sites.h"
#include "form/interval.h"

/* Returns the values that an expression can have where these conjuncts hold. */
static om_interval range_of(om_footprint *f, om_expr e, uint32_t first, uint32_t end)
{
    const om_node *n = &f->m->nodes[e];
    om_interval range = { f->m->facts[e].low, f->m->facts[e].high };
    om_value v;
    if (om_footprint__fold(f, e, &v))
        return (om_interval){ v, v };
    if ((n->op == OM_OP_ADD || n->op == OM_OP_SUB) && f->m->nodes[n->b].op == OM_OP_CONST) {
        const om_interval left = range_of(f, n->a, first, end);
        const om_wide by = (n->op == OM_OP_ADD ? (om_wide) 1 : -1) * f->m->nodes[n->b].value;
        const om_wide low = left.low + by, high = left.high + by;
        if (low >= OM_VALUE_MIN && high <= OM_VALUE_MAX)
            range = (om_interval){ (om_value) low, (om_value) high };
    }
    if (n->op != OM_OP_SLOT && n->op != OM_OP_ELEMENT)
        return range;
    range = om_interval__meet(range, om_footprint__range(f, n->a));
    for (uint32_t i = first; i < end; i++) {
        const om_conjunct *c = &f->conjuncts[i];
        const om_access *a = &f->accesses[c->first];
        const om_node *test = &f->m->nodes[c->expression];
        /* X2: equal expressions are one node. */
        if (c->count != 1 || !om_access__tests(a) || (test->a != e && test->b != e) ||
            test->op < OM_OP_LT || test->op > OM_OP_GT)
            continue;
        if (a->kind == OM_TEST_EQUAL)
            range = (om_interval){ a->value, a->value };
        else if (a->kind == OM_TEST_AT_LEAST && a->value > range.low)
            range.low = a->value;
        else if (a->kind == OM_TEST_AT_MOST && a->value < range.high)
            range.high = a->value;
    }
    return range;
}

/* Returns true if the index may lie outside an array of that length. */
static bool is_outside(
    om_footprint *f, om_expr index, uint32_t length, uint32_t first, uint32_t end)
{
    const om_interval range = range_of(f, index, first, end);
    return range.low < 0 || (om_wide) range.high >= (om_wide) length;
}

/* Returns true if the evaluation of an expression may fault where these conjuncts hold, and the
 * visit has not found it before. The recursion is as deep as expressions are. */
static bool may_fault(om_footprint *f, om_expr e, uint32_t first, uint32_t end)
{
    const om_node *n = &f->m->nodes[e];
    om_value v;
    if (e == 0 || !f->m->facts[e].faults || om_footprint__visited(f, e) ||
        om_footprint__fold(f, e, &v))
        return false;
    if (n->op == OM_OP_ELEMENT)
        return may_fault(f, n->b, first, end) ||
               is_outside(f, n->b, om_model__slot(f->m, n->a)->length, first, end);
    if (n->op == OM_OP_DIV || n->op == OM_OP_MOD) {
        const om_interval by = range_of(f, n->b, first, end);
        if (by.low <= 0 && by.high >= 0)
            return true;
    }
    return may_fault(f, n->a, first, end) || may_fault(f, n->b, first, end);
}

bool om_footprint__conjunct_may_fault(om_footprint *f, uint32_t transition, uint32_t conjunct)
{
    om_footprint__visit(f);
    return may_fault(f, f->conjuncts[conjunct].expression, f->first_conjunct[transition], conjunct);
}

bool om_footprint__step_may_fault(om_footprint *f, uint32_t t)
{
    const om_transition *tr = om_model_transition(f->m, t);
    bool may = false;
    om_footprint__visit(f);
    if (f->dead[t])
        return false;
    for (uint32_t i = 0; i < tr->assign_count && !may; i++) {
        const om_assign *a = &tr->assigns[i];
        const uint32_t length = om_model__slot(f->m, a->slot)->length;
        /* The conjuncts may not hold any more after the first assignment. */
        may = may_fault(f, a->value, 0, 0) || may_fault(f, a->index, 0, 0) ||
              (length != 0 && is_outside(f, a->index, length, 0, 0)) ||
              (f->m->overflow == OM_OVERFLOW_ERROR && om_model__site(f->m, t, i) != OM_NONE);
    }
    return may;
}
