/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nnf.c: negation normal form. Each subformula gets up to two images, one per polarity, made from
 * the images of its operands. So the result is a graph linear in the formula, with equivalences.
 */
#include "formula_nodes.h"

typedef struct builder {
    om_ltl *l;
    bool sugar;
} builder;

static const om_ltl_node *node(const builder *b, om_ltl_ref f)
{
    return &b->l->nodes[f];
}

static bool is(const builder *b, om_ltl_ref f, om_ltl_op op)
{
    return node(b, f)->op == (uint32_t) op;
}

static om_ltl_ref make(builder *b, om_ltl_op op, om_ltl_ref x, om_ltl_ref y)
{
    return om_ltl_make(b->l, op, x, y);
}

static om_ltl_ref constant(builder *b, bool value)
{
    return make(b, value ? OM_LTL_TRUE : OM_LTL_FALSE, 0, 0);
}

/* Returns true if f has all of these kind bits. */
static bool has(const builder *b, om_ltl_ref f, int kind)
{
    return (node(b, f)->kind & kind) == kind;
}

/* Returns an operand of f that holds at all positions or at none, or 0. */
static om_ltl_ref anywhere(const builder *b, om_ltl_ref f)
{
    const om_ltl_node *n = node(b, f);
    return has(b, n->a, OM_LTL_BOTH) ? n->a : has(b, n->b, OM_LTL_BOTH) ? n->b : 0;
}

/* Returns x if f = F x (least) or f = G x, in any notation; else 0. */
static om_ltl_ref inside(const builder *b, om_ltl_ref f, bool least)
{
    const om_ltl_node *n = node(b, f);
    if (n->op == (least ? OM_LTL_FINALLY : OM_LTL_GLOBALLY))
        return n->a;
    if (n->op == (least ? OM_LTL_UNTIL : OM_LTL_RELEASE) &&
        is(b, n->a, least ? OM_LTL_TRUE : OM_LTL_FALSE))
        return n->b;
    return 0;
}

/* Returns x if f = F G x (least) or f = G F x; else 0. */
static om_ltl_ref inside_both(const builder *b, om_ltl_ref f, bool least)
{
    om_ltl_ref g = inside(b, f, least);
    return g == 0 ? 0 : inside(b, g, !least);
}

static om_ltl_ref until(builder *b, bool least, om_ltl_ref x, om_ltl_ref y);

/* Makes a conjunction or disjunction; an operand 0 (out of memory) gives 0. */
static om_ltl_ref join(builder *b, bool conjunction, om_ltl_ref x, om_ltl_ref y)
{
    om_ltl_op op = conjunction ? OM_LTL_AND : OM_LTL_OR;
    om_ltl_op neutral = conjunction ? OM_LTL_TRUE : OM_LTL_FALSE;
    om_ltl_op absorbing = conjunction ? OM_LTL_FALSE : OM_LTL_TRUE;
    if (x == 0 || y == 0)
        return 0;
    if (x == y || is(b, x, absorbing) || is(b, y, neutral))
        return x;
    if (is(b, y, absorbing) || is(b, x, neutral))
        return y;
    if ((is(b, x, OM_LTL_NOT) && node(b, x)->a == y) ||
        (is(b, y, OM_LTL_NOT) && node(b, y)->a == x))
        return constant(b, !conjunction);
    /* G x & G y = G(x & y), F x | F y = F(x | y) */
    om_ltl_ref in_x = inside(b, x, !conjunction), in_y = inside(b, y, !conjunction);
    if (in_x != 0 && in_y != 0)
        return until(b, !conjunction, constant(b, !conjunction), join(b, conjunction, in_x, in_y));
    /* FG x & FG y = FG(x & y), GF x | GF y = GF(x | y) */
    in_x = inside_both(b, x, conjunction), in_y = inside_both(b, y, conjunction);
    if (in_x != 0 && in_y != 0) {
        om_ltl_ref both = join(b, conjunction, in_x, in_y);
        both = until(b, !conjunction, constant(b, !conjunction), both);
        return until(b, conjunction, constant(b, conjunction), both);
    }
    return x < y ? make(b, op, x, y) : make(b, op, y, x);
}

/* Depth to which the rewriting below examines nested operands. */
enum { DEEP_ENOUGH = 8 };

/*
 * Returns a formula that can replace f as the operand of G: F x & F p for F (x & p) if p is
 * eventual, because p then holds at all positions if it recurs. With `least`, the same for F, with
 * all operators dual.
 */
static om_ltl_ref always(builder *b, bool least, om_ltl_ref f, int depth)
{
    om_ltl_op joint = least ? OM_LTL_OR : OM_LTL_AND;
    om_ltl_ref z = inside(b, f, !least), top = constant(b, !least);
    if (depth == 0 || top == 0 || !is(b, z != 0 ? z : f, joint))
        return f;
    om_ltl_ref x = node(b, z != 0 ? z : f)->a, y = node(b, z != 0 ? z : f)->b;
    int kind = least ? OM_LTL_UNIVERSAL : OM_LTL_EVENTUAL;
    if (z != 0 && !has(b, x, kind) && !has(b, y, kind))
        return f;
    if (z != 0) {
        x = until(b, !least, top, x);
        y = until(b, !least, top, y);
    }
    if (x != 0 && y != 0) {
        x = always(b, least, x, depth - 1);
        y = always(b, least, y, depth - 1);
    }
    return join(b, !least, x, y);
}

/* Returns true if all conjuncts of f are x or eventual (least), or all disjuncts x or universal. */
static bool holds_with(const builder *b, bool least, om_ltl_ref x, om_ltl_ref f, int depth)
{
    if (f == x || has(b, f, least ? OM_LTL_EVENTUAL : OM_LTL_UNIVERSAL))
        return true;
    return depth > 0 && is(b, f, least ? OM_LTL_AND : OM_LTL_OR) &&
           holds_with(b, least, x, node(b, f)->a, depth - 1) &&
           holds_with(b, least, x, node(b, f)->b, depth - 1);
}

/*
 * Makes x U y (least) or x R y; for R, exchange true and false, and and or, eventual and universal.
 * A formula s that is eventual and universal holds at all positions or at none, so it can be moved
 * outside: x U (y & s) = (x U y) & s; if s is x, this is F y & x. If an eventual formula e holds
 * later, it holds now, so x U (x & e) = x & e.
 */
static om_ltl_ref until(builder *b, bool least, om_ltl_ref x, om_ltl_ref y)
{
    om_ltl_op yes = least ? OM_LTL_TRUE : OM_LTL_FALSE, no = least ? OM_LTL_FALSE : OM_LTL_TRUE;
    if (x == 0 || y == 0)
        return 0;
    om_ltl_op op = least ? OM_LTL_UNTIL : OM_LTL_RELEASE;
    while (is(b, x, yes) && is(b, y, op)) /* F (x U z) = F z */
        y = node(b, y)->b;
    if (is(b, x, yes) && (y = always(b, least, y, DEEP_ENOUGH)) == 0)
        return 0;
    /* constants are of both kinds */
    if (is(b, x, no) || holds_with(b, least, x, y, DEEP_ENOUGH))
        return y;
    if (is(b, y, op) && node(b, y)->a == x) /* x U (x U z) = x U z */
        return y;
    om_ltl_op joint = least ? OM_LTL_AND : OM_LTL_OR;
    om_ltl_ref outside = constant(b, least);
    for (om_ltl_ref p; outside != 0 && is(b, y, joint) && (p = anywhere(b, y)) != 0;) {
        outside = join(b, least, outside, p);
        y = node(b, y)->a == p ? node(b, y)->b : node(b, y)->a;
    }
    if (x == outside && !is(b, x, yes))
        return join(b, least, x, until(b, least, constant(b, least), y));
    om_ltl_ref f;
    if (is(b, x, yes) && b->sugar)
        f = make(b, least ? OM_LTL_FINALLY : OM_LTL_GLOBALLY, y, 0);
    else
        f = make(b, op, x, y);
    return join(b, least, outside, f);
}

/* x W y = y R (x | y), x M y = y U (x & y) */
static om_ltl_ref weak_until(builder *b, bool strong, om_ltl_ref x, om_ltl_ref y)
{
    if (x == 0 || y == 0)
        return 0;
    if (!b->sugar)
        return until(b, strong, y, join(b, strong, x, y));
    om_ltl_op no = strong ? OM_LTL_TRUE : OM_LTL_FALSE, yes = strong ? OM_LTL_FALSE : OM_LTL_TRUE;
    if (x == y || is(b, x, no) || is(b, y, yes)) /* false W y = y, x W true = true */
        return y;
    if (is(b, x, yes)) /* true W y = true */
        return x;
    if (is(b, y, no)) /* x W false = G x, x M true = F x */
        return until(b, strong, y, x);
    return make(b, strong ? OM_LTL_STRONG_RELEASE : OM_LTL_WEAK_UNTIL, x, y);
}

static om_ltl_ref next(builder *b, om_ltl_ref x)
{
    if (x == 0 || has(b, x, OM_LTL_BOTH)) /* constants, GF and FG */
        return x;
    return make(b, OM_LTL_NEXT, x, 0);
}

/* Images of a formula: [0] as it is, [1] negated; 0 if not needed. */
typedef om_ltl_ref images[2];

/* Makes x <-> y, or its negation. */
static om_ltl_ref equivalent(builder *b, bool negated, const om_ltl_ref *x, const om_ltl_ref *y)
{
    return join(b, false, join(b, true, x[0], y[negated]), join(b, true, x[1], y[!negated]));
}

/* Returns the image of f under polarity p (1: negated). n is a copy because the arena may move. */
static om_ltl_ref image(builder *b, om_ltl_ref f, om_ltl_node n, int p, images *of)
{
    switch (n.op) {
    case OM_LTL_TRUE:
    case OM_LTL_FALSE:
        return constant(b, (n.op == OM_LTL_TRUE) != p);
    case OM_LTL_AP:
        return p ? make(b, OM_LTL_NOT, f, 0) : f;
    case OM_LTL_NOT:
        return of[n.a][!p];
    case OM_LTL_AND:
    case OM_LTL_OR:
        return join(b, (n.op == OM_LTL_AND) != p, of[n.a][p], of[n.b][p]);
    case OM_LTL_IMPLIES:
        return join(b, p, of[n.a][!p], of[n.b][p]);
    case OM_LTL_EQUIV:
    case OM_LTL_XOR:
        return equivalent(b, (n.op == OM_LTL_XOR) != p, of[n.a], of[n.b]);
    case OM_LTL_NEXT:
        return next(b, of[n.a][p]);
    case OM_LTL_FINALLY:
    case OM_LTL_GLOBALLY: {
        bool least = (n.op == OM_LTL_FINALLY) != p;
        return until(b, least, constant(b, least), of[n.a][p]);
    }
    case OM_LTL_UNTIL:
    case OM_LTL_RELEASE:
        return until(b, (n.op == OM_LTL_UNTIL) != p, of[n.a][p], of[n.b][p]);
    default: /* !(x W y) = !x M !y */
        return weak_until(b, (n.op == OM_LTL_STRONG_RELEASE) != p, of[n.a][p], of[n.b][p]);
    }
}

/* Sets bit p of wants[g] if the image of g under polarity p is needed. */
static void mark_polarities(const om_ltl *l, om_ltl_ref f, uint8_t *polarities)
{
    for (om_ltl_ref g = f; g > 0; g--) {
        const om_ltl_node *n = &l->nodes[g];
        uint8_t w = polarities[g], swapped = (uint8_t) ((w & 1) << 1 | w >> 1);
        if (w == 0 || om_ltl__arity(n->op) == 0)
            continue;
        bool both = n->op == OM_LTL_EQUIV || n->op == OM_LTL_XOR;
        bool turns = n->op == OM_LTL_NOT || n->op == OM_LTL_IMPLIES;
        polarities[n->a] |= both ? 3 : turns ? swapped : w;
        if (om_ltl__arity(n->op) == 2)
            polarities[n->b] |= both ? 3 : w;
    }
}

om_ltl_ref om_ltl_nnf(om_ltl *l, om_ltl_ref f, bool negated, bool sugar)
{
    builder b = { l, sugar };
    om_ltl_ref result = 0;
    if (f == 0 || f >= l->count)
        return 0;
    uint8_t *polarities = om_alloc(l->heap, (size_t) f + 1, 1);
    images *of = om_alloc(l->heap, (size_t) f + 1, sizeof *of);
    if (polarities == NULL || of == NULL)
        goto done;
    polarities[f] = negated ? 2 : 1;
    mark_polarities(l, f, polarities);
    for (om_ltl_ref g = 1; g <= f; g++)
        for (int p = 0; p < 2; p++)
            if (polarities[g] >> p & 1) {
                of[g][p] = image(&b, g, l->nodes[g], p, of);
                if (of[g][p] == 0)
                    goto done;
            }
    result = of[f][negated];
done:
    om_free(l->heap, polarities);
    om_free(l->heap, of);
    return result;
}
