/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An expression that is large and used more than once becomes a function of the generated text.
 * Expressions are a graph with shared nodes, and the text is linear in the size of that graph, not
 * of its trees. Small expressions are written inline: the compiler can optimise more there.
 *
 * The function of an expression that can fault reports the kind of a fault, to which the caller
 * adds its subject. It is called where the expression would be checked otherwise
 * (om_gen__prepare()).
 */
#include "gen.h"

#include <omen/plugin/model.h>

#include <assert.h>

/* Nodes of the tree. A smaller expression than LARGE is written where it is used; the function of
 * one up to APART is for the compiler to inline, as calls would make kernels slower. */
enum { LARGE = 64, APART = 256 };

static void use(om_gen *g, om_expr e)
{
    if (e != 0)
        g->uses[e]++;
}

static void use_roots(om_gen *g, const om_expr *aps, uint32_t ap_count)
{
    const om_model *m = g->m;
    for (uint32_t t = 0; t < om_model_transition_count(m); t++) {
        const om_transition *tr = om_model_transition(m, t);
        use(g, tr->guard);
        for (uint32_t i = 0; i < tr->assign_count; i++) {
            use(g, tr->assigns[i].index);
            use(g, tr->assigns[i].value);
        }
    }
    for (uint32_t i = 0; i < om_model_assertion_count(m); i++)
        use(g, om_model_assertion(m, i)->condition);
    for (uint32_t i = 0; i < ap_count; i++)
        use(g, aps[i]);
}

static void use_operands(om_gen *g, om_expr e)
{
    const om_node *n = om_gen__node(g, e);
    assert(n->op <= OM_OP_SLOT || n->b < e); /* X1 */
    if (n->op == OM_OP_CONST || n->op == OM_OP_SLOT)
        return;
    if (n->op != OM_OP_ELEMENT)
        use(g, n->a);
    use(g, n->b);
}

static bool is_worth_it(const om_gen *g, om_expr e)
{
    assert(!g->shared[e]);
    return g->uses[e] > 1 && g->m->facts[e].size > LARGE;
}

static void write_function(om_gen *g, om_expr e)
{
    om_text_printf(g->out, "%s om_gen_int om_gen_shared_%u(const om_u32 *s%s)\n",
        g->m->facts[e].size > APART ? "OM_FN_APART" : "OM_FN", e,
        g->m->facts[e].faults ? ", om_u32 *fault" : "");
    om_gen__start(g, OM_GEN_IN_SHARED, 0, "s");
    size_t mark = om_gen__begin(g);
    om_gen__prepare(g, e);
    om_text_add(g->out, "return ");
    om_gen__value(g, e);
    om_text_add(g->out, ";\n");
    om_gen__end(g, mark);
    g->shared[e] = true;
}

void om_gen__share(om_gen *g, const om_expr *aps, uint32_t ap_count)
{
    const om_expr end = (om_expr) g->m->node_count;
    use_roots(g, aps, ap_count);
    /* An operand has a smaller number than its operator, so the uses of e are complete here. */
    for (om_expr e = end; e-- > 1;)
        if (g->uses[e] > 0)
            use_operands(g, e);
    for (om_expr e = 1; e < end && !om_gen__stopped(g); e++)
        if (is_worth_it(g, e))
            write_function(g, e);
    for (om_expr e = 1; e < end; e++)
        g->uses[e] = 0;
}
