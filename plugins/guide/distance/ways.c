/* SPDX-License-Identifier: Apache-2.0 */
#include "ways.h"

#include <assert.h>

om_strength ways_strength(const ways *w, uint32_t state)
{
    const uint32_t component = w->sccs.component[state];
    return component == OM_NONE ? OM_NON_ACCEPTING : w->sccs.strength[component];
}

static bool stays(const ways *w, const om_edge *e)
{
    return w->sccs.component[e->src] == w->sccs.component[e->dst];
}

/* Returns true if the edge is of the way's kind. */
static bool is_goal(const ways *w, uint32_t way, const om_edge *e)
{
    if (w->marks[way] == 0)
        return ways_strength(w, e->dst) != OM_NON_ACCEPTING &&
               ways_strength(w, e->src) == OM_NON_ACCEPTING;
    return (e->marks & w->marks[way]) != 0 && stays(w, e) && ways_strength(w, e->src) == OM_STRONG;
}

/* Returns the number of edges of a way that begins with this one, or OM_NONE. */
static uint32_t through(const ways *w, uint32_t way, const om_edge *e)
{
    if (is_goal(w, way, e))
        return 1;
    if (w->marks[way] != 0 && !stays(w, e))
        return OM_NONE;
    const uint32_t left = ways_left(w, way, e->dst);
    return left == OM_NONE ? OM_NONE : left + 1;
}

uint32_t ways_left(const ways *w, uint32_t way, uint32_t state)
{
    assert(way < w->count && state < om_automaton_state_count(w->automaton));
    return w->left[(size_t) way * om_automaton_state_count(w->automaton) + state];
}

bool ways_begins(const ways *w, uint32_t way, const om_edge *e)
{
    const uint32_t left = ways_left(w, way, e->src);
    return left != OM_NONE && through(w, way, e) == left;
}

/* Computes the ways of one kind: until no edge makes one shorter. Returns true if there is one. */
static bool measure(const ways *w, uint32_t way)
{
    const uint32_t states = om_automaton_state_count(w->automaton);
    uint32_t *left = w->left + (size_t) way * states;
    bool any = false, shorter = true;
    for (uint32_t q = 0; q < states; q++)
        left[q] = OM_NONE;
    while (shorter) {
        shorter = false;
        for (uint32_t q = 0; q < states; q++) {
            uint32_t count = 0;
            const om_edge *e = om_automaton_edges(w->automaton, q, &count);
            for (uint32_t i = 0; i < count; i++) {
                const uint32_t n = through(w, way, &e[i]);
                shorter |= n < left[q];
                left[q] = n < left[q] ? n : left[q];
            }
        }
        any |= shorter;
    }
    return any;
}

int ways_init(ways *w, const om_heap *heap, om_context *ctx, const om_automaton *a)
{
    const bool all_sets = (om_automaton_acceptance_classes(a) & OM_ACCEPT_GENERALIZED_BUCHI) != 0;
    const uint32_t sets = all_sets ? om_automaton_set_count(a) : 0;
    w->heap = heap;
    w->automaton = a;
    if (!OM_NEW(heap, w->left, (size_t) MOST_WAYS * om_automaton_state_count(a) + 1))
        return OM_ENOMEM;
    const int rc = om_automaton_sccs(a, ctx, &w->sccs);
    if (rc != OM_OK)
        return rc;
    w->count = 1;
    (void) measure(w, 0);
    for (uint32_t i = 0; i < sets && w->count < MOST_WAYS; i++) {
        w->marks[w->count++] = (om_marks) 1 << i;
        if (measure(w, w->count - 1))
            w->strong = true;
        else
            w->count--;
    }
    return OM_OK;
}

void ways_free(ways *w)
{
    if (w->heap == NULL)
        return;
    om_sccs_free(&w->sccs, w->heap);
    om_free(w->heap, w->left);
}
