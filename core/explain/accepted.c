/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an automaton accepts a run: the states it is in, and the edges it takes.
 *
 * This needs no separate search for accepting cycles: the emptiness check of automata runs on the
 * graph of pairs of a position in the run and a state. Its letters are the numbers of the edges, so
 * the word that it finds is the sequence of edges.
 */
#include "parts.h"

#include <assert.h>
#include <stdio.h>

enum { LETTER_BITS = 32, PAIRS_MOST = 1 << 20 };

typedef struct graph {
    const om_automaton *a;
    const om_label *labels;
    size_t n, loop;
    om_automaton *pairs;
} graph;

static uint32_t pair(const graph *g, size_t place, uint32_t state)
{
    assert(place < g->n ? state < om_automaton_state_count(g->a) : place == g->n && state == 0);
    return (uint32_t) (place * om_automaton_state_count(g->a) + state);
}

static const om_edge *all_edges(const om_automaton *a)
{
    uint32_t count;
    return om_automaton_edges(a, 0, &count);
}

static int add_edges(const graph *g, size_t place)
{
    const size_t next = place + 1 < g->n ? place + 1 : g->loop;
    int rc = OM_OK;
    for (uint32_t e = 0; rc == OM_OK && e < om_automaton_edge_count(g->a); e++) {
        const om_edge *edge = &all_edges(g->a)[e];
        const om_cube letter = { e, ~(uint64_t) e & UINT32_MAX };
        if (om_edge_matches(edge, om_automaton_cubes(g->a), g->labels[place]))
            rc = om_automaton_add_edge(g->pairs, pair(g, place, edge->src),
                pair(g, next, edge->dst), edge->marks, &letter, 1);
    }
    return rc;
}

static int make(graph *g, om_context *ctx)
{
    char names[LETTER_BITS][16];
    const char *aps[LETTER_BITS];
    size_t length;
    const om_acc *acceptance = om_automaton_acceptance(g->a, &length);
    for (unsigned i = 0; i < LETTER_BITS; i++) {
        (void) snprintf(names[i], sizeof names[i], "b%u", i);
        aps[i] = names[i];
    }
    int rc = om_automaton_new(&g->pairs, ctx, LETTER_BITS, aps);
    if (rc == OM_OK)
        rc =
            om_automaton_set_acceptance(g->pairs, om_automaton_set_count(g->a), acceptance, length);
    if (rc == OM_OK)
        rc = om_automaton_add_states(g->pairs, pair(g, g->n, 0), NULL);
    for (uint32_t i = 0; rc == OM_OK && i < om_automaton_initial_count(g->a); i++)
        rc = om_automaton_add_initial(g->pairs, pair(g, 0, om_automaton_initial(g->a, i)));
    for (size_t i = 0; rc == OM_OK && i < g->n; i++) {
        rc = om_context_stopped(ctx);
        if (rc == OM_OK)
            rc = add_edges(g, i);
    }
    return rc == OM_OK ? om_automaton_finish(g->pairs) : rc;
}

static int take_word(const graph *g, om_context *ctx, const om_word *word, om_explanation *out)
{
    size_t place = 0;
    if (!OM_NEW(out->heap, out->accepted, word->n))
        return om_fail_memory(ctx);
    for (size_t i = 0; i < word->n; i++) {
        const om_edge *e = &all_edges(g->a)[word->labels[i]];
        assert(word->labels[i] < om_automaton_edge_count(g->a)); /* a letter of add_edges() */
        assert(i == 0 || all_edges(g->a)[word->labels[i - 1]].dst == e->src);
        assert(om_edge_matches(e, om_automaton_cubes(g->a), g->labels[place]));
        out->accepted[i] = (om_accepted){ place, e->src, e->marks };
        place = place + 1 < g->n ? place + 1 : g->loop;
    }
    out->accepted_count = word->n;
    out->accepted_loop = word->loop;
    return OM_OK;
}

int om_explain__accepted(om_context *ctx, const om_automaton *a, const om_label *labels, size_t n,
    size_t loop, om_explanation *out)
{
    graph g = { .a = a, .labels = labels, .n = n, .loop = loop };
    om_word word = { 0 };
    bool empty = true;
    if (n > PAIRS_MOST / (om_automaton_state_count(a) + (size_t) 1))
        return OM_OK;
    int rc = make(&g, ctx);
    if (rc == OM_OK)
        rc = om_automaton_empty(g.pairs, ctx, &empty, &word);
    if (rc == OM_OK && empty)
        rc = om_fail(ctx, OM_EINTERNAL, NULL,
            "the referee says that the automaton accepts the run, but no accepting run of the "
            "automaton was found");
    if (rc == OM_OK)
        rc = take_word(&g, ctx, &word, out);
    om_free(om_context_heap(ctx), word.labels);
    om_automaton_free(g.pairs);
    return rc;
}
