/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval.c: truth of a formula on an ultimately periodic word, by the fixpoints that define the
 * operators: U, F and M are least, R, G and W greatest. Every operator has its own line; nothing is
 * rewritten into another first, so that this can be the referee of what rewrites.
 */
#include "arena.h"

#include <string.h>

typedef struct word {
    const om_label *labels;
    size_t n, loop;
} word;

static size_t after(const word *w, size_t i)
{
    return i + 1 < w->n ? i + 1 : w->loop;
}

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
    default: /* R, M */
        return b && (a || next);
    }
}

/* Backwards over the word until nothing changes: twice round the loop at most, and once to see. */
static void fixpoint(const word *w, uint32_t op, const uint8_t *a, const uint8_t *b, uint8_t *to)
{
    bool greatest = op == OM_LTL_GLOBALLY || op == OM_LTL_RELEASE || op == OM_LTL_WEAK_UNTIL;
    memset(to, greatest, w->n);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = w->n; i-- > 0;) {
            uint8_t now = unfold(op, a[i], b[i], to[after(w, i)]);
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
    case OM_LTL_XOR:
        return a != b;
    default: /* TRUE, FALSE */
        return op == OM_LTL_TRUE;
    }
}

static void evaluate(
    const word *w, const om_ltl_node *f, const uint8_t *a, const uint8_t *b, uint8_t *to)
{
    if (f->op >= OM_LTL_FINALLY) {
        fixpoint(w, f->op, a, b, to);
        return;
    }
    for (size_t i = 0; i < w->n; i++) {
        if (f->op == OM_LTL_AP)
            to[i] = w->labels[i] >> f->a & 1;
        else if (f->op == OM_LTL_NEXT)
            to[i] = a[after(w, i)];
        else
            to[i] = combine(f->op, a[i], b[i]);
    }
}

int om_ltl_holds_on_lasso(
    const om_ltl *l, om_ltl_ref f, const om_label *labels, size_t n, size_t loop, bool *holds)
{
    word w = { labels, n, loop };
    int rc = OM_ENOMEM;
    uint8_t *needed = NULL, *values = NULL;
    uint32_t *row = NULL; /* of a formula in values, which has n bytes a row; row 0 is zero */
    if (f == 0 || f >= l->count || loop >= n)
        return om_fail(l->ctx, OM_EINVAL, NULL, "a lasso needs a formula and loop < n");

    needed = om_alloc(l->heap, (size_t) f + 1, 1);
    row = om_alloc(l->heap, (size_t) f + 1, sizeof *row);
    if (needed == NULL || row == NULL)
        goto done;
    size_t rows = om_ltl__mark_parts(l, f, needed) + 1;
    values = om_alloc(l->heap, rows, n);
    if (values == NULL)
        goto done;
    uint32_t used = 1;
    for (om_ltl_ref g = 1; g <= f; g++) { /* operands first, by I1 */
        if (!needed[g])
            continue;
        const om_ltl_node *node = &l->nodes[g];
        int arity = om_ltl__arity(node->op);
        row[g] = used++;
        evaluate(&w, node, values + n * (arity >= 1 ? row[node->a] : 0),
            values + n * (arity == 2 ? row[node->b] : 0), values + n * row[g]);
    }
    *holds = values[n * row[f]] != 0;
    rc = OM_OK;
done:
    om_free(l->heap, values);
    om_free(l->heap, row);
    om_free(l->heap, needed);
    return rc == OM_OK ? rc : om_fail_memory(l->ctx);
}
