/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emptiness check, and an accepted word if there is one: a breadth-first path to the accepting
 * cycle found, then inside the cycle from each missing mark to the nearest edge with another one,
 * and back. Each edge contributes the letter of its first cube, with open APs false. The word is
 * short, but not necessarily shortest; membership.c judges it independently of this code.
 */
#include "automaton_dfs.h"

#include <assert.h>

/* Finds a reachable accepting cycle, if there is one; w is that of a. */
static int find_cycle(om_automaton_dfs *w, om_cycle *out)
{
    om_scc_list list = { NULL, NULL, 0 };
    int rc = om_automaton_dfs__reachable_sccs(w, &list);

    *out = (om_cycle){ .found = false };
    for (uint32_t k = 0, begin = 0; rc == OM_OK && k < list.count && !out->found; k++) {
        rc = om_automaton_dfs__find(
            w, &list.states[begin], list.end[k] - begin, w->a->acc, w->a->acc_length, out);
        begin = list.end[k];
    }
    om_scc_list__free(&list, w->heap);
    return rc;
}

typedef struct word_path {
    om_automaton_dfs *w;
    const om_cycle *cycle;
    om_label *labels;
    size_t count, capacity;
    om_marks seen; /* on the edges since the start of the loop */
    bool inside;   /* use only edges of the cycle */
} word_path;

/* The goal of a path: an edge with one of these marks, an edge into this state, or (with neither)
 * an edge into a state of the cycle. */
typedef struct word_goal {
    om_marks marks;
    uint32_t target;
} word_goal;

static bool in_cycle(const om_automaton_dfs *w, uint32_t s)
{
    /* om_automaton_dfs__marks() was called with the cycle's states. */
    return w->region[s] == w->regions;
}

static bool is_goal(const word_path *t, const om_edge *e, const word_goal *g)
{
    if (g->marks != 0)
        return (e->marks & g->marks) != 0;
    return g->target != OM_NONE ? e->dst == g->target : in_cycle(t->w, e->dst);
}

/* Appends the edges that lead to `last`, and `last`. w->low holds the edge by which a state was
 * reached, OM_NONE for the start states. */
static int append(word_path *t, uint32_t last)
{
    const om_automaton *a = t->w->a;
    size_t more = 1;
    for (uint32_t e = last; t->w->low[a->edges[e].src] != OM_NONE; more++)
        e = t->w->low[a->edges[e].src];
    if (!OM_ROOM(t->w->heap, t->labels, &t->capacity, t->count + more))
        return om_fail_memory(t->w->ctx);
    t->count += more;
    uint32_t e = last;
    for (size_t i = 1; i <= more; i++) {
        t->labels[t->count - i] = a->cubes[a->edges[e].cube_begin].pos;
        t->seen |= a->edges[e].marks;
        e = t->w->low[a->edges[e].src];
    }
    return OM_OK;
}

/* Searches breadth-first from the states w->call[0 .. count) to the nearest goal; *at becomes the
 * target of its edge. */
static int bfs(word_path *t, uint32_t count, word_goal goal, uint32_t *at)
{
    om_automaton_dfs *w = t->w;
    const om_automaton *a = w->a;
    for (uint32_t s = 0; s < a->states; s++)
        w->number[s] = 0;
    for (uint32_t i = 0; i < count; i++) {
        w->number[w->call[i]] = 1;
        w->low[w->call[i]] = OM_NONE;
    }
    for (uint32_t i = 0; i < count; i++) {
        int rc = om_context_stopped(w->ctx);
        if (rc != OM_OK)
            return rc;
        for (uint32_t k = a->first[w->call[i]]; k < a->first[w->call[i] + 1]; k++) {
            const om_edge *e = &a->edges[k];
            if (t->inside && !om_automaton_dfs__inside(w, e, t->cycle->avoid))
                continue;
            if (is_goal(t, e, &goal)) {
                *at = e->dst;
                return append(t, k);
            }
            if (w->number[e->dst] != 0)
                continue;
            w->number[e->dst] = 1;
            w->low[e->dst] = k;
            w->call[count++] = e->dst;
        }
    }
    return om_fail(w->ctx, OM_EINTERNAL, NULL, "an accepting cycle cannot be closed");
}

/* Walks to a state of the cycle, *start. */
static int walk_stem(word_path *t, uint32_t *start)
{
    const om_automaton *a = t->w->a;
    uint32_t count = 0;
    for (size_t i = 0; i < a->initial_count; i++) {
        *start = a->initial[i];
        if (in_cycle(t->w, *start))
            return OM_OK;
        t->w->call[count++] = *start;
    }
    return bfs(t, count, (word_goal){ 0, OM_NONE }, start);
}

/* Walks from `start` through an edge with each mark of the cycle and back. */
static int walk_loop(word_path *t, uint32_t start, om_marks marks)
{
    uint32_t at = start;
    bool moved = false;
    int rc = OM_OK;

    t->inside = true;
    t->seen = 0;
    while (rc == OM_OK && (t->seen & marks) != marks) {
        t->w->call[0] = at;
        rc = bfs(t, 1, (word_goal){ marks & ~t->seen, OM_NONE }, &at);
        assert(rc != OM_OK || (t->seen & marks) != 0);
        moved = true;
    }
    if (rc == OM_OK && (at != start || !moved)) {
        t->w->call[0] = at;
        rc = bfs(t, 1, (word_goal){ 0, start }, &at);
    }
    return rc;
}

static int make_word(om_automaton_dfs *w, const om_cycle *cycle, om_word *word)
{
    word_path t = { .w = w, .cycle = cycle };
    om_marks marks = 0;
    uint32_t start = 0;
    (void) om_automaton_dfs__marks(w, cycle->states, cycle->count, cycle->avoid, &marks);
    int rc = walk_stem(&t, &start);
    size_t loop = t.count;
    if (rc == OM_OK)
        rc = walk_loop(&t, start, marks);
    assert(rc != OM_OK || t.count > loop);
    if (rc == OM_OK)
        *word = (om_word){ t.labels, t.count, loop };
    else
        om_free(w->heap, t.labels);
    return rc;
}

int om_automaton_empty(const om_automaton *a, om_context *ctx, bool *empty, om_word *word)
{
    om_automaton_dfs w = { .heap = om_context_heap(ctx) };
    om_cycle cycle = { .found = false };
    int rc = om_automaton_dfs__init(&w, ctx, a);

    if (rc == OM_OK)
        rc = find_cycle(&w, &cycle);
    if (rc == OM_OK && cycle.found && word != NULL)
        rc = make_word(&w, &cycle, word);
    if (rc == OM_OK)
        *empty = !cycle.found;
    om_free(w.heap, cycle.states);
    om_automaton_dfs__free(&w);
    return rc;
}
