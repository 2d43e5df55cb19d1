/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search for a cycle that satisfies a formula. For any formula, after C. Baier, F. Blahoudek, A.
 * Duret-Lutz, J. Klein, D. Mueller and J. Strejcek, Generic emptiness check for fun and profit
 * (ATVA 2019). A component whose marks, taken together, satisfy the formula is a witness. Otherwise
 * the search examines the parts of the formula that must all hold (goals):
 *
 *   a conjunction   becomes two goals;
 *   a disjunction   is replaced by one operand if the other cannot hold; otherwise each of the two
 *                   operands is searched for;
 *   Fin(i)          set i is avoided: its edges are removed, and the rest of the component is
 *                   divided into components, in which the same goals are searched for;
 *   Inf(i)          the set has no edge here, and never will: there is no such cycle.
 *
 * If a search with Fin(i) has found nothing, any other cycle has an edge of set i: Fin(i) is denied
 * from then on. Sets are avoided on at most 64 levels. Between two of them the recursion is as deep
 * as disjunctions nest in the shorter operands of others, which is logarithmic in the formula.
 *
 * Effort. Each search is linear in the component. A disjunctive normal form takes one search for
 * each clause and each set that it avoids. In a Streett condition, each clause that does not hold
 * has only one operand that can, so the search never branches: it takes at most as many searches as
 * there are clauses on each of as many levels. For other formulas it may be exponential in the sets
 * of Fin, because the problem is NP-complete (E. A. Emerson, C.-L. Lei, SCP 1987); the limits of
 * the context end it.
 */
#include "automaton_dfs.h"

#include <assert.h>
#include <string.h>

/* A part of a formula in postfix, which is a formula in postfix too. */
typedef struct om_goal {
    const om_acc *f;
    size_t length;
} om_goal;

typedef struct om_goals {
    om_goal *at;
    size_t count, capacity;
} om_goals;

typedef struct cycle_search {
    om_automaton_dfs *w;
    om_cycle *out;
} cycle_search;

/* The part of the graph that a search covers: a component without the edges in `avoid`. */
typedef struct subgraph {
    const uint32_t *states;
    uint32_t count;
    om_marks avoid, denied;
    om_marks marks; /* of the remaining edges */
} subgraph;

static bool holds(const om_goal *g, const subgraph *p)
{
    return om_acc__value(g->f, g->length, p->marks, ~p->marks);
}

/* Returns true if the goal could hold after more sets are avoided. */
static bool can_hold(const om_goal *g, const subgraph *p)
{
    return om_acc__value(g->f, g->length, p->marks, ~p->marks | ~p->denied);
}

static uint8_t operator_of(const om_goal *g)
{
    return g->f[g->length - 1].op;
}

/* Splits an AND or OR into its operands. */
static void divide(const om_goal *g, om_goal *left, om_goal *right)
{
    size_t begin = g->length - 1;
    for (size_t open = 1; open > 0;) {
        assert(begin > 0); /* A4 */
        begin--;
        if (g->f[begin].op == OM_ACC_AND || g->f[begin].op == OM_ACC_OR)
            open++;
        else
            open--;
    }
    assert(begin > 0); /* A4 */
    *right = (om_goal){ g->f + begin, g->length - 1 - begin };
    *left = (om_goal){ g->f, begin };
}

static int add_goal(const cycle_search *q, om_goals *to, om_goal g)
{
    if (!OM_ROOM(q->w->heap, to->at, &to->capacity, to->count + 1))
        return om_fail_memory(q->w->ctx);
    to->at[to->count++] = g;
    return OM_OK;
}

static int keep_witness(const cycle_search *q, const subgraph *p)
{
    uint32_t *copy = om_alloc(q->w->heap, p->count, sizeof *copy);
    if (copy == NULL)
        return om_fail_memory(q->w->ctx);
    memcpy(copy, p->states, p->count * sizeof *copy);
    *q->out = (om_cycle){ true, copy, p->count, p->avoid, p->marks };
    return OM_OK;
}

static int search(const cycle_search *q, subgraph p, om_goals *goals);

/* Searches a region for these goals; if `instead_of` is not NULL, *other replaces it. */
static int search_for(const cycle_search *q, const subgraph *p, const om_goals *goals,
    const om_goal *instead_of, const om_goal *other)
{
    om_goals copy = { NULL, 0, 0 };
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < goals->count; i++)
        rc = add_goal(q, &copy, &goals->at[i] == instead_of ? *other : goals->at[i]);
    if (rc == OM_OK)
        rc = search(q, *p, &copy);
    om_free(q->w->heap, copy.at);
    return rc;
}

/* Searches for the same goals in the components that remain without the edges of one more set. */
static int search_without(
    const cycle_search *q, const subgraph *p, om_marks set, const om_goals *goals)
{
    om_scc_list list = { NULL, NULL, 0 };
    subgraph part = { .avoid = p->avoid | set, .denied = p->denied };
    assert((p->marks & set) != 0 && (p->avoid & set) == 0);
    int rc = om_automaton_dfs__sccs(q->w, p->states, p->count, part.avoid, &list);
    for (uint32_t k = 0, begin = 0; rc == OM_OK && k < list.count && !q->out->found; k++) {
        part.states = &list.states[begin];
        part.count = list.end[k] - begin;
        begin = list.end[k];
        rc = search_for(q, &part, goals, NULL, NULL);
    }
    om_scc_list__free(&list, q->w->heap);
    return rc;
}

/* Replaces a disjunction that does not hold yet by one of its operands. If both can hold, the other
 * one is searched for first: the shorter one, to keep the recursion shallow. */
static int narrow(const cycle_search *q, subgraph *p, om_goals *goals, om_goal *g)
{
    om_goal shorter, longer;
    int rc = OM_OK;
    assert(operator_of(g) == OM_ACC_OR && !holds(g, p));
    divide(g, &shorter, &longer);
    if (shorter.length > longer.length) {
        om_goal swapped = shorter;
        shorter = longer;
        longer = swapped;
    }
    if (!can_hold(&longer, p)) {
        *g = shorter;
        return OM_OK;
    }
    if (can_hold(&shorter, p)) {
        rc = search_for(q, p, goals, g, &shorter);
        if (shorter.f->op == OM_ACC_FIN && shorter.length == 1)
            p->denied |= UINT64_C(1) << shorter.f->set;
    }
    *g = longer;
    return rc;
}

/* Returns a goal that does not hold yet, preferably not a disjunction; NULL if all hold. Sets
 * *hopeless if one cannot hold. */
static om_goal *unmet(const om_goals *goals, const subgraph *p, bool *hopeless)
{
    om_goal *found = NULL;
    *hopeless = false;
    for (size_t i = 0; i < goals->count && !*hopeless; i++) {
        om_goal *g = &goals->at[i];
        if (holds(g, p))
            continue;
        *hopeless = !can_hold(g, p);
        if (found == NULL || (operator_of(found) == OM_ACC_OR && operator_of(g) != OM_ACC_OR))
            found = g;
    }
    return found;
}

/* Searches a region for the goals, which it modifies. */
static int search(const cycle_search *q, subgraph p, om_goals *goals)
{
    int rc = om_context_stopped(q->w->ctx);
    if (rc != OM_OK || !om_automaton_dfs__marks(q->w, p.states, p.count, p.avoid, &p.marks))
        return rc;
    while (rc == OM_OK && !q->out->found) {
        bool hopeless;
        om_goal right, *g = unmet(goals, &p, &hopeless);
        if (g == NULL)
            return keep_witness(q, &p);
        if (hopeless)
            return OM_OK;
        if (operator_of(g) == OM_ACC_FIN)
            return search_without(q, &p, UINT64_C(1) << g->f->set, goals);
        if (operator_of(g) == OM_ACC_OR) {
            rc = narrow(q, &p, goals, g);
            continue;
        }
        assert(operator_of(g) == OM_ACC_AND); /* no other goal is unmet and can hold */
        divide(g, g, &right);
        rc = add_goal(q, goals, right);
    }
    return rc;
}

int om_automaton_dfs__find(om_automaton_dfs *w, const uint32_t *states, uint32_t count,
    const om_acc *f, size_t length, om_cycle *out)
{
    const cycle_search q = { w, out };
    const subgraph everywhere = { .states = states, .count = count };
    const om_goal all = { f, length };
    om_goals goals = { NULL, 0, 0 };
    *out = (om_cycle){ .found = false };
    int rc = add_goal(&q, &goals, all);
    if (rc == OM_OK)
        rc = search(&q, everywhere, &goals);
    om_free(w->heap, goals.at);
    return rc;
}
