/* SPDX-License-Identifier: Apache-2.0 */
#include "standing.h"

#include <assert.h>

/* Facts about a node. The node compares the slot only with values in low .. high. */
typedef struct om_part {
    uint32_t stamp;
    bool otherwise; /* the slot is read in another way */
    bool constant;  /* for all other values of the slot the node is `value` */
    om_value value, low, high;
} om_part;

static const om_part *part_of(om_standing *x, om_expr e);

static bool is_comparison(const om_standing *x, const om_node *n)
{
    const om_node *nodes = x->m->nodes;
    return (n->op == OM_OP_EQ || n->op == OM_OP_NE) && nodes[n->a].op == OM_OP_SLOT &&
           nodes[n->a].a == x->slot && nodes[n->b].op == OM_OP_CONST;
}

static void join(om_part *into, const om_part *from)
{
    into->otherwise = into->otherwise || from->otherwise;
    into->low = from->low < into->low ? from->low : into->low;
    into->high = from->high > into->high ? from->high : into->high;
}

static bool is(const om_part *p, bool truth)
{
    return p->constant && (p->value != 0) == truth;
}

/* An operand that may fault is evaluated even if the right operand decides the result. */
static void decide(
    const om_standing *x, const om_node *n, const om_part *a, const om_part *b, om_part *out)
{
    const bool total = !x->m->facts[n->a].faults;
    const bool left = n->op == OM_OP_OR, right = n->op != OM_OP_AND;
    if (a->constant && b->constant)
        out->constant = om_fold__constant((om_op) n->op, a->value, b->value, &out->value);
    else if (n->op != OM_OP_AND && n->op != OM_OP_OR && n->op != OM_OP_IMPLY)
        return;
    else if (is(a, left) || (total && is(b, right))) {
        out->constant = true;
        out->value = right;
    }
}

static om_part describe(om_standing *x, om_expr e)
{
    const om_node n = x->m->nodes[e];
    om_part out = { .stamp = x->stamp, .low = OM_VALUE_MAX, .high = OM_VALUE_MIN };
    if (is_comparison(x, &n)) {
        out.low = out.high = x->m->nodes[n.b].value;
        out.constant = true;
        out.value = n.op == OM_OP_NE;
    } else if (n.op == OM_OP_CONST) {
        out.constant = true;
        out.value = n.value;
    } else if (n.op == OM_OP_SLOT) {
        out.otherwise = n.a == x->slot;
    } else if (n.op == OM_OP_ELEMENT) {
        join(&out, part_of(x, n.b));
    } else {
        const om_part a = *part_of(x, n.a), b = n.b == 0 ? a : *part_of(x, n.b);
        join(&out, &a);
        join(&out, &b);
        decide(x, &n, &a, &b, &out);
    }
    return out;
}

/* The recursion is as deep as expressions are (OM_EXPR_HEIGHT); it visits each node once. */
static const om_part *part_of(om_standing *x, om_expr e)
{
    assert(e < x->count);
    if (x->parts[e].stamp != x->stamp)
        x->parts[e] = describe(x, e);
    return &x->parts[e];
}

int om_standing__begin(om_standing *x, uint32_t slot)
{
    const size_t nodes = x->m->node_count;
    if (!OM_ROOM(x->m->heap, x->parts, &x->room, nodes))
        return OM_ENOMEM;
    for (; x->count < nodes; x->count++)
        x->parts[x->count] = (om_part){ .stamp = 0 };
    if (x->stamp == 0 || x->slot != slot)
        x->stamp++;
    x->slot = slot;
    return OM_OK;
}

bool om_standing__constant(om_standing *x, om_expr e, om_value at, om_value *value)
{
    if (e == 0 || e >= x->count)
        return false;
    const om_part *p = part_of(x, e);
    *value = p->value;
    return p->constant && !p->otherwise && (at < p->low || at > p->high);
}

void om_standing__close(om_standing *x)
{
    om_free(x->m->heap, x->parts);
}
