/* SPDX-License-Identifier: Apache-2.0 */
#include "rabin_pairs.h"

#include <assert.h>

/* ---- the formula ---- */

typedef struct pair {
    om_marks fin, inf;
} pair;

/*
 * Reads a formula in postfix, a disjunction of conjunctions of literals. The operands of an AND are
 * two conjunctions, the last two of `pairs`; the operands of an OR stay separate pairs.
 */
static size_t read_pairs(const om_acc *f, size_t length, pair *pairs)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        const om_marks set = UINT64_C(1) << f[i].set;
        if (f[i].op == OM_ACC_AND) {
            assert(count >= 2);
            count--;
            pairs[count - 1].fin |= pairs[count].fin;
            pairs[count - 1].inf |= pairs[count].inf;
        } else if (f[i].op != OM_ACC_OR)
            pairs[count++] =
                (pair){ f[i].op == OM_ACC_FIN ? set : 0, f[i].op == OM_ACC_INF ? set : 0 };
    }
    return count;
}

/* Returns true if every run that satisfies `a` satisfies `b`. */
static bool implies(const pair *a, const pair *b)
{
    return (b->fin & ~a->fin) == 0 && (b->inf & ~a->inf) == 0;
}

/* Returns true if no run satisfies pair i, or if every run that does satisfies another pair, too
 * (of equal pairs, the first one is kept). */
static bool is_needless(const pair *pairs, size_t count, size_t i)
{
    if ((pairs[i].fin & pairs[i].inf) != 0)
        return true;
    for (size_t k = 0; k < count; k++)
        if (k != i && implies(&pairs[i], &pairs[k]) && (k < i || !implies(&pairs[k], &pairs[i])))
            return true;
    return false;
}

/* ---- groups ---- */

/* Returns true if the same edges are in one of the sets `these` as in one of the sets `those`. */
static bool same_edges(const om_automaton *a, om_marks these, om_marks those)
{
    for (uint32_t q = 0; q < om_automaton_state_count(a); q++) {
        uint32_t n;
        const om_edge *e = om_automaton_edges(a, q, &n);
        for (uint32_t i = 0; i < n; i++)
            if (((e[i].marks & these) != 0) != ((e[i].marks & those) != 0))
                return false;
    }
    return true;
}

/* Adds a pair to its group, or to a new one. `most`: the number of pairs. */
static int put_pair(
    pair_groups *out, om_context *ctx, const om_automaton *a, const pair *p, size_t most)
{
    pair_group *g = out->at;
    while (g < out->at + out->count && !same_edges(a, g->avoid, p->fin))
        g++;
    if (g == out->at + out->count) {
        if (!OM_NEW(om_context_heap(ctx), g->see, most))
            return om_fail_memory(ctx);
        out->count++;
    }
    assert(g->see_count < most);
    g->avoid |= p->fin;
    g->see[g->see_count++] = p->inf;
    g->seen |= p->inf;
    return OM_OK;
}

/* ---- useful automaton states of a group ---- */

typedef struct formula {
    om_acc *at;
    size_t length;
} formula;

/* Appends a literal for each of these sets, in conjunction with the formula so far. */
static void put_sets(formula *f, om_acc_op op, om_marks sets, bool *first)
{
    for (uint8_t i = 0; i < 64; i++) {
        if ((sets >> i & 1) == 0)
            continue;
        f->at[f->length++] = (om_acc){ (uint8_t) op, i };
        if (!*first)
            f->at[f->length++] = (om_acc){ OM_ACC_AND, 0 };
        *first = false;
    }
}

/* Sets the acceptance of one group on an unfinished automaton. */
static int set_acceptance(
    om_automaton *to, om_context *ctx, const om_automaton *a, const pair_group *g)
{
    enum { MOST_OF_PAIR = 4 * 64 }; /* a literal and an operator for each set, twice */
    formula f = { om_alloc(om_context_heap(ctx), g->see_count * MOST_OF_PAIR, sizeof *f.at), 0 };
    if (f.at == NULL)
        return om_fail_memory(ctx);
    for (size_t i = 0; i < g->see_count; i++) {
        bool first = true;
        put_sets(&f, OM_ACC_FIN, g->avoid, &first);
        put_sets(&f, OM_ACC_INF, g->see[i], &first);
        if (first)
            f.at[f.length++] = (om_acc){ OM_ACC_TRUE, 0 };
        if (i > 0)
            f.at[f.length++] = (om_acc){ OM_ACC_OR, 0 };
    }
    assert(f.length <= g->see_count * MOST_OF_PAIR);
    int rc = om_automaton_set_acceptance(to, om_automaton_set_count(a), f.at, f.length);
    om_free(om_context_heap(ctx), f.at);
    return rc;
}

static int copy_edges(om_automaton *to, const om_automaton *a)
{
    int rc = OM_OK;
    for (uint32_t q = 0; q < om_automaton_state_count(a); q++) {
        uint32_t n;
        const om_edge *e = om_automaton_edges(a, q, &n);
        for (uint32_t i = 0; i < n && rc == OM_OK; i++)
            rc = om_automaton_add_edge(to, q, e[i].dst, e[i].marks,
                om_automaton_cubes(a) + e[i].cube_begin, e[i].cube_count);
    }
    for (uint32_t i = 0; i < om_automaton_initial_count(a) && rc == OM_OK; i++)
        rc = om_automaton_add_initial(to, om_automaton_initial(a, i));
    return rc;
}

/* Copies the automaton, with the acceptance of a group; its propositions have no names. */
static int restrict_to(
    om_automaton **out, om_context *ctx, const om_automaton *a, const pair_group *g)
{
    const uint32_t aps = om_automaton_ap_count(a);
    const char **names = om_alloc(om_context_heap(ctx), aps, sizeof *names);
    om_automaton *b = NULL;
    int rc = names == NULL ? om_fail_memory(ctx) : OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < aps; i++)
        names[i] = om_automaton_ap(a, i);
    if (rc == OM_OK)
        rc = om_automaton_new(&b, ctx, aps, names);
    if (rc == OM_OK)
        rc = om_automaton_add_states(b, om_automaton_state_count(a), NULL);
    if (rc == OM_OK)
        rc = set_acceptance(b, ctx, a, g);
    if (rc == OM_OK)
        rc = copy_edges(b, a);
    if (rc == OM_OK)
        rc = om_automaton_finish(b);
    om_free(om_context_heap(ctx), names);
    if (rc == OM_OK)
        *out = b;
    else
        om_automaton_free(b);
    return rc;
}

/* Marks the useful states. In the order of components, each reaches only earlier ones. */
static void mark_useful(
    const om_automaton *a, const om_sccs *sccs, const uint32_t *states, bool *useful)
{
    for (uint32_t k = 0; k < sccs->count; k++) {
        bool is = sccs->strength[k] != OM_NON_ACCEPTING;
        for (uint32_t i = 0; i < sccs->size[k] && !is; i++) {
            uint32_t n;
            const om_edge *e = om_automaton_edges(a, states[i], &n);
            for (uint32_t j = 0; j < n; j++)
                is = is || useful[e[j].dst];
        }
        for (uint32_t i = 0; i < sccs->size[k]; i++)
            useful[states[i]] = is;
        states += sccs->size[k];
    }
}

static int find_useful(pair_group *g, om_context *ctx, const om_automaton *a)
{
    const om_heap *heap = om_context_heap(ctx);
    const uint32_t n = om_automaton_state_count(a);
    om_automaton *b = NULL;
    om_sccs sccs = { 0 };
    uint32_t *states = NULL;
    int rc = restrict_to(&b, ctx, a, g);
    if (rc == OM_OK)
        rc = om_automaton_sccs(b, ctx, &sccs);
    if (rc == OM_OK)
        rc = om_sccs_states(&sccs, ctx, n, &states);
    if (rc == OM_OK && (g->useful = om_alloc(heap, n, sizeof *g->useful)) == NULL)
        rc = om_fail_memory(ctx);
    if (rc == OM_OK)
        mark_useful(a, &sccs, states, g->useful);
    om_free(heap, states);
    om_sccs_free(&sccs, heap);
    om_automaton_free(b);
    return rc;
}

static bool accepts_something(const pair_group *g, const om_automaton *a)
{
    for (uint32_t i = 0; i < om_automaton_initial_count(a); i++)
        if (g->useful[om_automaton_initial(a, i)])
            return true;
    return false;
}

static void free_group(pair_group *g, const om_heap *heap)
{
    OM_FREE_ALL(heap, g->see, g->useful);
}

/* If there are several groups, removes those that accept nothing, but keeps at least one. */
static int keep_useful(pair_groups *out, om_context *ctx, const om_automaton *a)
{
    size_t i = 0;
    int rc = OM_OK;
    for (size_t k = 0; rc == OM_OK && k < out->count; k++)
        rc = find_useful(&out->at[k], ctx, a);
    while (rc == OM_OK && i < out->count && out->count > 1)
        if (accepts_something(&out->at[i], a))
            i++;
        else {
            free_group(&out->at[i], om_context_heap(ctx));
            out->at[i] = out->at[--out->count];
        }
    return rc;
}

int pair_groups_read(pair_groups *out, om_context *ctx, const om_automaton *a)
{
    const om_heap *heap = om_context_heap(ctx);
    size_t length;
    const om_acc *f = om_automaton_acceptance(a, &length);
    if ((om_automaton_acceptance_classes(a) & PAIR_GROUPS_ACCEPTANCE) == 0)
        return om_fail(ctx, OM_EUNSUPPORTED, NULL, "the acceptance is neither Rabin nor Buchi");
    pair *pairs = om_alloc(heap, length, sizeof *pairs);
    out->at = om_alloc(heap, length, sizeof *out->at);
    int rc = pairs == NULL || out->at == NULL ? om_fail_memory(ctx) : OM_OK;
    size_t count = rc == OM_OK ? read_pairs(f, length, pairs) : 0;
    assert(rc != OM_OK || count > 0);
    for (size_t i = 0; i < count && rc == OM_OK; i++)
        if (!is_needless(pairs, count, i))
            rc = put_pair(out, ctx, a, &pairs[i], count);
    if (rc == OM_OK && out->count == 0)
        rc = put_pair(out, ctx, a, &pairs[0], count);
    om_free(heap, pairs);
    return rc == OM_OK && out->count > 1 ? keep_useful(out, ctx, a) : rc;
}

void pair_groups_free(pair_groups *g, const om_heap *heap)
{
    for (size_t i = 0; g->at != NULL && i < g->count; i++)
        free_group(&g->at[i], heap);
    om_free(heap, g->at);
    *g = (pair_groups){ NULL, 0 };
}
