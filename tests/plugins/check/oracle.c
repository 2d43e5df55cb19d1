/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle.h"

#include <stdlib.h>

static bool satisfied(const om_automaton *a, const om_edge *e, uint64_t label)
{
    for (uint32_t i = 0; i < e->cube_count; i++) {
        om_cube c = om_automaton_cubes(a)[e->cube_begin + i];
        if ((label & c.pos) == c.pos && (label & c.neg) == 0)
            return true;
    }
    return false;
}

static uint64_t label_of(const graph *g, uint32_t s, uint32_t deadlock_ap)
{
    uint64_t label = g->label[s];
    if (deadlock_ap != OM_NONE) {
        label &= ~(UINT64_C(1) << deadlock_ap);
        if (g->out[s] == 0)
            label |= UINT64_C(1) << deadlock_ap;
    }
    return label;
}

/* Adds an arc unless the state has an equal one; counts it in moves in both cases. */
static void add(oracle *o, size_t *room, uint32_t from, uint32_t *count, arc x)
{
    o->moves[from]++;
    for (uint32_t i = o->first[from]; i < *count; i++)
        if (o->arcs[i].to == x.to && o->arcs[i].marks == x.marks)
            return;
    if (*count == *room) {
        *room = *room == 0 ? 64 : 2 * *room;
        o->arcs = realloc(o->arcs, *room * sizeof *o->arcs);
    }
    o->arcs[(*count)++] = x;
}

static void write_out(
    oracle *o, const graph *g, const om_automaton *a, bool stutter, uint32_t deadlock_ap)
{
    uint32_t qs = o->automaton_states, count = 0;
    size_t room = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        uint32_t s = i / qs, edges;
        const om_edge *e = om_automaton_edges(a, i % qs, &edges);
        o->first[i] = count;
        for (uint32_t k = 0; k < edges; k++) {
            if (!satisfied(a, &e[k], label_of(g, s, deadlock_ap)))
                continue;
            for (uint32_t j = 0; j < g->out[s]; j++)
                add(o, &room, i, &count, (arc){ g->to[s][j] * qs + e[k].dst, e[k].marks });
            if (g->out[s] == 0 && stutter)
                add(o, &room, i, &count, (arc){ s * qs + e[k].dst, e[k].marks });
        }
    }
    o->first[o->n] = count;
}

/* Returns true if a cycle with these marks is accepted. The formula is monotonic: it has no Fin. */
static bool accepted(const om_automaton *a, om_marks marks)
{
    size_t length, top = 0;
    const om_acc *f = om_automaton_acceptance(a, &length);
    bool *value = calloc(length + 1, sizeof *value);
    for (size_t i = 0; i < length; i++) {
        if (f[i].op == OM_ACC_AND || f[i].op == OM_ACC_OR) {
            top--;
            value[top - 1] =
                f[i].op == OM_ACC_AND ? value[top - 1] && value[top] : value[top - 1] || value[top];
        } else
            value[top++] =
                f[i].op == OM_ACC_TRUE || (f[i].op == OM_ACC_INF && (marks >> f[i].set & 1) != 0);
    }
    bool yes = value[0];
    free(value);
    return yes;
}

/* Tarjan 1972, with an explicit call stack */
typedef struct tarjan {
    uint32_t *index, *low, *stack, *calls, *next;
    size_t stacked, depth;
    uint32_t time;
} tarjan;

static void enter(oracle *o, tarjan *t, uint32_t v)
{
    t->index[v] = t->low[v] = ++t->time;
    t->next[v] = o->first[v];
    t->stack[t->stacked++] = v;
    t->calls[t->depth++] = v;
    o->states++;
    o->edges += o->moves[v];
}

/* Closes the component with root v: the stack from its top down to v. Components are closed in
 * reverse topological order, so the attributes of their successors are known. */
static void close_component(oracle *o, tarjan *t, uint32_t v)
{
    size_t from = t->stacked;
    uint32_t number = (uint32_t) o->components++;
    om_marks seen = 0;
    bool cycle = false, hope = false;

    do
        o->component[t->stack[--from]] = number;
    while (t->stack[from] != v);
    for (size_t i = from; i < t->stacked; i++)
        for (uint32_t k = o->first[t->stack[i]]; k < o->first[t->stack[i] + 1]; k++) {
            if (o->component[o->arcs[k].to] == number) {
                cycle = true;
                seen |= o->arcs[k].marks;
            } else {
                hope = hope || o->hopeful[o->arcs[k].to];
            }
        }
    bool accepts = cycle && accepted(o->a, seen);
    o->empty = o->empty && !accepts;
    for (size_t i = from; i < t->stacked; i++) {
        o->accepts[t->stack[i]] = accepts;
        o->hopeful[t->stack[i]] = hope || accepts;
    }
    t->stacked = from;
}

static void leave(oracle *o, tarjan *t, uint32_t v)
{
    t->depth--;
    if (t->depth > 0 && t->low[v] < t->low[t->calls[t->depth - 1]])
        t->low[t->calls[t->depth - 1]] = t->low[v];
    if (t->low[v] == t->index[v])
        close_component(o, t, v);
}

static void search(oracle *o, tarjan *t, uint32_t start)
{
    enter(o, t, start);
    while (t->depth > 0) {
        uint32_t v = t->calls[t->depth - 1];
        if (t->next[v] == o->first[v + 1]) {
            leave(o, t, v);
            continue;
        }
        uint32_t w = o->arcs[t->next[v]++].to;
        if (t->index[w] == 0)
            enter(o, t, w);
        else if (o->component[w] == OM_NONE && t->index[w] < t->low[v])
            t->low[v] = t->index[w];
    }
}

void oracle_new(
    oracle *o, const graph *g, const om_automaton *a, bool stutter, uint32_t deadlock_ap)
{
    uint32_t qs = om_automaton_state_count(a), n = g->n * qs;
    tarjan t = { .time = 0 };

    *o = (oracle){ .n = n, .automaton_states = qs, .a = a, .empty = true };
    o->first = calloc(n + 1, sizeof *o->first);
    o->moves = calloc(n + 1, sizeof *o->moves);
    o->initial = calloc(n, sizeof *o->initial);
    o->component = malloc(n * sizeof *o->component);
    o->hopeful = calloc(n, sizeof *o->hopeful);
    o->accepts = calloc(n, sizeof *o->accepts);
    write_out(o, g, a, stutter, deadlock_ap);
    t.index = calloc(n, sizeof *t.index);
    t.low = calloc(n, sizeof *t.low);
    t.next = calloc(n, sizeof *t.next);
    t.stack = calloc(n, sizeof *t.stack);
    t.calls = calloc(n, sizeof *t.calls);
    for (uint32_t i = 0; i < n; i++)
        o->component[i] = OM_NONE;
    for (uint32_t i = 0; i < om_automaton_initial_count(a); i++) {
        uint32_t q = om_automaton_initial(a, i);
        o->initial[q] = true;
        if (t.index[q] == 0)
            search(o, &t, q);
    }
    free(t.index);
    free(t.low);
    free(t.next);
    free(t.stack);
    free(t.calls);
}

void oracle_free(oracle *o)
{
    free(o->arcs);
    free(o->first);
    free(o->moves);
    free(o->initial);
    free(o->component);
    free(o->hopeful);
    free(o->accepts);
}

bool oracle_has_arc(const oracle *o, uint32_t from, uint32_t to)
{
    for (uint32_t k = o->first[from]; k < o->first[from + 1]; k++)
        if (o->arcs[k].to == to)
            return true;
    return false;
}

/* Returns the states that are reachable from a state within the set, or, if backwards, the states
 * that reach it. The caller frees the result. */
static bool *reach_within(const oracle *o, const bool *set, uint32_t state, bool backwards)
{
    bool *met = calloc(o->n, sizeof *met), more = true;
    met[state] = true;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < o->n; i++)
            for (uint32_t k = o->first[i]; k < o->first[i + 1]; k++) {
                uint32_t from = backwards ? o->arcs[k].to : i, to = backwards ? i : o->arcs[k].to;
                if (met[from] && set[from] && set[to] && !met[to])
                    more = met[to] = true;
            }
    }
    return met;
}

bool oracle_accepts_within(const oracle *o, const bool *set, uint32_t state)
{
    bool *forwards = reach_within(o, set, state, false), *back = reach_within(o, set, state, true);
    om_marks seen = 0;
    bool cycle = false;
    for (uint32_t i = 0; i < o->n; i++)
        for (uint32_t k = o->first[i]; k < o->first[i + 1]; k++) {
            uint32_t to = o->arcs[k].to;
            if (forwards[i] && back[i] && forwards[to] && back[to]) {
                cycle = true;
                seen |= o->arcs[k].marks;
            }
        }
    free(forwards);
    free(back);
    return cycle && accepted(o->a, seen);
}
