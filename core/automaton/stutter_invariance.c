/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stutter invariance of a language: T. Michaud, A. Duret-Lutz, "Practical stutter-invariance checks
 * for omega-regular languages", SPIN 2015, section 3. L is stutter-invariant if and only if no word
 * obtained from a word of L by repeating letters can also be obtained from a word of the
 * complement. That is, sl(A) and sl(A'), automata of those words, have no word in common. (If two
 * words differ only in repeated letters, repeating more letters of both gives a common third word.)
 *
 * That needs an automaton of the complement. Without one, the form of the automaton may say enough,
 * as that of most automata that people write does, if acceptance has no Fin. Let every edge that
 * reads a letter lead to a state with a self-loop that reads it, too: then letters can be repeated.
 * Let every two edges in a row that read the same letter have one that replaces them, and that has
 * the marks of both unless they are not in one SCC: then letters can be read less often. The marks
 * of edges between SCCs are seen finitely often, so that a run that loses them accepts as before.
 */
#include "convert/to_testing.h"
#include "pair_table.h"
#include "tela.h"

#include <assert.h>
#include <string.h>

enum { MOST_LETTERS = 1 << 14, MOST_DETOURS = 1 << 20 };

static uint64_t letters_of(om_label used)
{
    uint64_t n = 1;
    for (; used != 0 && n <= MOST_LETTERS; used &= used - 1)
        n *= 2;
    return n;
}

static int too_many(om_context *ctx)
{
    return om_fail(ctx, OM_ELIMIT, NULL,
        "too many propositions to decide whether the property is stutter-invariant");
}

/* ---- sl(A) ---- */

/*
 * For an edge to d that can read the letter k there is a parallel edge to a detour (d, k) before d,
 * which reads k again, arbitrarily often. The original edges and the edges to detours have one more
 * mark, which a run must see infinitely often: otherwise it could stay on a detour.
 */
typedef struct loops {
    const om_automaton *a;
    om_context *ctx;
    om_automaton *out;
    om_label used;
    om_pair_table detours; /* (d, k) */
} loops;

static int add_detour(loops *l, uint32_t d, uint32_t letter, uint32_t *out)
{
    const om_label k = om_testing__deposit(letter, l->used);
    const om_cube cube = { k, l->used & ~k };
    bool fresh = false;
    int rc = om_pair_table__number(&l->detours, d, letter, out, &fresh);
    *out += l->a->states;
    if (rc == OM_ENOMEM)
        return om_fail_memory(l->ctx);
    if (rc == OM_ELIMIT || l->detours.count > MOST_DETOURS)
        return too_many(l->ctx);
    if (!fresh)
        return OM_OK;
    assert(*out == l->out->states);
    rc = om_automaton_add_states(l->out, 1, NULL);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(l->out, *out, *out, 0, &cube, 1);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(l->out, *out, d, 0, &cube, 1);
    return rc;
}

static int add_edge(loops *l, const om_edge *e, om_marks marks, uint32_t letters)
{
    uint32_t to = 0;
    int rc = om_tela__add(l->out, l->a, e, e->src, e->dst, marks);
    for (uint32_t k = 0; rc == OM_OK && k < letters; k++) {
        const om_label letter = om_testing__deposit(k, l->used);
        const om_cube cube = { letter, l->used & ~letter };
        if (!om_edge_matches(e, l->a->cubes, letter))
            continue;
        rc = add_detour(l, e->dst, k, &to);
        if (rc == OM_OK)
            rc = om_automaton_add_edge(l->out, e->src, to, marks, &cube, 1);
    }
    return rc == OM_OK ? om_context_stopped(l->ctx) : rc;
}

static int add_loops(loops *l)
{
    const om_automaton *a = l->a;
    const om_marks mark = UINT64_C(1) << a->sets;
    const uint64_t letters = letters_of(l->used);
    int rc = letters > MOST_LETTERS ? too_many(l->ctx) : om_tela__like(&l->out, l->ctx, a);
    if (rc == OM_OK)
        rc = om_tela__set_acceptance_and_inf(l->out, a);
    if (rc == OM_OK)
        rc = om_automaton_add_states(l->out, a->states, NULL);
    for (size_t i = 0; rc == OM_OK && i < a->initial_count; i++)
        rc = om_automaton_add_initial(l->out, a->initial[i]);
    for (size_t i = 0; rc == OM_OK && i < a->edge_count; i++)
        rc = add_edge(l, &a->edges[i], a->edges[i].marks | mark, (uint32_t) letters);
    return rc == OM_OK ? om_automaton_finish(l->out) : rc;
}

static int close_by_loops(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    om_automaton *buchi = NULL;
    loops l = { .a = a, .ctx = ctx, .detours = { .heap = om_context_heap(ctx) } };
    int rc = a->sets < OM_MAX_SETS ? OM_OK : om_automaton_to_buchi(a, ctx, &buchi);
    if (buchi != NULL)
        l.a = buchi;
    l.used = om_testing__used(l.a);
    if (rc == OM_OK)
        rc = add_loops(&l);
    rc = om_tela__hand_over(rc, l.out, out);
    om_pair_table__free(&l.detours);
    om_automaton_free(buchi);
    return rc;
}

int om_automaton__stutter_invariant(
    const om_automaton *a, const om_automaton *complement, om_context *ctx, bool *invariant)
{
    om_automaton *in = NULL, *out = NULL, *both = NULL;
    int rc = close_by_loops(a, ctx, &in);
    if (rc == OM_OK)
        rc = close_by_loops(complement, ctx, &out);
    if (rc == OM_OK)
        rc = om_automaton_intersection(in, out, ctx, &both);
    if (rc == OM_OK)
        rc = om_automaton_empty(both, ctx, invariant, NULL);
    om_automaton_free(in);
    om_automaton_free(out);
    om_automaton_free(both);
    return rc;
}

/* ---- by the form of the automaton ---- */

enum { MOST_LOOKS = 1 << 24 };

/* A check of all letters and pairs of edges */
typedef struct form {
    const om_automaton *a;
    uint32_t *component;
    om_label letter;
} form;

/* Returns true if an edge from one state to another reads the letter, with these marks at least. */
static bool has_edge(const form *f, uint32_t from, uint32_t to, om_marks marks)
{
    const om_automaton *a = f->a;
    for (uint32_t i = a->first[from]; i < a->first[from + 1]; i++)
        if (a->edges[i].dst == to && (a->edges[i].marks & marks) == marks &&
            om_edge_matches(&a->edges[i], a->cubes, f->letter))
            return true;
    return false;
}

/* Returns true if the letter of an edge can be read again, and read once instead of twice. */
static bool may_repeat(const form *f, const om_edge *e)
{
    const om_automaton *a = f->a;
    if (!has_edge(f, e->dst, e->dst, 0))
        return false;
    for (uint32_t i = a->first[e->dst]; i < a->first[e->dst + 1]; i++) {
        const om_edge *next = &a->edges[i];
        const uint32_t *component = f->component;
        const bool stays =
            component[e->src] == component[e->dst] && component[e->dst] == component[next->dst];
        if (om_edge_matches(next, a->cubes, f->letter) &&
            !has_edge(f, e->src, next->dst, stays ? e->marks | next->marks : 0))
            return false;
    }
    return true;
}

static bool all_repeat(const form *f)
{
    for (size_t i = 0; i < f->a->edge_count; i++)
        if (om_edge_matches(&f->a->edges[i], f->a->cubes, f->letter) &&
            !may_repeat(f, &f->a->edges[i]))
            return false;
    return true;
}

int om_automaton__repeats(
    const om_automaton *a, om_context *ctx, om_letter_fn *possible, const void *self, bool *repeats)
{
    const om_label used = om_testing__used(a);
    const uint64_t letters = letters_of(used), edges = a->edge_count + 1;
    om_sccs sccs = { 0 };
    *repeats = false;
    if ((om_automaton_acceptance_classes(a) & OM_ACCEPT_FIN_LESS) == 0 || letters > MOST_LETTERS ||
        letters * edges > MOST_LOOKS || letters * edges * edges > MOST_LOOKS)
        return OM_OK;
    int rc = om_automaton_sccs(a, ctx, &sccs);
    form f = { .a = a, .component = sccs.component };
    bool all = rc == OM_OK;
    for (uint64_t k = 0; all && k < letters; k++) {
        f.letter = om_testing__deposit(k, used);
        all = (possible != NULL && !possible(self, f.letter)) || all_repeat(&f);
    }
    om_sccs_free(&sccs, a->heap);
    *repeats = all;
    return rc;
}

bool om_automaton__declares_stutter_invariant(const om_automaton *a)
{
    return a->stutter_invariant;
}

/* ---- complements ---- */

static bool disjoint(const om_automaton *a, const om_edge *e, const om_edge *f)
{
    for (uint32_t i = 0; i < e->cube_count; i++)
        for (uint32_t j = 0; j < f->cube_count; j++) {
            const om_cube *c = &a->cubes[e->cube_begin + i], *d = &a->cubes[f->cube_begin + j];
            if ((c->pos & d->neg) == 0 && (c->neg & d->pos) == 0)
                return false;
        }
    return true;
}

static bool is_deterministic(const om_automaton *a)
{
    for (uint32_t s = 0; s < a->states; s++)
        for (uint32_t e = a->first[s]; e < a->first[s + 1]; e++)
            for (uint32_t f = a->first[s]; f < e; f++)
                if (!disjoint(a, &a->edges[e], &a->edges[f]))
                    return false;
    return a->initial_count <= 1;
}

/* Adds the edges of a state, and edges to `sink` for the letters without one. */
static int complete_state(om_automaton *to, const om_automaton *a, uint32_t s, uint32_t sink)
{
    const om_label used = om_testing__used(a);
    int rc = OM_OK;
    for (uint32_t e = a->first[s]; rc == OM_OK && e < a->first[s + 1]; e++)
        rc = om_tela__add(to, a, &a->edges[e], s, a->edges[e].dst, a->edges[e].marks);
    for (uint64_t k = 0; rc == OM_OK && k < letters_of(used); k++) {
        const om_label letter = om_testing__deposit(k, used);
        const om_cube cube = { letter, used & ~letter };
        bool has = false;
        for (uint32_t e = a->first[s]; !has && e < a->first[s + 1]; e++)
            has = om_edge_matches(&a->edges[e], a->cubes, letter);
        if (!has)
            rc = om_automaton_add_edge(to, s, sink, 0, &cube, 1);
    }
    return rc;
}

/* Sets the acceptance: the negation of that of `a`, or staying in the sink. */
static int negate_acceptance(om_context *ctx, om_automaton *to, const om_automaton *a)
{
    om_acc *f = om_alloc(om_context_heap(ctx), a->acc_length + 2, sizeof *f);
    if (f == NULL)
        return om_fail_memory(ctx);
    om_acc__negate(a->acc, a->acc_length, f);
    f[a->acc_length] = (om_acc){ OM_ACC_INF, (uint8_t) a->sets };
    f[a->acc_length + 1] = (om_acc){ OM_ACC_OR, 0 };
    int rc = om_automaton_set_acceptance(to, a->sets + 1, f, a->acc_length + 2);
    om_free(om_context_heap(ctx), f);
    return rc;
}

int om_automaton__complement(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    static const om_cube any = { 0, 0 };
    const uint32_t sink = a->states;
    om_automaton *c = NULL;
    *out = NULL;
    if (a->sets == OM_MAX_SETS || !is_deterministic(a))
        return OM_OK;
    if (letters_of(om_testing__used(a)) > MOST_LETTERS)
        return too_many(ctx);
    int rc = om_tela__like(&c, ctx, a);
    if (rc == OM_OK)
        rc = negate_acceptance(ctx, c, a);
    if (rc == OM_OK)
        rc = om_automaton_add_states(c, a->states + 1, NULL);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(c, a->initial_count == 0 ? sink : a->initial[0]);
    for (uint32_t s = 0; rc == OM_OK && s < a->states; s++)
        rc = complete_state(c, a, s, sink);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(c, sink, sink, UINT64_C(1) << a->sets, &any, 1);
    if (rc == OM_OK)
        rc = om_automaton_finish(c);
    return om_tela__hand_over(rc, c, out);
}
