/* SPDX-License-Identifier: Apache-2.0 */
#include "predicate_lower.h"

#include <assert.h>

/*
 * An inequality becomes more >= fewer + least, where `more` is the sum of the terms with a positive
 * factor, and `fewer` that of the others; this keeps numbers small. If bounds of places are not
 * known, a sum may be too large for an om_value. In a comparison with a constant this does not
 * matter: either one place alone reaches the constant, or the sum stays below a small multiple of
 * it. In a comparison with another sum, a marking that is too large is a fault, never a wrong
 * answer.
 */
typedef struct side {
    const om_net *net;
    om_model *m;
    int *rc; /* errors other than those that the model records */
    const om_predicate *p;
    bool more;      /* the sign of the terms of this side */
    uint32_t count; /* number of these terms */
    om_wide most;   /* largest value of the sum, or -1 if none is known */
} side;

static om_wide factor_of(const side *s, uint32_t term)
{
    om_wide factor = s->p->terms[term].factor;
    return s->more ? factor : -factor;
}

static om_wide most_of(const side *s, uint32_t term)
{
    om_value bound = s->net->places[s->p->terms[term].place].bound;
    return bound == OM_NET_NO_BOUND ? -1 : bound * factor_of(s, term);
}

static side make_side(const side *from, const om_predicate *p, bool more)
{
    side s = { .net = from->net, .m = from->m, .rc = from->rc, .p = p, .more = more };
    for (uint32_t i = 0; i < p->count; i++) {
        if (factor_of(&s, i) < 0)
            continue;
        s.count++;
        s.most = s.most < 0 || most_of(&s, i) < 0 ? -1 : s.most + most_of(&s, i);
    }
    return s;
}

static om_expr constant(om_model *m, om_wide value)
{
    return om_expr_const(m, (om_value) value);
}

static om_expr term_of(const side *s, uint32_t term)
{
    om_expr tokens = om_expr_slot(s->m, s->p->terms[term].place);
    om_wide factor = factor_of(s, term);
    return factor == 1 ? tokens : om_expr_binary(s->m, OM_OP_MUL, constant(s->m, factor), tokens);
}

/* Joins one expression for each term. Returns 0 on failure, as do all following functions. */
static om_expr join_terms(const side *s, om_op op,
    om_expr (*make)(const side *s, uint32_t term, om_wide than), om_wide than)
{
    const om_heap *heap = s->net->region.heap;
    uint32_t n = 0;
    om_expr *list = om_alloc(heap, s->count, sizeof *list);
    if (list == NULL) {
        *s->rc = om_fail_memory(s->net->ctx);
        return 0;
    }
    for (uint32_t i = 0; i < s->p->count; i++)
        if (factor_of(s, i) > 0)
            list[n++] = make(s, i, than);
    om_expr all = om_expr_join(s->m, op, list, n);
    om_free(heap, list);
    return all;
}

static om_expr plain_term(const side *s, uint32_t term, om_wide than)
{
    (void) than;
    return term_of(s, term);
}

static om_expr sum_of(const side *s)
{
    return s->count == 0 ? constant(s->m, 0) : join_terms(s, OM_OP_ADD, plain_term, 0);
}

/* Returns an expression for: the term alone is at least `least`. */
static om_expr term_reaches(const side *s, uint32_t term, om_wide least)
{
    om_wide factor = factor_of(s, term), tokens = (least + factor - 1) / factor;
    if (tokens > OM_VALUE_MAX || (most_of(s, term) >= 0 && most_of(s, term) < least))
        return constant(s->m, 0);
    return om_expr_binary(
        s->m, OM_OP_GE, om_expr_slot(s->m, s->p->terms[term].place), constant(s->m, tokens));
}

static om_expr fail_wide(const side *s)
{
    *s->rc = om_fail(s->net->ctx, OM_EUNSUPPORTED, NULL,
        "a compared sum of tokens may not fit in %d bits: its places have no known bound",
        OM_VALUE_BITS);
    return 0;
}

/* Returns an expression for: the side's sum is at least `least`, which is positive. */
static om_expr reaches(const side *s, om_wide least)
{
    if (s->most >= 0 && s->most < least)
        return constant(s->m, 0);
    if (s->count == 1)
        for (uint32_t i = 0; i < s->p->count; i++)
            if (factor_of(s, i) > 0)
                return term_reaches(s, i, least);
    if (s->most >= 0 && s->most <= OM_VALUE_MAX)
        return om_expr_binary(s->m, OM_OP_GE, sum_of(s), constant(s->m, least));
    if (least > OM_VALUE_MAX / s->count)
        return fail_wide(s);
    /* "Or" evaluates the sum only if no term alone reaches `least`. */
    return om_expr_binary(s->m, OM_OP_OR, join_terms(s, OM_OP_OR, term_reaches, least),
        om_expr_binary(s->m, OM_OP_GE, sum_of(s), constant(s->m, least)));
}

static om_expr not_expr(om_model *m, om_expr e)
{
    return om_expr_unary(m, OM_OP_NOT, e);
}

/* Returns an expression that is true, or faults (a division by zero) if a place has so many tokens
 * that a sum could be wrong. At most `added` is added to the sums. */
static om_expr within_range(const side *s, om_wide added)
{
    om_wide factors = 0;
    om_expr all = constant(s->m, 1);
    for (uint32_t i = 0; i < s->p->count; i++)
        factors += s->p->terms[i].factor < 0 ? -s->p->terms[i].factor : s->p->terms[i].factor;
    assert(factors > 0);
    const om_wide most = added > OM_VALUE_MAX ? 0 : (OM_VALUE_MAX - added) / factors;
    if (most < 1)
        return fail_wide(s);
    for (uint32_t i = 0; i < s->p->count; i++)
        if (s->net->places[s->p->terms[i].place].bound > most)
            all = om_expr_binary(s->m, OM_OP_BAND, all,
                om_expr_binary(s->m, OM_OP_LE, om_expr_slot(s->m, s->p->terms[i].place),
                    constant(s->m, most)));
    return om_expr_binary(s->m, OM_OP_DIV, constant(s->m, 1), all);
}

static om_expr lower_linear(const side *from, const om_predicate *p)
{
    const side more = make_side(from, p, true), fewer = make_side(from, p, false);
    om_model *m = from->m;
    om_wide least = p->least;
    if (fewer.count == 0)
        return reaches(&more, least);
    if (more.count == 0)
        return not_expr(m, reaches(&fewer, 1 - least));
    if (fewer.most >= 0 && -fewer.most >= least)
        return constant(m, 1);
    if (more.most >= 0 && more.most < least)
        return constant(m, 0);
    /* A negative `least` is added to the other side. */
    const om_wide left = least < 0 ? -least : 0, right = least < 0 ? 0 : least;
    const bool fits = more.most >= 0 && fewer.most >= 0 && more.most <= OM_VALUE_MAX - left &&
                      fewer.most <= OM_VALUE_MAX - right;
    om_expr compared =
        om_expr_binary(m, OM_OP_GE, om_expr_binary(m, OM_OP_ADD, sum_of(&more), constant(m, left)),
            om_expr_binary(m, OM_OP_ADD, sum_of(&fewer), constant(m, right)));
    return fits ? compared
                : om_expr_binary(m, OM_OP_AND, within_range(&more, left + right), compared);
}

/* The recursion is as deep as the predicate. */
static om_expr lower(const side *from, const om_predicate *p)
{
    const om_heap *heap = from->net->region.heap;
    if (p->kind == OM_PREDICATE_TRUE || p->kind == OM_PREDICATE_FALSE)
        return om_expr_const(from->m, p->kind == OM_PREDICATE_TRUE);
    if (p->kind == OM_PREDICATE_LINEAR)
        return lower_linear(from, p);
    om_expr *args = om_alloc(heap, p->count, sizeof *args), all = 1;
    if (args == NULL) {
        *from->rc = om_fail_memory(from->net->ctx);
        return 0;
    }
    for (uint32_t i = 0; i < p->count && all != 0; i++)
        all = args[i] = lower(from, p->args[i]);
    if (all != 0)
        all = om_expr_join(
            from->m, p->kind == OM_PREDICATE_AND ? OM_OP_AND : OM_OP_OR, args, p->count);
    om_free(heap, args);
    return all;
}

int om_predicate__lower(const om_predicate *p, const om_net *net, om_model *m, om_expr *out)
{
    int rc = OM_OK;
    const side from = { .net = net, .m = m, .rc = &rc };
    *out = lower(&from, p);
    return rc == OM_OK && *out == 0 ? om_model_expr_check(m, NULL) : rc;
}
