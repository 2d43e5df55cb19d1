/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h: random graphs as models, a small automaton for them, and a reference search with a
 * queue. Include it after <setjmp.h> and <stdarg.h>. */
#ifndef OMEN_TESTS_SEARCH_GRAPH_H
#define OMEN_TESTS_SEARCH_GRAPH_H

#include <omen/host/omen.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- graphs ---- */

enum { WORDS = 5, MOST_EDGES = 6, MOST = 3000 };

/* Edges may be parallel. AP 0 holds if `label` is set. The vector of v has v in word 1; the other
 * words follow from it. */
typedef struct graph {
    uint32_t count, faulty;
    const uint32_t *distance; /* as in a reference, or NULL: vertices beyond `near` fault, too */
    uint32_t near;
    unsigned char degree[MOST], label[MOST];
    uint32_t edges[MOST][MOST_EDGES];
} graph;

static inline void vector_of(uint32_t v, uint32_t *vector)
{
    vector[0] = v / 100;
    vector[1] = v;
    vector[2] = 7;
    vector[3] = v * 2654435761u;
    vector[4] = v % 3;
}

static inline void initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector_of(0, vector);
}

static inline int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    const graph *g = x->self;
    uint32_t v = vector[1];
    bool far = g->distance != NULL && g->distance[(size_t) 2 * v] > g->near;
    out->fault = v == g->faulty || far ? OM_FAULT(OM_FAULT_DIVISION, 7) : 0;
    if (om_successors_reserve(out, out->count + g->degree[v], WORDS) != OM_OK)
        return OM_ENOMEM;
    for (uint32_t i = 0; i < g->degree[v]; i++) {
        vector_of(g->edges[v][i], out->words + out->stride * out->count);
        out->transition[out->count++] = i;
    }
    return OM_OK;
}

static inline uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    *fault = 0;
    return ((const graph *) x->self)->label[vector[1]];
}

static inline om_executor executor_of(graph *g)
{
    return (om_executor){ .size = sizeof(om_executor),
        .name = "graph",
        .words = WORDS,
        .aps = 1,
        .self = g,
        .initial = initial,
        .append = append,
        .labels = labels };
}

/* near: edges go to the next `near` vertices, so there are many levels; 0: to any vertex. */
static inline graph *random_graph(uint64_t seed, uint32_t count, uint32_t near)
{
    om_random r = { seed };
    graph *g = calloc(1, sizeof *g);
    assert_non_null(g);
    g->count = count;
    g->faulty = OM_NONE;
    for (uint32_t v = 0; v < count; v++) {
        g->degree[v] = (unsigned char) om_random_below(&r, MOST_EDGES + 1);
        if (v < 40 && g->degree[v] < 2)
            g->degree[v] = 2;
        g->label[v] = om_random_below(&r, 200) == 0;
        for (uint32_t i = 0; i < g->degree[v]; i++)
            g->edges[v][i] = (uint32_t) (near == 0 ? om_random_below(&r, count)
                                                   : (v + 1 + om_random_below(&r, near)) % count);
    }
    return g;
}

/* ---- the reference ---- */

/* Product states are 2 * v + q; the automaton is that of watch(), or stays in 0. */
typedef struct reference {
    uint64_t states, transitions, deadlocks;
    uint32_t levels;
    uint32_t distance[2 * MOST]; /* OM_NONE if unreachable */
} reference;

static inline void meet(
    reference *f, uint32_t *queue, uint32_t *count, uint32_t state, uint32_t distance)
{
    if (f->distance[state] != OM_NONE)
        return;
    f->distance[state] = distance;
    f->levels = distance + 1;
    queue[(*count)++] = state;
}

static inline reference *explore_graph(const graph *g, bool watched, bool stutter)
{
    reference *f = calloc(1, sizeof *f);
    uint32_t *queue = calloc((size_t) 2 * MOST, sizeof *queue), count = 0;
    if (f == NULL || queue == NULL)
        abort();
    memset(f->distance, 0xff, sizeof f->distance);
    meet(f, queue, &count, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = queue[i] / 2, q = queue[i] % 2, d = f->distance[queue[i]] + 1;
        bool stays = g->degree[v] == 0 && stutter;
        uint32_t n = stays ? 1 : g->degree[v];
        f->deadlocks += g->degree[v] == 0;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t to = stays ? v : g->edges[v][k];
            meet(f, queue, &count, 2 * to + q, d);
            f->transitions += watched || !stays;
            if (watched && q == 0 && g->label[v] != 0) {
                meet(f, queue, &count, 2 * to + 1, d);
                f->transitions++;
            }
        }
    }
    f->states = count;
    free(queue);
    return f;
}

/* Returns true if there is an edge in the product with watch() and stuttering. */
static inline bool edge_of_product(const graph *g, uint32_t from, uint32_t to)
{
    uint32_t v = from / 2, q = from % 2;
    bool moves = to % 2 == q || (q == 0 && g->label[v] != 0);
    for (uint32_t i = 0; i < g->degree[v]; i++)
        if (g->edges[v][i] == to / 2)
            return moves;
    return g->degree[v] == 0 && to / 2 == v && moves;
}

/* State 0 has a self-loop, and an edge to state 1 under AP 0; state 1 has a self-loop. */
static inline om_automaton *watch(om_context *ctx)
{
    static const char *const aps[] = { "a" };
    om_cube any = { 0, 0 }, a = { 1, 0 };
    om_automaton *m = NULL;
    uint32_t first;
    assert_int_equal(om_automaton_new(&m, ctx, 1, aps), OM_OK);
    assert_int_equal(om_automaton_add_states(m, 2, &first), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(m, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(m, 0), OM_OK);
    assert_int_equal(om_automaton_add_edge(m, 0, 0, 0, &any, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(m, 0, 1, 0, &a, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(m, 1, 1, 1, &any, 1), OM_OK);
    assert_int_equal(om_automaton_finish(m), OM_OK);
    return m;
}

#endif
