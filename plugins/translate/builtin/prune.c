/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prune.c: fewer ways from one component to another, so that products have fewer states.
 *
 * In FG(c & F p) the way from waiting to checking may be taken under c, but it will do to take it
 * under c & p: who waits can wait for p. No direct simulation says so, for the marks of an edge
 * between components are those of either graph, and waiting has no mark. But they do not matter: a
 * run takes finitely many such edges. So let N be a set of pairs (b, w) of states, b of the pruned
 * graph and w of the one there was, so that under every label each edge of w has one of b that
 * stayed, into a pair of N, and with no fewer marks unless one of the two leads out of its
 * component. For a run of w from a pair of N there is one of b, edge by edge; behind the last edges
 * that lead out of a component, which both have, each mark of the former is one of the latter's.
 * With (s, s) in N for all states s the language is the same. (L. Clemente and R. Mayr, "Efficient
 * reduction of nondeterministic automata with application to language inclusion testing", LMCS 15
 * (2019), prune by relations in general; there, too, the relation has to hold of what is left.)
 *
 * I1: `below` is the largest relation of that kind on the graph as it was. It contains N, so a
 *     label that was taken from an edge too hastily can be given back until all of N is right.
 *
 * Termination: labels are only given back, pairs only added. Cost: as a round of simulation.
 */
#include "simulation.h"

#include <assert.h>

typedef struct pruning {
    simulation *s;
    om_bdd *gone; /* of each edge's label */
    bool *needed; /* pairs of N, as `below` */
    size_t *todo; /* the same as a list, at most all */
    size_t count;
} pruning;

static void need(pruning *p, uint32_t better, uint32_t worse)
{
    size_t pair = (size_t) worse * p->s->g->states + better;
    if (!p->needed[pair]) {
        p->needed[pair] = true;
        p->todo[p->count++] = pair;
    }
}

/* What other edges of the same state can do as well, of edges that lead out of their component. */
static void take_hastily(pruning *p, size_t i)
{
    const simulation *s = p->s;
    const tb_edge *e = &s->own[i];
    om_bdd others = OM_BDD_FALSE;
    if (s->component[e->src] == s->component[e->dst])
        return;
    for (size_t k = s->first[e->src]; k < s->first[e->src + 1]; k++)
        if (k != i && sm_dominates(s, &s->own[k], e))
            others = om_bdd_or(s->d, others, s->own[k].label);
    p->gone[i] = om_bdd_and(s->d, e->label, others);
}

/* Takes from `left` the labels under which the edge k, which stayed, does what e can. */
static om_bdd match(pruning *p, om_bdd left, const tb_edge *e, size_t k)
{
    const simulation *s = p->s;
    om_bdd stayed = om_bdd_minus(s->d, s->own[k].label, p->gone[k]);
    om_bdd rest = om_bdd_minus(s->d, left, stayed);
    if (rest != left)
        need(p, s->own[k].dst, e->dst);
    return rest;
}

/* An edge of `worse` has those of `better`, if some labels are given back. An edge into the same
 * state is best: that pair is needed anyway. */
static void match_edge(pruning *p, const tb_edge *e, uint32_t better)
{
    const simulation *s = p->s;
    om_bdd left = e->label;
    size_t begin = s->first[better], end = s->first[better + 1];
    for (int same = 1; same >= 0; same--)
        for (size_t k = begin; k < end && left != OM_BDD_FALSE; k++)
            if ((s->own[k].dst == e->dst) == (same != 0) && sm_dominates(s, &s->own[k], e))
                left = match(p, left, e, k);
    for (size_t k = begin; k < end && left != OM_BDD_FALSE; k++)
        if (p->gone[k] != OM_BDD_FALSE && sm_dominates(s, &s->own[k], e)) {
            p->gone[k] = om_bdd_minus(s->d, p->gone[k], left);
            left = match(p, left, e, k);
        }
    assert(left == OM_BDD_FALSE || om_bdd_space_status(s->d) != OM_OK); /* I1 */
}

static int match_all(pruning *p)
{
    simulation *s = p->s;
    uint32_t n = s->g->states;
    for (uint32_t t = 0; t < n; t++)
        need(p, t, t);
    for (size_t i = 0; i < p->count; i++) {
        uint32_t worse = (uint32_t) (p->todo[i] / n), better = (uint32_t) (p->todo[i] % n);
        size_t edges = s->first[better + 1] - s->first[better];
        int rc = om_context_stopped(s->ctx);
        if (rc == OM_OK)
            rc = sm_spend(s, 1 + (s->first[worse + 1] - s->first[worse]) * edges);
        if (rc == OM_OK)
            rc = om_bdd_space_status(s->d);
        if (rc != OM_OK)
            return rc;
        for (size_t k = s->first[worse]; k < s->first[worse + 1]; k++)
            match_edge(p, &s->own[k], better);
    }
    return OM_OK;
}

static void keep(const pruning *p)
{
    simulation *s = p->s;
    for (uint32_t t = 0; t < s->g->states; t++)
        s->name[t] = s->classes++;
    for (size_t i = 0; i < s->g->edge_count; i++) {
        tb_edge e = s->own[i];
        e.label = om_bdd_minus(s->d, e.label, p->gone[i]);
        if (e.label != OM_BDD_FALSE)
            s->kept[s->kept_count++] = e;
    }
}

int sm_prune(simulation *s)
{
    size_t pairs = (size_t) s->g->states * s->g->states, edges = s->g->edge_count;
    pruning p = { .s = s,
        .gone = om_alloc(s->heap, edges + 1, sizeof *p.gone),
        .needed = om_alloc(s->heap, pairs, sizeof *p.needed),
        .todo = om_alloc(s->heap, pairs, sizeof *p.todo) };
    int rc = p.gone == NULL || p.needed == NULL || p.todo == NULL ? OM_ENOMEM : OM_OK;
    for (size_t i = 0; i < edges && rc == OM_OK; i++) {
        p.gone[i] = OM_BDD_FALSE;
        take_hastily(&p, i);
        rc = om_bdd_space_status(s->d);
    }
    if (rc == OM_OK)
        rc = match_all(&p);
    if (rc == OM_OK)
        keep(&p);
    om_free(s->heap, p.gone);
    om_free(s->heap, p.needed);
    om_free(s->heap, p.todo);
    return rc;
}
