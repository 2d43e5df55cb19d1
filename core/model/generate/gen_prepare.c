/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that precedes a value (gen.h): blocks with their known temporaries, and the statements that
 * check, in the order of the vm, everything that could fault.
 */
#include "gen.h"

#include <assert.h>
#include <stdio.h>

/* ---- blocks and temporaries ---- */

void om_gen__start(om_gen *g, om_gen_where where, uint32_t subject, const char *vector)
{
    g->where = where;
    g->subject = subject;
    g->vector = vector;
}

size_t om_gen__begin(om_gen *g)
{
    if (++g->blocks > OM_GEN_BLOCKS)
        g->deep = true;
    om_text_add(g->out, "{\n");
    return g->set_count;
}

void om_gen__forget(om_gen *g, size_t mark)
{
    assert(mark <= g->set_count);
    while (g->set_count > mark)
        g->temp[g->set[--g->set_count]] = 0;
}

void om_gen__end(om_gen *g, size_t mark)
{
    assert(g->blocks != 0);
    g->blocks--;
    om_gen__forget(g, mark);
    om_text_add(g->out, "}\n");
}

static void set(om_gen *g, om_expr e, uint32_t temp)
{
    assert(g->temp[e] == 0); /* until the end of its block */
    if (!OM_ROOM(g->m->heap, g->set, &g->set_capacity, g->set_count + 1)) {
        g->memory = true;
        return;
    }
    g->set[g->set_count++] = e;
    g->temp[e] = temp;
}

void om_gen__assume(om_gen *g, om_expr e)
{
    /* A condition that is not 0 is 1 only if it is boolean. */
    if (g->temp[e] == 0 && om_fold__is_boolean(g->m, e))
        set(g, e, OM_GEN_TRUE);
}

/* "{ *fault = 9u; return mask; }" */
static void fail_with(om_gen *g, const char *fault)
{
    g->faults = true;
    switch (g->where) {
    case OM_GEN_IN_GUARD:
        om_text_printf(g->out, "{ *fault = %s; return mask; }\n", fault);
        break;
    case OM_GEN_IN_STEP:
        om_text_printf(g->out, "{ *fault = %s; return n; }\n", fault);
        break;
    case OM_GEN_IN_EFFECT:
    case OM_GEN_IN_ASSERTION:
        om_text_printf(g->out, "return %s;\n", fault);
        break;
    case OM_GEN_IN_LABEL:
    case OM_GEN_IN_SHARED:
        om_text_printf(g->out, "{ *fault = %s; return 0; }\n", fault);
        break;
    }
}

void om_gen__fail_of(om_gen *g, uint32_t kind, uint32_t subject)
{
    char fault[OM_GEN_FAULT];
    if (g->where == OM_GEN_IN_ASSERTION || g->where == OM_GEN_IN_LABEL) {
        kind = g->where == OM_GEN_IN_LABEL ? OM_FAULT_IN_LABEL : OM_FAULT_IN_ASSERTION;
        subject = g->subject;
    }
    (void) snprintf(fault, sizeof fault, "%uu", OM_FAULT(kind, subject));
    fail_with(g, fault);
}

void om_gen__fail(om_gen *g, uint32_t kind)
{
    om_gen__fail_of(g, kind, g->subject);
}

/* ---- statements before a value ---- */

/* Writes "om_gen_int t7 = " and returns 7; the caller writes the value and calls set(). */
static uint32_t declare(om_gen *g)
{
    om_text_printf(g->out, "om_gen_int t%u = ", ++g->temps);
    return g->temps;
}

static void keep(om_gen *g, om_expr e)
{
    uint32_t t = declare(g);
    om_gen__value(g, e);
    om_text_add(g->out, ";\n");
    set(g, e, t);
}

void om_gen__name(om_gen *g, om_expr e)
{
    om_gen__prepare(g, e);
    if (g->temp[e] == 0)
        keep(g, e);
}

/* Calls the function of an expression that can fault. */
static void call(om_gen *g, om_expr e)
{
    char fault[OM_GEN_FAULT];
    const uint32_t kind = ++g->temps;
    om_text_printf(g->out, "om_u32 t%u = 0;\n", kind);
    const uint32_t t = declare(g);
    om_text_printf(g->out, "om_gen_shared_%u(%s, &t%u);\nif (OM_GEN_RARELY(t%u != 0)) ", e,
        g->vector, kind, kind);
    if (g->where == OM_GEN_IN_ASSERTION || g->where == OM_GEN_IN_LABEL)
        om_gen__fail(g, 0);
    else {
        (void) snprintf(fault, sizeof fault, "t%u | %uu", kind, OM_FAULT(0, g->subject));
        fail_with(g, fault);
    }
    set(g, e, t);
}

bool om_gen__is_low(const om_gen *g, om_expr e)
{
    return g->m->facts[e].height <= OM_GEN_INLINE / 3;
}

static uint32_t depth(const om_gen *g, om_expr e);

/* Returns the depth of an operand of a node that is being prepared; the operand is prepared
 * already. */
static uint32_t operand_depth(const om_gen *g, om_expr e)
{
    return om_gen__is_low(g, e) || g->temp[e] != 0 || om_gen__is_call(g, e) ? depth(g, e)
                                                                            : g->depth[e];
}

/* Returns the maximum depth of brackets that value() would open. A chain opens one. */
static uint32_t depth(const om_gen *g, om_expr e)
{
    const om_node *n = om_gen__node(g, e);
    uint32_t a, b;
    if (g->temp[e] != 0 || om_gen__is_call(g, e) || n->op == OM_OP_CONST || n->op == OM_OP_SLOT)
        return 1;
    if (n->op == OM_OP_ELEMENT)
        return 3 + operand_depth(g, n->b);
    if ((n->op == OM_OP_AND || n->op == OM_OP_OR) && om_gen__node(g, n->a)->op == n->op)
        a = operand_depth(g, n->a);
    else
        a = 2 + operand_depth(g, n->a);
    b = n->b == 0 ? 0 : 2 + operand_depth(g, n->b);
    return a > b ? a : b;
}

/* Called after the check of the right operand is written. A constant that fails the check is not
 * written: the compiler would reject it. */
static void keep_checked(om_gen *g, om_expr e)
{
    assert(g->m->facts[e].faults);
    if (om_gen__node(g, om_gen__node(g, e)->b)->op != OM_OP_CONST) {
        keep(g, e);
        return;
    }
    om_text_printf(g->out, "om_gen_int t%u = 0;\n", ++g->temps);
    set(g, e, g->temps);
}

static void prepare_element(om_gen *g, om_expr e)
{
    const om_node *n = om_gen__node(g, e);
    const om_slot *s = om_model__slot(g->m, n->a);
    om_gen__prepare(g, n->b);
    if (om_interval__may_miss(g->m, n->b, s)) {
        om_text_add(g->out, "if ((om_gen_uint)");
        om_gen__value(g, n->b);
        om_text_printf(g->out, " >= %uu) ", s->length);
        om_gen__fail(g, OM_FAULT_INDEX);
        keep_checked(g, e);
    }
}

static void prepare_division(om_gen *g, om_expr e)
{
    const om_node *n = om_gen__node(g, e);
    om_gen__prepare(g, n->a);
    om_gen__prepare(g, n->b);
    if (om_interval__may_be(g->m, n->b, 0)) {
        om_text_add(g->out, "if (");
        om_gen__value(g, n->b);
        om_text_add(g->out, " == 0) ");
        om_gen__fail(g, OM_FAULT_DIVISION);
        keep_checked(g, e);
    }
}

static bool goes_on(const om_gen *g, om_expr e, uint32_t op)
{
    return om_gen__node(g, e)->op == op && g->temp[e] == 0 && !om_gen__is_call(g, e);
}

/* Writes "if (t) { t = e; }", or with !t, including the preparation of e. */
static void unless_decided(om_gen *g, uint32_t op, uint32_t t, const char *negate, om_expr e)
{
    om_text_printf(g->out, "if (%st%u) ", op == OM_OP_AND ? "" : "!", t);
    size_t mark = om_gen__begin(g);
    om_gen__prepare(g, e);
    om_text_printf(g->out, "t%u = %s", t, negate);
    om_gen__truth(g, e);
    om_text_add(g->out, ";\n");
    om_gen__end(g, mark);
}

static void prepare_logic(om_gen *g, om_expr e)
{
    const om_node *n = om_gen__node(g, e);
    om_gen__prepare(g, n->a);
    if (!g->m->facts[n->b].faults) {
        om_gen__prepare(g, n->b); /* at most temporaries for deep operands */
        return;
    }
    if (n->op == OM_OP_AND && g->temp[n->a] == OM_GEN_TRUE) {
        om_gen__prepare(g, n->b);
        return;
    }
    /* t is the result if the operands so far decide it, and states whether they do. A chain to the
     * right, a && (b && (c ...)), continues with the same t instead of nesting blocks. */
    const char *negate = n->op == OM_OP_IMPLY ? "!" : "";
    uint32_t op = n->op, t = declare(g);
    om_expr right = n->b;
    om_text_add(g->out, negate);
    om_gen__truth(g, n->a);
    om_text_add(g->out, ";\n");
    for (; goes_on(g, right, op); right = om_gen__node(g, right)->b)
        unless_decided(g, op, t, negate, om_gen__node(g, right)->a);
    unless_decided(g, op, t, "", right);
    set(g, e, t);
}

void om_gen__prepare(om_gen *g, om_expr e)
{
    const om_node *n = om_gen__node(g, e);
    const bool faults = g->m->facts[e].faults;
    if (g->temp[e] != 0 || (!faults && (om_gen__is_call(g, e) || om_gen__is_low(g, e))))
        return;
    if (om_gen__is_call(g, e)) {
        call(g, e);
        return;
    }
    switch (n->op) {
    case OM_OP_CONST:
    case OM_OP_SLOT:
        break;
    case OM_OP_ELEMENT:
        prepare_element(g, e);
        break;
    case OM_OP_DIV:
    case OM_OP_MOD:
        prepare_division(g, e);
        break;
    case OM_OP_AND:
    case OM_OP_OR:
    case OM_OP_IMPLY:
        prepare_logic(g, e);
        break;
    default:
        om_gen__prepare(g, n->a);
        if (n->b != 0)
            om_gen__prepare(g, n->b);
        break;
    }
    if (g->temp[e] != 0)
        return;
    const uint32_t levels = depth(g, e);
    if (levels > OM_GEN_INLINE)
        keep(g, e);
    else
        g->depth[e] = (uint8_t) levels;
}
