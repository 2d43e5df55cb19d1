/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion from generalized Buchi to Buchi by levels (P. Gastin, D. Oddoux, Fast LTL to Buchi
 * automata translation, CAV 2001). As in T. Babiak, T. Badie, A. Duret-Lutz, M. Kretinsky and J.
 * Strejcek (Compositional approach to suspension and other improvements to LTL translation, SPIN
 * 2013, section 4), levels are counted only inside the SCCs that need them; some refinements are
 * added.
 *
 * State (s, level) awaits the level-th set of its SCC; an edge that brings the last one is
 * accepting and restarts the count. One edge advances as many levels as its marks allow; otherwise
 * a cycle that meets all marks in an unfavourable order would have to be taken once for each mark.
 *
 * I1: levels are only counted inside strong SCCs, so that other states have level 0 alone; inside
 *     weak ones (every cycle there sees every mark) each edge accepts.
 * I2: an SCC counts only the sets that carry information there: not the sets that contain all of
 *     its edges, nor the sets that contain another one.
 * I3: a run may enter an SCC at any level. The copies of a strong SCC that edges inside it reach
 *     from one copy contain a component that no edge leaves, with copies of every state. Runs enter
 *     the SCC in that component, and the other copies are not made.
 *
 * For each SCC the conversion tries several orders of the sets, each with and without letting an
 * accepting edge also count for the next round (between two accepting edges every set is still
 * seen). It takes the choice that leaves the fewest copies.
 */
#include "components/automaton_dfs.h"

#include <assert.h>
#include <string.h>

/* All orders are tried for at most ORDERED sets, in SCCs with at most TRIED copies. */
enum { ORDERED = 4, TRIED = 2000 };

typedef struct om_level {
    uint32_t state, level;
} om_level;

/* The way in which an SCC counts. */
typedef struct om_counting {
    uint32_t levels; /* 0: it does not count */
    bool skip;       /* an accepting edge counts for the next level, too */
    uint8_t order[OM_MAX_SETS];
} om_counting;

typedef struct om_degeneral {
    const om_automaton *a; /* generalized Buchi, at least 2 sets */
    om_context *ctx;
    const om_heap *heap;
    const om_sccs *sccs;
    om_counting *counting; /* per SCC */
    uint32_t *entry;       /* per state: the level at which runs enter it */
    om_automaton *out;
    size_t *first;    /* of s: index into `number` for its level 0 */
    uint32_t *number; /* of (s, level), at first[s] + level */
    om_level *todo;   /* the (s, level) of each number */
    size_t todo_capacity;
    uint32_t count;
} om_degeneral;

static int number_of(om_degeneral *d, uint32_t s, uint32_t level, uint32_t *out)
{
    uint32_t *number = &d->number[d->first[s] + level];
    assert(level == 0 || level < d->counting[d->sccs->component[s]].levels); /* I1 */
    if (*number == OM_NONE) {
        if (!OM_ROOM(d->heap, d->todo, &d->todo_capacity, (size_t) d->count + 1))
            return om_fail_memory(d->ctx);
        int rc = om_automaton_add_states(d->out, 1, NULL);
        if (rc != OM_OK)
            return rc;
        d->todo[d->count] = (om_level){ s, level };
        *number = d->count++;
    }
    *out = *number;
    return OM_OK;
}

/* Returns the first level, from this one on, whose set is not among the marks. */
static uint32_t count_on(const om_counting *c, uint32_t level, om_marks marks)
{
    while (level < c->levels && ((marks >> c->order[level]) & 1) != 0)
        level++;
    return level;
}

/* Returns the level after an edge; sets *accepting if the edge completes the count. */
static uint32_t next_level(const om_degeneral *d, const om_edge *e, uint32_t level, bool *accepting)
{
    uint32_t k = d->sccs->component[e->src];
    const om_counting *c = &d->counting[k];

    *accepting = false;
    if (k != d->sccs->component[e->dst])
        return d->entry[e->dst];
    if (c->levels == 0) { /* I1 */
        *accepting = d->sccs->strength[k] != OM_NON_ACCEPTING;
        return 0;
    }
    level = count_on(c, level, e->marks);
    if (level < c->levels)
        return level;
    *accepting = true;
    level = c->skip ? count_on(c, 0, e->marks) : 0;
    return level < c->levels ? level : 0;
}

/* Adds all copies reachable from those in `todo`; with `inside`, only within their SCCs. */
static int expand(om_degeneral *d, bool inside)
{
    const uint32_t *component = d->sccs->component;
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t level = d->todo[i].level, count = 0, to = 0;
        const om_edge *edges = om_automaton_edges(d->a, d->todo[i].state, &count);
        for (uint32_t e = 0; e < count; e++) {
            bool accepting = false;
            if (inside && component[edges[e].src] != component[edges[e].dst])
                continue;
            uint32_t next = next_level(d, &edges[e], level, &accepting);
            int rc = number_of(d, edges[e].dst, next, &to);
            if (rc == OM_OK)
                rc = om_tela__add(d->out, d->a, &edges[e], i, to, accepting);
            if (rc != OM_OK)
                return rc;
        }
    }
    return OM_OK;
}

/* Builds the automaton reachable from these states at their entry levels. */
static int make(om_degeneral *d, const uint32_t *from, size_t count, bool inside)
{
    uint32_t to = 0;
    d->count = 0;
    int rc = om_tela__like(&d->out, d->ctx, d->a);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(d->out, 1);
    for (size_t i = 0; rc == OM_OK && i < count; i++) {
        rc = number_of(d, from[i], d->entry[from[i]], &to);
        if (rc == OM_OK)
            rc = om_automaton_add_initial(d->out, to);
    }
    if (rc == OM_OK)
        rc = expand(d, inside);
    if (rc == OM_OK)
        rc = om_automaton_finish(d->out);
    return rc;
}

/* ---- counting of an SCC ---- */

/* Chooses the sets that an SCC counts (I2). */
static void choose_sets(const om_degeneral *d, const uint32_t *states, uint32_t n, om_counting *c)
{
    om_acc_facts facts;
    om_marks beyond = 0;
    assert(c->levels == 0);
    om_acc_facts__begin(&facts);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = 0;
        const om_edge *e = om_automaton_edges(d->a, states[i], &count);
        for (uint32_t k = 0; k < count; k++)
            if (d->sccs->component[e[k].src] == d->sccs->component[e[k].dst])
                om_acc_facts__add(&facts, e[k].marks);
    }
    om_acc_facts__end(&facts);
    for (uint32_t i = 0; i < d->a->sets; i++)
        beyond |= facts.within[i];
    for (uint32_t i = 0; i < d->a->sets; i++)
        if (((facts.always | beyond) >> i & 1) == 0 && facts.same[i] == i)
            c->order[c->levels++] = (uint8_t) i;
}

/* Sets *to to the p-th permutation of the sets of `from`. */
static void permute(const om_counting *from, uint32_t p, om_counting *to)
{
    *to = *from;
    for (uint32_t i = to->levels; i > 1; p /= i, i--) {
        uint8_t last = to->order[i - 1];
        to->order[i - 1] = to->order[p % i];
        to->order[p % i] = last;
    }
}

/* Records the copies to keep (I3) if they are fewer than the best so far. */
static int judge(
    om_degeneral *d, const om_counting *tried, om_counting *best, uint32_t *fewest, uint32_t *entry)
{
    om_automaton_dfs w = { .heap = d->heap };
    om_scc_list list = { NULL, NULL, 0 };
    int rc = om_automaton_dfs__init(&w, d->ctx, d->out);
    if (rc == OM_OK)
        rc = om_automaton_dfs__reachable_sccs(&w, &list);
    assert(rc != OM_OK || list.count > 0); /* I3 */
    if (rc == OM_OK && list.end[0] < *fewest) {
        *fewest = list.end[0];
        *best = *tried;
        for (uint32_t i = 0; i < list.end[0]; i++)
            entry[d->todo[list.states[i]].state] = d->todo[list.states[i]].level;
    }
    om_scc_list__free(&list, d->heap);
    om_automaton_dfs__free(&w);
    return rc;
}

static int try_one(om_degeneral *d, const uint32_t *states, const om_counting *tried,
    om_counting *best, uint32_t *fewest, uint32_t *entry)
{
    uint32_t k = d->sccs->component[states[0]];
    d->counting[k] = *tried;
    int rc = make(d, states, 1, true);
    if (rc == OM_OK)
        rc = judge(d, tried, best, fewest, entry);
    for (uint32_t i = 0; i < d->count; i++)
        d->number[d->first[d->todo[i].state] + d->todo[i].level] = OM_NONE;
    om_automaton_free(d->out);
    d->out = NULL;
    d->counting[k] = *best;
    return rc;
}

static int choose_order(om_degeneral *d, const uint32_t *states, uint32_t n, uint32_t *entry)
{
    om_counting *c = &d->counting[d->sccs->component[states[0]]], plain = *c, best = *c, tried;
    uint32_t ways = 1, fewest = OM_NONE; /* candidates to try */
    int rc = OM_OK;
    if ((size_t) n * plain.levels <= TRIED) {
        ways = 2;
        for (uint32_t i = 2; i <= plain.levels && plain.levels <= ORDERED; i++)
            ways *= i;
    }
    for (uint32_t p = 0; rc == OM_OK && p < ways && fewest > n; p++) {
        permute(&plain, p / 2, &tried);
        tried.skip = p % 2 == 0;
        rc = try_one(d, states, &tried, &best, &fewest, entry);
    }
    *c = best;
    return rc;
}

/* Allocates the numbers of all possible levels. */
static int make_numbers(om_degeneral *d)
{
    size_t keys = 0;
    for (uint32_t s = 0; s < d->a->states; s++) {
        uint32_t k = d->sccs->component[s];
        d->first[s] = keys;
        keys += k != OM_NONE && d->counting[k].levels > 0 ? d->counting[k].levels : 1;
    }
    if (!OM_NEW(d->heap, d->number, keys))
        return om_fail_memory(d->ctx);
    for (size_t i = 0; i < keys; i++)
        d->number[i] = OM_NONE;
    return OM_OK;
}

static int choose_countings(om_degeneral *d)
{
    uint32_t *states = NULL;
    uint32_t *entry = om_alloc(d->heap, d->a->states, sizeof *entry);
    int rc = entry == NULL ? om_fail_memory(d->ctx) : OM_OK;
    if (rc == OM_OK)
        rc = om_sccs_states(d->sccs, d->ctx, d->a->states, &states);
    for (uint32_t k = 0, i = 0; rc == OM_OK && k < d->sccs->count; i += d->sccs->size[k++])
        if (d->sccs->strength[k] == OM_STRONG)
            choose_sets(d, &states[i], d->sccs->size[k], &d->counting[k]);
    if (rc == OM_OK)
        rc = make_numbers(d);
    for (uint32_t k = 0, i = 0; rc == OM_OK && k < d->sccs->count; i += d->sccs->size[k++])
        if (d->counting[k].levels > 1)
            rc = choose_order(d, &states[i], d->sccs->size[k], entry);
    if (rc == OM_OK)
        memcpy(d->entry, entry, d->a->states * sizeof *entry);
    OM_FREE_ALL(d->heap, entry, states);
    return rc;
}

static int degeneralize(om_context *ctx, const om_automaton *a, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_sccs sccs = { 0, NULL, NULL, NULL };
    om_degeneral d = { .a = a, .ctx = ctx, .heap = heap, .sccs = &sccs };
    int rc = om_automaton_sccs(a, ctx, &sccs);

    if (rc == OM_OK) {
        if (!OM_NEW(heap, d.counting, sccs.count) || !OM_NEW(heap, d.entry, a->states) ||
            !OM_NEW(heap, d.first, a->states))
            rc = om_fail_memory(ctx);
    }
    if (rc == OM_OK)
        rc = choose_countings(&d);
    if (rc == OM_OK)
        rc = make(&d, a->initial, a->initial_count, false);
    rc = om_tela__hand_over(rc, d.out, out);
    OM_FREE_ALL(heap, d.counting, d.entry, d.first, d.number, d.todo);
    om_sccs_free(&sccs, heap);
    return rc;
}

int om_automaton_to_buchi(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    om_automaton *general = NULL, *b = NULL;
    int rc = om_automaton_to_generalized_buchi(a, ctx, &general);

    if (rc == OM_OK && general->sets > 1) {
        rc = degeneralize(ctx, general, &b);
    } else if (rc == OM_OK) {
        b = general;
        general = NULL;
        for (size_t i = 0; b->sets == 0 && i < b->edge_count; i++)
            b->edges[i].marks = 1;
        rc = om_tela__set_generalized_buchi(b, 1);
    }
    rc = om_tela__hand_over(rc, b, out);
    assert(rc != OM_OK || (*out)->sets == 1);
    om_automaton_free(general);
    return rc;
}
