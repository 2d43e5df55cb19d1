/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any acceptance to generalized Buchi. Where no SCC is strong, one mark says which SCCs accept. A
 * formula of Inf alone is brought into conjunctive normal form: each clause is one set. Else Fin is
 * removed by copies, one for each disjunct (Fin F & Inf I) of the disjunctive normal form, from
 * which the edges in F are gone and into which a run jumps once it has seen the last of them
 * (V. Bloemen, A. Duret-Lutz, J. van de Pol, Model checking with generalized Rabin and Fin-less
 * automata (STTT 2019), Proposition 1, component by component).
 */
#include "walk.h"

enum { MOST_TERMS = 4096 };

static uint32_t count_bits(uint64_t x)
{
    uint32_t n = 0;
    for (; x != 0; x &= x - 1)
        n++;
    return n;
}

/* ---- no strong SCC ---- */

static int mark_accepting_sccs(
    const om_automaton *a, om_context *ctx, const om_sccs *sccs, om_automaton **out)
{
    om_automaton *b = NULL;
    int rc = om_tela__copy(&b, ctx, a);
    if (rc == OM_OK)
        rc = om_tela__set_generalized_buchi(b, 1);
    for (size_t i = 0; rc == OM_OK && i < b->edge_count; i++) {
        om_edge *e = &b->edges[i];
        uint32_t k = sccs->component[e->src];
        e->marks =
            k != OM_NONE && k == sccs->component[e->dst] && sccs->strength[k] != OM_NON_ACCEPTING;
    }
    if (rc == OM_OK)
        *out = b;
    else
        om_automaton_free(b);
    return rc;
}

/* ---- no Fin ---- */

/* *out stays NULL where there would be too many clauses. */
static int sets_of_clauses(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_automaton *b = NULL;
    om_acc_term *clauses = NULL;
    size_t count = 0;
    om_acc *negation = om_alloc(heap, a->acc_length, sizeof *negation);
    int rc = negation == NULL ? om_fail_memory(ctx) : OM_OK;

    if (rc != OM_OK)
        goto done;
    /* The disjuncts of the negation are the negated clauses: conjunctions of Fin. */
    om_acc__negate(a->acc, a->acc_length, negation);
    rc = om_acc__dnf(ctx, negation, a->acc_length, OM_MAX_SETS, &clauses, &count);
    if (rc != OM_OK || clauses == NULL)
        goto done;
    rc = om_tela__copy(&b, ctx, a);
    if (rc == OM_OK)
        rc = om_tela__set_generalized_buchi(b, (uint32_t) count);
    for (size_t i = 0; rc == OM_OK && i < b->edge_count; i++) {
        om_marks marks = 0;
        for (size_t k = 0; k < count; k++)
            if ((b->edges[i].marks & clauses[k].fin) != 0)
                marks |= UINT64_C(1) << k;
        b->edges[i].marks = marks;
    }
    if (rc == OM_OK) {
        *out = b;
        b = NULL;
    }
done:
    om_automaton_free(b);
    om_free(heap, clauses);
    om_free(heap, negation);
    return rc;
}

/* ---- Fin ---- */

typedef struct om_removal {
    const om_automaton *a;
    om_context *ctx;
    const om_heap *heap;
    om_walk *walk;
    om_automaton *out;  /* the states of `a`, then copies */
    uint32_t sets;      /* that the disjuncts so far need */
    uint32_t *copy;     /* of each state, in the copy that is being made */
    om_marks marks;     /* of the SCC at hand: */
    om_acc_term *terms; /* the disjuncts that matter there; NULL before the first */
    size_t term_count;
} om_removal;

/* Of a disjunct: its sets of Inf are numbered from 0, and all sets above those are always seen. */
static om_marks marks_of(const om_acc_term *t, om_marks marks)
{
    om_marks seen = 0;
    uint32_t n = 0;
    for (om_marks rest = t->inf; rest != 0; rest &= rest - 1, n++)
        if ((marks & rest & -rest) != 0)
            seen |= UINT64_C(1) << n;
    return seen | ~om_tela__first_bits(n);
}

static void need_sets(om_removal *r, const om_acc_term *t)
{
    uint32_t n = count_bits(t->inf);
    r->sets = n > r->sets ? n : r->sets;
}

/* The disjuncts that matter in an SCC with these marks; mostly the same as in the one before. */
static int find_terms(om_removal *r, om_marks marks)
{
    const om_automaton *a = r->a;
    if (r->terms != NULL && r->marks == marks)
        return OM_OK;
    om_acc *f = om_alloc(r->heap, a->acc_length, sizeof *f);
    if (f == NULL)
        return om_fail_memory(r->ctx);
    for (size_t i = 0; i < a->acc_length; i++) {
        bool literal = a->acc[i].op == OM_ACC_FIN || a->acc[i].op == OM_ACC_INF;
        f[i] = a->acc[i];
        if (literal && ((marks >> f[i].set) & 1) == 0)
            f[i].op = f[i].op == OM_ACC_FIN ? OM_ACC_TRUE : OM_ACC_FALSE;
    }
    om_free(r->heap, r->terms);
    r->terms = NULL;
    r->marks = marks;
    int rc = om_acc__dnf(r->ctx, f, a->acc_length, MOST_TERMS, &r->terms, &r->term_count);
    om_free(r->heap, f);
    if (rc == OM_OK && r->terms == NULL)
        return om_fail(r->ctx, OM_ELIMIT, NULL,
            "the acceptance formula has more than %d disjuncts: its Fin cannot be removed",
            MOST_TERMS);
    return rc;
}

/* Copies a component of what is left of an SCC without the edges in t->fin, if it accepts by t. */
static int copy_component(
    om_removal *r, const om_acc_term *t, const uint32_t *states, uint32_t count)
{
    const om_automaton *a = r->a;
    om_marks marks = 0;
    uint32_t first = 0;
    bool any = om_walk__marks(r->walk, states, count, t->fin, &marks);
    if (!any || (marks & t->inf) != t->inf)
        return OM_OK;
    int rc = om_automaton_add_states(r->out, count, &first);
    for (uint32_t i = 0; i < count; i++)
        r->copy[states[i]] = first + i;
    for (uint32_t i = 0; rc == OM_OK && i < count; i++)
        for (uint32_t k = a->first[states[i]]; rc == OM_OK && k < a->first[states[i] + 1]; k++) {
            const om_edge *e = &a->edges[k];
            if (!om_walk__inside(r->walk, e, t->fin))
                continue;
            rc = om_tela__add(r->out, a, e, e->src, r->copy[e->dst], 0);
            if (rc == OM_OK)
                rc = om_tela__add(
                    r->out, a, e, r->copy[e->src], r->copy[e->dst], marks_of(t, e->marks));
        }
    need_sets(r, t);
    return rc;
}

static int copy_term(om_removal *r, const om_acc_term *t, const uint32_t *states, uint32_t count)
{
    om_scc_list list = { NULL, NULL, 0 };
    int rc = om_walk__sccs(r->walk, states, count, t->fin, &list);
    for (uint32_t k = 0, begin = 0; rc == OM_OK && k < list.count; k++) {
        rc = copy_component(r, t, &list.states[begin], list.end[k] - begin);
        begin = list.end[k];
    }
    om_scc_list__free(&list, r->heap);
    return rc;
}

/*
 * Copies of a strong SCC. The first disjunct without Fin needs none: *own is that, and the SCC
 * itself gets its marks. Where there is none, own->fin is not 0.
 */
static int copy_scc(om_removal *r, const uint32_t *states, uint32_t count, om_acc_term *own)
{
    om_marks marks = 0;
    (void) om_walk__marks(r->walk, states, count, 0, &marks);
    int rc = find_terms(r, marks);

    *own = (om_acc_term){ 1, 0 };
    for (size_t i = 0; rc == OM_OK && i < r->term_count; i++) {
        const om_acc_term *t = &r->terms[i];
        if (t->fin == 0 && own->fin != 0) {
            *own = *t;
            need_sets(r, own);
        } else
            rc = copy_term(r, t, states, count);
    }
    return rc;
}

/* The original structure, whose SCCs have the marks of own[] or, when weak, all or none. */
static int add_originals(om_removal *r, const om_sccs *sccs, const om_acc_term *own)
{
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < r->a->initial_count; i++)
        rc = om_automaton_add_initial(r->out, r->a->initial[i]);
    for (size_t i = 0; rc == OM_OK && i < r->a->edge_count; i++) {
        const om_edge *e = &r->a->edges[i];
        uint32_t k = sccs->component[e->src];
        om_marks marks = 0;
        if (k != OM_NONE && k == sccs->component[e->dst]) {
            if (sccs->strength[k] == OM_STRONG && own[k].fin == 0)
                marks = marks_of(&own[k], e->marks);
            else if (sccs->strength[k] == OM_WEAK || sccs->strength[k] == OM_TERMINAL)
                marks = UINT64_MAX;
        }
        rc = om_tela__add(r->out, r->a, e, e->src, e->dst, marks);
    }
    return rc;
}

static int remove_fin(om_removal *r, const om_sccs *sccs)
{
    uint32_t *states = NULL;
    om_acc_term *own = om_alloc(r->heap, sccs->count, sizeof *own);
    int rc =
        own == NULL ? om_fail_memory(r->ctx) : om_sccs_states(sccs, r->ctx, r->a->states, &states);

    if (rc == OM_OK)
        rc = om_automaton_add_states(r->out, r->a->states, NULL);
    for (uint32_t k = 0, begin = 0; rc == OM_OK && k < sccs->count; k++) {
        if (sccs->strength[k] == OM_STRONG)
            rc = copy_scc(r, &states[begin], sccs->size[k], &own[k]);
        begin += sccs->size[k];
    }
    if (rc == OM_OK)
        rc = add_originals(r, sccs, own);
    for (size_t i = 0; rc == OM_OK && i < r->out->edge_count; i++)
        r->out->edges[i].marks &= om_tela__first_bits(r->sets);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(r->out, r->sets);
    if (rc == OM_OK)
        rc = om_automaton_finish(r->out);
    om_free(r->heap, own);
    om_free(r->heap, states);
    return rc;
}

static int copies_of_terms(
    const om_automaton *a, om_context *ctx, const om_sccs *sccs, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_walk walk = { .heap = heap };
    om_removal r = { .a = a, .ctx = ctx, .heap = heap, .walk = &walk, .sets = 1 };
    int rc = om_walk__init(&walk, ctx, a);

    r.copy = om_alloc(heap, a->states, sizeof *r.copy);
    if (rc == OM_OK && r.copy == NULL)
        rc = om_fail_memory(ctx);
    if (rc == OM_OK)
        rc = om_tela__like(&r.out, ctx, a);
    if (rc == OM_OK)
        rc = remove_fin(&r, sccs);
    if (rc == OM_OK)
        rc = om_automaton_prune(r.out, ctx, out);
    om_automaton_free(r.out);
    om_free(heap, r.copy);
    om_free(heap, r.terms);
    om_walk__free(&walk);
    return rc;
}

int om_automaton_to_generalized_buchi(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    om_sccs sccs = { 0, NULL, NULL, NULL };
    om_automaton *b = NULL;
    if ((om_automaton_acceptance_classes(a) & OM_ACCEPT_GENERALIZED_BUCHI) != 0)
        return om_tela__copy(out, ctx, a);
    int rc = om_automaton_sccs(a, ctx, &sccs);
    if (rc == OM_OK && om_sccs_strength(&sccs) != OM_STRONG)
        rc = mark_accepting_sccs(a, ctx, &sccs, &b);
    else if (rc == OM_OK) {
        if (om_acc__fins(a->acc, a->acc_length) == 0)
            rc = sets_of_clauses(a, ctx, &b);
        if (rc == OM_OK && b == NULL)
            rc = copies_of_terms(a, ctx, &sccs, &b);
    }
    om_sccs_free(&sccs, om_context_heap(ctx));
    if (rc == OM_OK)
        *out = b;
    return rc;
}
