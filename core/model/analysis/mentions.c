/* SPDX-License-Identifier: Apache-2.0 */
#include "mentions.h"

#include <stdlib.h>

static void mention(om_mentions *x, om_value value)
{
    if (!OM_ROOM(x->m->heap, x->at, &x->room, x->count + 1)) {
        x->failed = true;
        return;
    }
    x->at[x->count++] = value;
}

static bool is_comparison(const om_model *m, const om_node *n, uint32_t slot)
{
    return (n->op == OM_OP_EQ || n->op == OM_OP_NE) && m->nodes[n->a].op == OM_OP_SLOT &&
           m->nodes[n->a].a == slot && m->nodes[n->b].op == OM_OP_CONST;
}

/* The recursion is as deep as expressions are (OM_EXPR_HEIGHT). */
static void visit(om_mentions *x, om_expr e, uint32_t slot)
{
    if (e == 0 || x->seen[e] == x->stamp)
        return;
    const om_node *n = &x->m->nodes[e];
    x->seen[e] = x->stamp;
    x->visited++;
    if (is_comparison(x->m, n, slot)) {
        mention(x, x->m->nodes[n->b].value);
        return;
    }
    if (n->op == OM_OP_CONST)
        return;
    if (n->op == OM_OP_SLOT || n->op == OM_OP_ELEMENT)
        x->otherwise = x->otherwise || n->a == slot;
    else
        visit(x, n->a, slot);
    if (n->op != OM_OP_SLOT)
        visit(x, n->b, slot);
}

static int by_value(const void *x, const void *y)
{
    const om_value a = *(const om_value *) x, b = *(const om_value *) y;
    return a < b ? -1 : a > b;
}

int om_mentions__find(om_mentions *x, om_expr e, uint32_t slot)
{
    const size_t nodes = x->m->node_count;
    if (!OM_ROOM(x->m->heap, x->seen, &x->seen_room, nodes))
        return OM_ENOMEM;
    for (; x->seen_count < nodes; x->seen_count++)
        x->seen[x->seen_count] = 0;
    x->stamp++;
    x->count = 0;
    x->otherwise = false;
    visit(x, e, slot);
    if (x->count > 1)
        qsort(x->at, x->count, sizeof *x->at, by_value);
    size_t kept = 0;
    for (size_t i = 0; i < x->count; i++)
        if (i == 0 || x->at[i] != x->at[kept - 1])
            x->at[kept++] = x->at[i];
    x->count = kept;
    return x->failed ? OM_ENOMEM : OM_OK;
}

void om_mentions__close(om_mentions *x)
{
    OM_FREE_ALL(x->m->heap, x->at, x->seen);
}
