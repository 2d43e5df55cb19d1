/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches over an automaton. All searches share the arrays of om_automaton_dfs, one after the
 * other. `region` identifies the set of states of the last call (each set gets a new number, so the
 * array is never cleared). `number` and `low` are Tarjan's within that set; `call`, `stack` and
 * `cursor` replace recursion.
 *
 * W1  A state is visited once, so that no array has more entries than there are states.
 * W2  The components of a list are disjoint and contain all of its states.
 */
#include "automaton_dfs.h"

#include <assert.h>
#include <string.h>

/* The `number` of a state whose component is complete. */
#define FINISHED UINT32_MAX

int om_automaton_dfs__init(om_automaton_dfs *w, om_context *ctx, const om_automaton *a)
{
    const om_heap *heap = om_context_heap(ctx);
    *w = (om_automaton_dfs){ .a = a, .ctx = ctx, .heap = heap };
    if (OM_NEW(heap, w->region, a->states) && OM_NEW(heap, w->number, a->states) &&
        OM_NEW(heap, w->low, a->states) && OM_NEW(heap, w->cursor, a->states) &&
        OM_NEW(heap, w->call, a->states) && OM_NEW(heap, w->stack, a->states))
        return OM_OK;
    om_automaton_dfs__free(w);
    return om_fail_memory(ctx);
}

void om_automaton_dfs__free(om_automaton_dfs *w)
{
    OM_FREE_ALL(w->heap, w->region, w->number, w->low, w->cursor, w->call, w->stack);
    w->region = NULL;
    w->number = w->low = w->cursor = w->call = w->stack = NULL;
}

void om_scc_list__free(om_scc_list *p, const om_heap *heap)
{
    OM_FREE_ALL(heap, p->states, p->end);
    *p = (om_scc_list){ NULL, NULL, 0 };
}

/* Gives every state reachable from an initial state; the caller frees *states. */
static int reachable(om_automaton_dfs *w, uint32_t **states, uint32_t *count)
{
    const om_automaton *a = w->a;
    uint64_t region = ++w->regions;
    uint32_t n = 0;
    uint32_t *list = om_alloc(w->heap, a->states, sizeof *list);
    if (list == NULL)
        return om_fail_memory(w->ctx);
    for (size_t i = 0; i < a->initial_count; i++)
        if (w->region[a->initial[i]] != region) {
            w->region[a->initial[i]] = region;
            list[n++] = a->initial[i];
        }
    for (uint32_t i = 0; i < n && om_context_stopped(w->ctx) == OM_OK; i++)
        for (uint32_t e = a->first[list[i]]; e < a->first[list[i] + 1]; e++) {
            uint32_t to = a->edges[e].dst;
            if (w->region[to] == region)
                continue;
            w->region[to] = region;
            assert(n < a->states); /* W1 */
            list[n++] = to;
        }
    int rc = om_context_stopped(w->ctx);
    if (rc == OM_OK) {
        *states = list;
        *count = n;
    } else
        om_free(w->heap, list);
    return rc;
}

/* ---- components: R. Tarjan, Depth-first search and linear graph algorithms (1972) ---- */

/* Puts the states into a new region, which om_automaton_dfs__inside() tests. */
static void enter(om_automaton_dfs *w, const uint32_t *states, uint32_t count)
{
    w->regions++;
    for (uint32_t i = 0; i < count; i++)
        w->region[states[i]] = w->regions;
}

bool om_automaton_dfs__inside(const om_automaton_dfs *w, const om_edge *e, om_marks avoid)
{
    return w->region[e->dst] == w->regions && w->region[e->src] == w->regions &&
           (e->marks & avoid) == 0;
}

typedef struct om_tarjan {
    om_marks avoid;
    uint32_t next, depth, height, done;
} om_tarjan;

static void visit(om_automaton_dfs *w, om_tarjan *t, uint32_t s)
{
    assert(t->depth <= t->height && t->height < w->a->states); /* W1 */
    w->number[s] = w->low[s] = ++t->next;
    w->cursor[s] = w->a->first[s];
    w->call[t->depth++] = s;
    w->stack[t->height++] = s;
}

/* Leaves the state on top of the call stack; completes a component if the state is its root. */
static void leave(om_automaton_dfs *w, om_tarjan *t, om_scc_list *out)
{
    uint32_t s = w->call[--t->depth];
    if (t->depth > 0) {
        uint32_t parent = w->call[t->depth - 1];
        if (w->low[s] < w->low[parent])
            w->low[parent] = w->low[s];
    }
    if (w->low[s] != w->number[s])
        return;
    uint32_t member = 0;
    do {
        assert(t->height > 0);
        member = w->stack[--t->height];
        w->number[member] = FINISHED;
        out->states[t->done++] = member;
    } while (member != s);
    out->end[out->count++] = t->done;
}

static int search_from(om_automaton_dfs *w, om_tarjan *t, uint32_t root, om_scc_list *out)
{
    int rc = OM_OK;
    visit(w, t, root);
    while (rc == OM_OK && t->depth > 0) {
        uint32_t s = w->call[t->depth - 1];
        if (w->cursor[s] == w->a->first[s + 1]) {
            leave(w, t, out);
            rc = om_context_stopped(w->ctx);
            continue;
        }
        const om_edge *e = &w->a->edges[w->cursor[s]++];
        if (!om_automaton_dfs__inside(w, e, t->avoid))
            continue;
        if (w->number[e->dst] == 0)
            visit(w, t, e->dst);
        else if (w->number[e->dst] != FINISHED && w->number[e->dst] < w->low[s])
            w->low[s] = w->number[e->dst];
    }
    return rc;
}

int om_automaton_dfs__sccs(
    om_automaton_dfs *w, const uint32_t *states, uint32_t count, om_marks avoid, om_scc_list *out)
{
    om_tarjan t = { .avoid = avoid };
    om_scc_list list = { om_alloc(w->heap, count, sizeof *list.states),
        om_alloc(w->heap, count, sizeof *list.end), 0 };
    int rc = list.states == NULL || list.end == NULL ? om_fail_memory(w->ctx) : OM_OK;
    if (rc == OM_OK)
        enter(w, states, count);
    for (uint32_t i = 0; rc == OM_OK && i < count; i++)
        w->number[states[i]] = 0;
    for (uint32_t i = 0; rc == OM_OK && i < count; i++)
        if (w->number[states[i]] == 0)
            rc = search_from(w, &t, states[i], &list);
    assert(rc != OM_OK || (t.done == count && t.height == 0)); /* W2 */
    if (rc == OM_OK)
        *out = list;
    else
        om_scc_list__free(&list, w->heap);
    return rc;
}

int om_automaton_dfs__reachable_sccs(om_automaton_dfs *w, om_scc_list *out)
{
    uint32_t *states = NULL, count = 0;
    int rc = reachable(w, &states, &count);
    if (rc == OM_OK)
        rc = om_automaton_dfs__sccs(w, states, count, 0, out);
    om_free(w->heap, states);
    return rc;
}

/* ---- cycles ---- */

bool om_automaton_dfs__marks(
    om_automaton_dfs *w, const uint32_t *states, uint32_t count, om_marks avoid, om_marks *marks)
{
    const om_automaton *a = w->a;
    bool any = false;
    *marks = 0;
    enter(w, states, count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t e = a->first[states[i]]; e < a->first[states[i] + 1]; e++)
            if (om_automaton_dfs__inside(w, &a->edges[e], avoid)) {
                *marks |= a->edges[e].marks;
                any = true;
            }
    return any;
}

void om_automaton_dfs__add_facts(
    om_automaton_dfs *w, const uint32_t *states, uint32_t count, om_acc_facts *facts)
{
    const om_automaton *a = w->a;
    enter(w, states, count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t e = a->first[states[i]]; e < a->first[states[i] + 1]; e++)
            if (om_automaton_dfs__inside(w, &a->edges[e], 0))
                om_acc_facts__add(facts, a->edges[e].marks);
}

int om_automaton_dfs__backwards(om_automaton_dfs *w, bool *keep)
{
    const om_automaton *a = w->a;
    uint32_t n = 0;
    uint32_t *first = om_alloc(w->heap, (size_t) a->states + 1, sizeof *first);
    uint32_t *sources = om_alloc(w->heap, a->edge_count, sizeof *sources);
    int rc = first == NULL || sources == NULL ? om_fail_memory(w->ctx) : OM_OK;

    /* Sort edges by target; first[s] becomes the index of the first edge into s. */
    for (size_t i = 0; rc == OM_OK && i < a->edge_count; i++)
        first[a->edges[i].dst]++;
    for (uint32_t s = 0; rc == OM_OK && s < a->states; s++)
        first[s + 1] += first[s];
    for (size_t i = 0; rc == OM_OK && i < a->edge_count; i++)
        sources[--first[a->edges[i].dst]] = a->edges[i].src;
    for (uint32_t s = 0; rc == OM_OK && s < a->states; s++)
        if (keep[s])
            w->call[n++] = s;
    for (uint32_t i = 0; rc == OM_OK && i < n; i++) {
        for (uint32_t k = first[w->call[i]]; k < first[w->call[i] + 1]; k++)
            if (!keep[sources[k]]) {
                assert(n < a->states); /* W1 */
                keep[sources[k]] = true;
                w->call[n++] = sources[k];
            }
        rc = om_context_stopped(w->ctx);
    }
    OM_FREE_ALL(w->heap, first, sources);
    return rc;
}
