/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extends an automaton that reads only some letters of a word. It stays in its state on the other
 * letters. In a weak component, where a run can only be rejected by leaving it, staying accepts, so
 * that strengths are preserved. Terminal components accept every word and are not changed.
 */
#include "tela.h"
#include "visible.h"

#include <string.h>

typedef struct maker {
    const om_automaton *a;
    om_automaton *out;
    const om_sccs *sccs;
    om_marks *of; /* per component: the union of the marks of its edges */
    om_label visible;
    om_marks every; /* a new set that contains all original edges, or 0 */
    bool fin;       /* the acceptance has a Fin */
} maker;

static bool has(const om_automaton *a, int op)
{
    for (size_t i = 0; i < a->acc_length; i++)
        if (a->acc[i].op == op)
            return true;
    return false;
}

/* Returns true if a run without marks may be accepted. */
static bool needs_set(const om_automaton *a)
{
    return has(a, OM_ACC_FIN) || has(a, OM_ACC_TRUE);
}

/* Sets the acceptance. If staying alone must not be accepted, it adds the Inf of a new set. */
static int set_acceptance(maker *k)
{
    const om_automaton *a = k->a;
    if (!needs_set(a))
        return om_automaton_set_acceptance(k->out, a->sets, a->acc, a->acc_length);
    k->every = UINT64_C(1) << a->sets;
    return om_tela__set_acceptance_and_inf(k->out, a);
}

static om_strength strength_of(const maker *k, uint32_t state)
{
    const uint32_t c = k->sccs->component[state];
    return c == OM_NONE ? OM_NON_ACCEPTING : k->sccs->strength[c];
}

static int add_edge(const maker *k, const om_edge *e, om_cube *cubes)
{
    const bool inside = k->sccs->component[e->src] == k->sccs->component[e->dst];
    const bool terminal = inside && strength_of(k, e->src) == OM_TERMINAL;
    memcpy(cubes, k->a->cubes + e->cube_begin, e->cube_count * sizeof *cubes);
    for (uint32_t i = 0; i < e->cube_count && !terminal; i++)
        cubes[i].pos |= k->visible;
    return om_automaton_add_edge(k->out, e->src, e->dst, e->marks | k->every, cubes, e->cube_count);
}

static int add_loop(const maker *k, uint32_t state)
{
    const om_cube hidden = { 0, k->visible };
    const om_strength s = strength_of(k, state);
    if (s == OM_TERMINAL)
        return OM_OK;
    om_marks marks = 0;
    if (s == OM_WEAK && !k->fin)
        marks = k->of[k->sccs->component[state]] | k->every;
    return om_automaton_add_edge(k->out, state, state, marks, &hidden, 1);
}

static int fill(maker *k, om_cube *cubes)
{
    const om_automaton *a = k->a;
    int rc = a->name == NULL ? OM_OK : om_automaton_set_name(k->out, a->name);
    if (rc == OM_OK)
        rc = om_automaton_add_states(k->out, a->states, NULL);
    for (size_t i = 0; rc == OM_OK && i < a->initial_count; i++)
        rc = om_automaton_add_initial(k->out, a->initial[i]);
    for (size_t i = 0; i < a->edge_count; i++)
        if (k->sccs->component[a->edges[i].src] != OM_NONE)
            k->of[k->sccs->component[a->edges[i].src]] |= a->edges[i].marks;
    for (size_t i = 0; rc == OM_OK && i < a->edge_count; i++)
        rc = add_edge(k, &a->edges[i], cubes);
    for (uint32_t s = 0; rc == OM_OK && s < a->states; s++)
        rc = add_loop(k, s);
    return rc == OM_OK ? om_automaton_finish(k->out) : rc;
}

/* Creates the automaton with the APs of `a` and the new one. */
static int begin(maker *k, om_context *ctx, const char *ap)
{
    const char *names[OM_MAX_APS];
    const om_automaton *a = k->a;
    if (a->ap_count == OM_MAX_APS || (needs_set(a) && a->sets == OM_MAX_SETS))
        return om_fail(ctx, OM_EUNSUPPORTED, NULL,
            "the automaton has %s: one more is needed for states of the model that properties do "
            "not see",
            a->ap_count == OM_MAX_APS ? "64 propositions" : "64 acceptance sets");
    for (uint32_t i = 0; i < a->ap_count; i++)
        names[i] = a->aps[i];
    names[a->ap_count] = ap;
    k->visible = UINT64_C(1) << a->ap_count;
    int rc = om_automaton_new(&k->out, ctx, a->ap_count + 1, names);
    if (rc != OM_OK)
        return rc;
    k->out->stutter_invariant = a->stutter_invariant; /* hiding letters preserves it */
    return set_acceptance(k);
}

int om_automaton__visible(
    const om_automaton *a, om_context *ctx, const char *ap, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_sccs sccs = { 0 };
    size_t most = 0;
    int rc = om_automaton_sccs(a, ctx, &sccs);
    if (rc != OM_OK)
        return rc;
    for (size_t i = 0; i < a->edge_count; i++)
        most = a->edges[i].cube_count > most ? a->edges[i].cube_count : most;
    maker k = { .a = a, .sccs = &sccs, .fin = has(a, OM_ACC_FIN) };
    om_cube *cubes = om_alloc(heap, most + 1, sizeof *cubes);
    k.of = om_alloc(heap, (size_t) sccs.count + 1, sizeof *k.of);
    rc = cubes == NULL || k.of == NULL ? om_fail_memory(ctx) : begin(&k, ctx, ap);
    if (rc == OM_OK)
        rc = fill(&k, cubes);
    rc = om_tela__hand_over(rc, k.out, out);
    OM_FREE_ALL(heap, k.of, cubes);
    om_sccs_free(&sccs, heap);
    return rc;
}
