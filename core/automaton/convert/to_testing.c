/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Construction of a testing automaton T from a Buchi automaton B: Ben Salem, Duret-Lutz, Kordon
 * 2011, section 2.3. A state of T is a state of B with the letter that it reads next.
 *
 * Correctness, for a stutter-invariant language L(B). Let w be a word, and w' the word that remains
 * if each letter equal to its predecessor is removed, except in an infinite constant tail.
 *
 *  - T accepts w: B has a run on a word that differs from w only in repeated letters (those that
 *    the stuttering steps into G stand for). So w is in L(B).
 *  - w is in L(B): then so is w', with a run of B in which no step before the tail stutters. T has
 *    that run. In the tail, if there is one, B reaches an accepting cycle of stuttering steps, so T
 *    is in G at the start of the tail. Between its changes T waits for as long as w does.
 *
 * So T needs no stuttering step of B before the tail and is smaller without them: states that are
 * reachable only by stuttering are left out, and none becomes initial.
 *
 * Unobserved propositions. From (s, k) on, B reads only propositions on edges that s reaches; k
 * keeps only those. A change of another proposition is still a change, and a step of T, which
 * follows an edge of B. Staying in the state instead would not be sound: the whole language is
 * invariant, but the language of a single state need not be. So labels are over changes of any
 * proposition that B reads, and merged states are bisimilar.
 */
#include "to_testing.h"
#include "pair_table.h"
#include "components/automaton_dfs.h"

#include <assert.h>
#include <string.h>

enum { MOST_TRANSITIONS = 1 << 21, MOST_USED = 20 };

typedef struct construction {
    const om_automaton *b; /* Buchi: mark 0 accepts */
    om_context *ctx;
    const om_heap *heap;
    om_label used;
    om_label *observed;  /* by state of b */
    om_pair_table pairs; /* of T: a state of b and its letter; the initial one is (OM_NONE, 0) */
    om_automaton *moves; /* the automaton T */
    om_automaton *stays; /* the stuttering steps of b, between the states of T */
    uint64_t transitions;
} construction;

om_label om_testing__used(const om_automaton *a)
{
    om_label used = 0;
    for (size_t i = 0; i < a->cube_count; i++)
        used |= a->cubes[i].pos | a->cubes[i].neg;
    return used;
}

om_label om_testing__deposit(uint64_t dense, om_label mask)
{
    om_label out = 0;
    for (; mask != 0; mask &= mask - 1, dense >>= 1)
        if ((dense & 1) != 0)
            out |= mask & -mask;
    return out;
}

uint64_t om_testing__extract(om_label bits, om_label mask)
{
    uint64_t out = 0;
    for (unsigned i = 0; mask != 0; mask &= mask - 1, i++)
        if ((bits & mask & -mask) != 0)
            out |= UINT64_C(1) << i;
    return out;
}

/* ---- observed propositions ---- */

/* Computes the propositions on the edges that each state reaches, its own included. */
static int observe(construction *t, uint32_t how)
{
    const om_automaton *b = t->b;
    bool more = true;
    if (!OM_NEW(t->heap, t->observed, b->states))
        return om_fail_memory(t->ctx);
    for (uint32_t s = 0; s < b->states; s++)
        t->observed[s] = (how & OM_TESTING_OBSERVED) != 0 ? 0 : t->used;
    for (size_t i = 0; i < b->edge_count; i++)
        for (uint32_t k = 0; k < b->edges[i].cube_count; k++) {
            const om_cube *c = &b->cubes[b->edges[i].cube_begin + k];
            t->observed[b->edges[i].src] |= c->pos | c->neg;
        }
    while (more && om_context_stopped(t->ctx) == OM_OK) {
        more = false;
        for (size_t i = b->edge_count; i-- > 0;) {
            om_label *to = &t->observed[b->edges[i].src];
            const om_label all = *to | t->observed[b->edges[i].dst];
            more = more || all != *to;
            *to = all;
        }
    }
    return om_context_stopped(t->ctx);
}

/* ---- states and edges ---- */

/* Gives a state of T and adds its stuttering step (T2), whose marks settle_livelocks() sets. */
static int number_of(construction *t, uint32_t s, om_label letter, uint32_t *out)
{
    bool fresh = false;
    int rc = om_pair_table__number(
        &t->pairs, s, (uint32_t) om_testing__extract(letter, t->used), out, &fresh);
    if (rc == OM_ENOMEM)
        return om_fail_memory(t->ctx);
    if (rc != OM_OK || !fresh)
        return rc;
    const om_cube nothing = { 0, t->used };
    assert(*out == t->moves->states && *out == t->stays->states);
    rc = om_automaton_add_states(t->moves, 1, NULL);
    if (rc == OM_OK)
        rc = om_automaton_add_states(t->stays, 1, NULL);
    return rc == OM_OK && s != OM_NONE ? om_automaton_add_edge(t->moves, *out, *out, 0, &nothing, 1)
                                       : rc;
}

/* Counts n more transitions. */
static int count_transitions(construction *t, uint64_t n)
{
    t->transitions += n;
    return t->transitions <= MOST_TRANSITIONS
               ? OM_OK
               : om_fail(t->ctx, OM_ELIMIT, NULL,
                     "the testing automaton would have more than %d transitions",
                     (int) MOST_TRANSITIONS);
}

/* Adds the edge of T to s for the case that, among the propositions that s observes, exactly those
 * in `change` change, and at least one proposition changes. */
static int add_move(
    construction *t, uint32_t from, uint32_t s, om_label letter, om_label change, om_marks marks)
{
    const om_label seen = t->observed[s];
    om_label unseen = t->used & ~seen;
    assert((change & ~seen) == 0 && (unsigned) __builtin_popcountll(unseen) <= MOST_USED);
    om_cube cubes[MOST_USED] = { { change, seen & ~change } };
    uint32_t count = 1, to = 0;
    int rc = count_transitions(
        t, (UINT64_C(1) << (unsigned) __builtin_popcountll(unseen)) - (change == 0));
    if (change == 0)
        for (count = 0; unseen != 0; unseen &= unseen - 1)
            cubes[count++] = (om_cube){ unseen & -unseen, seen };
    if (rc != OM_OK || count == 0)
        return rc;
    rc = number_of(t, s, (letter ^ change) & seen, &to);
    return rc == OM_OK ? om_automaton_add_edge(t->moves, from, to, marks, cubes, count) : rc;
}

/* Adds the edges of T that correspond to an edge of B, from (src, letter). */
static int cross(construction *t, uint32_t from, om_label letter, const om_edge *e)
{
    static const om_cube any = { 0, 0 };
    const om_label seen = t->observed[e->dst];
    uint32_t to = 0;
    om_label change = 0;
    int rc = number_of(t, e->dst, letter & seen, &to);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(t->stays, from, to, e->marks & 1, &any, 1);
    do {
        if (rc == OM_OK)
            rc = add_move(t, from, e->dst, letter, change,
                (e->marks & 1) << OM_TESTING_BUCHI | UINT64_C(1) << OM_TESTING_BUSY);
        change = (change - seen) & seen; /* the next subset */
    } while (rc == OM_OK && change != 0);
    return rc;
}

static int expand(construction *t, uint32_t x)
{
    const om_pair_table_entry pair = t->pairs.at[x];
    const om_label letter = om_testing__deposit(pair.second, t->used);
    uint32_t count = 0;
    const om_edge *edges = om_automaton_edges(t->b, pair.first, &count);
    int rc = om_context_stopped(t->ctx);
    for (uint32_t i = 0; rc == OM_OK && i < count; i++)
        if (om_edge_matches(&edges[i], om_automaton_cubes(t->b), letter))
            rc = cross(t, x, letter, &edges[i]);
    return rc;
}

/* T1 */
static int begin(construction *t)
{
    uint32_t initial = 0, to = 0;
    int rc = number_of(t, OM_NONE, 0, &initial);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(t->moves, initial);
    for (size_t i = 0; rc == OM_OK && i < t->b->initial_count; i++) {
        const uint32_t s = t->b->initial[i];
        const om_label seen = t->observed[s];
        om_label letter = 0;
        do {
            const om_cube cube = { letter, seen & ~letter };
            rc = number_of(t, s, letter, &to);
            if (rc == OM_OK)
                rc = om_automaton_add_edge(
                    t->moves, initial, to, UINT64_C(1) << OM_TESTING_BUSY, &cube, 1);
            letter = (letter - seen) & seen;
        } while (rc == OM_OK && letter != 0);
    }
    return rc;
}

/* ---- the livelock states G ---- */

/* Sets keep[x] if B can reach an accepting cycle from x by stuttering alone. */
static int find_livelocks(construction *t, bool *keep)
{
    om_automaton_dfs w = { .heap = t->heap };
    om_scc_list list = { NULL, NULL, 0 };
    om_marks marks = 0;
    uint32_t *all = om_alloc(t->heap, t->stays->states, sizeof *all);
    int rc = all == NULL ? om_fail_memory(t->ctx) : om_automaton_dfs__init(&w, t->ctx, t->stays);
    for (uint32_t x = 0; rc == OM_OK && x < t->stays->states; x++)
        all[x] = x;
    if (rc == OM_OK)
        rc = om_automaton_dfs__sccs(&w, all, t->stays->states, 0, &list);
    for (uint32_t k = 0, first = 0; rc == OM_OK && k < list.count; first = list.end[k++])
        if (om_automaton_dfs__marks(&w, &list.states[first], list.end[k] - first, 0, &marks) &&
            (marks & 1) != 0)
            for (uint32_t i = first; i < list.end[k]; i++)
                keep[list.states[i]] = true;
    if (rc == OM_OK)
        rc = om_automaton_dfs__backwards(&w, keep);
    om_scc_list__free(&list, t->heap);
    om_automaton_dfs__free(&w);
    om_free(t->heap, all);
    return rc;
}

/* Sets the marks of stuttering steps (T4). */
static int settle_livelocks(construction *t)
{
    bool *keep = om_alloc(t->heap, t->moves->states, sizeof *keep);
    int rc = keep == NULL ? om_fail_memory(t->ctx) : find_livelocks(t, keep);
    for (uint32_t x = 1; rc == OM_OK && x < t->moves->states; x++) {
        om_edge *stays = &t->moves->edges[t->moves->first[x]];
        assert(stays->src == x && stays->dst == x); /* T2 */
        stays->marks = keep[x] ? 0 : UINT64_C(1) << OM_TESTING_BUSY;
    }
    om_free(t->heap, keep);
    return rc;
}

/* ---- states on no cycle ---- */

static bool is_stuttering(const om_automaton *a, uint32_t e)
{
    const uint32_t s = a->edges[e].src;
    return s != a->initial[0] && e == a->first[s];
}

/*
 * Sets the marks of edges that are on no cycle, which have no effect on the language. The edges
 * that leave a state for another component get the mark if all edges that stay in the component
 * have it; if none stays, if all of them lead to states of F (section 2.3). Such a state can then
 * only be bisimilar to one of F, or to another like it.
 */
static void settle_state(om_automaton *a, const uint32_t *component, bool *in_f, uint32_t s)
{
    bool stays = false, all_inside = true, all_outside = true;
    for (uint32_t e = a->first[s]; e < a->first[s + 1]; e++) {
        const om_edge *edge = &a->edges[e];
        if (is_stuttering(a, e))
            continue;
        if (component[edge->dst] == component[s]) {
            stays = true;
            all_inside = all_inside && (edge->marks & 1) != 0;
        } else
            all_outside = all_outside && in_f[edge->dst];
    }
    in_f[s] = stays ? all_inside : all_outside;
    for (uint32_t e = a->first[s]; e < a->first[s + 1]; e++) {
        om_edge *edge = &a->edges[e];
        if (!is_stuttering(a, e) && component[edge->dst] != component[s])
            edge->marks = (edge->marks & ~UINT64_C(1)) | in_f[s];
    }
}
_Static_assert((int) OM_TESTING_BUCHI == 0, "mark 0 is bit 0");

static int settle_trivial(om_automaton *a, om_context *ctx)
{
    om_sccs sccs = { 0 };
    uint32_t *order = NULL;
    bool *in_f = om_alloc(a->heap, a->states, sizeof *in_f);
    int rc = in_f == NULL ? om_fail_memory(ctx) : om_automaton_sccs(a, ctx, &sccs);
    if (rc == OM_OK)
        rc = om_sccs_states(&sccs, ctx, a->states, &order);
    for (uint32_t i = 0; rc == OM_OK && i < a->states; i++)
        settle_state(a, sccs.component, in_f, order[i]);
    OM_FREE_ALL(a->heap, order, in_f);
    om_sccs_free(&sccs, a->heap);
    return rc;
}

/* ---- the conversion ---- */

/* Replaces *a, which is freed. */
static void replace(om_automaton **a, om_automaton *by)
{
    om_automaton_free(*a);
    *a = by;
}

static int construct(construction *t)
{
    static const om_acc acceptance[] = { { OM_ACC_INF, OM_TESTING_BUCHI },
        { OM_ACC_FIN, OM_TESTING_BUSY }, { OM_ACC_OR, 0 } };
    int rc = om_tela__like(&t->moves, t->ctx, t->b);
    if (rc == OM_OK)
        rc = om_tela__like(&t->stays, t->ctx, t->b);
    if (rc == OM_OK)
        rc = om_automaton_set_acceptance(t->moves, 2, acceptance, 3);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(t->stays, 1);
    if (rc == OM_OK)
        rc = begin(t);
    for (uint32_t x = 1; rc == OM_OK && x < t->pairs.count; x++)
        rc = expand(t, x);
    if (rc == OM_OK)
        rc = om_automaton_finish(t->moves);
    if (rc == OM_OK)
        rc = om_automaton_finish(t->stays);
    return rc == OM_OK ? settle_livelocks(t) : rc;
}

static int improve(construction *t, uint32_t how)
{
    om_automaton *now = NULL;
    int rc = om_automaton_prune(t->moves, t->ctx, &now);
    if (rc == OM_OK)
        replace(&t->moves, now);
    if (rc == OM_OK && (how & OM_TESTING_TRIVIAL) != 0)
        rc = settle_trivial(t->moves, t->ctx);
    if (rc == OM_OK && (how & OM_TESTING_MINIMAL) != 0) {
        rc = om_testing__minimise(t->moves, t->ctx, t->used, &now);
        if (rc == OM_OK)
            replace(&t->moves, now);
    }
    if (rc == OM_OK && (how & OM_TESTING_SINGLE_PASS) != 0) {
        rc = om_testing__single_pass(t->moves, t->ctx, &now);
        if (rc == OM_OK)
            replace(&t->moves, now);
    }
    return rc;
}

int om_automaton__to_testing(
    const om_automaton *a, om_context *ctx, uint32_t how, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_automaton *buchi = NULL, *b = NULL;
    construction t = { .ctx = ctx, .heap = heap, .pairs = { .heap = heap } };
    int rc = om_automaton_to_buchi(a, ctx, &buchi);
    if (rc == OM_OK)
        rc = om_automaton_prune(buchi, ctx, &b);
    if (rc == OM_OK) {
        t.b = b;
        t.used = om_testing__used(b);
        rc = (unsigned) __builtin_popcountll(t.used) <= MOST_USED
                 ? observe(&t, how)
                 : count_transitions(&t, (uint64_t) MOST_TRANSITIONS + 1);
    }
    if (rc == OM_OK)
        rc = construct(&t);
    if (rc == OM_OK)
        rc = improve(&t, how);
    if (rc == OM_OK) {
        t.moves->testing = true;
        *out = t.moves;
        t.moves = NULL;
    }
    om_automaton_free(t.moves);
    om_automaton_free(t.stays);
    om_automaton_free(b);
    om_automaton_free(buchi);
    om_pair_table__free(&t.pairs);
    om_free(heap, t.observed);
    return rc;
}
