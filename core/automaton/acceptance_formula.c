/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acceptance formulas: positive Boolean combinations of Inf(i), "set i is seen infinitely often",
 * and Fin(i), its negation (E. A. Emerson, C.-L. Lei, Modalities for model checking, SCP 1987; HOA
 * syntax), in postfix. Since they are positive, a true formula stays true when more literals become
 * true. om_acc__value() takes the known literals of Inf and of Fin separately, so evaluating a
 * formula with a superset of the literals that can hold is a sound way to rule it out
 * (automaton_dfs.c, membership.c).
 *
 * Nothing here recurses: a formula of a file may nest OM_MAX_ACC_DEPTH deep.
 */
#include "tela.h"

#include <assert.h>
#include <string.h>

bool om_acc__value(const om_acc *f, size_t length, om_marks inf, om_marks fin)
{
    uint64_t stack[OM_MAX_ACC_DEPTH / 64 + 1]; /* one bit a value */
    size_t top = 0;
    for (size_t i = 0; i < length; i++) {
        bool value = false;
        assert(top <= OM_MAX_ACC_DEPTH); /* om_acc__depth() vetted the formula */
        if (f[i].op == OM_ACC_AND || f[i].op == OM_ACC_OR) {
            assert(top >= 2); /* A4 */
            bool right = (stack[(top - 1) / 64] >> ((top - 1) % 64)) & 1;
            bool left = (stack[(top - 2) / 64] >> ((top - 2) % 64)) & 1;
            value = f[i].op == OM_ACC_AND ? left && right : left || right;
            top -= 2;
        } else if (f[i].op == OM_ACC_FIN || f[i].op == OM_ACC_INF)
            value = ((f[i].op == OM_ACC_FIN ? fin : inf) >> f[i].set) & 1;
        else
            value = f[i].op == OM_ACC_TRUE;
        uint64_t bit = UINT64_C(1) << (top % 64);
        uint64_t rest = top % 64 == 0 ? 0 : stack[top / 64] & (bit - 1);
        stack[top / 64] = rest | (value ? bit : 0);
        top++;
    }
    assert(top == 1); /* A4 */
    return stack[0] & 1;
}

size_t om_acc__depth(const om_acc *f, size_t length, uint32_t sets)
{
    size_t top = 0, most = 0;
    for (size_t i = 0; i < length; i++) {
        switch (f[i].op) {
        case OM_ACC_FIN:
        case OM_ACC_INF:
            if (f[i].set >= sets)
                return 0;
            top++;
            break;
        case OM_ACC_FALSE:
        case OM_ACC_TRUE:
            top++;
            break;
        case OM_ACC_AND:
        case OM_ACC_OR:
            if (top < 2)
                return 0;
            top--;
            break;
        default:
            return 0;
        }
        if (top > most)
            most = top;
    }
    return top == 1 ? most : 0;
}

om_marks om_acc__fins(const om_acc *f, size_t length)
{
    om_marks fins = 0;
    for (size_t i = 0; i < length; i++)
        if (f[i].op == OM_ACC_FIN)
            fins |= UINT64_C(1) << f[i].set;
    return fins;
}

void om_acc__negate(const om_acc *f, size_t length, om_acc *out)
{
    static const uint8_t dual[] = { [OM_ACC_FALSE] = OM_ACC_TRUE,
        [OM_ACC_TRUE] = OM_ACC_FALSE,
        [OM_ACC_FIN] = OM_ACC_INF,
        [OM_ACC_INF] = OM_ACC_FIN,
        [OM_ACC_AND] = OM_ACC_OR,
        [OM_ACC_OR] = OM_ACC_AND };
    for (size_t i = 0; i < length; i++)
        out[i] = (om_acc){ dual[f[i].op], f[i].set };
}

/* ---- classes ---- */

/*
 * Reads a formula as `outer` of groups, each group `inner` of literals. The formula has the shape
 * if each group has between fins[0] and fins[1] Fin and between infs[0] and infs[1] Inf. In postfix
 * order a group ends before an `outer` operator, or at the end.
 */
typedef struct om_acc_shape {
    uint8_t inner, outer;
    uint32_t fins[2], infs[2];
} om_acc_shape;

/* A stack entry: a group with its literals, or (grouped) an `outer` of good groups. */
typedef struct om_acc_group {
    uint32_t fins, infs;
    bool grouped;
} om_acc_group;

static bool group_fits(const om_acc_shape *s, const om_acc_group *g)
{
    return g->grouped || (g->fins >= s->fins[0] && g->fins <= s->fins[1] && g->infs >= s->infs[0] &&
                             g->infs <= s->infs[1]);
}

static bool has_shape(const om_acc *f, size_t length, const om_acc_shape *s)
{
    enum { CAPACITY = 256 }; /* formulas that need a deeper stack are in no class */
    om_acc_group stack[CAPACITY] = { { 0, 0, false } };
    size_t top = 0;
    for (size_t i = 0; i < length; i++) {
        if (f[i].op == OM_ACC_FIN || f[i].op == OM_ACC_INF) {
            if (top == CAPACITY)
                return false;
            stack[top++] = (om_acc_group){ f[i].op == OM_ACC_FIN, f[i].op == OM_ACC_INF, false };
            continue;
        }
        if (f[i].op != s->inner && f[i].op != s->outer)
            return false;
        assert(top >= 2); /* A4 */
        om_acc_group *left = &stack[top - 2], *right = &stack[top - 1];
        top--;
        if (f[i].op == s->inner) {
            if (left->grouped || right->grouped)
                return false;
            left->fins += right->fins;
            left->infs += right->infs;
        } else {
            if (!group_fits(s, left) || !group_fits(s, right))
                return false;
            left->grouped = true;
        }
    }
    assert(top == 1); /* A4 */
    return group_fits(s, &stack[0]);
}

/* Returns true for a conjunction of Inf that names every set. */
static bool is_generalized_buchi(const om_automaton *a)
{
    om_marks seen = 0;
    if (a->sets == 0)
        return a->acc_length == 1 && a->acc[0].op == OM_ACC_TRUE;
    for (size_t i = 0; i < a->acc_length; i++) {
        if (a->acc[i].op == OM_ACC_INF)
            seen |= UINT64_C(1) << a->acc[i].set;
        else if (a->acc[i].op != OM_ACC_AND)
            return false;
    }
    return seen == om_tela__first_bits(a->sets);
}

static bool is_finless(const om_automaton *a)
{
    return om_acc__fins(a->acc, a->acc_length) == 0;
}

uint32_t om_automaton_acceptance_classes(const om_automaton *a)
{
    static const om_acc_shape rabin = { OM_ACC_AND, OM_ACC_OR, { 1, 1 }, { 0, UINT32_MAX } };
    /* A formula without any Fin is generalized Buchi, or nearly so. */
    static const om_acc_shape streett = { OM_ACC_OR, OM_ACC_AND, { 0, 1 }, { 0, 1 } };
    uint32_t classes = OM_ACCEPT_ANY;
    if (is_generalized_buchi(a))
        classes |= OM_ACCEPT_GENERALIZED_BUCHI | (a->sets == 1 ? OM_ACCEPT_BUCHI : 0);
    if (a->sets == 1 && a->acc_length == 1 && a->acc[0].op == OM_ACC_FIN)
        classes |= OM_ACCEPT_CO_BUCHI;
    if (has_shape(a->acc, a->acc_length, &rabin))
        classes |= OM_ACCEPT_RABIN;
    if (is_finless(a))
        classes |= OM_ACCEPT_FIN_LESS;
    else if (has_shape(a->acc, a->acc_length, &streett))
        classes |= OM_ACCEPT_STREETT;
    return classes;
}

/* ---- disjunctive normal form ---- */

/* A stack of term lists, all in one array: list k is terms[start[k] .. start[k + 1]). */
typedef struct om_dnf {
    om_context *ctx;
    const om_heap *heap;
    om_acc_term *terms;
    size_t count, capacity, most;
    size_t *start;
    size_t lists, start_capacity;
    uint64_t compared; /* number of term comparisons */
    bool exceeded;     /* more than `most` terms in a list, or MOST_COMPARED reached */
} om_dnf;

/* About a second. Repeated joins of lists of `most` terms would take hours. */
#define MOST_COMPARED (UINT64_C(1) << 29)

static bool implies(const om_acc_term *a, const om_acc_term *b)
{
    return (a->fin & b->fin) == b->fin && (a->inf & b->inf) == b->inf;
}

static int reserve_terms(om_dnf *d, size_t count)
{
    if (!OM_ROOM(d->heap, d->terms, &d->capacity, count))
        return om_fail_memory(d->ctx);
    return OM_OK;
}

/* Adds a term to the topmost list unless a weaker one is there, and drops the terms that it
 * subsumes. So a list is an antichain of terms without a contradictory one, and the list of an
 * unsatisfiable formula is empty. */
static int put_term(om_dnf *d, om_acc_term t)
{
    size_t keep = d->start[d->lists - 1];
    assert(d->lists > 0 && keep <= d->count);
    if ((t.fin & t.inf) != 0)
        return OM_OK;
    for (size_t i = keep; i < d->count; i++)
        if (implies(&t, &d->terms[i])) {
            d->compared += i - keep + 1;
            return OM_OK;
        }
    for (size_t i = keep; i < d->count; i++)
        if (!implies(&d->terms[i], &t))
            d->terms[keep++] = d->terms[i];
    d->compared += d->count - d->start[d->lists - 1] + 1;
    d->count = keep;
    d->exceeded = d->count - d->start[d->lists - 1] >= d->most || d->compared > MOST_COMPARED;
    if (d->exceeded)
        return OM_OK;
    int rc = reserve_terms(d, d->count + 1);
    if (rc == OM_OK)
        d->terms[d->count++] = t;
    return rc;
}

static int push_list(om_dnf *d)
{
    if (!OM_ROOM(d->heap, d->start, &d->start_capacity, d->lists + 1))
        return om_fail_memory(d->ctx);
    d->start[d->lists++] = d->count;
    return OM_OK;
}

/* Replaces the two topmost lists by their disjunction or conjunction. */
static int join(om_dnf *d, bool conjunction)
{
    assert(d->start != NULL && d->lists >= 2); /* A4 */
    size_t left = d->start[d->lists - 2], right = d->start[d->lists - 1], end = d->count;
    int rc = push_list(d);
    if (conjunction) {
        for (size_t i = left; rc == OM_OK && !d->exceeded && i < right; i++)
            for (size_t j = right; rc == OM_OK && !d->exceeded && j < end; j++) {
                rc = put_term(d, (om_acc_term){ d->terms[i].fin | d->terms[j].fin,
                                     d->terms[i].inf | d->terms[j].inf });
                if (rc == OM_OK)
                    rc = om_context_stopped(d->ctx);
            }
    } else {
        for (size_t i = left; rc == OM_OK && !d->exceeded && i < end; i++)
            rc = put_term(d, d->terms[i]);
    }
    if (rc != OM_OK || d->exceeded)
        return rc;
    if (d->count > end)
        memmove(&d->terms[left], &d->terms[end], (d->count - end) * sizeof *d->terms);
    d->count -= end - left;
    d->lists -= 2;
    return OM_OK;
}

/* Returns a literal as a term with all literals that it implies. The conjunction of two such terms
 * is closed under implication, too. */
static om_acc_term literal(const om_acc *f, const om_acc_facts *facts)
{
    uint64_t set = UINT64_C(1) << f->set;
    om_acc_term t = { f->op == OM_ACC_FIN ? set : 0, f->op == OM_ACC_INF ? set : 0 };
    if (facts != NULL)
        om_acc_facts__saturate(facts, &t);
    return t;
}

int om_acc__dnf(om_context *ctx, const om_acc *f, size_t length, const om_acc_facts *facts,
    size_t most, om_acc_term **terms, size_t *count)
{
    om_dnf d = { .ctx = ctx, .heap = om_context_heap(ctx), .most = most };
    int rc = OM_OK;

    for (size_t i = 0; rc == OM_OK && !d.exceeded && i < length; i++) {
        if (f[i].op == OM_ACC_AND || f[i].op == OM_ACC_OR) {
            rc = join(&d, f[i].op == OM_ACC_AND);
            continue;
        }
        om_acc l = facts == NULL ? f[i] : om_acc_facts__literal(facts, f[i]);
        rc = push_list(&d);
        if (rc == OM_OK && l.op != OM_ACC_FALSE)
            rc = put_term(&d, l.op == OM_ACC_TRUE ? (om_acc_term){ 0, 0 } : literal(&l, facts));
    }
    if (rc == OM_OK && !d.exceeded && d.terms == NULL) /* false: no term, but an answer */
        rc = reserve_terms(&d, 1);
    om_free(d.heap, d.start);
    assert(rc != OM_OK || d.exceeded || d.lists == 1); /* A4 */
    if (rc != OM_OK || d.exceeded) {
        om_free(d.heap, d.terms);
        d.terms = NULL;
        d.count = 0;
    }
    for (size_t i = 0; facts != NULL && i < d.count; i++)
        om_acc_facts__reduce(facts, &d.terms[i]);
    *terms = d.terms;
    *count = d.count;
    return rc;
}

int om_automaton_inf_clauses(
    const om_automaton *a, om_context *ctx, size_t most, om_marks **out, size_t *count)
{
    const om_heap *heap = om_context_heap(ctx);
    om_acc_term *terms = NULL;
    size_t n = 0;
    *out = NULL;
    *count = 0;
    if (!is_finless(a))
        return om_fail(ctx, OM_EUNSUPPORTED, NULL, "the acceptance formula has a Fin");
    int rc = om_acc__dnf(ctx, a->acc, a->acc_length, NULL, most, &terms, &n);
    if (rc != OM_OK || terms == NULL)
        return rc;
    *out = om_alloc(heap, n + 1, sizeof **out); /* no clause: false */
    for (size_t i = 0; *out != NULL && i < n; i++) {
        assert(terms[i].fin == 0);
        (*out)[i] = terms[i].inf;
    }
    *count = *out == NULL ? 0 : n;
    om_free(heap, terms);
    return *out == NULL ? om_fail_memory(ctx) : OM_OK;
}
