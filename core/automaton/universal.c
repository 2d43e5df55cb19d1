/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the largest set U of states such that
 *
 *   U1  no cycle that lies in one SCC with a state of U is rejected;
 *   U2  for every label, a state of U has an edge to a state of U.
 *
 * By U2 every word has a run that stays in U. That run ends in one SCC, and by U1 it is accepted.
 * In a deterministic automaton a state outside U rejects some word: it was removed because its only
 * run can be led around a rejecting cycle, or because under some label it has no edge, or only one
 * to a state that was removed before.
 */
#include "universal.h"

#include "tela.h"

#include <assert.h>
#include <string.h>

typedef struct finder {
    const om_automaton *a;
    om_context *ctx;
    const om_heap *heap;
    bool *in; /* per state: in U */
    om_cube *cubes;
    size_t capacity;
} finder;

static bool has_loop(const om_automaton *a, uint32_t q)
{
    for (uint32_t e = a->first[q]; e < a->first[q + 1]; e++)
        if (a->edges[e].dst == q)
            return true;
    return false;
}

/* Returns true if the state is reachable and satisfies U1. */
static bool may_stay(const om_automaton *a, const om_sccs *s, uint32_t q)
{
    const uint32_t k = s->component[q];
    if (k == OM_NONE)
        return false;
    return s->strength[k] == OM_TERMINAL || s->strength[k] == OM_WEAK ||
           (s->size[k] == 1 && !has_loop(a, q));
}

/* U2 */
static int is_covered(finder *f, uint32_t q, bool *covered)
{
    const om_automaton *a = f->a;
    size_t n = 0;
    for (uint32_t e = a->first[q]; e < a->first[q + 1]; e++) {
        const om_edge *edge = &a->edges[e];
        if (!f->in[edge->dst] || edge->cube_count == 0)
            continue;
        if (!OM_ROOM(f->heap, f->cubes, &f->capacity, n + edge->cube_count))
            return om_fail_memory(f->ctx);
        memcpy(f->cubes + n, &a->cubes[edge->cube_begin], edge->cube_count * sizeof *f->cubes);
        n += edge->cube_count;
    }
    *covered = false;
    return n == 0 ? OM_OK : om_cubes__cover(f->ctx, f->cubes, n, covered);
}

/* Removes states from one SCC until U2 holds in it. In its successor SCCs U2 holds already. */
static int narrow(finder *f, const uint32_t *states, uint32_t count)
{
    bool changed = true;
    int rc = OM_OK;
    while (rc == OM_OK && changed) {
        changed = false;
        for (uint32_t i = 0; rc == OM_OK && i < count; i++) {
            bool covered = false;
            if (!f->in[states[i]])
                continue;
            rc = is_covered(f, states[i], &covered);
            if (rc == OM_OK && !covered) {
                f->in[states[i]] = false;
                changed = true;
            }
            if (rc == OM_OK)
                rc = om_context_stopped(f->ctx);
        }
    }
    return rc;
}

/* SCCs are in reverse topological order. */
static int narrow_all(finder *f, const om_sccs *s)
{
    uint32_t *states = NULL, begin = 0;
    int rc = om_sccs_states(s, f->ctx, f->a->states, &states);
    for (uint32_t q = 0; rc == OM_OK && q < f->a->states; q++)
        f->in[q] = may_stay(f->a, s, q);
    for (uint32_t k = 0; rc == OM_OK && k < s->count; k++) {
        rc = narrow(f, states + begin, s->size[k]);
        begin += s->size[k];
        assert(begin <= f->a->states);
    }
    om_free(f->heap, states);
    return rc;
}

int om_automaton__universal(const om_automaton *a, om_context *ctx, bool **out)
{
    finder f = { .a = a, .ctx = ctx, .heap = om_context_heap(ctx) };
    om_sccs sccs = { 0 };
    int rc = om_automaton_sccs(a, ctx, &sccs);
    if (rc != OM_OK)
        return rc;
    f.in = om_alloc(f.heap, a->states, sizeof *f.in);
    rc = f.in == NULL ? om_fail_memory(ctx) : narrow_all(&f, &sccs);
    om_sccs_free(&sccs, f.heap);
    om_free(f.heap, f.cubes);
    if (rc == OM_OK)
        *out = f.in;
    else
        om_free(f.heap, f.in);
    return rc;
}
