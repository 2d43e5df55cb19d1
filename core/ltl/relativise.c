/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewrites a formula over some positions of a word into a formula over the whole word: the usual
 * relativisation. On a word with infinitely many such positions it is true if and only if f is true
 * on the word of those positions. After the last such position X f and F f are false.
 */
#include "formula_nodes.h"
#include "relativise.h"

typedef struct rewriter {
    om_ltl *l;
    om_ltl_ref visible;
    bool failed;
} rewriter;

static om_ltl_ref make(rewriter *r, om_ltl_op op, om_ltl_ref a, om_ltl_ref b)
{
    om_ltl_ref made = r->failed ? 0 : om_ltl_make(r->l, op, a, b);
    r->failed = made == 0;
    return made;
}

/* f at a visible position. */
static om_ltl_ref there(rewriter *r, om_ltl_ref f)
{
    return make(r, OM_LTL_AND, r->visible, f);
}

/* f if the position is visible. */
static om_ltl_ref where(rewriter *r, om_ltl_ref f)
{
    return make(r, OM_LTL_IMPLIES, r->visible, f);
}

static bool is(const rewriter *r, om_ltl_ref f, om_ltl_op op)
{
    return !r->failed && om_ltl_operator(r->l, f) == op;
}

/* Rewrites one operator; a and b are rewritten already. */
static om_ltl_ref rewrite(rewriter *r, om_ltl_op op, om_ltl_ref a, om_ltl_ref b)
{
    switch (op) {
    case OM_LTL_NEXT:
        return make(
            r, op, make(r, OM_LTL_UNTIL, make(r, OM_LTL_NOT, r->visible, 0), there(r, a)), 0);
    case OM_LTL_FINALLY: /* F G and G F have the same value at the positions in between */
        return make(r, op, is(r, a, OM_LTL_GLOBALLY) ? a : there(r, a), 0);
    case OM_LTL_GLOBALLY:
        return make(r, op, is(r, a, OM_LTL_FINALLY) ? a : where(r, a), 0);
    case OM_LTL_UNTIL:
    case OM_LTL_WEAK_UNTIL:
        return make(r, op, where(r, a), there(r, b));
    case OM_LTL_RELEASE:
    case OM_LTL_STRONG_RELEASE:
        return make(r, op, there(r, a), where(r, b));
    default:
        return make(r, op, a, b);
    }
}

int om_ltl__relativise(om_ltl *l, om_ltl_ref f, om_ltl_ref visible, om_ltl_ref *out)
{
    rewriter r = { .l = l, .visible = visible };
    om_ltl_ref *to = om_alloc(l->heap, (size_t) f + 1, sizeof *to);
    uint8_t *needed = om_alloc(l->heap, (size_t) f + 1, sizeof *needed);
    if (to == NULL || needed == NULL)
        r.failed = true;
    else
        (void) om_ltl__mark_subformulas(l, f, needed);
    for (om_ltl_ref g = 1; g <= f && !r.failed; g++) { /* formula_nodes.h, I1 */
        if (!needed[g])
            continue;
        const om_ltl_node n = l->nodes[g];
        const int arity = om_ltl__arity(n.op);
        to[g] = arity == 0 ? g : rewrite(&r, (om_ltl_op) n.op, to[n.a], arity == 2 ? to[n.b] : 0);
    }
    *out = r.failed ? 0 : to[f];
    OM_FREE_ALL(l->heap, needed, to);
    return r.failed ? om_fail_memory(l->ctx) : OM_OK;
}
