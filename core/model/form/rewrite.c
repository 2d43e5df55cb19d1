/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite.h"

#include <assert.h>

/* The result of rewriting a node; valid if its stamp is the current one. */
typedef struct om_rewritten {
    om_expr made;
    uint32_t stamp;
} om_rewritten;

static om_expr rewrite(om_rewrite *r, om_expr e);

/* Returns true if the left operand decides the result of AND, OR or IMPLY. Then the right operand
 * is not built. */
static bool is_decided(const om_rewrite *r, om_op op, om_expr a)
{
    if (a == 0) /* memory ran out; there may be no nodes at all */
        return false;
    const om_node *n = &r->to->nodes[a];
    if (n->op != OM_OP_CONST)
        return false;
    return op == OM_OP_OR ? n->value != 0 : (op == OM_OP_AND || op == OM_OP_IMPLY) && n->value == 0;
}

static om_expr make(om_rewrite *r, om_expr e, om_node n)
{
    const om_expr instead = r->instead == NULL ? 0 : r->instead(r->self, e, n);
    if (instead != 0)
        return instead;
    switch ((om_op) n.op) {
    case OM_OP_CONST:
        return om_expr_const(r->to, n.value);
    case OM_OP_SLOT:
        return om_expr_slot(r->to, n.a);
    case OM_OP_ELEMENT:
        return om_expr_element(r->to, n.a, rewrite(r, n.b));
    default:
        break;
    }
    const om_expr a = rewrite(r, n.a);
    if (is_decided(r, (om_op) n.op, a))
        return om_expr_const(r->to, n.op != OM_OP_AND);
    return n.b == 0 ? om_expr_unary(r->to, (om_op) n.op, a)
                    : om_expr_binary(r->to, (om_op) n.op, a, rewrite(r, n.b));
}

/* The recursion is as deep as expressions are (OM_EXPR_HEIGHT). If `to` is `from`, building nodes
 * may move the array of nodes. */
static om_expr rewrite(om_rewrite *r, om_expr e)
{
    assert(e < r->known_count);
    if (r->known[e].stamp == r->stamp)
        return r->known[e].made;
    r->visited++;
    const om_expr made = make(r, e, r->from->nodes[e]);
    r->known[e] = (om_rewritten){ made, r->stamp };
    return made;
}

int om_rewrite__expr(om_rewrite *r, om_expr e, om_expr *out)
{
    const size_t nodes = r->from->node_count;
    *out = 0;
    if (e == 0)
        return OM_OK;
    if (!OM_ROOM(r->to->heap, r->known, &r->known_room, nodes))
        return OM_ENOMEM;
    for (; r->known_count < nodes; r->known_count++)
        r->known[r->known_count] = (om_rewritten){ 0, 0 };
    if (r->stamp == 0)
        r->stamp = 1;
    *out = rewrite(r, e);
    return OM_OK;
}

void om_rewrite__again(om_rewrite *r)
{
    r->stamp++;
}

void om_rewrite__close(om_rewrite *r)
{
    if (r->to != NULL)
        om_free(r->to->heap, r->known);
    r->known = NULL;
    r->known_count = r->known_room = 0;
}

/* ---- slots that expressions read ---- */

int om_reading__begin(om_reading *r)
{
    const size_t before = r->seen_room, nodes = r->m->node_count;
    if (!OM_ROOM(r->m->heap, r->seen, &r->seen_room, nodes))
        return OM_ENOMEM;
    for (size_t e = before; e < r->seen_room; e++)
        r->seen[e] = 0;
    r->stamp++;
    return OM_OK;
}

void om_reading__slots(om_reading *r, om_expr e, om_reading_fn *see, void *self)
{
    const om_node n = r->m->nodes[e];
    if (e == 0 || r->seen[e] == r->stamp || (e < r->barren_count && r->barren[e]))
        return;
    r->seen[e] = r->stamp;
    r->visited++;
    if (n.op == OM_OP_CONST)
        return;
    if (n.op == OM_OP_SLOT || n.op == OM_OP_ELEMENT)
        see(self, n.a);
    else
        om_reading__slots(r, n.a, see, self);
    if (n.op != OM_OP_SLOT)
        om_reading__slots(r, n.b, see, self);
}

void om_reading__close(om_reading *r)
{
    if (r->m != NULL)
        om_free(r->m->heap, r->seen);
    *r = (om_reading){ .m = r->m };
}
