/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about acceptance sets, to simplify formulas. Let E be the edges that a run can see
 * infinitely often (those inside reachable SCCs, or inside one of them), and c(i) the edges of E in
 * set i. A run sees some nonempty subset of E infinitely often, so that
 *
 *   c(i) empty:        Inf(i) is false, Fin(i) is true;
 *   c(i) = E:          Inf(i) is true, Fin(i) is false;
 *   c(i) = c(j):       one of the two sets is enough;
 *   c(i) within c(j):  Inf(i) implies Inf(j), and Fin(j) implies Fin(i).
 *
 * Implied literals are added to a term when it is made (under closure by implication, one term
 * implies another if it has all of its literals), and removed when the normal form is complete.
 */
#include "tela.h"

#include <assert.h>
#include <string.h>

static om_marks bit(unsigned i)
{
    return UINT64_C(1) << i;
}

void om_acc_facts__begin(om_acc_facts *facts)
{
    memset(facts, 0xff, sizeof *facts);
}

void om_acc_facts__add(om_acc_facts *facts, om_marks marks)
{
    facts->never &= ~marks;
    facts->always &= marks;
    for (unsigned i = 0; i < OM_MAX_SETS && marks >> i != 0; i++)
        if ((marks & bit(i)) != 0)
            facts->within[i] &= marks;
}

void om_acc_facts__end(om_acc_facts *facts)
{
    om_marks lowest = 0;
    for (unsigned i = 0; i < OM_MAX_SETS; i++) {
        facts->same[i] = (uint8_t) i;
        for (unsigned j = i; j-- > 0;)
            if ((facts->within[i] & bit(j)) != 0 && (facts->within[j] & bit(i)) != 0)
                facts->same[i] = (uint8_t) j;
        assert(facts->same[facts->same[i]] == facts->same[i]); /* the lowest of its class */
        if (facts->same[i] == i)
            lowest |= bit(i);
    }
    lowest &= ~(facts->never | facts->always);
    for (unsigned i = 0; i < OM_MAX_SETS; i++)
        facts->within[i] &= (lowest & bit(i)) != 0 ? lowest & ~bit(i) : 0;
}

om_acc om_acc_facts__literal(const om_acc_facts *facts, om_acc literal)
{
    if (literal.op != OM_ACC_FIN && literal.op != OM_ACC_INF)
        return literal;
    bool fin = literal.op == OM_ACC_FIN;
    if ((facts->never & bit(literal.set)) != 0)
        literal.op = fin ? OM_ACC_TRUE : OM_ACC_FALSE;
    else if ((facts->always & bit(literal.set)) != 0)
        literal.op = fin ? OM_ACC_FALSE : OM_ACC_TRUE;
    else
        literal.set = facts->same[literal.set];
    return literal;
}

void om_acc_facts__saturate(const om_acc_facts *facts, om_acc_term *t)
{
    om_marks fin = t->fin, inf = t->inf;
    for (unsigned i = 0; i < OM_MAX_SETS; i++) {
        if ((inf & bit(i)) != 0)
            t->inf |= facts->within[i];
        if ((fin & facts->within[i]) != 0)
            t->fin |= bit(i);
    }
}

void om_acc_facts__reduce(const om_acc_facts *facts, om_acc_term *t)
{
    om_marks fin = t->fin, inf = t->inf;
    for (unsigned i = 0; i < OM_MAX_SETS; i++) {
        if ((inf & bit(i)) != 0)
            t->inf &= ~facts->within[i];
        if ((fin & facts->within[i]) != 0)
            t->fin &= ~bit(i);
    }
}
