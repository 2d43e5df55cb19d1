/* SPDX-License-Identifier: Apache-2.0 */
/*
 * direct_simulation.c: reduces states and edges by direct simulation, forwards and backwards.
 *
 * t simulates s if, under every label, each edge of s is matched by an edge of t with no fewer
 * marks, into a state that simulates the target of the first. States that simulate each other are
 * merged. An edge loses the labels under which another edge of the same state dominates it.
 * Backward simulation is the same on incoming edges; there only the initial state itself simulates
 * the initial state.
 *
 * K. Etessami, G. Holzmann, "Optimizing Buchi automata", CONCUR 2000, and F. Somenzi, R. Bloem,
 * "Efficient Buchi automata from LTL formulae", CAV 2000, section 4, for both directions; A.
 * Duret-Lutz, "LTL translation improvements in Spot 1.0", IJCCBS 5 (2014), for alternating them.
 * Labels are compared as sets, so that several edges together may match one.
 *
 * I1: the relation is a preorder at the fixpoint: each round preserves reflexivity and
 *     transitivity. So under a label one of the edges that dominate all others remains.
 *
 * Termination: pairs only leave the relation. Cost: a round compares each pair of edges at most
 * once. All comparisons of a translation are counted, and after too many the graph stays as it was.
 */
#include "simulation.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_STATES = 2000 };

static int by_ends(const void *a, const void *b)
{
    const tb_edge *x = a, *y = b;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    return x->marks < y->marks ? -1 : x->marks > y->marks;
}

/* Sorts the edges by the end at which they are compared. */
static void sort_edges(simulation *s)
{
    const tb_graph *g = s->g;
    for (size_t i = 0; i < g->edge_count; i++) {
        tb_edge e = g->edges[i];
        if (s->component[e.src] != s->component[e.dst])
            e.marks = (s->how & (TB_GENEROUS | TB_PRUNE)) != 0 ? s->all : 0;
        if ((s->how & TB_BACKWARDS) != 0) {
            e.src = g->edges[i].dst;
            e.dst = g->edges[i].src;
        }
        s->own[i] = e;
        s->first[e.src + 1]++;
    }
    for (uint32_t t = 0; t < g->states; t++)
        s->first[t + 1] += s->first[t];
    assert(s->first[g->states] == g->edge_count);
    if (g->edge_count > 1)
        qsort(s->own, g->edge_count, sizeof *s->own, by_ends);
}

/* Returns true if edges of t match e under each of its labels. */
static bool is_matched(simulation *s, const tb_edge *e, uint32_t t)
{
    om_bdd left = e->label;
    for (size_t i = s->first[t]; i < s->first[t + 1] && left != OM_BDD_FALSE; i++)
        if (sm_dominates(s, &s->own[i], e))
            left = om_bdd_minus(s->d, left, s->own[i].label);
    return left == OM_BDD_FALSE;
}

/* Checks a pair of the relation again; returns false if it has to leave the relation. */
static bool still_simulates(simulation *s, uint32_t better, uint32_t worse)
{
    for (size_t i = s->first[worse]; i < s->first[worse + 1]; i++)
        if (!is_matched(s, &s->own[i], better))
            return false;
    return true;
}

static int find_relation(simulation *s)
{
    uint32_t n = s->g->states;
    for (uint32_t worse = 0; worse < n; worse++)
        for (uint32_t better = 0; better < n; better++)
            s->below[(size_t) worse * n + better] =
                (s->how & TB_BACKWARDS) == 0 || worse != 0 || better == 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t worse = 0; worse < n; worse++) {
            int rc = om_context_stopped(s->ctx);
            if (rc == OM_OK)
                rc = om_bdd_space_status(s->d);
            if (rc != OM_OK)
                return rc;
            for (uint32_t better = 0; better < n; better++) {
                if (worse == better || !sm_simulates(s, better, worse))
                    continue;
                size_t cost = 1 + (s->first[worse + 1] - s->first[worse]) *
                                      (s->first[better + 1] - s->first[better]);
                if ((rc = sm_spend(s, cost)) != OM_OK)
                    return rc;
                if (!still_simulates(s, better, worse)) {
                    s->below[(size_t) worse * n + better] = false;
                    changed = true;
                }
            }
        }
    }
    return OM_OK;
}

/* ---- the reduced graph ---- */

/* Gives states that simulate each other one class, numbered in the order of their first states. */
static void name_classes(simulation *s)
{
    for (uint32_t t = 0; t < s->g->states; t++) {
        uint32_t like = 0;
        while (!sm_simulates(s, like, t) || !sm_simulates(s, t, like))
            like++;
        assert(like <= t); /* I1: the relation is reflexive */
        s->name[t] = like < t ? s->name[like] : s->classes++;
    }
}

/* Returns the labels under which no other edge of the same state dominates edge i; of several
 * equivalent edges the first one remains. */
static om_bdd needed_label(simulation *s, uint32_t t, size_t i)
{
    const tb_edge *e = &s->own[i];
    om_bdd label = e->label;
    for (size_t k = s->first[t]; k < s->first[t + 1] && label != OM_BDD_FALSE; k++) {
        const tb_edge *x = &s->own[k];
        if (k != i && sm_dominates(s, x, e) && (k < i || !sm_dominates(s, e, x)))
            label = om_bdd_minus(s->d, label, x->label);
    }
    return label;
}

/* Keeps the edges of the first state of each class, in their original direction. */
static void keep_edges(simulation *s)
{
    uint32_t next = 0;
    for (uint32_t t = 0; t < s->g->states; t++) {
        if (s->name[t] != next)
            continue;
        next++;
        for (size_t i = s->first[t]; i < s->first[t + 1]; i++) {
            tb_edge e = { s->name[t], s->name[s->own[i].dst], s->own[i].marks,
                needed_label(s, t, i) };
            if (e.label == OM_BDD_FALSE)
                continue;
            if ((s->how & TB_BACKWARDS) != 0) {
                e.src = s->name[s->own[i].dst];
                e.dst = s->name[t];
            }
            s->kept[s->kept_count++] = e;
        }
    }
    assert(next == s->classes && s->kept_count <= s->g->edge_count);
    if (s->kept_count > 1)
        qsort(s->kept, s->kept_count, sizeof *s->kept, by_ends);
}

/* Writes the graph; edges that differ only in their labels are merged. */
static int write_out(simulation *s, tb_graph *out)
{
    const tb_edge *e = s->kept;
    size_t i = 0, n = s->kept_count;
    int rc = OM_OK;
    out->sets = s->g->sets;
    for (uint32_t c = 0; c < s->classes && rc == OM_OK; c++) {
        rc = tb_graph_open_state(out, s->heap);
        while (i < n && e[i].src == c && rc == OM_OK) {
            tb_edge one = e[i++];
            for (; i < n && by_ends(&e[i], &one) == 0; i++)
                one.label = om_bdd_or(s->d, one.label, e[i].label);
            rc = tb_graph_add_edge(out, s->heap, one);
        }
    }
    assert(rc != OM_OK || i == n); /* every edge leaves a class */
    if (rc == OM_OK)
        tb_graph_close(out);
    return rc == OM_OK ? om_bdd_space_status(s->d) : rc;
}

static int run(simulation *s, tb_graph *out)
{
    size_t states = s->g->states, edges = s->g->edge_count + 1;
    if (states > MOST_STATES)
        return OM_ELIMIT;
    if (!OM_NEW(s->heap, s->first, states + 1) || !OM_NEW(s->heap, s->own, edges) ||
        !OM_NEW(s->heap, s->kept, edges) || !OM_NEW(s->heap, s->below, states * states) ||
        !OM_NEW(s->heap, s->name, states))
        return OM_ENOMEM;
    sort_edges(s);
    int rc = find_relation(s);
    if (rc == OM_OK && (s->how & TB_PRUNE) != 0)
        rc = sm_prune(s);
    else if (rc == OM_OK) {
        name_classes(s);
        keep_edges(s);
    }
    if (rc != OM_OK)
        return rc;
    return write_out(s, out);
}

int tb_simulate(om_context *ctx, const tb_graph *g, const om_sccs *sccs, om_bdd_space *d,
    unsigned how, size_t *work, tb_graph *out)
{
    const om_heap *heap = om_context_heap(ctx);
    tb_graph graph = { 0 };
    simulation s = { .ctx = ctx,
        .heap = heap,
        .g = g,
        .d = d,
        .component = sccs->component,
        .how = how,
        .all = g->sets == 64 ? UINT64_MAX : (UINT64_C(1) << g->sets) - 1 };
    s.work = work;
    int rc = run(&s, &graph);
    OM_FREE_ALL(heap, s.first, s.own, s.kept, s.below, s.name);
    if (rc == OM_OK)
        *out = graph;
    else
        tb_graph_free(&graph, heap);
    return rc;
}
