/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generalized Buchi to Buchi, by levels (P. Gastin, D. Oddoux, Fast LTL to Buchi automata
 * translation, CAV 2001), counted where they matter alone.
 */
#include "walk.h"

/*
 * State (s, level) awaits mark `level`; an edge that brings the last one is accepting and starts
 * over. Levels are only counted inside strong SCCs, so that other states have level 0 alone; inside
 * weak ones (every cycle there sees every mark) each edge accepts. A level is
 * left by the marks of one edge for as many levels as they allow: a cycle through all marks in an
 * unlucky order would else go round once a mark.
 */
typedef struct om_level {
    uint32_t state, level;
} om_level;

typedef struct om_degeneral {
    const om_automaton *a; /* generalized Buchi, at least 2 sets */
    om_context *ctx;
    const om_heap *heap;
    const om_sccs *sccs;
    om_automaton *out;
    size_t *first;    /* of s: where the numbers of its levels are */
    uint32_t *number; /* of (s, level), at first[s] + level */
    om_level *todo;   /* the (s, level) of each number */
    size_t todo_capacity;
    uint32_t count;
} om_degeneral;

static int number_of(om_degeneral *d, uint32_t s, uint32_t level, uint32_t *out)
{
    uint32_t *number = &d->number[d->first[s] + level];
    if (*number == OM_NONE) {
        om_level *moved =
            om_grow(d->heap, d->todo, &d->todo_capacity, (size_t) d->count + 1, sizeof *moved);
        if (moved == NULL)
            return om_fail_memory(d->ctx);
        d->todo = moved;
        int rc = om_automaton_add_states(d->out, 1, NULL);
        if (rc != OM_OK)
            return rc;
        d->todo[d->count] = (om_level){ s, level };
        *number = d->count++;
    }
    *out = *number;
    return OM_OK;
}

/* The level behind an edge; *accepting when the last mark came. */
static uint32_t next_level(const om_degeneral *d, const om_edge *e, uint32_t level, bool *accepting)
{
    const uint32_t *component = d->sccs->component;
    uint32_t k = component[e->src];
    om_strength strength = d->sccs->strength[k];

    *accepting = false;
    if (k != component[e->dst] || strength == OM_NON_ACCEPTING)
        return 0;
    if (strength != OM_STRONG) {
        *accepting = true;
        return 0;
    }
    while (level < d->a->sets && ((e->marks >> level) & 1) != 0)
        level++;
    if (level < d->a->sets)
        return level;
    *accepting = true;
    return 0;
}

static int expand(om_degeneral *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t level = d->todo[i].level, count = 0, to = 0;
        const om_edge *edges = om_automaton_edges(d->a, d->todo[i].state, &count);
        for (uint32_t e = 0; e < count; e++) {
            bool accepting = false;
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

/* Memory for the numbers of all levels that there can be. */
static int make_numbers(om_degeneral *d)
{
    const om_sccs *sccs = d->sccs;
    size_t keys = 0;
    d->first = om_alloc(d->heap, d->a->states, sizeof *d->first);
    if (d->first == NULL)
        return om_fail_memory(d->ctx);
    for (uint32_t s = 0; s < d->a->states; s++) {
        uint32_t k = sccs->component[s];
        d->first[s] = keys;
        keys += k != OM_NONE && sccs->strength[k] == OM_STRONG ? d->a->sets : 1;
    }
    d->number = om_alloc(d->heap, keys, sizeof *d->number);
    if (d->number == NULL)
        return om_fail_memory(d->ctx);
    for (size_t i = 0; i < keys; i++)
        d->number[i] = OM_NONE;
    return OM_OK;
}

static int degeneralize(om_context *ctx, const om_automaton *a, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_sccs sccs = { 0, NULL, NULL, NULL };
    om_degeneral d = { .a = a, .ctx = ctx, .heap = heap, .sccs = &sccs };
    uint32_t to = 0;
    int rc = om_automaton_sccs(a, ctx, &sccs);

    if (rc == OM_OK)
        rc = om_tela__like(&d.out, ctx, a);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(d.out, 1);
    if (rc == OM_OK)
        rc = make_numbers(&d);
    for (size_t i = 0; rc == OM_OK && i < a->initial_count; i++) {
        rc = number_of(&d, a->initial[i], 0, &to);
        if (rc == OM_OK)
            rc = om_automaton_add_initial(d.out, to);
    }
    if (rc == OM_OK)
        rc = expand(&d);
    if (rc == OM_OK)
        rc = om_automaton_finish(d.out);
    if (rc == OM_OK) {
        *out = d.out;
        d.out = NULL;
    }
    om_automaton_free(d.out);
    om_free(heap, d.first);
    om_free(heap, d.number);
    om_free(heap, d.todo);
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
    if (rc == OM_OK) {
        *out = b;
        b = NULL;
    }
    om_automaton_free(b);
    om_automaton_free(general);
    return rc;
}
