/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SCCs and their strength (E. Renault, A. Duret-Lutz, F. Kordon, D. Poitrenaud, Variations on
 * parallel explicit emptiness checks for generalized Buchi automata, STTT 2017, section 4.2), for
 * any formula f of Fin and Inf:
 *
 *   non-accepting    no cycle satisfies f
 *   strong           some cycles do and some do not
 *   weak             all cycles do
 *   terminal         all cycles do, and each state has, for every label, an edge that stays inside:
 *                    a run that has entered the SCC can accept any word
 *
 * A cycle is a closed walk, which may pass an edge many times; it satisfies f if its marks, taken
 * together, do. Runs correspond to cycles. A run eventually stays in one SCC S. Let C be the set of
 * edges that it sees infinitely often. C is not empty, and it is strongly connected because the run
 * returns to each of its edges, so a closed walk sees exactly C. Conversely, a run that repeats a
 * closed walk of S sees exactly the edges of the walk infinitely often. The formula depends only on
 * the marks of C. So there are accepted runs that stay in S if and only if some cycle of S
 * satisfies f, and rejected ones if and only if some cycle satisfies the negation of f.
 *
 * Both are emptiness checks of S alone, and om_automaton_dfs__find() decides them exactly, for f
 * and for its negation: an SCC of a Rabin or a Streett automaton is classified as weak whenever it
 * is weak, whatever its marks are. The search is linear in S. It is polynomial in the formula for
 * Rabin and Streett acceptance, whose negations are of the other kind, and at worst exponential in
 * the sets of Fin (cycle_search.c); the limits of the context end it. The choice of a checker
 * depends on the strength, so the result is exact and never a heuristic.
 */
#include "automaton_dfs.h"

#include <string.h>

const char *om_strength_name(om_strength s)
{
    switch (s) {
    case OM_NON_ACCEPTING:
        return "non-accepting";
    case OM_TERMINAL:
        return "terminal";
    case OM_WEAK:
        return "weak";
    case OM_STRONG:
        return "strong";
    }
    return "unknown";
}

/* Sets *complete to true if, for each label, every state has an edge that stays inside. */
static int is_complete(om_automaton_dfs *w, const uint32_t *states, uint32_t count,
    const uint32_t *component, bool *complete)
{
    const om_automaton *a = w->a;
    om_cube *cubes = NULL;
    size_t capacity = 0;
    int rc = OM_OK;

    *complete = true;
    for (uint32_t i = 0; rc == OM_OK && *complete && i < count; i++) {
        size_t n = 0;
        for (uint32_t e = a->first[states[i]]; e < a->first[states[i] + 1]; e++) {
            const om_edge *edge = &a->edges[e];
            if (component[edge->dst] != component[states[i]])
                continue;
            if (!OM_ROOM(w->heap, cubes, &capacity, n + edge->cube_count)) {
                rc = om_fail_memory(w->ctx);
                goto done;
            }
            memcpy(&cubes[n], &a->cubes[edge->cube_begin], edge->cube_count * sizeof *cubes);
            n += edge->cube_count;
        }
        rc = om_cubes__cover(w->ctx, cubes, n, complete);
    }
done:
    om_free(w->heap, cubes);
    return rc;
}

/* negation: the negated acceptance formula */
static int strength_of(om_automaton_dfs *w, const uint32_t *states, uint32_t count,
    const uint32_t *component, const om_acc *negation, om_strength *out)
{
    om_cycle accepting = { .found = false }, rejecting = { .found = false };
    bool complete = false;
    int rc = om_automaton_dfs__find(w, states, count, w->a->acc, w->a->acc_length, &accepting);
    if (rc == OM_OK && accepting.found)
        rc = om_automaton_dfs__find(w, states, count, negation, w->a->acc_length, &rejecting);
    if (rc == OM_OK && accepting.found && !rejecting.found)
        rc = is_complete(w, states, count, component, &complete);
    if (rc == OM_OK)
        *out = !accepting.found  ? OM_NON_ACCEPTING
               : rejecting.found ? OM_STRONG
               : complete        ? OM_TERMINAL
                                 : OM_WEAK;
    OM_FREE_ALL(w->heap, accepting.states, rejecting.states);
    return rc;
}

/* Numbers the components and computes their strength. */
static int fill(om_automaton_dfs *w, const om_scc_list *list, om_sccs *s)
{
    const om_automaton *a = w->a;
    om_acc *negation = om_alloc(w->heap, a->acc_length, sizeof *negation);
    int rc = negation == NULL ? om_fail_memory(w->ctx) : OM_OK;

    if (rc == OM_OK)
        om_acc__negate(a->acc, a->acc_length, negation);
    for (uint32_t k = 0, begin = 0; rc == OM_OK && k < list->count; k++) {
        uint32_t count = list->end[k] - begin;
        for (uint32_t i = 0; i < count; i++)
            s->component[list->states[begin + i]] = k;
        s->size[k] = count;
        rc = strength_of(w, &list->states[begin], count, s->component, negation, &s->strength[k]);
        begin = list->end[k];
    }
    om_free(w->heap, negation);
    return rc;
}

int om_automaton_sccs(const om_automaton *a, om_context *ctx, om_sccs *out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_automaton_dfs w = { .heap = heap };
    om_scc_list list = { NULL, NULL, 0 };
    om_sccs s = { 0, NULL, NULL, NULL };
    int rc = om_automaton_dfs__init(&w, ctx, a);

    if (rc == OM_OK)
        rc = om_automaton_dfs__reachable_sccs(&w, &list);
    if (rc != OM_OK)
        goto done;
    s.count = list.count;
    if (!OM_NEW(heap, s.component, a->states) || !OM_NEW(heap, s.strength, list.count) ||
        !OM_NEW(heap, s.size, list.count)) {
        rc = om_fail_memory(ctx);
        goto done;
    }
    memset(s.component, 0xff, a->states * sizeof *s.component); /* OM_NONE */
    rc = fill(&w, &list, &s);
    if (rc == OM_OK) {
        *out = s;
        s = (om_sccs){ 0, NULL, NULL, NULL };
    }
done:
    om_sccs_free(&s, heap);
    om_scc_list__free(&list, heap);
    om_automaton_dfs__free(&w);
    return rc;
}

void om_sccs_free(om_sccs *s, const om_heap *heap)
{
    OM_FREE_ALL(heap, s->component, s->strength, s->size);
    *s = (om_sccs){ 0, NULL, NULL, NULL };
}

int om_sccs_states(const om_sccs *s, om_context *ctx, uint32_t states, uint32_t **out)
{
    const om_heap *heap = om_context_heap(ctx);
    uint32_t *list = om_alloc(heap, states, sizeof *list);
    uint32_t *next = om_alloc(heap, (size_t) s->count + 1, sizeof *next); /* free index per SCC */
    int rc = list == NULL || next == NULL ? om_fail_memory(ctx) : OM_OK;

    for (uint32_t k = 0; rc == OM_OK && k < s->count; k++)
        next[k + 1] = next[k] + s->size[k];
    for (uint32_t q = 0; rc == OM_OK && q < states; q++)
        if (s->component[q] != OM_NONE)
            list[next[s->component[q]]++] = q;
    om_free(heap, next);
    if (rc == OM_OK)
        *out = list;
    else
        om_free(heap, list);
    return rc;
}

om_strength om_sccs_strength(const om_sccs *s)
{
    om_strength most = OM_NON_ACCEPTING;
    for (uint32_t k = 0; k < s->count; k++)
        if (s->strength[k] > most)
            most = s->strength[k];
    return most;
}
