/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of any acceptance to generalized Buchi, or to Fin-less acceptance (a formula of Inf
 * alone). If new marks on the same edges suffice, only marks change (rabin_streett.c). Otherwise
 * Fin is removed by copies, component by component (V. Bloemen, A. Duret-Lutz, J. van de Pol, Model
 * checking with generalized Rabin and Fin-less automata (STTT 2019), Proposition 1). Disjuncts (Fin
 * F & Inf I) of the disjunctive normal form that have the same F share a copy of the SCC without
 * the edges in F. A run jumps into the copy after it has seen the last edge of F. Disjuncts without
 * Fin need no copy.
 *
 * The proposition gives each Inf of each disjunct a set of its own. Here a row of sets is one
 * disjunct of the new formula. The disjuncts of a copy, longest first, take one row each. The
 * surplus sets of a row that is taken are seen on every edge of the copy; the sets of rows that are
 * not taken are seen on no edge of it. Since a cycle lies in one copy, the use of a row by other
 * copies does not matter. Generalized Buchi is the formula of one row: a copy for each disjunct.
 *
 * A Streett condition of n clauses may have 2^n disjuncts. For Streett conditions, copies that
 * record the pending clauses (pending.c) are tried too, and are taken if they have fewer states.
 *
 * A formula of d disjuncts makes at most d copies of each strong SCC; d is at most OM_MOST_TERMS.
 */
#include "rabin_streett.h"
#include "components/automaton_dfs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct om_removal {
    const om_automaton *a;
    om_context *ctx;
    const om_heap *heap;
    om_automaton_dfs *walk;
    om_automaton *out; /* the states of `a`, then copies */
    uint32_t rows, sets;
    uint32_t row_size[OM_MAX_SETS], row_begin[OM_MAX_SETS];
    uint32_t *copy;     /* of each state, in the copy being made */
    om_marks *marks;    /* new marks of each edge of `a` */
    om_acc_facts facts; /* about the current SCC: */
    om_acc_term *terms; /* the disjuncts that matter there; NULL before the first SCC */
    size_t term_count;
} om_removal;

/* ---- disjuncts ---- */

/* Orders by Fin, terms without Fin first; terms with the same Fin longest first. */
static int by_fin(const void *x, const void *y)
{
    const om_acc_term *a = x, *b = y;
    uint32_t m = (uint32_t) __builtin_popcountll(a->inf),
             n = (uint32_t) __builtin_popcountll(b->inf);
    if (a->fin != b->fin)
        return a->fin < b->fin ? -1 : 1;
    return m != n ? (m > n ? -1 : 1) : (a->inf > b->inf) - (a->inf < b->inf);
}

/* Computes the disjuncts that matter in an SCC; mostly they are those of the previous SCC. */
static int find_terms(om_removal *r, const uint32_t *states, uint32_t count)
{
    const om_automaton *a = r->a;
    om_acc_facts facts;
    om_acc_facts__begin(&facts);
    om_automaton_dfs__add_facts(r->walk, states, count, &facts);
    om_acc_facts__end(&facts);
    if (r->terms != NULL && memcmp(&r->facts, &facts, sizeof facts) == 0)
        return OM_OK;
    om_free(r->heap, r->terms);
    r->terms = NULL;
    r->facts = facts;
    int rc = om_acc__dnf(
        r->ctx, a->acc, a->acc_length, &facts, OM_MOST_TERMS, &r->terms, &r->term_count);
    if (rc == OM_OK && r->terms == NULL)
        return om_fail(r->ctx, OM_ELIMIT, NULL,
            "Fin cannot be removed: the acceptance formula has more than %d disjuncts, or takes "
            "too long to expand",
            OM_MOST_TERMS);
    if (rc == OM_OK)
        qsort(r->terms, r->term_count, sizeof *r->terms, by_fin);
    return rc;
}

/* Returns the end of the group of disjuncts that take rows of the same copy. */
static size_t group_end(const om_removal *r, size_t begin)
{
    assert(begin < r->term_count);
    size_t end = begin + 1;
    while (end < r->term_count && end - begin < r->rows && r->terms[end].fin == r->terms[begin].fin)
        end++;
    return end;
}

/* Returns the marks of an edge in a copy for the disjuncts t[0 .. n). */
static om_marks marks_of(const om_removal *r, const om_acc_term *t, size_t n, om_marks marks)
{
    om_marks seen = 0;
    for (size_t row = 0; row < n; row++) {
        uint32_t k = r->row_begin[row], end = k + r->row_size[row];
        for (om_marks rest = t[row].inf; rest != 0; rest &= rest - 1, k++)
            if ((marks & rest & -rest) != 0)
                seen |= UINT64_C(1) << k;
        assert(k <= end && end <= r->sets); /* a row is as long as the longest that takes it */
        seen |= om_tela__first_bits(end) & ~om_tela__first_bits(k);
    }
    return seen;
}

/* ---- copies ---- */

/* Returns true if a cycle that sees at most these marks could satisfy one of the disjuncts. */
static bool may_accept(const om_acc_term *t, size_t n, om_marks marks)
{
    for (size_t i = 0; i < n; i++)
        if ((marks & t[i].inf) == t[i].inf)
            return true;
    return false;
}

/* Copies a component of the SCC without the edges in t->fin, if it may accept. */
static int copy_component(
    om_removal *r, const om_acc_term *t, size_t n, const uint32_t *states, uint32_t count)
{
    const om_automaton *a = r->a;
    om_marks marks = 0;
    uint32_t first = 0;
    bool any = om_automaton_dfs__marks(r->walk, states, count, t->fin, &marks);
    if (!any || !may_accept(t, n, marks))
        return OM_OK;
    int rc = om_automaton_add_states(r->out, count, &first);
    for (uint32_t i = 0; i < count; i++)
        r->copy[states[i]] = first + i;
    for (uint32_t i = 0; rc == OM_OK && i < count; i++)
        for (uint32_t k = a->first[states[i]]; rc == OM_OK && k < a->first[states[i] + 1]; k++) {
            const om_edge *e = &a->edges[k];
            if (!om_automaton_dfs__inside(r->walk, e, t->fin))
                continue;
            rc = om_tela__add(r->out, a, e, e->src, r->copy[e->dst], 0);
            if (rc == OM_OK)
                rc = om_tela__add(
                    r->out, a, e, r->copy[e->src], r->copy[e->dst], marks_of(r, t, n, e->marks));
        }
    return rc;
}

static int copy_group(
    om_removal *r, const om_acc_term *t, size_t n, const uint32_t *states, uint32_t count)
{
    om_scc_list list = { NULL, NULL, 0 };
    int rc = om_automaton_dfs__sccs(r->walk, states, count, t->fin, &list);
    for (uint32_t k = 0, begin = 0; rc == OM_OK && k < list.count; begin = list.end[k++])
        rc = copy_component(r, t, n, &list.states[begin], list.end[k] - begin);
    om_scc_list__free(&list, r->heap);
    return rc;
}

/* Gives the SCC itself the marks of the first group, which has no Fin; else it has no marks. */
static void mark_itself(
    om_removal *r, const om_acc_term *t, size_t n, const uint32_t *states, uint32_t count)
{
    om_marks seen = 0;
    (void) om_automaton_dfs__marks(r->walk, states, count, 0, &seen);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = r->a->first[states[i]]; k < r->a->first[states[i] + 1]; k++)
            if (om_automaton_dfs__inside(r->walk, &r->a->edges[k], 0))
                r->marks[k] = marks_of(r, t, n, r->a->edges[k].marks);
}

static int copy_scc(om_removal *r, const uint32_t *states, uint32_t count)
{
    int rc = find_terms(r, states, count);
    size_t end = 0;
    for (size_t begin = 0; rc == OM_OK && begin < r->term_count; begin = end) {
        end = group_end(r, begin);
        if (begin == 0 && r->terms[0].fin == 0)
            mark_itself(r, r->terms, end, states, count);
        else
            rc = copy_group(r, &r->terms[begin], end - begin, states, count);
    }
    return rc;
}

/* Each row is as long as the longest disjunct that takes it. A row has at least one set: a set
 * without edges makes it unsatisfiable. */
static int measure_scc(om_removal *r, const uint32_t *states, uint32_t count)
{
    int rc = find_terms(r, states, count);
    size_t end = 0;
    for (size_t begin = 0; rc == OM_OK && begin < r->term_count; begin = end) {
        end = group_end(r, begin);
        for (size_t i = begin; i < end; i++) {
            uint32_t n = (uint32_t) __builtin_popcountll(r->terms[i].inf),
                     *size = &r->row_size[i - begin];
            n = n == 0 ? 1 : n;
            *size = n > *size ? n : *size;
        }
    }
    return rc;
}

/* Lays out as many rows as there are sets for. A disjunct without a row takes one in another copy,
 * and is no longer than the disjuncts that the row was measured for. */
static void lay_rows(om_removal *r)
{
    uint32_t rows = 0, sets = 0;
    r->row_size[0] = r->row_size[0] == 0 ? 1 : r->row_size[0];
    for (; rows < r->rows && r->row_size[rows] != 0; rows++) {
        if (sets + r->row_size[rows] > OM_MAX_SETS)
            break;
        r->row_begin[rows] = sets;
        sets += r->row_size[rows];
    }
    r->rows = rows;
    r->sets = sets;
}

/* ---- the whole ---- */

/* Calls `each` for every strong SCC. */
static int each_strong(om_removal *r, const om_sccs *sccs, const uint32_t *states,
    int (*each)(om_removal *r, const uint32_t *states, uint32_t count))
{
    int rc = OM_OK;
    for (uint32_t k = 0, begin = 0; rc == OM_OK && k < sccs->count; begin += sccs->size[k++])
        if (sccs->strength[k] == OM_STRONG)
            rc = each(r, &states[begin], sccs->size[k]);
    return rc;
}

int om_automaton__add_originals(om_automaton *out, const om_automaton *a, const om_sccs *sccs,
    const om_marks *marks, uint32_t sets)
{
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < a->initial_count; i++)
        rc = om_automaton_add_initial(out, a->initial[i]);
    for (size_t i = 0; rc == OM_OK && i < a->edge_count; i++) {
        const om_edge *e = &a->edges[i];
        uint32_t k = sccs->component[e->src];
        bool weak = k != OM_NONE && k == sccs->component[e->dst] &&
                    (sccs->strength[k] == OM_WEAK || sccs->strength[k] == OM_TERMINAL);
        rc = om_tela__add(out, a, e, e->src, e->dst, weak ? om_tela__first_bits(sets) : marks[i]);
    }
    return rc;
}

/* Sets the acceptance to the disjunction of the rows. */
static int set_rows(om_removal *r)
{
    om_acc f[2 * OM_MAX_SETS];
    size_t n = 0;
    for (uint32_t row = 0; row < r->rows; row++) {
        for (uint32_t k = 0; k < r->row_size[row]; k++) {
            f[n++] = (om_acc){ OM_ACC_INF, (uint8_t) (r->row_begin[row] + k) };
            if (k > 0)
                f[n++] = (om_acc){ OM_ACC_AND, 0 };
        }
        if (row > 0)
            f[n++] = (om_acc){ OM_ACC_OR, 0 };
    }
    return om_automaton_set_acceptance(r->out, r->sets, f, n);
}

static int remove_fin(om_removal *r, const om_sccs *sccs)
{
    uint32_t *states = NULL;
    int rc = om_sccs_states(sccs, r->ctx, r->a->states, &states);
    if (rc == OM_OK)
        rc = om_automaton_add_states(r->out, r->a->states, NULL);
    if (rc == OM_OK)
        rc = each_strong(r, sccs, states, measure_scc);
    lay_rows(r);
    if (rc == OM_OK)
        rc = each_strong(r, sccs, states, copy_scc);
    if (rc == OM_OK)
        rc = om_automaton__add_originals(r->out, r->a, sccs, r->marks, r->sets);
    if (rc == OM_OK)
        rc = set_rows(r);
    if (rc == OM_OK)
        rc = om_automaton_finish(r->out);
    om_free(r->heap, states);
    return rc;
}

static int copies_of_terms(
    const om_automaton *a, om_context *ctx, const om_sccs *sccs, uint32_t rows, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_automaton_dfs walk = { .heap = heap };
    om_removal r = { .a = a, .ctx = ctx, .heap = heap, .walk = &walk, .rows = rows };
    int rc = om_automaton_dfs__init(&walk, ctx, a);

    if (rc == OM_OK && (!OM_NEW(heap, r.copy, a->states) || !OM_NEW(heap, r.marks, a->edge_count)))
        rc = om_fail_memory(ctx);
    if (rc == OM_OK)
        rc = om_tela__like(&r.out, ctx, a);
    if (rc == OM_OK)
        rc = remove_fin(&r, sccs);
    if (rc == OM_OK)
        rc = om_automaton_prune(r.out, ctx, out);
    om_automaton_free(r.out);
    OM_FREE_ALL(heap, r.copy, r.marks, r.terms);
    om_automaton_dfs__free(&walk);
    return rc;
}

/* Removes Fin by copies for disjuncts. Uses copies for pending clauses instead if there are too
 * many disjuncts or, for generalized Buchi, if they have fewer states. */
static int by_fewer_states(
    const om_automaton *a, om_context *ctx, const om_sccs *sccs, uint32_t rows, om_automaton **out)
{
    om_automaton *b = NULL, *p = NULL;
    int rc = copies_of_terms(a, ctx, sccs, rows, &b);
    if (rc == OM_ELIMIT && om_context_stopped(ctx) == OM_OK) {
        if (om_automaton__pending(a, ctx, sccs, OM_MOST_PENDING, &p) == OM_OK && p != NULL)
            rc = OM_OK;
    } else if (rc == OM_OK && rows == 1)
        rc = om_automaton__pending(a, ctx, sccs, a->states + 2 * b->states, &p);
    if (rc == OM_OK && p != NULL && (b == NULL || p->states < b->states)) {
        *out = p;
        om_automaton_free(b);
        return OM_OK;
    }
    om_automaton_free(p);
    return om_tela__hand_over(rc, b, out);
}

static int by_pending(
    const om_automaton *a, om_context *ctx, const om_sccs *sccs, om_automaton **out)
{
    int rc = om_automaton__pending(a, ctx, sccs, OM_MOST_PENDING, out);
    if (rc == OM_OK && *out == NULL)
        rc = om_fail(ctx, OM_ELIMIT, NULL,
            "the acceptance has a clause with several Fin, more than %d clauses, or more than %d "
            "states for pending clauses",
            OM_MAX_SETS, OM_MOST_PENDING);
    return rc;
}

static int without_fin(
    const om_automaton *a, om_context *ctx, uint32_t class, om_fin_removal how, om_automaton **out)
{
    om_sccs sccs = { 0, NULL, NULL, NULL };
    om_automaton *b = NULL;
    if ((om_automaton_acceptance_classes(a) & class) != 0)
        return om_tela__copy(out, ctx, a);
    int rc = om_automaton_sccs(a, ctx, &sccs);
    if (rc == OM_OK && om_sccs_strength(&sccs) != OM_STRONG)
        rc = om_automaton__mark_sccs(a, ctx, &sccs, &b);
    else if (rc == OM_OK) {
        if (om_acc__fins(a->acc, a->acc_length) == 0)
            rc = om_automaton__mark_clauses(a, ctx, &b);
        if (rc == OM_OK && b == NULL && how == OM_FIN_BY_FEWER)
            rc = by_fewer_states(a, ctx, &sccs, class == OM_ACCEPT_FIN_LESS ? OM_MAX_SETS : 1, &b);
        else if (rc == OM_OK && b == NULL)
            rc = how == OM_FIN_BY_PENDING ? by_pending(a, ctx, &sccs, &b)
                                          : copies_of_terms(a, ctx, &sccs, 1, &b);
    }
    om_sccs_free(&sccs, om_context_heap(ctx));
    if (rc == OM_OK)
        *out = b;
    return rc;
}

int om_automaton_to_generalized_buchi(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    return without_fin(a, ctx, OM_ACCEPT_GENERALIZED_BUCHI, OM_FIN_BY_FEWER, out);
}

int om_automaton_to_generalized_buchi_by(
    const om_automaton *a, om_context *ctx, om_fin_removal how, om_automaton **out)
{
    return without_fin(a, ctx, OM_ACCEPT_GENERALIZED_BUCHI, how, out);
}

int om_automaton_to_fin_less(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    return without_fin(a, ctx, OM_ACCEPT_FIN_LESS, OM_FIN_BY_FEWER, out);
}
