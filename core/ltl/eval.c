/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval.c: truth of a formula on an ultimately periodic word, by the fixpoints that define the
 * operators: U, F and M are least, R, G and W greatest. Every operator is evaluated directly, and
 * none is rewritten into another one first, so that this code can check the rewriting code.
 */
#include "formula_nodes.h"

#include <assert.h>
#include <string.h>

/* One unfolding of a temporal operator at position i. */
static bool unfold(uint32_t op, bool a, bool b, bool next)
{
    switch (op) {
    case OM_LTL_FINALLY:
        return a || next;
    case OM_LTL_GLOBALLY:
        return a && next;
    case OM_LTL_UNTIL:
    case OM_LTL_WEAK_UNTIL:
        return b || (a && next);
    default:
        assert(op == OM_LTL_RELEASE || op == OM_LTL_STRONG_RELEASE);
        return b && (a || next);
    }
}

/* Iterates backwards over the word until nothing changes: at most two rounds of the loop, and one
 * more to detect stability. */
static void fixpoint(
    const om_ltl_word *w, uint32_t op, const uint8_t *a, const uint8_t *b, uint8_t *to)
{
    bool greatest = op == OM_LTL_GLOBALLY || op == OM_LTL_RELEASE || op == OM_LTL_WEAK_UNTIL;
    memset(to, greatest, w->n);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = w->n; i-- > 0;) {
            uint8_t now = unfold(op, a[i], b[i], to[om_ltl__after(w, i)]);
            changed |= now != to[i];
            to[i] = now;
        }
    }
}

static bool combine(uint32_t op, bool a, bool b)
{
    switch (op) {
    case OM_LTL_NOT:
        return !a;
    case OM_LTL_AND:
        return a && b;
    case OM_LTL_OR:
        return a || b;
    case OM_LTL_IMPLIES:
        return !a || b;
    case OM_LTL_EQUIV:
        return a == b;
    default:
        assert(op == OM_LTL_XOR);
        return a != b;
    }
}

void om_ltl__evaluate(
    const om_ltl_word *w, const om_ltl_node *f, const uint8_t *a, const uint8_t *b, uint8_t *to)
{
    if (f->op >= OM_LTL_FINALLY) {
        fixpoint(w, f->op, a, b, to);
        return;
    }
    for (size_t i = 0; i < w->n; i++) {
        if (a == NULL)
            to[i] = f->op == OM_LTL_AP ? w->labels[i] >> f->a & 1 : f->op == OM_LTL_TRUE;
        else
            to[i] = f->op == OM_LTL_NEXT ? a[om_ltl__after(w, i)] : combine(f->op, a[i], b[i]);
    }
}

/* Rows of the evaluation. last[g]: the last subformula that needs g (g itself for the whole
 * formula; 0: no subformula). row[g]: the truth of g at each position, until last[g] is
 * evaluated. */
typedef struct rows {
    uint32_t *last;
    uint8_t **row;
} rows;

/* By I1 the first user met on the way down is the last one on the way up. */
static void find_last(const om_ltl *l, om_ltl_ref f, uint32_t *last)
{
    last[f] = f;
    for (om_ltl_ref g = f; g > 0; g--) {
        const om_ltl_node *n = &l->nodes[g];
        int arity = last[g] == 0 ? 0 : om_ltl__arity(n->op);
        if (arity >= 1 && last[n->a] == 0)
            last[n->a] = g;
        if (arity == 2 && last[n->b] == 0)
            last[n->b] = g;
    }
}

static void release(const om_ltl *l, rows *r, om_ltl_ref operand, om_ltl_ref user)
{
    if (r->last[operand] != user)
        return;
    om_free(l->heap, r->row[operand]);
    r->row[operand] = NULL;
}

/* Computes the row of g from those of its operands; frees each of these if g is its last user. */
static int evaluate_node(const om_ltl *l, const om_ltl_word *w, rows *r, om_ltl_ref g)
{
    const om_ltl_node *node = &l->nodes[g];
    int arity = om_ltl__arity(node->op);
    assert(r->row[g] == NULL && r->last[g] >= g); /* I1 */
    r->row[g] = om_alloc(l->heap, w->n, 1);
    if (r->row[g] == NULL)
        return om_fail_memory(l->ctx);
    const uint8_t *a = arity >= 1 ? r->row[node->a] : NULL;
    assert(arity < 1 || (a != NULL && r->last[node->a] >= g)); /* I1 */
    om_ltl__evaluate(w, node, a, arity == 2 ? r->row[node->b] : a, r->row[g]);
    if (arity >= 1)
        release(l, r, node->a, g);
    if (arity == 2)
        release(l, r, node->b, g);
    return om_context_stopped(l->ctx);
}

int om_ltl_holds_on_lasso(
    const om_ltl *l, om_ltl_ref f, const om_label *labels, size_t n, size_t loop, bool *holds)
{
    om_ltl_word w = { labels, n, loop };
    rows r = { NULL, NULL };
    int rc = OM_OK;
    if (f == 0 || f >= l->count || loop >= n)
        return om_fail(l->ctx, OM_EINVAL, NULL, "a lasso needs a formula and loop < n");

    if (!OM_NEW(l->heap, r.last, (size_t) f + 1) || !OM_NEW(l->heap, r.row, (size_t) f + 1))
        rc = om_fail_memory(l->ctx);
    else
        find_last(l, f, r.last);
    for (om_ltl_ref g = 1; rc == OM_OK && g <= f; g++) /* operands first, by I1 */
        if (r.last[g] != 0)
            rc = evaluate_node(l, &w, &r, g);
    if (rc == OM_OK)
        *holds = r.row[f][0] != 0;
    for (om_ltl_ref g = 1; r.row != NULL && g <= f; g++)
        om_free(l->heap, r.row[g]);
    OM_FREE_ALL(l->heap, r.row, r.last);
    return rc;
}
