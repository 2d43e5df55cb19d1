/* SPDX-License-Identifier: Apache-2.0 */
#include "search.h"

#include <stdlib.h>

static void *grown(void *p, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return p;
    *room = 2 * need + 16;
    p = realloc(p, *room * size);
    if (p == NULL)
        abort();
    return p;
}

void digraph_add(digraph *g, uint32_t from, uint32_t to, unsigned marks)
{
    g->arcs = grown(g->arcs, &g->room, g->count + 1, sizeof *g->arcs);
    g->arcs[g->count++] = (arc){ from, to, marks };
}

void digraph_start(digraph *g, uint32_t vertex)
{
    g->initial = grown(g->initial, &g->initial_room, g->initial_count + 1, sizeof *g->initial);
    g->initial[g->initial_count++] = vertex;
}

void digraph_free(digraph *g)
{
    free(g->arcs);
    free(g->initial);
    *g = (digraph){ 0 };
}

condition condition_both(const condition *a, const condition *b, unsigned shift)
{
    condition c = *a;
    c.sets = shift + b->sets;
    if (c.length + b->length + 1 > CONDITION || c.sets > MOST_SETS)
        abort();
    for (size_t i = 0; i < b->length; i++) {
        c.at[c.length] = b->at[i];
        c.at[c.length++].set += shift;
    }
    c.at[c.length++].op = '&';
    return c;
}

bool condition_holds(const condition *c, unsigned marks)
{
    bool stack[CONDITION];
    size_t depth = 0;
    for (size_t i = 0; i < c->length; i++) {
        bool seen = (marks >> c->at[i].set & 1) != 0;
        switch (c->at[i].op) {
        case '&':
            depth--;
            stack[depth - 1] = stack[depth - 1] && stack[depth];
            break;
        case '|':
            depth--;
            stack[depth - 1] = stack[depth - 1] || stack[depth];
            break;
        case 'I':
            stack[depth++] = seen;
            break;
        case 'F':
            stack[depth++] = !seen;
            break;
        default:
            stack[depth++] = c->at[i].op == 't';
        }
    }
    return stack[0];
}

/* ---- Tarjan 1972, with an explicit call stack ---- */

typedef struct tarjan {
    const digraph *g;
    const size_t *first;
    const bool *reachable; /* restricts the search to these vertices and to arcs without these */
    unsigned without;
    uint32_t *index, *low, *stack, *calls, *component;
    size_t *next;
    size_t stacked, depth;
    uint32_t time, components;
} tarjan;

static void enter(tarjan *t, uint32_t v)
{
    t->index[v] = t->low[v] = ++t->time;
    t->next[v] = t->first[v];
    t->stack[t->stacked++] = v;
    t->calls[t->depth++] = v;
}

static void leave(tarjan *t, uint32_t v)
{
    t->depth--;
    if (t->depth > 0 && t->low[v] < t->low[t->calls[t->depth - 1]])
        t->low[t->calls[t->depth - 1]] = t->low[v];
    if (t->low[v] != t->index[v])
        return;
    t->components++;
    do
        t->component[t->stack[--t->stacked]] = t->components;
    while (t->stack[t->stacked] != v);
}

static void visit(tarjan *t, uint32_t start)
{
    enter(t, start);
    while (t->depth > 0) {
        uint32_t v = t->calls[t->depth - 1];
        if (t->next[v] == t->first[v + 1]) {
            leave(t, v);
            continue;
        }
        const arc *a = &t->g->arcs[t->next[v]++];
        if ((a->marks & t->without) != 0)
            continue;
        if (t->index[a->to] == 0)
            enter(t, a->to);
        else if (t->component[a->to] == 0 && t->index[a->to] < t->low[v])
            t->low[v] = t->index[a->to];
    }
}

/* Returns true if, without the arcs that have marks of `without`, the union of the marks of some
 * component satisfies the condition. */
static bool accepts_without(tarjan *t, const condition *c, unsigned without)
{
    uint32_t n = t->g->n;
    bool found = false;
    t->without = without;
    t->time = t->components = 0;
    for (uint32_t v = 0; v < n; v++)
        t->index[v] = t->component[v] = 0;
    for (uint32_t v = 0; v < n; v++)
        if (t->reachable[v] && t->index[v] == 0)
            visit(t, v);
    /* Bit MOST_SETS is set if the component has an arc. */
    unsigned *marks = calloc(n + 1, sizeof *marks);
    if (marks == NULL)
        abort();
    for (size_t i = 0; i < t->g->count; i++) {
        const arc *a = &t->g->arcs[i];
        uint32_t k = t->component[a->from];
        if (k != 0 && k == t->component[a->to] && (a->marks & without) == 0)
            marks[k] |= a->marks | 1u << MOST_SETS;
    }
    for (uint32_t k = 1; k <= t->components; k++)
        found = found || (marks[k] != 0 && condition_holds(c, marks[k] & ~(1u << MOST_SETS)));
    free(marks);
    return found;
}

static int by_source(const void *a, const void *b)
{
    const arc *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static void reach(const digraph *g, const size_t *first, bool *reachable, uint32_t *stack)
{
    size_t depth = 0;
    for (size_t i = 0; i < g->initial_count; i++)
        if (!reachable[g->initial[i]]) {
            reachable[g->initial[i]] = true;
            stack[depth++] = g->initial[i];
        }
    while (depth > 0) {
        uint32_t v = stack[--depth];
        for (size_t k = first[v]; k < first[v + 1]; k++)
            if (!reachable[g->arcs[k].to]) {
                reachable[g->arcs[k].to] = true;
                stack[depth++] = g->arcs[k].to;
            }
    }
}

/*
 * A cycle whose marks are exactly M lies in a component of the graph without the arcs that have
 * other marks, and the marks of that component are M. It therefore suffices to examine all
 * components of all graphs from which the arcs of some Fin sets are removed.
 */
bool digraph_accepts(digraph *g, const condition *c)
{
    bool found = false;
    unsigned fins = 0;
    size_t n = g->n, k = 0;
    size_t *first = calloc(n + 1, sizeof *first);
    bool *reachable = calloc(n + 1, sizeof *reachable);
    uint32_t *room = malloc((5 * n + 5) * sizeof *room);
    size_t *next = malloc((n + 1) * sizeof *next);
    if (!first || !reachable || !room || !next)
        abort();
    if (g->count > 0)
        qsort(g->arcs, g->count, sizeof *g->arcs, by_source);
    for (size_t v = 0; v <= n; v++) {
        while (k < g->count && g->arcs[k].from < v)
            k++;
        first[v] = k;
    }
    reach(g, first, reachable, room);
    for (size_t i = 0; i < c->length; i++)
        if (c->at[i].op == 'F')
            fins |= 1u << c->at[i].set;
    tarjan t = { .g = g,
        .first = first,
        .reachable = reachable,
        .index = room,
        .low = room + n,
        .stack = room + 2 * n,
        .calls = room + 3 * n,
        .component = room + 4 * n,
        .next = next };
    for (unsigned without = 0; without <= fins && !found; without++)
        if ((without & ~fins) == 0)
            found = accepts_without(&t, c, without);
    free(first);
    free(reachable);
    free(room);
    free(next);
    return found;
}
