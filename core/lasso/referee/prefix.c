/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bad prefixes (O. Kupferman, M. Y. Vardi, "Model checking of safety properties", FMSD 2001):
 * finite words of which no continuation satisfies the property.
 *
 * An automaton reads the labels of the run; the set of states that it can be in is tracked (the
 * subset construction, along one word). For a formula, it is the automaton of the words that
 * satisfy it, without the states from which it accepts no word: the prefix is bad if and only if
 * the set is empty. This finds the shortest bad prefix.
 *
 * Without a formula there is only the automaton of the forbidden words. The prefix is bad if the
 * set has a state from which every word is accepted (core/automaton/universal.h). A shorter prefix
 * may already be bad, if several states together accept all continuations. To rule this out, a
 * rejected word that begins with all letters of the prefix but the last is searched for; if none is
 * found, there is no result.
 *
 * After the run's last state its cycle repeats. If the set is the same at the beginning of two
 * rounds, all later sets repeat, too.
 */
#include "prefix.h"

#include "labels.h"
#include "universal.h"

#include <string.h>

enum { ROUNDS_MOST = 4096, ASK_EVERY = 1024, APS_FEW = 6, WITNESSES = 64 };

typedef struct tracker {
    om_context *ctx;
    const om_heap *heap;
    const om_automaton *a;
    const om_label *labels;
    size_t count, loop;
    bool *marked; /* by state: it accepts some word; with `forbidden`, every word */
    bool forbidden;
    uint64_t *now, *next, *kept; /* sets, as bits */
    size_t words;
} tracker;

/* ---- sets ---- */

static void put(const tracker *t, uint64_t *set, uint32_t q)
{
    if (t->forbidden || t->marked[q])
        set[q / 64] |= UINT64_C(1) << q % 64;
}

static void step(tracker *t, om_label label)
{
    uint64_t *was = t->now;
    memset(t->next, 0, t->words * sizeof *t->next);
    for (size_t w = 0; w < t->words; w++)
        for (uint64_t left = was[w]; left != 0; left &= left - 1) {
            uint32_t n, q = (uint32_t) (64 * w + (size_t) __builtin_ctzll(left));
            const om_edge *edges = om_automaton_edges(t->a, q, &n);
            for (uint32_t e = 0; e < n; e++)
                if (om_edge_matches(&edges[e], om_automaton_cubes(t->a), label))
                    put(t, t->next, edges[e].dst);
        }
    t->now = t->next;
    t->next = was;
}

/* Returns true if the word read so far is a bad prefix. */
static bool is_bad(const tracker *t)
{
    for (size_t w = 0; w < t->words; w++)
        for (uint64_t left = t->now[w]; left != 0; left &= left - 1)
            if (!t->forbidden || t->marked[64 * w + (size_t) __builtin_ctzll(left)])
                return t->forbidden;
    return !t->forbidden;
}

static size_t place_of(const tracker *t, size_t i)
{
    return i < t->count ? i : t->loop + (i - t->loop) % (t->count - t->loop);
}

/* *letters is the length of the shortest bad prefix; *found: there is one. */
static int track(tracker *t, size_t *letters, bool *found)
{
    size_t round = 0, keep = 1;
    *letters = 0;
    *found = is_bad(t);
    while (!*found) {
        const size_t i = *letters;
        if (t->loop == OM_NO_LOOP && i == t->count)
            return OM_OK;
        if (place_of(t, i) == t->loop) {
            if (round > 0 && memcmp(t->now, t->kept, t->words * sizeof *t->now) == 0)
                return OM_OK;
            if (++round == keep) { /* keeps rounds 1, 2, 4, ...: finds any period */
                memcpy(t->kept, t->now, t->words * sizeof *t->now);
                keep *= 2;
            }
            if (round > ROUNDS_MOST)
                return OM_OK;
        }
        int rc = i % ASK_EVERY == 0 ? om_context_stopped(t->ctx) : OM_OK;
        if (rc != OM_OK)
            return rc;
        step(t, t->labels[place_of(t, i)]);
        *found = is_bad(t);
        ++*letters;
    }
    return OM_OK;
}

/* ---- properties of states ---- */

/* Marks the states from which some word is accepted. SCCs are in reverse topological order. */
static int find_live(tracker *t)
{
    om_sccs s = { 0 };
    uint32_t *order = NULL, begin = 0;
    const uint32_t states = om_automaton_state_count(t->a);
    int rc = om_automaton_sccs(t->a, t->ctx, &s);
    if (rc != OM_OK)
        return rc;
    rc = om_sccs_states(&s, t->ctx, states, &order);
    t->marked = rc == OM_OK ? om_alloc(t->heap, states, sizeof *t->marked) : NULL;
    if (rc == OM_OK && t->marked == NULL)
        rc = om_fail_memory(t->ctx);
    for (uint32_t k = 0; rc == OM_OK && k < s.count; k++) {
        bool live = s.strength[k] != OM_NON_ACCEPTING;
        for (uint32_t i = begin; i < begin + s.size[k] && !live; i++) {
            uint32_t n;
            const om_edge *edges = om_automaton_edges(t->a, order[i], &n);
            for (uint32_t e = 0; e < n; e++)
                live = live || (edges[e].cube_count > 0 && t->marked[edges[e].dst]);
        }
        for (uint32_t i = begin; i < begin + s.size[k]; i++)
            t->marked[order[i]] = live;
        begin += s.size[k];
    }
    om_free(t->heap, order);
    om_sccs_free(&s, t->heap);
    return rc;
}

static int open_sets(tracker *t)
{
    const uint32_t states = om_automaton_state_count(t->a);
    t->words = states / 64 + 1;
    if (!OM_NEW(t->heap, t->now, t->words) || !OM_NEW(t->heap, t->next, t->words) ||
        !OM_NEW(t->heap, t->kept, t->words))
        return om_fail_memory(t->ctx);
    int rc = t->forbidden ? om_automaton__universal(t->a, t->ctx, &t->marked) : find_live(t);
    for (uint32_t i = 0; rc == OM_OK && i < om_automaton_initial_count(t->a); i++)
        put(t, t->now, om_automaton_initial(t->a, i));
    return rc;
}

/* ---- automata of forbidden runs ---- */

/* Returns the next letter to try, or false if there is none left. */
static bool candidate(const tracker *t, unsigned i, om_label *letter)
{
    const uint32_t aps = om_automaton_ap_count(t->a);
    if (aps <= APS_FEW) {
        *letter = i;
        return i < 1u << aps;
    }
    *letter = i == 0 ? 0 : i == 1 ? ~UINT64_C(0) : i - 2 < t->count ? t->labels[i - 2] : 0;
    return i < WITNESSES && i < t->count + 2;
}

/* Sets *good if there is a rejected word that begins with the first `letters` letters of the run.
 * Tries only words that continue with one letter for ever. */
static int may_be_good(const tracker *t, size_t letters, bool *good)
{
    om_label *word = om_alloc(t->heap, letters + 1, sizeof *word);
    int rc = word == NULL ? om_fail_memory(t->ctx) : OM_OK;
    *good = false;
    for (size_t i = 0; rc == OM_OK && i < letters; i++)
        word[i] = t->labels[place_of(t, i)];
    for (unsigned k = 0; rc == OM_OK && !*good && candidate(t, k, &word[letters]); k++) {
        bool accepted = true;
        rc = om_automaton_accepts_lasso(t->a, t->ctx, word, letters + 1, letters, &accepted);
        *good = !accepted;
    }
    om_free(t->heap, word);
    return rc;
}

/* ---- both kinds ---- */

static int find(tracker *t, size_t *states)
{
    size_t letters = 0;
    bool found = false, exact = true;
    int rc = open_sets(t);
    if (rc == OM_OK)
        rc = track(t, &letters, &found);
    if (rc == OM_OK && found && t->forbidden && letters > 1)
        rc = may_be_good(t, letters - 1, &exact);
    if (rc == OM_OK && found && exact)
        *states = letters > 1 ? letters : 1;
    return rc;
}

int om_lasso__bad_prefix(om_context *ctx, const om_lasso *l, const om_obligation *o, size_t *states)
{
    tracker t = { .ctx = ctx,
        .heap = om_context_heap(ctx),
        .a = o->ltl != NULL ? o->allowed : o->forbidden,
        .forbidden = o->ltl == NULL,
        .count = l->count,
        .loop = l->loop };
    om_label *labels = NULL;
    *states = 0;
    if (t.a == NULL || l->count == 0)
        return OM_OK;
    int rc = om_lasso__labels(ctx, l, o->model, t.forbidden ? o->aps : o->allowed_aps,
        om_automaton_ap_count(t.a), &labels);
    t.labels = labels;
    if (rc == OM_OK)
        rc = find(&t, states);
    OM_FREE_ALL(t.heap, labels, t.marked, t.now, t.next, t.kept);
    return rc;
}
