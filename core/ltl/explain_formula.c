/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_formula.c: the subformulas and positions that explain the truth of a formula.
 *
 * The upward pass computes, for every subformula, its truth at each position and the cost of
 * explaining it: the number of pairs needed, each counted as often as it is used (costs saturate at
 * MOST). The downward pass marks, for each marked pair, the operand pairs that it needs; by I1 of
 * formula_nodes.h a formula has all of its marks when it is processed.
 *
 * A temporal operator is explained along the word. At each position, the operands `go` justify
 * going on to the next one, until a position where the operands `stop` settle the value, or
 * forever. All operands needed have the truth value of the formula, because the operators are
 * monotone:
 *
 *     a U b    true: a until b                   false: !b forever, or until !a & !b
 *     a W b    true: a forever, or until b       false: !b until !a & !b
 *     a R b    true: b forever, or until a & b   false: !a until !b
 *     a M b    true: b until a & b               false: !a forever, or until !b
 */
#include "explain_formula.h"

#include "formula_nodes.h"

#include <assert.h>
#include <string.h>

enum { A = 1, B = 2 };

/* Explanation of a temporal operator with a given value: the operands for `go` and `stop`. */
typedef struct way {
    uint8_t go, stop; /* stop 0: there is no such position */
    bool forever;
} way;

static const way ways[][2] = {
    [OM_LTL_FINALLY] = { { A, 0, true }, { 0, A, false } },
    [OM_LTL_GLOBALLY] = { { 0, A, false }, { A, 0, true } },
    [OM_LTL_UNTIL] = { { B, A | B, true }, { A, B, false } },
    [OM_LTL_RELEASE] = { { A, B, false }, { B, A | B, true } },
    [OM_LTL_WEAK_UNTIL] = { { B, A | B, false }, { A, B, true } },
    [OM_LTL_STRONG_RELEASE] = { { A, B, true }, { B, A | B, false } },
};
_Static_assert(sizeof ways / sizeof *ways == OM_LTL_STRONG_RELEASE + 1, "all operators");

/* The explanation chosen for a formula at a position. */
enum {
    STOPS = 1,       /* the finite way stops here; for & | ->: the right operand suffices */
    FOREVER = 2,     /* the infinite way is the cheaper one from here */
    WENT = 4,        /* the finite way was marked from here on */
    WENT_FOREVER = 8 /* the infinite way was marked from here on */
};

/* NEVER: there is no such way. MOST: the largest cost. DEAR: the cost of a pair to be avoided. */
#define NEVER UINT32_MAX
#define MOST (UINT32_MAX - 1)
#define DEAR (UINT32_C(1) << 28)

static uint32_t plus(uint32_t a, uint32_t b)
{
    if (a == NEVER || b == NEVER)
        return NEVER;
    return a > MOST - b ? MOST : a + b;
}

/* Data of a subformula. */
typedef struct known {
    uint8_t *at, *how; /* at: by position, OM_LTL_HOLDS and OM_LTL_MATTERS; how: the bits above */
    uint32_t *cost;
} known;

typedef struct explainer {
    const om_ltl *l;
    om_ltl_word w;
    known *of;   /* by reference */
    size_t dear; /* pairs from this position on cost DEAR; or SIZE_MAX */
} explainer;

static bool holds(const known *k, size_t i)
{
    return (k->at[i] & OM_LTL_HOLDS) != 0;
}

/* ---- upwards ---- */

/* Returns the cost of the operands in `mask` having truth `value` at i; NEVER if one has not. */
static uint32_t cost_of(const explainer *e, om_ltl_ref g, uint8_t mask, bool value, size_t i)
{
    const om_ltl_node *n = &e->l->nodes[g];
    uint32_t cost = 0;
    if (mask & A)
        cost = holds(&e->of[n->a], i) == value ? e->of[n->a].cost[i] : NEVER;
    if (mask & B)
        cost = plus(cost, holds(&e->of[n->b], i) == value ? e->of[n->b].cost[i] : NEVER);
    return cost;
}

/* Computes the cheapest finite way from each position. The loop runs backwards, twice round the
 * cycle, because no cheapest way visits a position twice. A way stops if stopping costs no more
 * than going on; so it stops at a position of least cost in the cycle, and each way ends. */
static void settle(const explainer *e, om_ltl_ref g)
{
    const way *w = ways[e->l->nodes[g].op];
    assert(e->l->nodes[g].op >= OM_LTL_FINALLY);
    const known *k = &e->of[g];
    for (size_t i = 0; i < e->w.n; i++)
        k->cost[i] = NEVER;
    for (int round = 0; round < 2; round++)
        for (size_t i = e->w.n; i-- > 0;) {
            const bool value = holds(k, i);
            const size_t next = om_ltl__after(&e->w, i);
            uint32_t stop = NEVER, go = NEVER;
            if (w[value].stop != 0)
                stop = cost_of(e, g, w[value].stop, value, i);
            if (holds(k, next) == value)
                go = plus(cost_of(e, g, w[value].go, value, i), k->cost[next]);
            k->cost[i] = stop <= go ? stop : go;
            k->how[i] = stop <= go ? STOPS : 0;
        }
}

/* Returns true if the formula has the same truth value in the whole cycle. */
static bool constant(const explainer *e, const known *k)
{
    size_t i = e->w.loop + 1;
    while (i < e->w.n && holds(k, i) == holds(k, e->w.loop))
        i++;
    return i >= e->w.n;
}

/* Chooses the infinite way, which covers all later positions, if it is cheaper. around[i] is the
 * cost of the positions in the cycle before i. */
static void endure(const explainer *e, om_ltl_ref g, uint32_t *around)
{
    const way *w = ways[e->l->nodes[g].op];
    const known *k = &e->of[g];
    uint32_t sum = 0;
    if (!constant(e, k) || !w[holds(k, e->w.loop)].forever)
        return;
    for (size_t i = e->w.loop; i < e->w.n; i++) {
        around[i] = sum;
        sum = plus(sum, cost_of(e, g, w[holds(k, i)].go, holds(k, i), i));
    }
    sum = 0;
    for (size_t i = e->w.n; i-- > 0 && holds(k, i) == holds(k, e->w.loop);) {
        sum = plus(sum, cost_of(e, g, w[holds(k, i)].go, holds(k, i), i));
        const uint32_t all = i < e->w.loop ? sum : plus(sum, around[i]);
        if (all < k->cost[i]) {
            k->cost[i] = all;
            k->how[i] |= FOREVER;
        }
    }
}

/* Returns the lower cost of two operands that each suffice; *right: that of the right one. */
static uint32_t cheaper(uint32_t a, uint32_t b, bool *right)
{
    *right = b < a;
    return *right ? b : a;
}

/* Returns the cost for an operator that is not temporal, or X. */
static uint32_t cost_here(const explainer *e, om_ltl_ref g, size_t i, bool *right)
{
    const om_ltl_node *n = &e->l->nodes[g];
    const bool value = holds(&e->of[g], i), both = (n->op == OM_LTL_AND) == value;
    switch (n->op) {
    case OM_LTL_NOT:
        return e->of[n->a].cost[i];
    case OM_LTL_NEXT:
        return e->of[n->a].cost[om_ltl__after(&e->w, i)];
    case OM_LTL_AND:
    case OM_LTL_OR:
        return both ? cost_of(e, g, A | B, value, i)
                    : cheaper(cost_of(e, g, A, value, i), cost_of(e, g, B, value, i), right);
    case OM_LTL_IMPLIES:
        return value ? cheaper(cost_of(e, g, A, false, i), cost_of(e, g, B, true, i), right)
                     : plus(e->of[n->a].cost[i], e->of[n->b].cost[i]);
    default: /* <->, ^ */
        return plus(e->of[n->a].cost[i], e->of[n->b].cost[i]);
    }
}

static void weigh(const explainer *e, om_ltl_ref g, uint32_t *around)
{
    const om_ltl_node *n = &e->l->nodes[g];
    const known *k = &e->of[g];
    if (n->op >= OM_LTL_FINALLY) {
        settle(e, g);
        endure(e, g, around);
    }
    for (size_t i = 0; i < e->w.n; i++) {
        bool right = false;
        if (n->op < OM_LTL_FINALLY)
            k->cost[i] = om_ltl__arity(n->op) == 0 ? 0 : cost_here(e, g, i, &right);
        if (right)
            k->how[i] |= STOPS;
        k->cost[i] = plus(k->cost[i], i < e->dear ? 1 : DEAR);
    }
}

static int rise(const explainer *e, om_ltl_ref g, uint32_t *around)
{
    const om_ltl_node *n = &e->l->nodes[g];
    const int arity = om_ltl__arity(n->op);
    known *k = &e->of[g];
    if (!OM_NEW(e->l->heap, k->at, e->w.n) || !OM_NEW(e->l->heap, k->how, e->w.n) ||
        !OM_NEW(e->l->heap, k->cost, e->w.n))
        return om_fail_memory(e->l->ctx);
    om_ltl__evaluate(&e->w, n, arity >= 1 ? e->of[n->a].at : NULL,
        arity >= 1 ? e->of[arity == 2 ? n->b : n->a].at : NULL, k->at);
    weigh(e, g, around);
    return om_context_stopped(e->l->ctx);
}

/* ---- downwards ---- */

static void mark(const explainer *e, om_ltl_ref g, uint8_t mask, size_t i)
{
    const om_ltl_node *n = &e->l->nodes[g];
    if (mask & A)
        e->of[n->a].at[i] |= OM_LTL_MATTERS;
    if (mask & B)
        e->of[n->b].at[i] |= OM_LTL_MATTERS;
}

/* Marks the way from i; stops where it was marked already. */
static void walk(const explainer *e, om_ltl_ref g, size_t i)
{
    const known *k = &e->of[g];
    const bool forever = (k->how[i] & FOREVER) != 0;
    const way *w = &ways[e->l->nodes[g].op][holds(k, i)];
    const uint8_t went = forever ? WENT_FOREVER : WENT;
    for (; (k->how[i] & went) == 0; i = om_ltl__after(&e->w, i)) {
        k->how[i] |= went;
        if (!forever && (k->how[i] & STOPS) != 0) {
            mark(e, g, w->stop, i);
            return;
        }
        mark(e, g, w->go, i);
    }
}

static void descend(const explainer *e, om_ltl_ref g, size_t i)
{
    const om_ltl_node *n = &e->l->nodes[g];
    const bool value = holds(&e->of[g], i), right = (e->of[g].how[i] & STOPS) != 0;
    const bool one = n->op == OM_LTL_AND ? !value : n->op <= OM_LTL_IMPLIES && value;
    if (n->op >= OM_LTL_FINALLY)
        walk(e, g, i);
    else if (n->op == OM_LTL_NEXT)
        mark(e, g, A, om_ltl__after(&e->w, i));
    else if (om_ltl__arity(n->op) == 1)
        mark(e, g, A, i);
    else if (om_ltl__arity(n->op) == 2)
        mark(e, g, !one ? A | B : right ? B : A, i);
}

/* ---- rows ---- */

/* An entry of the stack of formulas still to be arranged. */
typedef struct met {
    om_ltl_ref f;
    uint32_t depth;
} met;

/* Arranges the rows in the order in which a reader meets the formulas. A formula is on the stack at
 * most once for each formula that it is an operand of, so 2 * parts entries are enough. */
static int arrange(const explainer *e, om_ltl_ref f, size_t parts, om_ltl_rows *out)
{
    met *stack = om_alloc(e->l->heap, 2 * parts + 1, sizeof *stack);
    size_t waiting = 0;
    if (stack == NULL)
        return om_fail_memory(e->l->ctx);
    stack[waiting++] = (met){ f, 0 };
    while (waiting > 0) {
        assert(waiting <= 2 * parts);
        const met m = stack[--waiting];
        const om_ltl_node *n = &e->l->nodes[m.f];
        known *k = &e->of[m.f];
        if (k->at == NULL)
            continue;
        assert(out->count < parts);
        out->row[out->count++] = (om_ltl_row){ m.f, m.depth, k->at };
        k->at = NULL;
        if (om_ltl__arity(n->op) == 2)
            stack[waiting++] = (met){ n->b, m.depth + 1 };
        if (om_ltl__arity(n->op) >= 1)
            stack[waiting++] = (met){ n->a, m.depth + 1 };
    }
    om_free(e->l->heap, stack);
    return OM_OK;
}

static int explain(const explainer *e, om_ltl_ref f, size_t at, uint8_t *needed, om_ltl_rows *out)
{
    const size_t parts = om_ltl__mark_subformulas(e->l, f, needed);
    uint32_t *around = om_alloc(e->l->heap, e->w.n, sizeof *around);
    int rc = around == NULL ? om_fail_memory(e->l->ctx) : OM_OK;
    for (om_ltl_ref g = 1; rc == OM_OK && g <= f; g++)
        if (needed[g])
            rc = rise(e, g, around);
    om_free(e->l->heap, around);
    if (rc != OM_OK)
        return rc;
    e->of[f].at[at] |= OM_LTL_MATTERS;
    for (om_ltl_ref g = f; g > 0; g--)
        for (size_t i = 0; needed[g] && i < e->w.n; i++)
            if ((e->of[g].at[i] & OM_LTL_MATTERS) != 0)
                descend(e, g, i);
    out->row = om_alloc(e->l->heap, parts, sizeof *out->row);
    return out->row == NULL ? om_fail_memory(e->l->ctx) : arrange(e, f, parts, out);
}

static int explain_word(const om_ltl *l, om_ltl_ref f, const om_label *labels, size_t n,
    size_t loop, size_t at, size_t dear, om_ltl_rows *out)
{
    explainer e = { .l = l, .w = { labels, n, loop }, .dear = dear };
    *out = (om_ltl_rows){ .heap = l->heap };
    if (f == 0 || f >= l->count || loop >= n || at >= n)
        return om_fail(
            l->ctx, OM_EINVAL, NULL, "an explanation needs a formula, loop < n and at < n");
    e.of = om_alloc(l->heap, (size_t) f + 1, sizeof *e.of);
    uint8_t *needed = om_alloc(l->heap, (size_t) f + 1, 1);
    int rc =
        e.of == NULL || needed == NULL ? om_fail_memory(l->ctx) : explain(&e, f, at, needed, out);
    for (om_ltl_ref g = 1; e.of != NULL && g <= f; g++) {
        OM_FREE_ALL(l->heap, e.of[g].at, e.of[g].how, e.of[g].cost);
    }
    OM_FREE_ALL(l->heap, needed, e.of);
    if (rc != OM_OK)
        om_ltl__rows_free(out);
    return rc;
}

int om_ltl__explain(const om_ltl *l, om_ltl_ref f, const om_label *labels, size_t n, size_t loop,
    size_t at, om_ltl_rows *out)
{
    return explain_word(l, f, labels, n, loop, at, SIZE_MAX, out);
}

int om_ltl__explain_prefix(
    const om_ltl *l, om_ltl_ref f, const om_label *labels, size_t n, om_ltl_rows *out, bool *beyond)
{
    om_label *word = n == 0 ? NULL : om_alloc(l->heap, n + 1, sizeof *word);
    *out = (om_ltl_rows){ .heap = l->heap };
    *beyond = false;
    if (n == 0)
        return om_fail(l->ctx, OM_EINVAL, NULL, "an explanation needs a run");
    if (word == NULL)
        return om_fail_memory(l->ctx);
    memcpy(word, labels, n * sizeof *word);
    word[n] = labels[n - 1];
    int rc = explain_word(l, f, word, n + 1, n, 0, n, out);
    for (size_t k = 0; rc == OM_OK && k < out->count; k++)
        *beyond = *beyond || (out->row[k].at[n] & OM_LTL_MATTERS) != 0;
    om_free(l->heap, word);
    return rc;
}

void om_ltl__rows_free(om_ltl_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        om_free(rows->heap, rows->row[i].at);
    if (rows->heap != NULL)
        om_free(rows->heap, rows->row);
    *rows = (om_ltl_rows){ 0 };
}
