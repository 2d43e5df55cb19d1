/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions of acceptance that replace the marks on the same edges: states are neither added nor
 * removed.
 *
 * Generalized Rabin is a disjunctive normal form in which each clause has one Fin, that of the
 * union of its Fin sets (V. Bloemen, A. Duret-Lutz, J. van de Pol, Model checking with generalized
 * Rabin and Fin-less automata (STTT 2019), section 2). Streett is a conjunctive normal form in
 * which each clause has one Inf, that of the union of its Inf sets, and one Fin. A clause with
 * several Fin has no such form: if Streett acceptance holds for each of several cycles it holds for
 * their union, and this is false for Fin(i) | Fin(j). Missing literals are added: the Fin of a set
 * without edges or of one with all edges, or the Inf of a set without edges.
 *
 * The formula is simplified first under the facts about the edges inside SCCs (acceptance_facts.c).
 */
#include "rabin_streett.h"

#include "components/automaton_dfs.h"

#include <assert.h>

/* ---- formulas ---- */

/* A new set: the union of some of the automaton's sets, or all edges. */
typedef struct om_union {
    om_marks of;
    bool all;
} om_union;

typedef struct om_form {
    om_context *ctx;
    const om_heap *heap;
    om_union set[OM_MAX_SETS];
    uint32_t sets;
    om_acc *f;
    size_t length, capacity, clauses;
    const char *lacks; /* the reason why there is no such form; or NULL */
} om_form;

static void form_free(om_form *m)
{
    om_free(m->heap, m->f);
    m->f = NULL;
}

static int put(om_form *m, om_acc_op op, uint32_t set)
{
    if (!OM_ROOM(m->heap, m->f, &m->capacity, m->length + 1))
        return om_fail_memory(m->ctx);
    m->f[m->length++] = (om_acc){ (uint8_t) op, (uint8_t) set };
    return OM_OK;
}

/* Appends a literal about a union of sets; the union gets a number on its first use. */
static int put_set(om_form *m, om_acc_op op, om_union u)
{
    uint32_t k = 0;
    while (k < m->sets && (m->set[k].of != u.of || m->set[k].all != u.all))
        k++;
    if (k == OM_MAX_SETS) {
        m->lacks = "more than 64 sets";
        return OM_OK;
    }
    if (k == m->sets)
        m->set[m->sets++] = u;
    return put(m, op, k);
}

/* Collects the facts about all edges inside reachable SCCs. */
static int all_facts(const om_automaton *a, om_context *ctx, om_acc_facts *facts)
{
    om_automaton_dfs w = { .heap = om_context_heap(ctx) };
    om_scc_list list = { NULL, NULL, 0 };
    int rc = om_automaton_dfs__init(&w, ctx, a);

    om_acc_facts__begin(facts);
    if (rc == OM_OK)
        rc = om_automaton_dfs__reachable_sccs(&w, &list);
    for (uint32_t k = 0, begin = 0; rc == OM_OK && k < list.count; begin = list.end[k++])
        om_automaton_dfs__add_facts(&w, &list.states[begin], list.end[k] - begin, facts);
    om_acc_facts__end(facts);
    om_scc_list__free(&list, w.heap);
    om_automaton_dfs__free(&w);
    return rc;
}

/* Gives the simplified disjuncts of the formula, or of its negation; *terms is NULL if too many. */
static int disjuncts(const om_automaton *a, om_context *ctx, bool negated, size_t most,
    om_acc_term **terms, size_t *count)
{
    const om_heap *heap = om_context_heap(ctx);
    om_acc_facts facts;
    om_acc *f = NULL;
    int rc = all_facts(a, ctx, &facts);
    if (rc == OM_OK && negated && (f = om_alloc(heap, a->acc_length, sizeof *f)) == NULL)
        rc = om_fail_memory(ctx);
    if (rc == OM_OK && negated)
        om_acc__negate(a->acc, a->acc_length, f);
    if (rc == OM_OK)
        rc = om_acc__dnf(ctx, negated ? f : a->acc, a->acc_length, &facts, most, terms, count);
    om_free(heap, f);
    return rc;
}

static int put_rabin(om_form *m, const om_acc_term *t)
{
    int rc = put_set(m, OM_ACC_FIN, (om_union){ t->fin, false });
    for (om_marks rest = t->inf; rc == OM_OK && m->lacks == NULL && rest != 0; rest &= rest - 1) {
        rc = put_set(m, OM_ACC_INF, (om_union){ rest & -rest, false });
        if (rc == OM_OK)
            rc = put(m, OM_ACC_AND, 0);
    }
    return rc;
}

/* `t` is the negation of the clause: its Fin becomes Inf, and its Inf becomes Fin. */
static int put_streett(om_form *m, const om_acc_term *t)
{
    assert((t->inf & t->fin) == 0);
    if ((t->inf & (t->inf - 1)) != 0) {
        m->lacks = "several Fin in a clause";
        return OM_OK;
    }
    int rc = put_set(m, OM_ACC_FIN, (om_union){ t->inf, t->inf == 0 });
    if (rc == OM_OK && m->lacks == NULL)
        rc = put_set(m, OM_ACC_INF, (om_union){ t->fin, false });
    return rc == OM_OK ? put(m, OM_ACC_OR, 0) : rc;
}

/* No disjunct: the formula, or its negation, is false. If set 0 has no edges, Fin(0) & Inf(0) is
 * false and Fin(0) | Inf(0) is true. */
static int put_constant(om_form *m, om_acc_op op)
{
    int rc = put_set(m, OM_ACC_FIN, (om_union){ 0, false });
    if (rc == OM_OK)
        rc = put_set(m, OM_ACC_INF, (om_union){ 0, false });
    m->clauses = 1;
    return rc == OM_OK ? put(m, op, 0) : rc;
}

/* Builds the formula in one of the two forms; sets m->lacks if it has none. The caller frees *m. */
static int make_form(const om_automaton *a, om_context *ctx, uint32_t class, om_form *m)
{
    const bool streett = class == OM_ACCEPT_STREETT;
    om_acc_term *terms = NULL;
    size_t count = 0;
    *m = (om_form){ .ctx = ctx, .heap = om_context_heap(ctx) };
    int rc = disjuncts(a, ctx, streett, OM_MOST_TERMS, &terms, &count);
    if (rc == OM_OK && terms == NULL)
        m->lacks = "more than 4096 clauses";
    for (size_t i = 0; rc == OM_OK && m->lacks == NULL && i < count; i++) {
        rc = streett ? put_streett(m, &terms[i]) : put_rabin(m, &terms[i]);
        if (rc == OM_OK && m->lacks == NULL && i > 0)
            rc = put(m, streett ? OM_ACC_AND : OM_ACC_OR, 0);
    }
    m->clauses = count;
    if (rc == OM_OK && m->lacks == NULL && count == 0)
        rc = put_constant(m, streett ? OM_ACC_OR : OM_ACC_AND);
    om_free(m->heap, terms);
    return rc;
}

int om_automaton__clauses(const om_automaton *a, om_context *ctx, om_clause_counts *out)
{
    om_form m;
    int rc = make_form(a, ctx, OM_ACCEPT_RABIN, &m);
    *out = (om_clause_counts){ 0, 0 };
    out->rabin = m.lacks == NULL ? m.clauses : 0;
    form_free(&m);
    if (rc == OM_OK) {
        rc = make_form(a, ctx, OM_ACCEPT_STREETT, &m);
        out->streett = m.lacks == NULL ? m.clauses : 0;
        form_free(&m);
    }
    return rc;
}

/* ---- marks ---- */

static om_marks marks_in(const om_form *m, om_marks marks)
{
    om_marks now = 0;
    for (uint32_t k = 0; k < m->sets; k++)
        if (m->set[k].all || (m->set[k].of & marks) != 0)
            now |= UINT64_C(1) << k;
    return now;
}

static int apply(const om_automaton *a, om_context *ctx, const om_form *m, om_automaton **out)
{
    om_automaton *b = NULL;
    int rc = om_tela__copy(&b, ctx, a);
    if (rc == OM_OK)
        rc = om_tela__set_acceptance(b, m->sets, m->f, m->length);
    for (size_t i = 0; rc == OM_OK && i < b->edge_count; i++)
        b->edges[i].marks = marks_in(m, b->edges[i].marks);
    return om_tela__hand_over(rc, b, out);
}

/* Changes only marks if possible; else converts to generalized Buchi first, which has both
 * forms. */
static int convert(const om_automaton *a, om_context *ctx, uint32_t class, om_automaton **out)
{
    om_automaton *general = NULL;
    om_form m;
    if ((om_automaton_acceptance_classes(a) & class) != 0)
        return om_tela__copy(out, ctx, a);
    int rc = make_form(a, ctx, class, &m);
    if (rc == OM_OK && m.lacks != NULL) {
        form_free(&m);
        rc = om_automaton_to_generalized_buchi(a, ctx, &general);
        if (rc != OM_OK)
            return rc;
        rc = make_form(general, ctx, class, &m);
    }
    if (rc == OM_OK && m.lacks != NULL)
        rc = om_fail(ctx, OM_ELIMIT, NULL, "the acceptance formula has %s in its %s form", m.lacks,
            class == OM_ACCEPT_STREETT ? "Streett" : "generalized Rabin");
    if (rc == OM_OK)
        rc = apply(general == NULL ? a : general, ctx, &m, out);
    form_free(&m);
    om_automaton_free(general);
    return rc;
}

int om_automaton_to_rabin(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    return convert(a, ctx, OM_ACCEPT_RABIN, out);
}

int om_automaton_to_streett(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    return convert(a, ctx, OM_ACCEPT_STREETT, out);
}

int om_automaton__mark_sccs(
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
    return om_tela__hand_over(rc, b, out);
}

int om_automaton__mark_clauses(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    om_acc_term *clauses = NULL;
    size_t count = 0;
    /* The disjuncts of the negation are the negated clauses: conjunctions of Fin. */
    int rc = disjuncts(a, ctx, true, OM_MAX_SETS, &clauses, &count);
    om_form m = { .ctx = ctx, .heap = om_context_heap(ctx) };

    for (size_t i = 0; rc == OM_OK && clauses != NULL && i < count; i++) {
        assert(clauses[i].inf == 0 && m.sets < OM_MAX_SETS);
        m.set[m.sets++] = (om_union){ clauses[i].fin, false };
        rc = put(&m, OM_ACC_INF, (uint32_t) i);
        if (rc == OM_OK && i > 0)
            rc = put(&m, OM_ACC_AND, 0);
    }
    if (rc == OM_OK && clauses != NULL && count == 0)
        rc = put(&m, OM_ACC_TRUE, 0);
    if (rc == OM_OK && clauses != NULL)
        rc = apply(a, ctx, &m, out);
    form_free(&m);
    om_free(m.heap, clauses);
    return rc;
}
