/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Membership of a lasso word in the language of an automaton. The referees use this function, so it
 * shares no code with the searches that find words and follows the definition: a run reads the
 * stem, and then repeats the loop forever.
 *
 * For the stem the algorithm keeps only the set of states that a run can be in. On the loop a run
 * is at a pair of a state and a position. The reachable pairs, and the edges between them that the
 * label at the position allows, form a graph that is built during the search for strongly connected
 * components (R. Tarjan, Depth-first search and linear graph algorithms, 1972; no recursion). The
 * word is accepted if a closed walk in one of the components satisfies the acceptance formula.
 *
 * Memory: a few words a state of the automaton, and 32 to 56 bytes a reachable pair of the loop.
 */
#include "pair_table.h"
#include "automaton_dfs.h"

#include <assert.h>

/* Value of low_of() for a pair whose component is complete. */
#define FINISHED UINT32_MAX

/* A pair on the current search path, and the next edge to try. */
typedef struct om_visit {
    uint32_t pair, edge;
} om_visit;

typedef struct om_membership {
    const om_automaton *a;
    om_context *ctx;
    const om_heap *heap;
    const om_label *labels; /* of the loop */
    uint32_t length;        /* of the loop, at least 1 */
    om_pair_table pairs;    /* (state, position) in the order of their discovery */
    om_visit *visits;
    size_t depth, visit_capacity;
    uint32_t *open; /* Tarjan's stack: pairs whose component is incomplete */
    size_t open_count, open_capacity;
    bool accepted;
} om_membership;

/* ---- pairs ---- */

/* The lowest number of a pair that is known to be reachable from this one (Tarjan's lowlink). */
static uint32_t *low_of(const om_membership *m, uint32_t pair)
{
    return &m->pairs.at[pair].note;
}

/* Gives the number of a pair; sets *fresh if the pair is new. */
static int number_of(
    om_membership *m, uint32_t state, uint32_t place, uint32_t *number, bool *fresh)
{
    int rc = om_pair_table__number(&m->pairs, state, place, number, fresh);
    if (rc == OM_ELIMIT)
        return om_fail(m->ctx, rc, NULL, "this word is too long for this automaton");
    if (rc == OM_OK && *fresh)
        *low_of(m, *number) = *number;
    return rc == OM_OK ? rc : om_fail_memory(m->ctx);
}

static uint32_t place_after(const om_membership *m, uint32_t place)
{
    assert(place < m->length);
    return place + 1 < m->length ? place + 1 : 0;
}

/* Returns true if the label at the pair's position allows the edge. */
static bool is_allowed(const om_membership *m, const om_pair_table_entry *p, const om_edge *e)
{
    return om_edge_matches(e, m->a->cubes, m->labels[p->second]);
}

/* ---- a component ---- */

/* Sets *to to the number of the target of a pair's edge, which exists. Returns true if the target
 * is in the component, too: all unfinished pairs numbered from the root on are. */
static bool stays(const om_membership *m, const om_pair_table_entry *p, const om_edge *e,
    uint32_t root, uint32_t *to)
{
    *to = om_pair_table__find(&m->pairs, e->dst, place_after(m, p->second));
    return *to >= root && *low_of(m, *to) != FINISHED;
}

/* Adds a pair's edges within the component to a graph whose states are numbered by low_of(). */
static int add_edges(
    const om_membership *m, const om_pair_table_entry *p, uint32_t root, om_automaton *graph)
{
    static const om_cube yes = { 0, 0 };
    int rc = OM_OK;
    uint32_t to;
    for (uint32_t k = m->a->first[p->first]; rc == OM_OK && k < m->a->first[p->first + 1]; k++) {
        const om_edge *e = &m->a->edges[k];
        if (is_allowed(m, p, e) && stays(m, p, e, root, &to))
            rc = om_automaton_add_edge(graph, p->note, *low_of(m, to), e->marks, &yes, 1);
    }
    return rc;
}

/* Creates the component as a graph of its own. */
static int graph_of(
    om_membership *m, const uint32_t *members, uint32_t count, uint32_t root, om_automaton **out)
{
    om_automaton *graph = NULL;
    int rc = om_automaton_new(&graph, m->ctx, 0, NULL);
    if (rc == OM_OK)
        rc = om_automaton_set_acceptance(graph, m->a->sets, m->a->acc, m->a->acc_length);
    if (rc == OM_OK)
        rc = om_automaton_add_states(graph, count, NULL);
    for (uint32_t i = 0; i < count; i++)
        *low_of(m, members[i]) = i; /* the lowlink is no longer needed, and i is not FINISHED */
    for (uint32_t i = 0; rc == OM_OK && i < count; i++)
        rc = add_edges(m, &m->pairs.at[members[i]], root, graph);
    if (rc == OM_OK)
        rc = om_automaton_finish(graph);
    return om_tela__hand_over(rc, graph, out);
}

/* Searches for an accepting closed walk in a part of the component that avoids some Fin. */
static int search_within(om_membership *m, const uint32_t *members, uint32_t count, uint32_t root)
{
    om_automaton *graph = NULL;
    om_automaton_dfs w = { .heap = m->heap };
    om_cycle cycle = { .found = false };
    uint32_t *states = om_alloc(m->heap, count, sizeof *states);
    int rc = states == NULL ? om_fail_memory(m->ctx) : graph_of(m, members, count, root, &graph);

    if (rc == OM_OK)
        rc = om_automaton_dfs__init(&w, m->ctx, graph);
    for (uint32_t i = 0; rc == OM_OK && i < count; i++)
        states[i] = i;
    if (rc == OM_OK)
        rc = om_automaton_dfs__find(&w, states, count, graph->acc, graph->acc_length, &cycle);
    m->accepted = rc == OM_OK && cycle.found;
    om_free(m->heap, cycle.states);
    om_automaton_dfs__free(&w);
    om_automaton_free(graph);
    om_free(m->heap, states);
    return rc;
}

/* Judges a component. A closed walk through the whole component sees all of its marks. If these do
 * not satisfy the formula, a part of the component may: one that avoids the marks of a Fin. */
static int judge(om_membership *m, const uint32_t *members, uint32_t count, uint32_t root)
{
    const om_automaton *a = m->a;
    om_marks marks = 0;
    bool any = false;
    uint32_t to;
    for (uint32_t i = 0; i < count; i++) {
        const om_pair_table_entry *p = &m->pairs.at[members[i]];
        for (uint32_t k = a->first[p->first]; k < a->first[p->first + 1]; k++)
            if (is_allowed(m, p, &a->edges[k]) && stays(m, p, &a->edges[k], root, &to)) {
                marks |= a->edges[k].marks;
                any = true;
            }
    }
    m->accepted = any && om_acc__value(a->acc, a->acc_length, marks, ~marks);
    if (any && !m->accepted && om_acc__value(a->acc, a->acc_length, marks, UINT64_MAX))
        return search_within(m, members, count, root);
    return OM_OK;
}

/* ---- the search ---- */

static int visit(om_membership *m, uint32_t pair)
{
    if (!OM_ROOM(m->heap, m->visits, &m->visit_capacity, m->depth + 1) ||
        !OM_ROOM(m->heap, m->open, &m->open_capacity, m->open_count + 1))
        return om_fail_memory(m->ctx);
    m->visits[m->depth++] = (om_visit){ pair, m->a->first[m->pairs.at[pair].first] };
    m->open[m->open_count++] = pair;
    return OM_OK;
}

/* Called after all edges of the top pair have been tried. If it is the root of its component, the
 * component is complete and consists of the pairs from the root on in m->open. */
static int leave(om_membership *m)
{
    assert(m->depth > 0 && m->open_count >= m->depth);
    uint32_t root = m->visits[--m->depth].pair, low = *low_of(m, root);
    if (m->depth > 0) {
        om_pair_table_entry *parent = &m->pairs.at[m->visits[m->depth - 1].pair];
        parent->note = low < parent->note ? low : parent->note;
    }
    if (low != root)
        return OM_OK;
    size_t begin = m->open_count;
    while (m->open[--begin] != root)
        assert(begin > 0);
    int rc = judge(m, &m->open[begin], (uint32_t) (m->open_count - begin), root);
    for (size_t i = begin; i < m->open_count; i++)
        *low_of(m, m->open[i]) = FINISHED;
    m->open_count = begin;
    return rc;
}

/* Tries the next edge of the top pair, or leaves the pair. */
static int step(om_membership *m)
{
    om_visit *top = &m->visits[m->depth - 1];
    const om_pair_table_entry *p = &m->pairs.at[top->pair];
    uint32_t from = top->pair, to = 0;
    bool fresh = false;
    int rc = om_context_stopped(m->ctx);
    if (rc != OM_OK || top->edge == m->a->first[p->first + 1])
        return rc == OM_OK ? leave(m) : rc;
    const om_edge *e = &m->a->edges[top->edge++];
    if (!is_allowed(m, p, e))
        return OM_OK;
    rc = number_of(m, e->dst, place_after(m, p->second), &to, &fresh);
    if (rc != OM_OK || fresh)
        return rc == OM_OK ? visit(m, to) : rc;
    if (*low_of(m, to) != FINISHED && to < *low_of(m, from))
        *low_of(m, from) = to;
    return OM_OK;
}

static int search_from(om_membership *m, uint32_t state)
{
    uint32_t root;
    bool fresh;
    int rc = number_of(m, state, 0, &root, &fresh);
    if (rc != OM_OK || !fresh)
        return rc;
    rc = visit(m, root);
    while (rc == OM_OK && m->depth > 0 && !m->accepted)
        rc = step(m);
    return rc;
}

/* ---- the stem ---- */

/* A set of states: a list, and for each state the last position at which it was added. */
typedef struct om_front {
    uint32_t *states, *next;
    size_t *put; /* position + 1 */
    uint32_t count;
} om_front;

static void put(om_front *f, uint32_t *list, uint32_t *count, uint32_t state, size_t place)
{
    if (f->put[state] == place + 1)
        return;
    f->put[state] = place + 1;
    list[(*count)++] = state;
}

/* Computes the states at the next position from those at this one. */
static void advance(const om_automaton *a, om_front *f, om_label label, size_t place)
{
    uint32_t count = 0, *was = f->states;
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = a->first[was[i]]; k < a->first[was[i] + 1]; k++)
            if (om_edge_matches(&a->edges[k], a->cubes, label))
                put(f, f->next, &count, a->edges[k].dst, place + 1);
    f->states = f->next;
    f->next = was;
    f->count = count;
}

/* Computes the states in which a run can be at the first position of the loop. */
static int read_stem(
    const om_automaton *a, om_context *ctx, const om_label *labels, size_t loop, om_front *f)
{
    const om_heap *heap = om_context_heap(ctx);
    if (!OM_NEW(heap, f->states, a->states) || !OM_NEW(heap, f->next, a->states) ||
        !OM_NEW(heap, f->put, a->states))
        return om_fail_memory(ctx);
    for (size_t i = 0; i < a->initial_count; i++)
        put(f, f->states, &f->count, a->initial[i], 0);
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < loop && f->count > 0; i++) {
        advance(a, f, labels[i], i);
        rc = om_context_stopped(ctx);
    }
    return rc;
}

int om_automaton_accepts_lasso(const om_automaton *a, om_context *ctx, const om_label *labels,
    size_t n, size_t loop, bool *accepted)
{
    const om_heap *heap = om_context_heap(ctx);
    om_membership m = { .a = a, .ctx = ctx, .heap = heap, .pairs = { .heap = heap } };
    om_front front = { NULL, NULL, NULL, 0 };
    int rc = OM_OK;

    if (loop >= n)
        return om_fail(ctx, OM_EINVAL, NULL, "the loop of the lasso word is empty");
    if (n - loop >= OM_NONE)
        return om_fail(ctx, OM_ELIMIT, NULL, "this word is too long");
    m.labels = labels + loop;
    m.length = (uint32_t) (n - loop);
    rc = read_stem(a, ctx, labels, loop, &front);
    for (uint32_t i = 0; rc == OM_OK && i < front.count && !m.accepted; i++)
        rc = search_from(&m, front.states[i]);
    if (rc == OM_OK)
        *accepted = m.accepted;
    OM_FREE_ALL(m.heap, front.states, front.next, front.put);
    om_pair_table__free(&m.pairs);
    OM_FREE_ALL(m.heap, m.visits, m.open);
    return rc;
}
