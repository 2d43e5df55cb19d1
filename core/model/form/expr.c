/* SPDX-License-Identifier: Apache-2.0 */
/* The arena of expressions. Nodes are hash-consed: equal operators and operands have equal
 * numbers. */
#include "form.h"

#include <assert.h>
#include <string.h>

/* Records the first failure. Returns 0, the result of every function that fails. */
static om_expr fail(om_model *m, int status, const char *what)
{
    if (m->status == OM_OK) {
        m->status = status;
        m->problem = what;
    }
    return 0;
}

static size_t hash(const om_node *n)
{
    uint64_t h = n->op * 0x9e3779b97f4a7c15u;
    h = (h ^ n->a) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 29) ^ n->b) * 0x94d049bb133111ebu;
    h = (h ^ (h >> 31) ^ (om_uvalue) n->value) * 0x9e3779b97f4a7c15u;
    return (size_t) (h ^ (h >> 32));
}

static bool same(const om_node *x, const om_node *y)
{
    return x->op == y->op && x->a == y->a && x->b == y->b && x->value == y->value;
}

/* Keeps the load factor of the index at or below 1/2. */
static bool grow_index(om_model *m)
{
    if (m->node_count * 2 < m->index_size)
        return true;
    size_t size = m->index_size == 0 ? 64 : m->index_size * 2;
    uint32_t *index = om_alloc(m->heap, size, sizeof *index);
    if (index == NULL)
        return false;
    for (size_t e = 1; e < m->node_count; e++) {
        size_t i = hash(&m->nodes[e]) & (size - 1);
        while (index[i] != 0)
            i = (i + 1) & (size - 1);
        index[i] = (uint32_t) e;
    }
    assert(m->node_count * 2 <= size); /* probes end */
    om_free(m->heap, m->index);
    m->index = index;
    m->index_size = size;
    return true;
}

static bool grow_nodes(om_model *m)
{
    return OM_ROOM(m->heap, m->nodes, &m->node_capacity, m->node_count + 1) &&
           OM_ROOM(m->heap, m->facts, &m->fact_capacity, m->node_count + 1);
}

/* Returns the number of this node; adds the node if it is new. */
static om_expr node(om_model *m, om_op op, uint32_t a, uint32_t b, om_value value)
{
    om_node n = { .op = (uint32_t) op, .a = a, .b = b, .value = value };
    if (m->node_count >= UINT32_MAX / 2)
        return fail(m, OM_EINPUT, "the model has too many of them");
    if (!grow_index(m) || !grow_nodes(m))
        return fail(m, OM_ENOMEM, NULL);
    assert(m->node_count <= m->node_capacity && m->node_count <= m->fact_capacity);
    size_t i = hash(&n) & (m->index_size - 1);
    for (; m->index[i] != 0; i = (i + 1) & (m->index_size - 1))
        if (same(&m->nodes[m->index[i]], &n))
            return m->index[i];
    om_facts facts = om_fold__facts(m, &n);
    assert(facts.low <= facts.high && facts.height > 0); /* X3 */
    if (facts.height > OM_EXPR_HEIGHT)
        return fail(m, OM_EINPUT, "it nests too deeply");
    if (facts.size > OM_EXPR_SIZE)
        return fail(m, OM_EINPUT, "it is too large");
    m->nodes[m->node_count] = n;
    m->facts[m->node_count] = facts;
    m->index[i] = (uint32_t) m->node_count;
    return (om_expr) m->node_count++;
}

om_expr om_expr_const(om_model *m, om_value value)
{
    return node(m, OM_OP_CONST, 0, 0, value);
}

om_expr om_expr_slot(om_model *m, uint32_t slot)
{
    if (slot >= m->slots.count)
        return fail(m, OM_EINVAL, "no such slot");
    if (om_model__slot(m, slot)->length != 0)
        return fail(m, OM_EINVAL, "an array without an index");
    if (om_model__is_member(m, slot))
        return om_expr_element(
            m, om_model__assigned_slot(m, slot), om_model__index_of_member(m, slot, 0));
    return node(m, OM_OP_SLOT, slot, 0, 0);
}

om_expr om_expr_element(om_model *m, uint32_t slot, om_expr index)
{
    if (slot >= m->slots.count)
        return fail(m, OM_EINVAL, "no such slot");
    if (om_model__slot(m, slot)->length == 0)
        return fail(m, OM_EINVAL, "an index on something that is not an array");
    if (!om_model__has(m, index))
        return fail(m, OM_EINVAL, "no such operand");
    if (om_model__is_member(m, slot))
        return om_expr_element(
            m, om_model__assigned_slot(m, slot), om_model__index_of_member(m, slot, index));
    return node(m, OM_OP_ELEMENT, slot, index, 0);
}

om_expr om_expr_unary(om_model *m, om_op op, om_expr a)
{
    if (op != OM_OP_NEG && op != OM_OP_NOT && op != OM_OP_COMPL)
        return fail(m, OM_EINVAL, "not a unary operator");
    if (!om_model__has(m, a))
        return fail(m, OM_EINVAL, "no such operand");
    om_expr simpler = om_fold__unary(m, op, a);
    return simpler != 0 || m->status != OM_OK ? simpler : node(m, op, a, 0, 0);
}

om_expr om_expr_binary(om_model *m, om_op op, om_expr a, om_expr b)
{
    if ((unsigned) op < OM_OP_ADD || (unsigned) op >= OM_OP_COUNT)
        return fail(m, OM_EINVAL, "not a binary operator");
    if (!om_model__has(m, a) || !om_model__has(m, b))
        return fail(m, OM_EINVAL, "no such operand");
    om_expr simpler = om_fold__binary(m, op, a, b);
    return simpler != 0 || m->status != OM_OK ? simpler : node(m, op, a, b, 0);
}

bool om_expr__reads(const om_model *m, om_expr e, uint32_t slot, uint32_t *budget)
{
    const om_node *n = &m->nodes[e];
    if (e == 0)
        return false;
    if (*budget == 0)
        return true;
    --*budget;
    assert(e < m->node_count);
    switch ((om_op) n->op) {
    case OM_OP_CONST:
        return false;
    case OM_OP_SLOT:
        return n->a == slot;
    case OM_OP_ELEMENT:
        return n->a == slot ||
               (om_model__is_member(m, slot) && om_model__is_of_member(m, n, slot)) ||
               om_expr__reads(m, n->b, slot, budget);
    default:
        return om_expr__reads(m, n->a, slot, budget) || om_expr__reads(m, n->b, slot, budget);
    }
}

bool om_expr_reads(const om_model *m, om_expr e, uint32_t slot)
{
    uint32_t budget = OM_EXPR_SIZE; /* no expression is larger */
    return om_expr__reads(m, e, slot, &budget);
}

int om_model_expr_check(om_model *m, const om_place *at)
{
    if (m->status == OM_OK)
        return OM_OK;
    return m->problem == NULL ? om_fail_memory(m->ctx)
                              : om_fail(m->ctx, m->status, at, "expression: %s", m->problem);
}
