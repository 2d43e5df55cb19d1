/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strength decomposition (E. Renault, A. Duret-Lutz, F. Kordon, D. Poitrenaud, STTT 2017, Property
 * 1), for any formula f of Fin and Inf, and pruning. The language is the union of the languages of
 * three parts, in each of which only the SCCs of one strength accept:
 *
 *   terminal, weak    one Buchi mark on the edges inside those SCCs; any cycle there is accepting,
 *                     and in a terminal SCC any state suffices;
 *   strong            the formula stays, and edges outside strong SCCs get marks M that reject.
 *
 * A part contains exactly the states that lie on a path from an initial state to such an SCC.
 *
 * Proof. Each run eventually stays in one SCC S. (1) An accepted run is a run of the part of the
 * strength of S, which is not non-accepting (sccs.c): all of its states reach S. If S is strong,
 * the run sees the same marks infinitely often there as before. If S is weak or terminal, the run
 * sees the mark infinitely often. (2) A run that the weak or the terminal part accepts sees the
 * mark infinitely often, and the mark occurs only inside SCCs of that strength. All cycles of those
 * satisfy f, and so the run is accepted (sccs.c). (3) A run that the strong part accepts does not
 * stay outside strong SCCs, where it would see only M infinitely often; in a strong SCC it sees the
 * same marks as before. (4) M exists: a strong SCC has a cycle whose marks do not satisfy f.
 *
 * So checkers of weak parts never need marks: a cycle of the product projects to a cycle of the
 * automaton inside one of its SCCs, and in a weak SCC every cycle accepts, whatever f was. So
 * breadth-first search of terminal parts and trimming on a device apply to Rabin, Streett and all
 * other acceptance as they do to Buchi.
 */
#include "part.h"

#include "automaton_dfs.h"

#include <assert.h>

/* Sets keep[s] if s is reachable and reaches an SCC whose strength is in the bit set
 * `strengths`. */
static int useful_states(om_context *ctx, const om_automaton *a, const om_sccs *sccs,
    uint32_t strengths, bool **keep, bool *any)
{
    om_automaton_dfs w = { .heap = om_context_heap(ctx) };
    bool *list = om_alloc(w.heap, a->states, sizeof *list);
    int rc = list == NULL ? om_fail_memory(ctx) : om_automaton_dfs__init(&w, ctx, a);

    *any = false;
    for (uint32_t s = 0; rc == OM_OK && s < a->states; s++) {
        uint32_t k = sccs->component[s];
        list[s] = k != OM_NONE && ((strengths >> sccs->strength[k]) & 1) != 0;
        *any |= list[s];
    }
    if (rc == OM_OK)
        rc = om_automaton_dfs__backwards(&w, list);
    for (uint32_t s = 0; rc == OM_OK && s < a->states; s++)
        list[s] = list[s] && sccs->component[s] != OM_NONE;
    om_automaton_dfs__free(&w);
    if (rc == OM_OK)
        *keep = list;
    else
        om_free(w.heap, list);
    return rc;
}

/*
 * Computes marks that reject if a run sees exactly these infinitely often; all edges outside strong
 * SCCs get them. They exist because a strong SCC has a rejecting cycle.
 */
static int rejecting_marks(
    om_context *ctx, const om_automaton *a, const om_sccs *sccs, om_marks *marks)
{
    om_automaton_dfs w = { .heap = om_context_heap(ctx) };
    om_cycle cycle = { .found = false };
    om_acc *negation = NULL;
    uint32_t *states = NULL, count = 0;
    int rc = OM_OK;

    *marks = 0;
    if (!om_automaton_accepts_marks(a, 0))
        return OM_OK;
    negation = om_alloc(w.heap, a->acc_length, sizeof *negation);
    states = om_alloc(w.heap, a->states, sizeof *states);
    rc = negation == NULL || states == NULL ? om_fail_memory(ctx)
                                            : om_automaton_dfs__init(&w, ctx, a);
    if (rc != OM_OK)
        goto done;
    uint32_t strong = 0;
    while (strong < sccs->count && sccs->strength[strong] != OM_STRONG)
        strong++;
    for (uint32_t s = 0; s < a->states; s++)
        if (sccs->component[s] == strong)
            states[count++] = s;
    om_acc__negate(a->acc, a->acc_length, negation);
    rc = om_automaton_dfs__find(&w, states, count, negation, a->acc_length, &cycle);
    if (rc == OM_OK && !cycle.found)
        rc = om_fail(ctx, OM_EINTERNAL, NULL, "a strong SCC has no rejecting cycle");
    *marks = cycle.marks;
done:
    OM_FREE_ALL(w.heap, cycle.states, negation, states);
    om_automaton_dfs__free(&w);
    return rc;
}

/* Inverts the renumbering of a restriction, which keeps the order of states: old[new]. */
static void invert(const uint32_t *number, uint32_t states, uint32_t *old)
{
    for (uint32_t s = 0; s < states; s++)
        if (number[s] != OM_NONE)
            old[number[s]] = s;
}

/* Sets the marks of the part's edges: strong SCCs keep theirs, terminal and weak ones get the mark,
 * edges outside get the rejecting marks. */
static int mark_part(const om_automaton *a, om_context *ctx, const om_sccs *sccs,
    om_strength strength, const uint32_t *number, om_automaton *part)
{
    om_marks inside = 1, outside = 0;
    uint32_t *old = om_alloc(part->heap, part->states, sizeof *old);
    int rc = old == NULL ? om_fail_memory(ctx) : OM_OK;

    if (rc == OM_OK && strength == OM_STRONG) {
        rc = om_automaton_set_acceptance(part, a->sets, a->acc, a->acc_length);
        if (rc == OM_OK)
            rc = rejecting_marks(ctx, a, sccs, &outside);
    } else if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(part, 1);
    if (rc == OM_OK)
        invert(number, a->states, old);
    for (size_t i = 0; rc == OM_OK && i < part->edge_count; i++) {
        om_edge *e = &part->edges[i];
        uint32_t k = sccs->component[old[e->src]];
        assert(k != OM_NONE); /* only reachable states are kept */
        bool in = k == sccs->component[old[e->dst]] && sccs->strength[k] == strength;
        e->marks = !in ? outside : strength == OM_STRONG ? e->marks : inside;
    }
    om_free(part->heap, old);
    return rc;
}

int om_automaton_part(
    const om_automaton *a, om_context *ctx, om_strength strength, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_sccs sccs = { 0, NULL, NULL, NULL };
    om_automaton *part = NULL;
    bool *keep = NULL, any = false;
    uint32_t *number = NULL;
    int rc = OM_OK;

    if (strength != OM_TERMINAL && strength != OM_WEAK && strength != OM_STRONG)
        return om_fail(ctx, OM_EINVAL, NULL, "an automaton has no part of strength '%s'",
            om_strength_name(strength));
    number = om_alloc(heap, a->states, sizeof *number);
    rc = number == NULL ? om_fail_memory(ctx) : om_automaton_sccs(a, ctx, &sccs);
    if (rc == OM_OK)
        rc = useful_states(ctx, a, &sccs, 1u << strength, &keep, &any);
    if (rc != OM_OK || !any)
        goto done;
    rc = om_tela__restrict(&part, ctx, a, keep, number);
    if (rc == OM_OK)
        rc = mark_part(a, ctx, &sccs, strength, number, part);
    if (rc == OM_OK)
        rc = om_automaton_finish(part);
done:
    rc = om_tela__hand_over(rc, part, out);
    OM_FREE_ALL(heap, keep, number);
    om_sccs_free(&sccs, heap);
    return rc;
}

/* Finishes an automaton made of states of `a`, with the acceptance of `a`. */
static int finish_as(const om_automaton *a, om_automaton *b)
{
    int rc = om_automaton_set_acceptance(b, a->sets, a->acc, a->acc_length);
    return rc == OM_OK ? om_automaton_finish(b) : rc;
}

/*
 * Rank of a state by the set of parts that it is in (bit 0: terminal, 1: weak, 2: strong). Parts
 * keep the order of states, so the states of all parts come first, then those of two parts. Only
 * one kind of two parts can directly follow; the strong and the weak part share most.
 */
static const unsigned char rank_in_parts[] = { 7, 6, 5, 2, 4, 3, 1, 0 };

int om_automaton__align_parts(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_sccs sccs = { 0, NULL, NULL, NULL };
    om_automaton *b = NULL;
    uint32_t *number = om_alloc(heap, a->states, sizeof *number), count = 0;
    unsigned char *in = om_alloc(heap, a->states, sizeof *in);
    int rc = number == NULL || in == NULL ? om_fail_memory(ctx) : om_automaton_sccs(a, ctx, &sccs);

    for (int strength = OM_TERMINAL; rc == OM_OK && strength <= OM_STRONG; strength++) {
        bool *keep = NULL, any = false;
        rc = useful_states(ctx, a, &sccs, 1u << strength, &keep, &any);
        for (uint32_t s = 0; rc == OM_OK && s < a->states; s++)
            if (keep[s])
                in[s] |= 1u << (strength - OM_TERMINAL);
        om_free(heap, keep);
    }
    for (unsigned rank = 0; rc == OM_OK && rank < sizeof rank_in_parts; rank++)
        for (uint32_t s = 0; s < a->states; s++)
            if (rank_in_parts[in[s]] == rank)
                number[s] = count++;
    assert(rc != OM_OK || count == a->states); /* each state has one rank */
    if (rc == OM_OK)
        rc = om_tela__renumber(&b, ctx, a, number, count);
    if (rc == OM_OK)
        rc = finish_as(a, b);
    rc = om_tela__hand_over(rc, b, out);
    OM_FREE_ALL(heap, in, number);
    om_sccs_free(&sccs, heap);
    return rc;
}

int om_automaton_prune(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_sccs sccs = { 0, NULL, NULL, NULL };
    om_automaton *b = NULL;
    bool *keep = NULL, any = false;
    uint32_t *number = om_alloc(heap, a->states, sizeof *number);
    int rc = number == NULL ? om_fail_memory(ctx) : om_automaton_sccs(a, ctx, &sccs);

    if (rc == OM_OK)
        rc = useful_states(
            ctx, a, &sccs, 1u << OM_TERMINAL | 1u << OM_WEAK | 1u << OM_STRONG, &keep, &any);
    if (rc == OM_OK)
        rc = om_tela__restrict(&b, ctx, a, keep, number);
    if (rc == OM_OK && !any)
        rc = om_automaton_add_states(b, 1, NULL);
    if (rc == OM_OK && !any)
        rc = om_automaton_add_initial(b, 0);
    if (rc == OM_OK)
        rc = finish_as(a, b);
    rc = om_tela__hand_over(rc, b, out);
    OM_FREE_ALL(heap, keep, number);
    om_sccs_free(&sccs, heap);
    return rc;
}
